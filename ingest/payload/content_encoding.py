"""Undo the transfer and content encodings of an HTTP payload, as far as servers and crawlers left them intact."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Any, NoReturn

import brotli
import zstandard

from graphlang.ingest.files.codecs import find_frame

if TYPE_CHECKING:
    from graphlang.ingest.raw import Faults

_MAX_MEMBERS = 1_000  # of a gzip payload
_PIECE = 1 << 16
_STEP = 1 << 12
#: The line with the size of a chunk, and line ends before it: some servers send more of them.
_CHUNK = re.compile(rb"((?:[ \t]*\r?\n){0,4})[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]{0,4096})?\r?\n")
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZLIB = re.compile(rb"\x78[\x01\x5e\x9c\xda]")
#: Bytes that no text has (MIME sniffing, 7.2), but for the backspaces of manuals and the last byte of texts from DOS.
_CONTROLS = re.compile(rb"[\x01-\x07\x0b\x0e-\x19\x1c-\x1f]")
_SNIFFED = 1445
_WORDS = re.compile(rb"[A-Za-z <]")


def decode_payload(payload: bytes, fields: dict[str, str], max_payload: int) -> tuple[bytes, Faults]:
    """Undo the transfer encoding, then the content encodings from the last to the first.

    Most payloads that do not decode were stored decoded by the crawler, with the old header: text is used unchanged.
    """
    faults: Faults = ()
    names = [
        _parse_encoding_name(name) for name in fields.get("content-encoding", "").split(",")
    ]  # at least an empty one
    if "transfer-encoding" in fields:
        transfer = fields["transfer-encoding"].lower()
        if "chunked" in transfer:
            payload = _join_chunks(payload)
        names += [name for value in transfer.split(",") if (name := _parse_encoding_name(value)) in _DECODERS]
    for written in reversed(names[-4:]):
        name = "gzip" if written not in _DECODERS and payload.startswith((_GZIP, _ZSTD)) else written
        if name not in _DECODERS:
            if name not in {"", "identity", "none"} and not is_text(payload):
                faults += (("bad-encoding", f"content encoding {name[:40]!r} is not known"),)
            continue
        try:
            payload, cut = _decode_by_magic(name, payload, max_payload)
        except _PartialError as error:
            payload = error.data
            faults += (("bad-encoding", str(error)),)
            continue
        except (zlib.error, brotli.error, OSError, ValueError) as error:
            if not is_text(payload) or not _WORDS.search(payload, 0, _SNIFFED):
                faults += (("bad-encoding", f"the {name} payload does not decode ({error})"),)
            continue
        if cut:
            faults += (
                ("too-large", f"a {name} payload of more than {max_payload} bytes once decoded; the rest was dropped"),
            )
    return payload, faults


def _parse_encoding_name(written: str) -> str:
    """Return the name of an encoding without parameters: ``gzip;q=1``."""
    return written.partition(";")[0].strip().strip("\"'").lower()


def is_text(payload: bytes) -> bool:
    """Return whether the first bytes have none that no text has."""
    return _CONTROLS.search(payload, 0, _SNIFFED) is None


def measure_controls(payload: bytes) -> float:
    """Return the share of bytes that no text has among the first ones; a random sequence has a tenth."""
    return len(_CONTROLS.findall(payload, 0, _SNIFFED)) / len(payload[:_SNIFFED])


def _decode_by_magic(name: str, payload: bytes, limit: int) -> tuple[bytes, bool]:
    """Undo an encoding, or the one that the first bytes show: servers confuse gzip and deflate."""
    start = payload.lstrip(b"\r\n") if payload.startswith((b"\r\n", b"\n")) else payload
    if start.startswith((_GZIP, _ZSTD)):
        return _DECODERS["gzip" if start.startswith(_GZIP) else "zstd"](start, limit)
    if name == "gzip" and _ZLIB.match(payload):
        name = "deflate"
    return _DECODERS[name](payload, limit)


def _join_chunks(payload: bytes) -> bytes:
    """Join the chunks; a payload that does not begin with a chunk is stored joined."""
    at, view = 0, memoryview(payload)
    joined = bytearray()  # not a list of parts, of which there may be millions
    while match := _CHUNK.match(payload, at):
        size = int(match[2], 16)
        end = match.end() + size
        if not size:
            return bytes(joined)
        if not at and _is_word(match[2], end, payload):
            break
        joined += view[match.end() : end]
        at = end
    joined += view[at + 2 if joined and payload.startswith(b"\r\n", at) else at :]
    return bytes(joined)


def _is_word(digits: bytes, end: int, payload: bytes) -> bool:
    """Return whether the first line of a payload, such as ``Bad``, only looks like the size of a chunk."""
    if end > len(payload):
        return digits.isalpha()  # else the payload was cut
    return end < len(payload) and payload[end : end + 1] not in b"\r\n"


class _PartialError(Exception):
    """Only a part of a payload decodes."""

    def __init__(self, data: bytes, reason: str) -> None:
        super().__init__(reason)
        self.data = data


def _inflate(payload: bytes, limit: int) -> tuple[bytes, bool]:
    """Undo ``gzip``: one member after the other (RFC 1952, 2.2), as servers write that compress as they go."""
    if not payload.startswith(_GZIP):
        if payload:
            raise zlib.error("no gzip header")
        return b"", False
    parts: list[bytes] = []
    size = at = 0
    for _ in range(_MAX_MEMBERS):
        inflate = zlib.decompressobj(31)
        while not inflate.eof and size < limit and at < len(payload):
            # In pieces, because zlib copies what follows a member's end.
            piece = payload[at : at + _PIECE] if parts else payload
            try:
                parts.append(inflate.decompress(piece, limit - size))
            except zlib.error as error:
                if parts:
                    raise _PartialError(b"".join(parts), f"a later gzip member does not decode ({error})") from error
                _raise_in_part(payload, 31, limit, error)
            size += len(parts[-1])
            at += len(piece) - len(inflate.unconsumed_tail or inflate.unused_data)
        has_next = payload.startswith(_GZIP, at)
        if size < limit and _lacks_data(inflate):
            raise _PartialError(b"".join(parts), "the payload decodes in part only (it ends within a gzip member)")
        if size >= limit or not has_next:
            return b"".join(parts), bool(inflate.unconsumed_tail) or has_next
    raise _PartialError(b"".join(parts), f"more than {_MAX_MEMBERS} gzip members; the rest was dropped")


def _inflate_raw(payload: bytes, limit: int) -> tuple[bytes, bool]:
    """Undo ``deflate``: zlib by the standard, a bare deflate stream by many servers."""
    for bits in (15, -15):
        inflate = zlib.decompressobj(bits)
        try:
            data = inflate.decompress(payload, limit)
        except zlib.error as error:
            if bits < 0:
                _raise_in_part(payload, 15, limit, error)
        else:
            if data and len(data) < limit and _lacks_data(inflate):
                raise _PartialError(data, "the payload decodes in part only (it ends within a deflate stream)")
            return data, bool(inflate.unconsumed_tail)
    return b"", False


def _lacks_data(inflate: Any) -> bool:
    """Return whether a stream ends too early, by more than its checksum: zeros after it are data, or invalid."""
    rest = inflate.copy()
    try:
        for _ in range(64):
            if rest.eof:
                return False
            if rest.decompress(b"\0"):
                return True
    except zlib.error as error:
        return "check" not in str(error)
    return True


def _raise_in_part(payload: bytes, bits: int, limit: int, error: zlib.error) -> NoReturn:
    """Raise an error with all bytes before the wrong one, which browsers show."""
    parts: list[bytes] = []
    inflate = zlib.decompressobj(bits)
    size = at = 0
    step = _STEP
    while size < limit and at < len(payload):
        before = inflate.copy()
        try:
            parts.append(inflate.decompress(payload[at : at + step], limit - size))
        except zlib.error:
            if step == 1:
                break
            inflate, step = before, 1
            continue
        size += len(parts[-1])
        at += step
    data = b"".join(parts)
    if not data:
        raise error
    raise _PartialError(data, f"the payload decodes in part only ({error})") from error


def _unbrotli(payload: bytes, limit: int) -> tuple[bytes, bool]:
    decoder = brotli.Decompressor()
    parts = [decoder.process(payload, output_buffer_limit=1 << 20)]
    size = len(parts[0])
    while size < limit and not decoder.is_finished() and not decoder.can_accept_more_data():
        piece = decoder.process(b"", output_buffer_limit=1 << 20)
        if not piece:
            break
        parts.append(piece)
        size += len(piece)
    data = b"".join(parts)
    if payload and size < limit and not decoder.is_finished():
        if not data:
            raise ValueError("it ends before its first byte")
        raise _PartialError(data, "the payload decodes in part only (it ends within a brotli stream)")
    return data[:limit], size > limit or (size == limit and not decoder.is_finished())


def _unzstd(payload: bytes, limit: int) -> tuple[bytes, bool]:
    if not payload.startswith(_ZSTD):
        raise ValueError("no zstd frame")
    parts: list[bytes] = []
    size = 0
    try:
        with zstandard.ZstdDecompressor().stream_reader(payload, read_across_frames=True) as reader:
            while size <= limit and (piece := reader.read(1 << 20)):
                parts.append(piece)
                size += len(piece)
    except zstandard.ZstdError as error:
        if not parts:
            raise ValueError(str(error)) from error
        raise _PartialError(b"".join(parts)[:limit], f"the payload decodes in part only ({error})") from error
    if size <= limit and not _find_frames_end(payload):  # the reader takes the end of the bytes for the end of a frame
        raise _PartialError(b"".join(parts), "the payload decodes in part only (it ends within a zstd frame)")
    return b"".join(parts)[:limit], size > limit


def _find_frames_end(payload: bytes) -> bool:
    at = 0
    while at < len(payload):
        frame = find_frame(lambda offset, count: payload[offset : offset + count], at)
        if frame is None:
            return False
        at += frame.size
    return True


_DECODERS = {
    **dict.fromkeys(("gzip", "x-gzip"), _inflate),
    **dict.fromkeys(("deflate", "x-deflate", "zlib"), _inflate_raw),
    **dict.fromkeys(("br", "brotli"), _unbrotli),
    "zstd": _unzstd,
}
