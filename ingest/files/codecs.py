"""Streams of zstd, LZ4, bzip2 and xz -> their content, in pieces of bounded size."""

from __future__ import annotations

import bz2
import errno
import importlib.util
import lzma
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol

import zstandard

from graphlang.ingest.files.frames import LZ4, ZSTD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

_READ: Final = 1 << 18  # bytes handed out at once, about
_FEED: Final = 1 << 14  # compressed bytes handed to a decompressor at once
_XZ_MEMORY: Final = 256 << 20  # bytes; xz -9 needs 65 MB
_NO_LZ4: Final = "LZ4 needs one more package: pip install 'graphlang[lz4]'"
DICTIONARY: Final = 64 << 20  #: bytes of a zstd dictionary, at most

#: What a decompressor raises for data that are none of its own, or damaged.
ERRORS: Final = (zstandard.ZstdError, lzma.LZMAError, RuntimeError, OSError, ValueError, EOFError)


class DictionaryError(ValueError):
    """The dictionary of a zstd file cannot be used."""


class MissingCodecError(OSError):
    """A file is in LZ4, and the package that unpacks it is not installed."""


class _Decompressor(Protocol):
    """What the standard library's decompressors are, and that of LZ4."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = ...) -> bytes: ...


#: Of each compression that a file may have as a whole, or stream by stream: what unpacks one stream.
STREAMS: Final[dict[str, Callable[[], _Decompressor]]] = {
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
}


def zstd(dictionary: bytes = b"") -> zstandard.ZstdDecompressor:
    """Return what unpacks zstd frames, one at a time.

    Args:
        dictionary: That they depend on, see `dictionary_of`.

    Raises:
        DictionaryError: It is none.
    """
    if not dictionary:
        return zstandard.ZstdDecompressor()
    try:
        return zstandard.ZstdDecompressor(dict_data=zstandard.ZstdCompressionDict(dictionary))
    except zstandard.ZstdError as error:
        raise DictionaryError(f"the zstd dictionary is damaged ({error})") from error


def dictionary_of(stored: bytes) -> bytes:
    """Return the dictionary of a WARC file in zstd, which may itself be compressed (IIPC's zstd profile 0.1).

    Args:
        stored: The content of the file's first frame.

    Raises:
        DictionaryError: It does not unpack, or to more than `DICTIONARY` bytes.
    """
    found = stored
    if stored.startswith(ZSTD):
        try:
            with zstandard.ZstdDecompressor().stream_reader(stored) as reader:
                found = reader.read(DICTIONARY + 1)
        except zstandard.ZstdError as error:
            raise DictionaryError(f"the zstd dictionary is damaged ({error})") from error
    if len(found) > DICTIONARY:
        raise DictionaryError(f"a zstd dictionary of more than {DICTIONARY} bytes")
    return found


def unzstd(decompressor: zstandard.ZstdDecompressor, stream: BinaryIO | bytes) -> Iterator[bytes]:
    """Yield the content of one frame; a frame that is cut off ends early.

    Args:
        decompressor: See `zstd`.
        stream: Begins with the frame.

    Raises:
        ZstdError: It is damaged.
    """
    with decompressor.stream_reader(stream) as reader:
        while data := reader.read(_READ):
            yield data


def refuse_lz4(files: Iterable[Path]) -> None:
    """Refuse files in LZ4 where nothing can unpack them, rather than take them for unreadable once and for all.

    Args:
        files: Archives, or folders, which are passed over.

    Raises:
        MissingCodecError: One of them is in LZ4, and the extra ``lz4`` is not installed.
    """
    if importlib.util.find_spec("lz4") is not None:
        return
    for path in files:
        if not path.is_file():
            continue
        with path.open("rb", buffering=0) as file:
            if file.read(len(LZ4)) == LZ4:
                raise MissingCodecError(errno.ENOSYS, _NO_LZ4, str(path))


def _lz4() -> Any:
    """Return what unpacks one LZ4 frame; few archives are in LZ4, so that its package is an extra."""
    try:
        import lz4.frame  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingCodecError(errno.ENOSYS, _NO_LZ4) from error
    return lz4.frame.LZ4FrameDecompressor()


def unlz4(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the content of one frame; a frame that is cut off ends early.

    Args:
        stream: Begins with the frame.

    Raises:
        RuntimeError: It is damaged.
        MissingCodecError: The extra ``lz4`` is not installed.
    """
    decompressor = _lz4()
    while not decompressor.eof:
        given = stream.read(_FEED) if decompressor.needs_input else b""
        if decompressor.needs_input and not given:
            return
        if data := decompressor.decompress(given, max_length=_READ):
            yield data


def beginning(compression: str, data: bytes, count: int) -> bytes:
    """Return the first bytes of what a frame unpacks to.

    Args:
        compression: ``zstd`` or ``lz4``.
        data: The beginning of the frame: its first block at least.
        count: How many bytes.

    Raises:
        ZstdError, RuntimeError: It is damaged.
        MissingCodecError: The extra ``lz4`` is not installed.
    """
    if compression == "zstd":
        return next(unzstd(zstd(), data), b"")[:count]
    return bytes(_lz4().decompress(data, max_length=count))
