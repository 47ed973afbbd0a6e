"""Read a payload as far as it has text: HTML and XHTML, feeds, plain text, and PDF documents if they are asked for."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.ingest.html import document as html
from graphlang.ingest.html import feeds
from graphlang.ingest.links.extract import encode_queries
from graphlang.ingest.payload import http
from graphlang.ingest.payload.charset import Decoded, decode
from graphlang.ingest.payload.content_encoding import decode_payload
from graphlang.ingest.payload.encoded_twice import repair_encoding, undo_encoding

if TYPE_CHECKING:
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.raw import Faults


_GZIP: Final = b"\x1f\x8b"
_HEAD: Final = 4096  # bytes of a file that show whether it is a feed


class Content(NamedTuple):
    """The content of a payload."""

    mime: str
    decoded: Decoded | None = None
    document: html.Document | None = None  # of markup
    title: str = ""
    text: str = ""
    main_length: int = 0
    charset: str | None = None  # None: it is no page
    charset_from: str = ""
    faults: Faults = ()


def read_content(mime: str, payload: bytes, declared: str | None, identified: str | None, limits: Limits) -> Content:
    """Read a payload of HTML, of plain text, or of a PDF document; ``declared`` and ``identified`` are charsets."""
    faults: Faults = ()
    if _is_packed_feed(payload):
        mime = "application/xml"
        payload, faults = decode_payload(payload, {"content-encoding": "gzip"}, limits.max_payload)
    form = http.detect_form(mime, payload)
    if not form:
        return _read_pdf(mime, payload, limits) if limits.pdf and payload.startswith(b"%PDF-") else Content(mime)
    decoded = decode(
        payload,
        None if limits.ignore_server_charset else declared,
        markup=form == "html",
        option=limits.charset,
        warc=identified,
    )
    if form != "html":
        text, source = _read_plain(decoded)
        return Content(mime, decoded, None, "", text, len(text), decoded.charset, source, faults)
    feed = feeds.feed_type(payload)
    if feed and not mime.endswith("xml"):
        mime = feed  # servers send feeds as HTML (MIME sniffing, 7.3)
    document, source = _read_markup(decoded, mime, limits)
    charset = None if feed else decoded.charset  # a feed has the links and texts of pages, and is no page
    if document.flattened:
        faults += (("too-deep", "markup nested too deep; what lies deeper was read as text and links alone"),)
    text, main = document.text, document.main_length
    return Content(mime, decoded, document, document.title, text, main, charset, source if charset else "", faults)


def _is_packed_feed(payload: bytes) -> bool:
    """Return whether a payload is a feed or a sitemap in a gzip file."""
    try:
        return payload.startswith(_GZIP) and feeds.is_feed(zlib.decompressobj(31).decompress(payload, _HEAD))
    except zlib.error:
        return False


def _read_pdf(mime: str, payload: bytes, limits: Limits) -> Content:
    from graphlang.ingest.payload.pdf import read_pdf  # noqa: PLC0415 - an extra

    title, text, faults = read_pdf(payload, limits.text_limit)
    charset, source = ("utf-8", "pdf") if text else (None, "")
    return Content(mime, None, None, title, text, len(text), charset, source, faults)


def _read_markup(decoded: Decoded, mime: str, limits: Limits) -> tuple[html.Document, str]:
    """Parse a page of markup, repair its encoding and its links, and return it with the source of its charset."""
    document = _read_document(decoded.text, mime, limits)
    if decoded.charset != "utf-8":
        return encode_queries(document, decoded.charset), decoded.source
    repaired = repair_encoding(decoded.text)
    if repaired is None:
        return document, decoded.source
    again = _read_document(repaired.text, mime, limits)
    if (again.title, again.text) == (document.title, document.text):
        return document, decoded.source
    # Targets stay as they are written: browsers follow them so.
    targets = (
        [*document.anchors, *(reference.target for reference in document.references)] if again.anchor_texts else ()
    )
    texts = {target: again.anchor_texts.get(undo_encoding(target, repaired.encoded), "") for target in targets}
    return (
        document._replace(
            title=again.title,
            text=again.text,
            main_length=again.main_length,
            anchor_texts={target: text for target, text in texts.items() if text},
        ),
        f"{decoded.source}, {repaired.source}",
    )


def _read_document(markup: str | bytes, mime: str, limits: Limits) -> html.Document:
    if mime.endswith("xml"):
        data = markup if isinstance(markup, bytes) else markup.encode("utf-8", "replace")
        markup = feeds.convert_feed(data) if feeds.is_feed(data) else html.convert_xhtml(data)
    return html.read_document(markup, limits)


def _read_plain(decoded: Decoded) -> tuple[str, str]:
    """Return a page of plain text, its encoding repaired, and the source of its charset."""
    repaired = repair_encoding(decoded.text) if decoded.charset == "utf-8" else None
    text, source = decoded.text, decoded.source
    if repaired is not None:
        text, source = repaired.text, f"{source}, {repaired.source}"
    return html.fold_paragraphs(text if isinstance(text, str) else text.decode()), source
