"""What kind of thing a payload is, by its media type where that can be believed, else by its first bytes."""

from __future__ import annotations

import re
from functools import lru_cache

from graphlang.ingest.payload.detect_charset import wide

_HTML_TYPES = frozenset(
    {"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml", "text/x-server-parsed-html"}
)
_XML_TYPES = frozenset({"application/xml", "text/xml"})
_TEXT_TYPES = frozenset({"text/plain", "text/markdown"})
#: Media types that servers give to what they do not know.
_UNKNOWN_TYPES = frozenset(
    {"", "unknown", "application/octet-stream", "no-type", "unk", "*/*", "content/unknown", "text", "html"}
)
_HTML_SIGN = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.{0,2000}?-->\s*|<\?xml[^>]{0,500}>\s*)*"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|frameset|table|div|p|h1|a|font|br|center)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_LONG = 200  # characters of a value that is not worth remembering
_ROOT_HTML = re.compile(rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
#: Portable documents and PostScript, images, archives, office files, sound and film, fonts, Flash.
_BINARY = (
    *(
        b"%PDF-",
        b"%!PS",
        b"\x89PNG",
        b"GIF8",
        b"\xff\xd8\xff",
        b"BM\x36",
        b"\x00\x00\x01\x00",
        b"PK\x03\x04",
        b"\x1f\x8b",
    ),
    *(b"7z\xbc\xaf", b"Rar!", b"\xd0\xcf\x11\xe0", b"RIFF", b"OggS", b"ID3", b"wOFF", b"wOF2", b"CWS", b"FWS"),
)


#: Bytes that no text has (MIME sniffing, 7.2), but for the backspaces of manuals and the last byte of texts from DOS.
_CONTROLS = re.compile(rb"[\x01-\x07\x0b\x0e-\x19\x1c-\x1f]")
_SNIFFED = 1445


def media_type(content_type: str) -> tuple[str, str | None]:
    """Split a Content-Type into media type and charset, both in lower case.

    >>> media_type('Text/HTML; Charset="UTF-8"')
    ('text/html', 'utf-8')
    """
    return _known(content_type) if len(content_type) < _LONG else _split(content_type)


def _split(content_type: str) -> tuple[str, str | None]:
    # A header that came twice was joined with a comma: the first one counts.
    name, _, parameters = content_type.partition(",")[0].partition(";")
    found = re.search(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", parameters or content_type, re.IGNORECASE | re.ASCII)
    return "".join(name.split()[:1]).lower()[:100], found[1].lower() if found else None


_known = lru_cache(maxsize=1024)(_split)


def _plain(payload: bytes) -> str:
    """Tell whether what is served as plain text is any: servers say so of all files that they do not know."""
    if not _CONTROLS.search(payload, 0, _SNIFFED):
        return "text"
    return "text" if payload.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")) or wide(payload) else ""


def form(mime: str, payload: bytes) -> str:
    r"""Return ``html``, ``text``, or an empty string for what holds no text that could be read here.

    Args:
        mime: media type in lower case, without parameters; empty where none is claimed.
        payload: not compressed.

    >>> form("text/html", b"%PDF-1.4"), form("", b"<!DOCTYPE html><p>"), form("image/png", b"<html>")
    ('', 'html', '')
    >>> form("text/plain", b"plain"), form("text/plain", b"\x7fELF\x02\x01")
    ('text', '')
    """
    if not payload or payload.startswith(_BINARY):
        return ""
    if mime in _HTML_TYPES:
        return "html"
    if mime in _TEXT_TYPES:
        html = _HTML_SIGN.match(payload, 0, 4096) and _ROOT_HTML.search(payload, 0, 4096)
        return "html" if html else _plain(payload)
    if mime in _XML_TYPES or mime.endswith("+xml"):
        return "html" if _ROOT_HTML.search(payload, 0, 4096) and mime != "image/svg+xml" else ""
    if mime in _UNKNOWN_TYPES:
        return "html" if _HTML_SIGN.match(payload, 0, 4096) else ""
    return ""
