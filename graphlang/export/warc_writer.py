"""WARC records about pages, written by the hundred thousand: one gzip member each.

warcio writes any record, and spends most of its time on headers that it looks up again and again, and on zlib, which
begins anew for each. The records of exports are all of one form, so that their bytes are put together here; a test
holds them to be those of warcio's writer. They are compressed with isal, which is installed with graphlang on usual
machines: five times as fast as zlib, and 1 to 6 % larger; elsewhere with zlib. What a record unpacks to is the same on
every machine, how it is packed is not.
"""

from __future__ import annotations

import re
import zlib
from base64 import b32encode
from hashlib import sha1
from importlib import import_module
from typing import IO, TYPE_CHECKING, Final
from uuid import NAMESPACE_URL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: Bytes that are gathered before they are written.
_BLOCK: Final = 1 << 18
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_VARIANT: Final = "89ab"
_NO_DATE: Final = "1970-01-01T00:00:00Z"  # WARC wants a date


def _compressor() -> Callable[[bytes], bytes]:
    try:
        fast: Callable[..., bytes] = import_module("isal.isal_zlib").compress
    except ImportError:
        return lambda data: zlib.compress(data, 6, 31)
    return lambda data: fast(data, 1, 31)


def record_id(name: str) -> str:
    """The UUID of a name: the same record has the same one whenever it is written (RFC 9562, version 5).

    Args:
        name: what the record is about.

    >>> from uuid import NAMESPACE_URL, uuid5
    >>> record_id("a") == str(uuid5(NAMESPACE_URL, "a"))
    True
    """
    found = sha1(NAMESPACE_URL.bytes + name.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    variant = _VARIANT[int(found[16], 16) & 3]
    return f"{found[:8]}-{found[8:12]}-5{found[13:16]}-{variant}{found[17:20]}-{found[20:32]}"


def one_line(value: str) -> str:
    r"""A value that stays in its line of the headers.

    Args:
        value: any text.

    >>> one_line("a\r\nWARC-Type: warcinfo")
    'a  WARC-Type: warcinfo'
    """
    return value if value.isprintable() else _CONTROL.sub(" ", value)


def record(kind: str, about: tuple[str, str, str], said: Iterable[tuple[str, str]], mime: str, block: bytes) -> bytes:
    """The bytes of a record, not compressed.

    Args:
        kind: ``WARC-Type``.
        about: URL, date and digest of the capture that it speaks of.
        said: names and values of further headers; those without a value are left out.
        mime: of the block.
        block: what stands below the headers.
    """
    url, date, digest = about
    further = "".join([f"{name}: {one_line(value)}\r\n" for name, value in said if value])
    hashed = b32encode(sha1(block, usedforsecurity=False).digest()).decode()
    headers = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {one_line(url)}\r\n"
        f"WARC-Date: {one_line(date) or _NO_DATE}\r\n"
        f"WARC-Record-ID: <urn:uuid:{record_id(f'{kind} {date} {url} {digest}')}>\r\n{further}"
        f"Content-Type: {mime}\r\nContent-Length: {len(block)}\r\n"
        f"WARC-Payload-Digest: sha1:{hashed}\r\nWARC-Block-Digest: sha1:{hashed}\r\n\r\n"
    )
    return b"%b%b\r\n\r\n" % (headers.encode("utf-8", "replace"), block)


class RecordWriter:
    """Compresses records and writes them, many at once; `flush` writes the last ones.

    Args:
        file: is left open.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._compressed = file, _compressor()
        self._waiting: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Write a record.

        Args:
            data: what `record` gives.
        """
        member = self._compressed(data)
        self._waiting.append(member)
        self._size += len(member)
        if self._size >= _BLOCK:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        self._file.write(b"".join(self._waiting))
        self._waiting.clear()
        self._size = 0
