"""Unpack zstd, LZ4, bzip2 and xz in pieces of bounded size, and find where frames of zstd and LZ4 end.

Crawlers that write zstd (RFC 8878) or LZ4 put each record into one frame, as they put it into one gzip member. The end
of a frame follows from the headers of its blocks: nothing has to be unpacked for it.
"""

from __future__ import annotations

import bz2
import errno
import importlib.util
import lzma
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, Protocol

import zstandard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    Peek = Callable[[int, int], bytes]

ZSTD: Final = b"\x28\xb5\x2f\xfd"
LZ4: Final = b"\x04\x22\x4d\x18"
_SKIPPED: Final = b"\x2a\x4d\x18"  # after a byte from 0x50 to 0x5F, the magic of a frame that holds something else
_WINDOW: Final = 1 << 12  # bytes that are peeked at together
_ANY: Final = 1 << 62
_RAW, _REPEATED, _COMPRESSED = 0, 1, 2

_READ: Final = 1 << 18  # bytes of a piece, about
_FEED: Final = 1 << 14  # compressed bytes passed to a decompressor at once
_XZ_MEMORY: Final = 256 << 20  # bytes; xz -9 needs 65 MB
_NO_LZ4: Final = "LZ4 needs one more package: pip install 'graphlang[lz4]'"
DICTIONARY: Final = 64 << 20  #: bytes of a zstd dictionary, at most

#: What decompressors raise for damaged data, and for data in another format.
ERRORS: Final = (zstandard.ZstdError, lzma.LZMAError, RuntimeError, OSError, ValueError, EOFError)


def raise_system_error(error: BaseException) -> None:
    """Raise an error of the system again: it is no damage of the data, and the file may be sound."""
    if isinstance(error, OSError) and error.errno is not None:
        raise error


class DictionaryError(ValueError):
    """The dictionary of a zstd file cannot be used."""


class MissingCodecError(OSError):
    """A file is in LZ4, and the package that unpacks it is not installed."""


class _Decompressor(Protocol):
    """The interface of the standard library's decompressors, and of that of LZ4."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = ...) -> bytes: ...


#: Compressions of a file as a whole, or stream by stream: what unpacks one stream.
STREAMS: Final[dict[str, Callable[[], _Decompressor]]] = {
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
}


def make_zstd_decompressor(dictionary: bytes = b"") -> zstandard.ZstdDecompressor:
    """Return what unpacks zstd frames; raise DictionaryError for a damaged dictionary."""
    if not dictionary:
        return zstandard.ZstdDecompressor()
    try:
        return zstandard.ZstdDecompressor(dict_data=zstandard.ZstdCompressionDict(dictionary))
    except zstandard.ZstdError as error:
        raise DictionaryError(f"the zstd dictionary is damaged ({error})") from error


def unpack_dictionary(stored: bytes) -> bytes:
    """Return the dictionary in the first frame of a WARC file in zstd, which may be compressed (IIPC's profile 0.1).

    Raises DictionaryError if it does not unpack, or unpacks to more than `DICTIONARY` bytes.
    """
    dictionary = stored
    if stored.startswith(ZSTD):
        try:
            with zstandard.ZstdDecompressor().stream_reader(stored) as reader:
                dictionary = reader.read(DICTIONARY + 1)
        except zstandard.ZstdError as error:
            raise DictionaryError(f"the zstd dictionary is damaged ({error})") from error
    if len(dictionary) > DICTIONARY:
        raise DictionaryError(f"a zstd dictionary of more than {DICTIONARY} bytes")
    return dictionary


def unpack_zstd(decompressor: zstandard.ZstdDecompressor, stream: BinaryIO | bytes) -> Iterator[bytes]:
    """Yield the content of the frame that a stream begins with; a frame that is cut off ends early.

    Raises ZstdError if it is damaged.
    """
    with decompressor.stream_reader(stream) as reader:
        while data := reader.read(_READ):
            yield data


def _make_lz4_decompressor() -> Any:
    """Return what unpacks one LZ4 frame; few archives are in LZ4, so that its package is an extra."""
    try:
        import lz4.frame  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingCodecError(errno.ENOSYS, _NO_LZ4) from error
    return lz4.frame.LZ4FrameDecompressor()


def unpack_lz4(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the content of the frame that a stream begins with; a frame that is cut off ends early.

    Raises RuntimeError if it is damaged, MissingCodecError if the extra ``lz4`` is not installed.
    """
    decompressor = _make_lz4_decompressor()
    while not decompressor.eof:
        piece = stream.read(_FEED) if decompressor.needs_input else b""
        if decompressor.needs_input and not piece:
            return
        if data := decompressor.decompress(piece, max_length=_READ):
            yield data


def unpack_head(compression: str, data: bytes, count: int) -> bytes:
    """Return the first unpacked bytes of a ``zstd`` or ``lz4`` frame, from its first block at least."""
    if compression == "zstd":
        return next(unpack_zstd(make_zstd_decompressor(), data), b"")[:count]
    return bytes(_make_lz4_decompressor().decompress(data, max_length=count))


def refuse_lz4(files: Iterable[Path]) -> None:
    """Raise MissingCodecError for a file in LZ4 if the extra ``lz4`` is not installed.

    Without this the file would be stored as unreadable, and not be read when the extra is installed later.
    """
    if importlib.util.find_spec("lz4") is not None:
        return
    for path in files:
        if not path.is_file():
            continue
        with path.open("rb", buffering=0) as file:
            if file.read(len(LZ4)) == LZ4:
                raise MissingCodecError(errno.ENOSYS, _NO_LZ4, str(path))


class Frame(NamedTuple):
    """A frame of zstd or LZ4."""

    size: int  #: bytes, as stored
    skipped: bool = False  #: it holds nothing of the file


def find_frame(peek: Peek, offset: int, *, blocks: int = _ANY) -> Frame | None:
    """Return the frame at an offset; None if none begins there, ends in the file and has at most ``blocks`` blocks.

    ``peek(offset, count)`` returns bytes of the file, fewer than ``count`` at its end.
    """
    window = _PeekWindow(peek)
    head = peek(offset, 32)
    if head.startswith(ZSTD):
        end = _find_zstd_end(window, offset, head, blocks)
    elif head.startswith(LZ4):
        end = _find_lz4_end(window, offset, head, blocks)
    elif head[1:4] == _SKIPPED and 0x50 <= head[0] <= 0x5F and len(head) >= 8:  # noqa: PLR2004 - magic and size
        end = offset + 8 + int.from_bytes(head[4:8], "little")
        return Frame(end - offset, skipped=True) if peek(end - 1, 1) else None
    else:
        return None
    return Frame(end - offset) if end and peek(end - 1, 1) else None


class _PeekWindow:
    """Keep the bytes after the last place: blocks may be a few bytes long, and each peek is a system call."""

    def __init__(self, peek: Peek) -> None:
        self._peek = peek
        self._begin = 0
        self._data = b""

    def read(self, offset: int, count: int) -> bytes:
        at = offset - self._begin
        if at < 0 or at + count > len(self._data):
            self._begin, self._data, at = offset, self._peek(offset, _WINDOW), 0
        return self._data[at : at + count]


def _find_zstd_end(window: _PeekWindow, offset: int, head: bytes, blocks: int) -> int:
    if len(head) < 6:  # noqa: PLR2004 - the shortest header and a byte of its block
        return 0
    flags = head[4]
    single = flags >> 5 & 1
    content = (single, 2, 4, 8)[flags >> 6]
    at = offset + 5 + (1 - single) + (0, 1, 2, 4)[flags & 3] + content
    for _ in range(blocks):
        block = window.read(at, 3)
        if len(block) < 3:  # noqa: PLR2004 - a block's header
            return 0
        word = int.from_bytes(block, "little")
        last, kind, size = word & 1, word >> 1 & 3, word >> 3
        if kind > _COMPRESSED:
            return 0
        at += 3 + (1 if kind == _REPEATED else size)
        if last:
            return at + (4 if flags & 4 else 0)
    return 0


def _find_lz4_end(window: _PeekWindow, offset: int, head: bytes, blocks: int) -> int:
    if len(head) < 7 or head[4] >> 6 != 1:  # noqa: PLR2004 - the shortest header; the version
        return 0
    flags = head[4]
    at = offset + 7 + (8 if flags & 8 else 0) + (4 if flags & 1 else 0)
    for _ in range(blocks):
        block = window.read(at, 4)
        if len(block) < 4:  # noqa: PLR2004 - a block's size
            return 0
        size = int.from_bytes(block, "little") & 0x7FFFFFFF
        at += 4
        if not size:
            return at + (4 if flags & 4 else 0)
        at += size + (4 if flags & 16 else 0)
    return 0
