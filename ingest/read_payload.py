"""Read a payload as far as it has text: HTML and XHTML, feeds, plain text, and PDF documents if they are asked for.

PDF documents need pypdf, an extra. They are bounded like pages: in bytes, in processor time, in characters; pypdf
bounds the size of unpacked streams.
"""

from __future__ import annotations

import errno
import importlib.util
import io
import logging
import re
import zlib
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.ingest.html import document as html
from graphlang.ingest.html.document import fold, fold_lines
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
    feed = html.find_feed_type(payload)
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
        return payload.startswith(_GZIP) and html.is_feed(zlib.decompressobj(31).decompress(payload, _HEAD))
    except zlib.error:
        return False


def _read_pdf(mime: str, payload: bytes, limits: Limits) -> Content:

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
        markup = html.convert_feed(data) if html.is_feed(data) else html.convert_xhtml(data)
    return html.read_document(markup, limits)


def _read_plain(decoded: Decoded) -> tuple[str, str]:
    """Return a page of plain text, its encoding repaired, and the source of its charset."""
    repaired = repair_encoding(decoded.text) if decoded.charset == "utf-8" else None
    text, source = decoded.text, decoded.source
    if repaired is not None:
        text, source = repaired.text, f"{source}, {repaired.source}"
    return html.fold_paragraphs(text if isinstance(text, str) else text.decode()), source


_PDF_PAGES: Final = 2_000
_PDF_REASON: Final = 200  # characters of a library's error message
#: A word that is parted at the end of a line.
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[-\xad]\n(?=[^\W\d_A-Z])")
_NO_PYPDF: Final = "--pdf needs one more package: pip install 'graphlang[pdf]'"


class PdfText(NamedTuple):
    """The text of a document."""

    title: str
    text: str  #: a line for each line of the document
    faults: Faults


def require_pypdf() -> None:
    """Raise OSError if the extra ``pdf`` is not installed."""
    if importlib.util.find_spec("pypdf") is None:
        raise OSError(errno.ENOSYS, _NO_PYPDF)


def read_pdf(payload: bytes, limit: int | None) -> PdfText:
    """Read the text of a document, page by page up to about ``limit`` characters; a fault ends it early."""
    import pypdf  # noqa: PLC0415 - an extra

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what is wrong with the document is a fault
    title, parts, size = "", [], 0
    faults: Faults = ()
    try:
        document = pypdf.PdfReader(io.BytesIO(payload))
        title = fold(str(document.metadata.title or "")) if document.metadata else ""
        for page in islice(document.pages, _PDF_PAGES):
            parts.append(page.extract_text())
            size += len(parts[-1])
            if limit is not None and size > limit:
                break
    except Exception as error:  # noqa: BLE001 - the library raises anything for a damaged document
        reason = f"{type(error).__name__}: {error}"[:_PDF_REASON]
        faults = (("bad-pdf", reason),)
    text = "\n".join(parts).encode("utf-8", "replace").decode()
    return PdfText(title.encode("utf-8", "replace").decode(), fold_lines(_HYPHEN.sub("", text)), faults)
