"""Parse HTTP answers: status, header fields, media type, digest and payload, as servers and crawlers left them.

A kernel splits the ordinary answer, which nearly all pages are, together with the header of its WARC record
(`AnswerSplitter`). All others take `parse_response`; the tests compare the two.
"""

from __future__ import annotations

import base64
import hashlib
import re
from array import array
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from graphlang.ingest.html.document import PROLOG, is_feed
from graphlang.ingest.links.canonical import decode_uri
from graphlang.ingest.payload.content_encoding import decode_payload, is_text, measure_controls
from graphlang.ingest.payload.detect_charset import detect_escapes, detect_wide
from graphlang.ingest.payload.native import fields as _kernels

if TYPE_CHECKING:
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.raw import Faults

_LEFT: Final = _kernels.FIELDS_LEFT
_ROOM: Final = 1 << 16  # bytes of all parts of an ordinary answer
_STATUS = re.compile(rb"\s{0,16}(?:HTTP/\d(?:\.\d)?|ICY)[ \t]+(\d{3})(?!\d)", re.IGNORECASE)
#: Status lines of broken servers: ``HTTP/1.1 OK``, ``HTTP/1.1: 200 OK``, ``HTTP 200 OK``, ``HTTPX/1.10 200``.
_ODD_STATUS = re.compile(
    rb"\s{0,16}(HTTP\w{0,3}(?:/[\d.]{0,9})?:?(?:[ \t]+(?:(\d{3})(?!\d))?[^\r\n]{0,500})?)\r?\n", re.IGNORECASE
)
#: The answer of a proxy to CONNECT, which some crawlers keep before that of the server.
_TUNNEL = re.compile(rb"[^\r\n]{0,40}\bconnection established", re.IGNORECASE)
_FIELD = re.compile(rb":?[\w!#$%&'*+.^`|~-]+[ \t]*:")
_SINGLE = frozenset({"location", "content-length"})
_LINES = frozenset({"x-robots-tag"})  # joined by line ends: a line for one robot does not apply to the next line
_MAX_CACHED_NAME = 100  # characters
_LOCATION = re.compile(rb"(?:^|\n)location[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE)
_MAX_STATUS = 100  # characters of a status line in a Problem
_PACKED: Final = (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd")  #: gzip and zstd
_MAX_JOINED = 1 << 16  # characters of a value that is joined from repeated fields
_FOLD = re.compile(rb"\r?\n[ \t]+")
_EMPTY_LINE = re.compile(rb"\n\r{0,2}\n")
#: Fields of an ordinary answer, in the kernel's order.
_ANSWER_FIELDS: Final = (
    *("content-type", "content-language", "x-robots-tag", "location", "refresh", "link"),
    *("content-encoding", "transfer-encoding"),
)

_HTML_TYPES = frozenset(
    {"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml", "text/x-server-parsed-html"}
)
_XML_TYPES = frozenset({"application/xml", "text/xml", "text/vnd.wap.wml"})
#: Text of another kind than that of people, and data for programs.
_CODE_TYPES = frozenset(
    {
        *("text/css", "text/javascript", "text/ecmascript", "text/jscript", "text/livescript", "text/vbscript"),
        *("text/x-javascript", "text/x-ecmascript", "text/typescript", "text/json", "text/x-json", "text/x-component"),
        *("text/cache-manifest", "text/event-stream", "text/calendar", "text/vcard", "text/x-vcard", "text/directory"),
        *("text/x-cross-domain-policy", "text/x-c", "text/x-csrc", "text/x-chdr", "text/x-java", "text/x-java-source"),
        *("text/x-python", "text/x-perl", "text/x-sh", "text/x-diff", "text/x-patch", "text/x-sql", "text/shader"),
        *("application/javascript", "application/x-javascript", "application/ecmascript", "application/json"),
        *("application/wasm", "application/pdf", "application/zip", "application/gzip"),
    }
)
_CODE_FAMILIES = ("image/", "audio/", "video/", "font/", "model/", "application/font", "application/vnd.ms-fontobject")
#: Media types that hold the text of people, but do not begin with ``text/``.
_TEXT_TYPES = frozenset(
    {"application/text", "application/txt", "application/x-subrip", "application/x-tex", "application/x-latex"}
)
_PLAIN_TYPES = frozenset({"text/plain", "text/markdown", "text/x-markdown"})  #: of which tags may be a part
#: What servers send for files of unknown type; a type that is not well-formed counts as one of them (MIME sniffing, 7).
_UNKNOWN_TYPES = frozenset(
    {"unknown/unknown", "application/unknown", "application/x-unknown", "content/unknown", "text/unknown", "plain/text"}
)
_WELL_FORMED = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)
_TAGS = (
    rb"!doctype|html|head|body|title|meta|link|base|style|script|noscript|frameset|frame|noframes|iframe|table|tbody|tr|td"
    rb"|div|span|p|h[1-6]|a|b|i|u|em|strong|font|basefont|br|hr|center|ul|ol|li|dl|pre|form|input|img|map|object|embed"
    rb"|section|article|main|header|nav|footer|aside|blockquote|address|small|big|wml|marquee|bgsound|isindex"
)
#: What HTML begins with: the tags of MIME sniffing (7.1), and others that pages begin with, or a comment.
_HTML_SIGN = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,500}>\s*)*(?:<!--|<(?:" + _TAGS + rb")[\s/>])", re.IGNORECASE | re.DOTALL
)
#: A comment alone is none in plain text.
_STRICT_HTML_SIGN = re.compile(PROLOG + rb"<(?:" + _TAGS + rb")[\s/>]", re.IGNORECASE | re.DOTALL)
_NOISE = 0.05  # share of control characters in a payload that is no text
#: Beginnings of programs, style sheets and data, which servers send without a type, too.
_CODE_SIGN = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:[{\[(!]|/[/*]|#!|@(?:charset|import|media|font-face)\b|[.#][\w-]+[^{}\n]{0,200}\{"
    rb"|[a-z]+\s*\{|(?:var|let|const|function|import|export|define|window|document|\$)\b[^\n]{0,200}[({=;]"
    rb"|[\"']use strict)",
    re.IGNORECASE,
)
_MAX_CACHED_TYPE = 200  # characters
_MAX_TYPES = 1_000  # characters of a Content-Type that are parsed
_COMMA = re.compile(r",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*\Z)")  # outside of quotes
_CHARSET = re.compile(r"(?:^|[;\s\"'])charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE | re.ASCII)
_ROOT_HTML = re.compile(rb"<(?:!doctype\s+(?:[\w-]+:)?html|(?:[\w-]+:)?html|wml)[\s>]", re.IGNORECASE)
#: Portable documents and PostScript, images, archives, office files, sound and film, fonts, Flash.
_BINARY = (
    *(b"%PDF-", b"%!PS", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"BM\x36", b"\x00\x00\x01\x00", b"PK\x03\x04"),
    *(b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"\xd0\xcf\x11\xe0", b"RIFF", b"OggS", b"ID3", b"wOFF", b"wOF2"),
    *(b"CWS", b"FWS", b"{\\rtf", b"\xca\xfe\xba\xbe", b"\x7fELF", b"MZ\x90"),
)
#: Bytes of the digests that are kept, by name without hyphen.
_DIGEST_SIZES: Final = {"sha1": 20, "md5": 16, "sha256": 32, "sha384": 48, "sha512": 64}
_SHA1: Final = re.compile(r"sha1:([A-Za-z2-7]{32})")
_BASE32: Final = re.compile(r"([A-Za-z2-7]+)=*")
_BASE16: Final = re.compile(r"[0-9A-Fa-f]+")
_EMPTY_SHA1: Final = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"  # of no bytes

#: Strings of an ordinary answer, its status, and where in the block its payload begins; see `AnswerSplitter.split`.
AnswerParts: TypeAlias = tuple[bytes, int, int]


class Response(NamedTuple):
    """A parsed HTTP response."""

    status: int | None  #: None without a status line
    fields: dict[str, str]  #: lower-case name -> value; repeated fields are joined, see `parse_fields`
    payload: bytes  #: transfer and content encodings undone, as far as possible
    faults: Faults = ()


class PlainAnswer(NamedTuple):
    """An ordinary answer and its record."""

    uri: str  #: WARC-Target-URI as written
    date: str  #: WARC-Date as written
    digest: str  #: WARC-Payload-Digest as written
    response: Response  #: with those of `_ANSWER_FIELDS` that are not empty


class AnswerSplitter:
    """Split ordinary answers and the headers of their records; for one thread at a time."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._parts = bytearray(_ROOM)
        self._places = array("q", (0, 0))

    def split(self, head: bytes, block: bytes) -> AnswerParts | None:
        """Return the parts of a record and of the answer in its block; None if either is unusual.

        Strings that end in a zero: WARC-Target-URI, WARC-Date, WARC-Payload-Digest, and `parse_answer_fields`.
        """
        size = _kernels.fields_answer(head, block, self._limits.max_header, self._parts, self._places)
        if size == _LEFT:
            return None
        status, body = self._places
        return bytes(self._parts[:size]), status, body


def parse_answer(parts: AnswerParts, block: bytes, max_payload: int) -> PlainAnswer:
    r"""Parse an ordinary answer that is split already.

    >>> from graphlang.ingest.limits import Limits
    >>> record = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n\r\n"
    >>> block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x"
    >>> answer = parse_answer(AnswerSplitter(Limits()).split(record, block), block, 99)
    >>> answer.uri, answer.response
    ('http://a.example/', Response(status=200, fields={'content-type': 'text/html'}, payload=b'<p>x', faults=()))
    """
    strings, status, body = parts
    uri, date, digest, fields = strings.decode("ascii").split("\0", 3)
    return PlainAnswer(
        uri, date, digest, _decode_response(status, parse_answer_fields(fields), block[body:], max_payload)
    )


@lru_cache(256)
def parse_answer_fields(strings: str) -> dict[str, str]:
    """Return the fields of an ordinary answer; the dict is cached and shared, because one server repeats its header."""
    return {name: value for name, value in zip(_ANSWER_FIELDS, strings.split("\0"), strict=False) if value}


def decode_value(value: bytes) -> str:
    r"""Decode a header value: as UTF-8 if it is valid, else as ISO-8859-1, which decodes any bytes.

    >>> decode_value(b"caf\xe9"), decode_value(b"caf\xc3\xa9")
    ('café', 'café')
    """
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def parse_fields(block: bytes, names: bytes = b"") -> dict[str, str]:
    r"""Return the header fields of a block of lines by their names in lower case.

    Other lines are skipped. Values of a repeated name are joined with a comma (RFC 9110, 5.3); those of X-Robots-Tag
    with a line end, because each is parsed alone. Of names that can have one value only the first one counts.

    With ``names``, in lower case and each followed by a zero, other fields may be missing, which is faster.

    >>> parse_fields(b"Content-Type: text/html\r\nX: 1\r\nnonsense\r\nx: 2\r\n")
    {'content-type': 'text/html', 'x': '1, 2'}
    """
    out = bytearray(2 * len(block) + 2)
    size = _kernels.fields_read(block, names, out)
    if size != _LEFT:
        parts = out[:size].decode("ascii").split("\0")
        fields = dict(zip(parts[::2], parts[1::2], strict=False))  # the last part is empty
        if 2 * len(fields) < len(parts) < 2 * len(fields) + 2:
            return fields
    return _parse_unusual_fields(block)


def _parse_unusual_fields(block: bytes) -> dict[str, str]:
    """Return the fields of a block that the kernel leaves, or that repeats a name."""
    if b"\n " in block or b"\n\t" in block:
        block = _FOLD.sub(b" ", block)
    fields: dict[str, str] = {}
    for line in decode_value(block).split("\n"):
        name, colon, value = line.partition(":")
        if not name and colon:  # an HTTP/2 pseudo-header
            name, colon, value = line[1:].partition(":")
            name = ":" + name
        if not colon:
            continue
        key = _cached_key(name) if len(name) < _MAX_CACHED_NAME else _parse_field_name(name)
        if not key:
            continue
        value = value.strip()
        if key not in fields:
            fields[key] = value
        elif key not in _SINGLE and len(fields[key]) < _MAX_JOINED:
            fields[key] += ("\n" if key in _LINES else ", ") + value
    return fields


def _parse_field_name(name: str) -> str:
    """Return the name of a field in lower case; an empty string if it is none."""
    key = name.rstrip(" \t").lower()
    return "" if " " in key else key


_cached_key = lru_cache(maxsize=1024)(_parse_field_name)


def parse_response(block: bytes, max_header: int, max_payload: int, names: bytes = b"") -> Response:
    """Parse a response; ``names`` are those of `parse_fields`, among them the fields for encodings.

    A block without a status line has no header that could be distinguished from a page, and is all payload. An
    exception is a block that begins with a field: crawlers kept HTTP/2 pseudo-headers, or lost the first line.

    Args:
        block: the HTTP message.
        max_header: bytes in which the header must end.
        max_payload: bytes of the decoded payload that are kept.
        names: of fields that are needed.
    """
    start = _STATUS.match(block)
    odd: Faults = ()
    status: int | None = None
    if start:
        block = _skip_interim(block)
        start = _STATUS.match(block) or start
        status = int(start[1])
    elif start := _ODD_STATUS.match(block):
        status = int(start[2]) if start[2] else None
        odd = (("bad-http", f"not a valid status line: {decode_value(start[1].strip())[:_MAX_STATUS]}"),)
    elif not _FIELD.match(block) or block.lstrip().startswith(b"<"):
        return Response(None, {}, block, (("bad-http", "no HTTP status line"),))
    if start:
        block = block[len(block) - len(block.lstrip()) :]  # an empty line before the status line is no end of a header
    end, body = _find_header_end(block, max_header)
    faults = odd
    if end < 0:
        faults += (("bad-http", f"an HTTP header of more than {max_header} bytes"),)
        end = body = max_header
    first = block.find(b"\n", 0, end) + 1 if start else 0
    fields = parse_fields(block[first:end], names) if first or not start else {}
    if not fields.get("location", "").isascii() and (location := _LOCATION.search(_FOLD.sub(b" ", block[:end]))):
        fields["location"] = decode_uri(location[1])
    if status is None and not start:
        pseudo = fields.get(":status", "")
        status = int(pseudo) if re.fullmatch(r"\d{3}", pseudo) else None
        if status is None:
            faults += (("bad-http", "no HTTP status line"),)
    answer = _decode_response(status, fields, block[body:], max_payload)
    return answer._replace(faults=faults + answer.faults) if faults else answer


def _decode_response(status: int | None, fields: dict[str, str], payload: bytes, max_payload: int) -> Response:
    """Return a response with its encodings undone."""
    faults: Faults = ()
    is_packed_page = payload.startswith(_PACKED) and "html" in fields.get("content-type", "html").lower()
    if "content-encoding" in fields or "transfer-encoding" in fields or is_packed_page:
        payload, faults = decode_payload(payload, fields, max_payload)
    return Response(status, fields, payload, faults)


def _skip_interim(block: bytes) -> bytes:
    """Skip interim responses (RFC 9110, 15.2), such as 100 and 103, and that of a proxy, before the answer."""
    at = 0
    while (start := _STATUS.match(block, at)) and (start[1].startswith(b"1") or _TUNNEL.match(block, start.end())):
        end = _EMPTY_LINE.search(block, start.end())
        if not end or not _STATUS.match(block, end.end()):
            break
        at = end.end()
    return block[at:]


def _find_header_end(block: bytes, max_header: int) -> tuple[int, int]:
    """Return where the header fields end and where the payload begins; -1 if the header exceeds its bound."""
    match = _EMPTY_LINE.search(block, 0, max_header)
    end, body = (match.start() + 1, match.end()) if match else (min(len(block), max_header), len(block))
    # Servers of the nineties omitted the empty line; no field begins like a tag.
    markup = block.find(b"\n<", 0, end) + 1
    if markup:
        return markup, markup
    return (end, body) if match or len(block) <= max_header else (-1, -1)


def parse_media_type(content_type: str) -> tuple[str, str | None]:
    """Split a Content-Type into media type and charset, both in lower case.

    >>> parse_media_type('Text/HTML; Charset="UTF-8"')
    ('text/html', 'utf-8')
    """
    return _cached_type(content_type) if len(content_type) < _MAX_CACHED_TYPE else _split_type(content_type)


def _split_type(content_type: str) -> tuple[str, str | None]:
    """Split a Content-Type; of several, as of repeated fields, the last valid one counts.

    See Fetch, "extract a MIME type".
    """
    best: tuple[str, str | None] | None = None
    for value in _COMMA.split(content_type[:_MAX_TYPES]):
        written = value.strip().strip("\"' ")
        name, _, parameters = written.partition(";")
        charset = _CHARSET.search(parameters or written)
        media_type = "".join(name.split()[:1]).lower()[:100], charset[1].lower() if charset else None
        valid = _WELL_FORMED.fullmatch(name.strip()) is not None and media_type[0] != "*/*"
        if valid and best is not None and best[0] == media_type[0]:
            best = media_type[0], media_type[1] or best[1]
        elif best is None or valid:
            best = media_type
    return best or ("", None)


_cached_type = lru_cache(maxsize=1024)(_split_type)


def detect_form(mime: str, payload: bytes) -> str:
    r"""Return ``html``, ``text``, or an empty string for a payload without readable text.

    The media type (lower case, without parameters, or empty) counts if it is plausible, else the first bytes do.

    >>> detect_form("text/html", b"%PDF-1.4"), detect_form("", b"<!DOCTYPE html><p>")
    ('', 'html')
    >>> detect_form("text/plain", b"plain"), detect_form("text/plain", b"\x7fELF\x02\x01")
    ('text', '')
    """
    if not payload or payload.startswith(_BINARY):
        return ""
    if mime in _HTML_TYPES:
        return "" if _is_noise(payload) else "html"
    if mime in _CODE_TYPES or mime.startswith(_CODE_FAMILIES):
        return ""
    if mime in _XML_TYPES or mime.endswith("+xml"):
        return "html" if _ROOT_HTML.search(payload, 0, 4096) or is_feed(payload) else ""
    return _sniff_form(mime, payload)


def _sniff_form(mime: str, payload: bytes) -> str:
    """Return the form of a payload of text, or of a media type that says little."""
    if is_feed(payload):
        return "html"
    unknown = mime in _UNKNOWN_TYPES or not _WELL_FORMED.fullmatch(mime)
    if not unknown and (mime.startswith("text/") or mime in _TEXT_TYPES):
        is_html = _STRICT_HTML_SIGN.match(payload, 0, 4096) and (
            mime not in _PLAIN_TYPES or _ROOT_HTML.search(payload, 0, 4096)
        )
        return "html" if is_html else _check_plain(payload)
    if _HTML_SIGN.match(payload, 0, 4096):
        return "html"
    return _check_plain(payload) if unknown and not _CODE_SIGN.match(payload, 0, 4096) else ""


def _is_noise(payload: bytes) -> bool:
    """Return whether a payload is neither markup nor text, such as a compressed page without a Content-Encoding."""
    if is_text(payload) or measure_controls(payload) < _NOISE or _HTML_SIGN.match(payload, 0, 4096):
        return False
    return not (_check_plain(payload) or detect_escapes(payload))


def _check_plain(payload: bytes) -> str:
    """Return ``text`` if the payload is text: servers send text/plain for all files of unknown type."""
    if is_text(payload):
        return "text"
    return "text" if payload.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")) or detect_wide(payload) else ""


def compute_payload_digest(written: str, block: bytes, body: int = 0) -> str:
    """Return the digest of a payload, at index ``body`` of a block; empty for no payload.

    It is WARC-Payload-Digest as written, or else SHA-1. SHA-1 is in base 32, without its name. Another digest is its
    name, a colon, and hexadecimal digits, so that a revisit record matches its original in any notation (crawlers that
    run browsers write SHA-256). A value that is no digest of its algorithm does not count, nor does the digest of no
    bytes for a payload: writers compute it from a stream that was read before.

    >>> compute_payload_digest("sha1:qgpb3m3v7ylq3afbc3bzxgzx6mkzjfyc", b"x"), compute_payload_digest("", b"<p>", 3)
    ('QGPB3M3V7YLQ3AFBC3BZXGZX6MKZJFYC', '')
    >>> compute_payload_digest("sha-256:" + "AB" * 32, b"") == "sha256:" + "ab" * 32
    True
    >>> compute_payload_digest("md5:x", b"head<p>x", 4) == compute_payload_digest("sha1:" + "8" * 32, b"<p>x")
    True
    """
    sha1 = _SHA1.fullmatch(written)
    if sha1 is not None and (len(block) <= body or sha1[1].upper() != _EMPTY_SHA1):
        return sha1[1].upper()
    name, _, value = written.strip().partition(":")
    name = name.strip().lower().replace("-", "")
    digest = _parse_digest(value.strip(), _DIGEST_SIZES.get(name, 0))
    if digest is not None and (len(block) <= body or digest != hashlib.new(name, usedforsecurity=False).digest()):
        return base64.b32encode(digest).decode() if name == "sha1" else f"{name}:{digest.hex()}"
    if len(block) <= body:
        return ""
    return base64.b32encode(hashlib.sha1(memoryview(block)[body:], usedforsecurity=False).digest()).decode()


def _parse_digest(value: str, size: int) -> bytes | None:
    """Return a digest of ``size`` bytes, written in base 16 or base 32; None if it is none."""
    if _BASE16.fullmatch(value) and len(value) == 2 * size:
        return bytes.fromhex(value)
    letters = _BASE32.fullmatch(value)
    if letters is None or len(letters[1]) != -(-8 * size // 5):
        return None
    return base64.b32decode(letters[1].upper() + "=" * (-len(letters[1]) % 8))
