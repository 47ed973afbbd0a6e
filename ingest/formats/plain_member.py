"""A gzip member that holds one WARC record and nothing else, as nearly all do: taken apart at once.

Whatever is unusual in any way is left to `graphlang.ingest.formats.records`; the tests hold the one against the other.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from graphlang.ingest.formats.records import RawRecord
from graphlang.ingest.payload.native import fields as _kernels

if TYPE_CHECKING:
    from graphlang.ingest.limits import Limits

_LEFT: Final = _kernels.FIELDS_LEFT
_ROOM: Final = 1 << 16  # bytes of all parts of an answer


class PlainMember:
    """Takes members apart; for one thread at a time.

    Args:
        limits: ``max_header`` and ``max_payload``.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._parts = bytearray(_ROOM)
        self._places = array("q", (0, 0, 0, 0))

    def read(self, offset: int, member: bytes) -> RawRecord | None:
        r"""Return the record of a member; None where it may hold anything else.

        Args:
            offset: of the member in the file.
            member: what it unpacks to.

        >>> from graphlang.ingest.limits import Limits
        >>> member = b"WARC/1.0\r\nContent-Length: 2\r\n\r\nab\r\n\r\n"
        >>> record = PlainMember(Limits()).read(7, member)
        >>> record.offset, record.head, record.block
        (7, b'WARC/1.0\r\nContent-Length: 2\r\n\r\n', b'ab')
        >>> PlainMember(Limits()).read(7, member + member)
        """
        limits, places = self._limits, self._places
        size = _kernels.fields_member(member, limits.max_header, limits.max_payload, self._parts, places)
        if size == _LEFT:
            return None
        head, end, status, body = places
        answer = (bytes(self._parts[:size]), status, body) if size else None
        return RawRecord(offset, member[:head], member[head:end], answer=answer)
