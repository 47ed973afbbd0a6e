"""HTTP response bytes -> status, header fields and payload, as servers and crawlers really left them."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache
from typing import NamedTuple, NoReturn

import brotli
import zstandard

from graphlang.ingest.files.frames import frame
from graphlang.ingest.payload.native import fields as _kernels

_LEFT = _kernels.FIELDS_LEFT
_STATUS = re.compile(rb"(?:HTTP/\d(?:\.\d)?|ICY)[ \t]+(\d{3})(?!\d)", re.IGNORECASE)
_FIELD = re.compile(rb":?[\w!#$%&'*+.^`|~-]+[ \t]*:")
_SINGLE = frozenset({"content-type", "location", "content-length"})
_APART = frozenset({"x-robots-tag"})  # a line addressed to one robot says nothing of the next one
_LONG_NAME = 100  # characters of a name that is not worth remembering
_MOST_MEMBERS = 1_000  # of a gzip payload
_PIECE = 1 << 16
_STEP = 1 << 12
_MAX_JOINED = 1 << 16  # characters of a value put together from fields that came many times
_FOLD = re.compile(rb"\r?\n[ \t]+")
_EMPTY_LINE = re.compile(rb"\n\r{0,2}\n")
_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]{0,4096})?\r?\n")


class Response(NamedTuple):
    """An HTTP response, taken apart."""

    status: int | None  #: None where there was no status line
    fields: dict[str, str]  #: lower-case name -> value; several of one name are joined, see `fields`
    payload: bytes  #: transfer and content encodings undone, as far as they could be
    faults: tuple[tuple[str, str], ...] = ()  #: kind and reason of each Problem


def text(value: bytes) -> str:
    r"""Decode a header value: UTF-8 where it is that, else ISO-8859-1, which decodes anything.

    >>> text(b"caf\xe9"), text(b"caf\xc3\xa9")
    ('café', 'café')
    """
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def fields(block: bytes, wanted: bytes = b"") -> dict[str, str]:
    r"""Return the header fields of a block of lines by their names in lower case.

    Lines that are no fields are passed over. Values of a name that comes twice are joined with a comma (RFC 9110, 5.3);
    those of X-Robots-Tag with a line end, for each is to be read alone. Of names that can have one value only the first
    stands.

    Args:
        block: the lines.
        wanted: names in lower case, a zero behind each: others may be left out, which takes less time. None for all.

    >>> fields(b"Content-Type: text/html\r\nX: 1\r\nnonsense\r\nx: 2\r\n")
    {'content-type': 'text/html', 'x': '1, 2'}
    """
    out = bytearray(2 * len(block) + 2)
    size = _kernels.fields_read(block, wanted, out)
    if size != _LEFT:
        parts = out[:size].decode("ascii").split("\0")
        found = dict(zip(parts[::2], parts[1::2], strict=False))  # behind the last zero is nothing
        if 2 * len(found) < len(parts) < 2 * len(found) + 2:
            return found
    return _fields_of_any(block)


def _fields_of_any(block: bytes) -> dict[str, str]:
    """Return the fields of a block that the kernel leaves, or in which a name comes twice."""
    if b"\n " in block or b"\n\t" in block:
        block = _FOLD.sub(b" ", block)
    found: dict[str, str] = {}
    for line in text(block).split("\n"):
        name, colon, value = line.partition(":")
        if not name and colon:  # an HTTP/2 pseudo-header
            name, colon, value = line[1:].partition(":")
            name = ":" + name
        if not colon:
            continue
        key = _known_key(name) if len(name) < _LONG_NAME else _key(name)
        if not key:
            continue
        value = value.strip()
        if key not in found:
            found[key] = value
        elif key not in _SINGLE and len(found[key]) < _MAX_JOINED:
            found[key] += ("\n" if key in _APART else ", ") + value
    return found


def _key(name: str) -> str:
    """Return the name of a field in lower case; an empty string for what is none."""
    key = name.rstrip(" \t").lower()
    return "" if " " in key else key


_known_key = lru_cache(maxsize=1024)(_key)


def response(block: bytes, max_header: int, max_payload: int, wanted: bytes = b"") -> Response:
    """Take a response apart.

    A block that does not begin with a status line has no header that could be told from a page, and is all payload, but
    for one that begins with a field (crawlers that kept HTTP/2 pseudo-headers or lost the first line).

    Args:
        block: the HTTP message.
        max_header: bytes in which the header must end.
        max_payload: bytes of the decoded payload that are kept.
        wanted: fields that are, see `fields`; those that tell how to read the payload are among them.
    """
    begin = _STATUS.match(block)
    if begin:
        if begin[1].startswith(b"1"):
            block = _final(block)
            begin = _STATUS.match(block) or begin
        status: int | None = int(begin[1])
    else:
        status = None
        if not _FIELD.match(block) or block.lstrip().startswith(b"<"):
            return Response(None, {}, block, (("bad-http", "no HTTP status line"),))
    end, body = _header_end(block, max_header)
    faults: tuple[tuple[str, str], ...] = ()
    if end < 0:
        faults = (("bad-http", f"an HTTP header of more than {max_header} bytes"),)
        end = body = max_header
    first = block.find(b"\n", 0, end) + 1 if begin else 0
    found = fields(block[first:end], wanted) if first or not begin else {}
    if status is None:
        pseudo = found.get(":status", "")
        status = int(pseudo) if re.fullmatch(r"\d{3}", pseudo) else None
        if status is None:
            faults += (("bad-http", "no HTTP status line"),)
    answer = of_payload(status, found, block[body:], max_payload)
    return answer._replace(faults=faults + answer.faults) if faults else answer


def of_payload(status: int | None, found: dict[str, str], payload: bytes, max_payload: int) -> Response:
    """A response, its encodings undone.

    Args:
        status: of the answer.
        found: its fields.
        payload: as it stands in the message.
        max_payload: bytes of the decoded payload that are kept.
    """
    faults: tuple[tuple[str, str], ...] = ()
    if "content-encoding" in found or "transfer-encoding" in found:
        payload, faults = _decoded(payload, found, max_payload)
    return Response(status, found, payload, faults)


def _final(block: bytes) -> bytes:
    """Pass over interim responses (RFC 9110, 15.2), such as 100 and 103, that stand before the answer."""
    at = 0
    while (begin := _STATUS.match(block, at)) and begin[1].startswith(b"1"):
        end = _EMPTY_LINE.search(block, at)
        if not end or not _STATUS.match(block, end.end()):
            break
        at = end.end()
    return block[at:]


def _header_end(block: bytes, max_header: int) -> tuple[int, int]:
    """Return where the header fields end and where the payload begins; -1 where the header does not end in time."""
    found = _EMPTY_LINE.search(block, 0, max_header)
    end, body = (found.start() + 1, found.end()) if found else (min(len(block), max_header), len(block))
    # Servers of the nineties left the empty line out; no field begins like a tag.
    markup = block.find(b"\n<", 0, end) + 1
    if markup:
        return markup, markup
    return (end, body) if found or len(block) <= max_header else (-1, -1)


def _decoded(payload: bytes, found: dict[str, str], max_payload: int) -> tuple[bytes, tuple[tuple[str, str], ...]]:
    """Undo the transfer encoding, then the content encodings from the last to the first."""
    faults: tuple[tuple[str, str], ...] = ()
    names = [name.strip() for name in found.get("content-encoding", "").lower().split(",")]
    if "transfer-encoding" in found:
        transferred = found["transfer-encoding"].lower()
        if "chunked" in transferred:
            payload = _unchunked(payload)
        names += [name for one in transferred.split(",") if (name := one.strip()) in _DECODERS]
    for name in reversed(names[-4:]):
        try:
            if name in _DECODERS:
                payload, cut = _DECODERS[name](payload, max_payload)
            else:
                if name not in {"", "identity", "none", "utf-8", "utf8"}:
                    faults += (("bad-encoding", f"content encoding {name[:40]!r} is not known"),)
                continue
        except _InPartError as error:
            payload = error.data
            faults += (("bad-encoding", str(error)),)
            continue
        except (zlib.error, brotli.error, OSError, ValueError) as error:
            # Most often the crawler has stored the page decoded and kept the header: then it is the page already.
            if b"<" not in payload[:1024]:
                faults += (("bad-encoding", f"the {name} payload does not decode ({error})"),)
            continue
        if cut:
            faults += (
                ("too-large", f"a {name} payload of more than {max_payload} bytes once decoded; the rest was dropped"),
            )
    return payload, faults


def _unchunked(payload: bytes) -> bytes:
    """Join the chunks; a payload that does not begin with one was stored joined already."""
    at = 0
    joined = bytearray()  # not a list of parts, of which there may be millions
    while True:
        found = _CHUNK.match(payload, at)
        if not found:
            break
        size = int(found[1], 16)
        if not size:
            return bytes(joined)
        joined += payload[found.end() : found.end() + size]
        at = found.end() + size
        if payload.startswith(b"\r\n", at):
            at += 2
        elif payload.startswith(b"\n", at):
            at += 1
    joined += payload[at:]
    return bytes(joined)


class _InPartError(Exception):
    """Only a part of a payload could be decoded."""

    def __init__(self, data: bytes, reason: str) -> None:
        super().__init__(reason)
        self.data = data


def _inflated(payload: bytes, limit: int) -> tuple[bytes, bool]:
    """Undo ``gzip``: one member after the other (RFC 1952, 2.2), as servers write that compress as they go."""
    if not payload.startswith(b"\x1f\x8b"):
        if payload:
            raise zlib.error("no gzip header")
        return b"", False
    parts: list[bytes] = []
    size = at = 0
    for _ in range(_MOST_MEMBERS):
        inflate = zlib.decompressobj(31)
        while not inflate.eof and size < limit and at < len(payload):
            # In pieces, for what lies behind a member's end is copied.
            piece = payload[at : at + _PIECE] if parts else payload
            try:
                parts.append(inflate.decompress(piece, limit - size))
            except zlib.error as error:
                if parts:
                    raise _InPartError(b"".join(parts), f"a later gzip member does not decode ({error})") from error
                _raise_in_part(payload, 31, limit, error)
            size += len(parts[-1])
            at += len(piece) - len(inflate.unconsumed_tail or inflate.unused_data)
        more = payload.startswith(b"\x1f\x8b", at)
        if size >= limit or not more:
            return b"".join(parts), bool(inflate.unconsumed_tail) or more
    raise _InPartError(b"".join(parts), f"more than {_MOST_MEMBERS} gzip members; the rest was dropped")


def _deflated(payload: bytes, limit: int) -> tuple[bytes, bool]:
    """Undo ``deflate``: zlib by the standard, a bare deflate stream by many servers."""
    for bits in (15, -15):
        inflate = zlib.decompressobj(bits)
        try:
            data = inflate.decompress(payload, limit)
        except zlib.error as error:
            if bits < 0:
                _raise_in_part(payload, 15, limit, error)
        else:
            return data, bool(inflate.unconsumed_tail)
    return b"", False


def _raise_in_part(payload: bytes, bits: int, limit: int, error: zlib.error) -> NoReturn:
    """Raise the error with all that comes out before the byte that is wrong, as browsers show it."""
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
    raise _InPartError(data, f"the payload decodes in part only ({error})") from error


def _unbrotlied(payload: bytes, limit: int) -> tuple[bytes, bool]:
    decoder = brotli.Decompressor()
    parts = [decoder.process(payload, output_buffer_limit=1 << 20)]
    size = len(parts[0])
    while size < limit and not decoder.is_finished() and not decoder.can_accept_more_data():
        part = decoder.process(b"", output_buffer_limit=1 << 20)
        if not part:
            break
        parts.append(part)
        size += len(part)
    data = b"".join(parts)
    return data[:limit], size > limit or (size == limit and not decoder.is_finished())


def _unzstd(payload: bytes, limit: int) -> tuple[bytes, bool]:
    if not payload.startswith(b"\x28\xb5\x2f\xfd"):
        raise ValueError("no zstd frame")
    parts: list[bytes] = []
    size = 0
    try:
        with zstandard.ZstdDecompressor().stream_reader(payload, read_across_frames=True) as reader:
            while size <= limit and (part := reader.read(1 << 20)):
                parts.append(part)
                size += len(part)
    except zstandard.ZstdError as error:
        if not parts:
            raise ValueError(str(error)) from error
        raise _InPartError(b"".join(parts)[:limit], f"the payload decodes in part only ({error})") from error
    if size <= limit and not _frames_end(payload):  # the reader takes the end of the bytes for the end of a frame
        raise _InPartError(b"".join(parts), "the payload decodes in part only (it ends within a zstd frame)")
    return b"".join(parts)[:limit], size > limit


def _frames_end(payload: bytes) -> bool:
    at = 0
    while at < len(payload):
        found = frame(lambda offset, count: payload[offset : offset + count], at)
        if found is None:
            return False
        at += found.size
    return True


_DECODERS = {"gzip": _inflated, "x-gzip": _inflated, "deflate": _deflated, "br": _unbrotlied, "zstd": _unzstd}
