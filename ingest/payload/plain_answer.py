"""A WARC record that holds an answer of HTTP, taken apart at once where it is as nearly all are.

What is unusual in any way is left to those who read a record header and then the message in its block, see
`graphlang.ingest.payload.http_response`; the tests hold the one against the other.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.ingest.payload.http_response import Response, of_payload
from graphlang.ingest.payload.native import fields as _kernels

if TYPE_CHECKING:
    from graphlang.ingest.limits import Limits

_LEFT: Final = _kernels.FIELDS_LEFT
_ROOM: Final = 1 << 16  # bytes of all parts
_NAMES: Final = (
    *("content-type", "content-language", "x-robots-tag", "location", "refresh", "link"),
    *("content-encoding", "transfer-encoding"),
)


class PlainAnswer(NamedTuple):
    """What a record and the answer in it say."""

    uri: str  #: WARC-Target-URI as written
    date: str  #: WARC-Date as written
    digest: str  #: WARC-Payload-Digest as written
    response: Response  #: its fields are those that are looked at, and not empty


class AnswerReader:
    """Takes records apart; for one thread at a time.

    Args:
        limits: ``max_header`` and ``max_payload``.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._parts = bytearray(_ROOM)
        self._places = array("q", (0, 0))

    def read(self, head: bytes, block: bytes, parts: tuple[bytes, int, int] | None = None) -> PlainAnswer | None:
        r"""Take a record apart; None where it, or the answer in it, is unusual.

        Args:
            head: header of the record.
            block: the answer.
            parts: where it was taken apart already (``RawRecord.answer``).

        >>> from graphlang.ingest.limits import Limits
        >>> record = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n\r\n"
        >>> found = AnswerReader(Limits()).read(record, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x")
        >>> found.uri, found.response
        ('http://a.example/', Response(status=200, fields={'content-type': 'text/html'}, payload=b'<p>x', faults=()))
        """
        parts = parts or self.parts(head, block)
        if parts is None:
            return None
        written, status, body = parts
        uri, date, digest, said = written.decode("ascii").split("\0", 3)
        return PlainAnswer(
            uri, date, digest, of_payload(status, fields_of(said), block[body:], self._limits.max_payload)
        )

    def parts(self, head: bytes, block: bytes) -> tuple[bytes, int, int] | None:
        """Return the parts of a record and the answer in it, the status, and where in the block the payload begins.

        Args:
            head: header of the record.
            block: the answer.

        Returns:
            A zero is behind each part: WARC-Target-URI, WARC-Date and WARC-Payload-Digest, then what `fields_of` takes.
            None where anything is unusual.
        """
        size = _kernels.fields_answer(head, block, self._limits.max_header, self._parts, self._places)
        if size == _LEFT:
            return None
        status, body = self._places
        return bytes(self._parts[:size]), status, body


@lru_cache(256)
def fields_of(said: str) -> dict[str, str]:
    """Return the fields of an answer: those of one server are mostly the same. Nobody may change what many share."""
    return {name: value for name, value in zip(_NAMES, said.split("\0"), strict=False) if value}
