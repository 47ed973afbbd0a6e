"""One raw record -> the page in it, and what was wrong with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from graphlang.db.records import READ, Page, Problem
from graphlang.ingest.formats.arc import Arc
from graphlang.ingest.formats.dates import date_of
from graphlang.ingest.formats.warc import Warc, unbracketed
from graphlang.ingest.formats.wet import page_of_wet
from graphlang.ingest.html import document as html
from graphlang.ingest.html.declarations import declarations
from graphlang.ingest.kept_text import kept
from graphlang.ingest.links.canonical import canonical
from graphlang.ingest.links.extract import links_of
from graphlang.ingest.links.query_charset import in_charset
from graphlang.ingest.links.resolve import Joiner
from graphlang.ingest.links.strip_tracking import plain_page, renamed
from graphlang.ingest.ordinary_page import OrdinaryPages
from graphlang.ingest.payload import http_response, media_type
from graphlang.ingest.payload.charset import Decoded, decode
from graphlang.ingest.payload.digest import digest_of
from graphlang.ingest.payload.encoded_twice import as_meant, taken_back
from graphlang.ingest.payload.plain_answer import AnswerReader
from graphlang.ingest.time_limit import TimeLimit, TimeLimitError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from graphlang.ingest.formats.records import RawRecord
    from graphlang.ingest.limits import Limits

_SCHEME = re.compile(r"\s*https?:", re.IGNORECASE)
_ANY_SCHEME = re.compile(r"\s*[a-z][a-z0-9+.-]*:(?!\d{1,5}(?:/|\s*$))", re.IGNORECASE)  # and no port
_MIRRORED = "x-graphlang-mirrored"
_MOST_BYTES = 1 << 20  # of a page, for its visible bytes
#: Header fields of WARC records and of HTTP messages that are looked at.
_OF_RECORDS = (
    b"warc-type\0warc-target-uri\0warc-date\0content-type\0warc-payload-digest\0warc-segment-number\0"
    b"warc-block-digest\0warc-refers-to-target-uri\0warc-refers-to-date\0x-graphlang-mirrored\0"
)
_OF_MESSAGES = (
    b":status\0content-type\0content-encoding\0transfer-encoding\0content-language\0x-robots-tag\0"
    b"location\0refresh\0link\0"
)
_MAX_TOLD = 500  # characters of a bad URL that a Problem repeats

Item: TypeAlias = Page | Problem


class _Said(NamedTuple):
    """What a record says of itself."""

    uri: str  # as written
    date: str
    mime: str  # media type of the block
    head: dict[str, str]  # header fields of the record
    answer: http_response.Response | None = None  # in the block, where it was taken apart along with the record


class Parser:
    """Turns raw records into pages; what it remembers between them (joined URLs) never changes what comes out.

    Args:
        limits: bounds of a record.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._joiner = Joiner()
        self._answers = AnswerReader(limits)
        self._ordinary = OrdinaryPages(limits)
        self._time_limit = TimeLimit(limits.max_seconds)

    def ready(self) -> AbstractContextManager[None]:
        """Keep what bounds the time of a page in place while many are parsed; without this each page puts it there."""
        return self._time_limit.held()

    def rest(self) -> None:
        """To be called before pages are handed on, while `ready`: nothing that others do is bounded."""
        self._time_limit.rest()

    def parse(self, raw: RawRecord) -> list[Item]:
        """Return the page of a record, and the problems that came up; nothing for records that are not meant as pages.

        Whatever goes wrong with one record is told in a Problem of kind ``failed``, never raised; one that takes too
        long in one of kind ``too-slow``.
        """
        try:
            with self._time_limit:
                items = self._parse(raw)
        except TimeLimitError:
            reason = f"not parsed within {self._limits.max_seconds:g} seconds of processor time"
            return [Problem("too-slow", reason, raw.offset, target_uri(raw))]
        except Exception as error:  # noqa: BLE001 - the archive is hostile, and the other records are innocent
            return [Problem("failed", f"{type(error).__name__}: {error}"[:_MAX_TOLD], raw.offset, target_uri(raw))]
        if self._limits.plain_urls:
            return [plain_page(item) if isinstance(item, Page) else item for item in items]
        return items

    def _parse(self, raw: RawRecord) -> list[Item]:
        if raw.item is not None:
            return [raw.item]
        parts = raw.answer or self._answers.parts(raw.head, raw.block)
        if parts is not None and not raw.faults:
            ordinary = self._ordinary.read(raw.offset, raw.block, parts, self._joiner)
            if ordinary is not None:
                return [ordinary]
        said = self._said(raw, parts)
        if said is None:
            return [Problem(kind, reason, raw.offset) for kind, reason in raw.faults]
        return self._by_steps(raw, said)

    def _by_steps(self, raw: RawRecord, said: _Said) -> list[Item]:
        """Return the page of any record that is meant as one; what `OrdinaryPages` does not leave is the same."""
        url = None
        faults = list(raw.faults)
        written = said.uri
        if not written:
            faults.append(("bad-record", "no target URI"))
        elif _SCHEME.match(written):
            url = self._joiner.absolute(written)
            if url is None or len(url) > self._limits.max_url:
                long = url is not None or len(written) > self._limits.max_url
                why = f"more than {self._limits.max_url} characters" if long else "not a valid URL"
                faults.append(("bad-url", f"target URI is {why}"))
                url = None
        elif not _ANY_SCHEME.match(written) and said.head.get("warc-type", "").lower() != "metadata":
            # Other schemes (dns:, urn:) are of no pages, and the metadata of a whole file name the file (WAT).
            faults.append(("bad-url", "target URI has no scheme, such as https:"))
        items: list[Item] = []
        if url is not None:
            page, more = self._page(raw, url, said)
            if page is not None and not more and not faults and _MIRRORED not in said.head:
                return [page]
            faults += more
            if page is not None and _MIRRORED in said.head:
                from graphlang.ingest.formats.wget_mirror import renaming  # noqa: PLC0415 - most crawls were not made by wget

                page = renamed(page, renaming(page.url, said.head[_MIRRORED]))
            if page is not None:
                items.append(page)
        told = (url or written or "")[:_MAX_TOLD] or None
        return [*(Problem(kind, reason, raw.offset, told) for kind, reason in faults), *items]

    def _said(self, raw: RawRecord, parts: tuple[bytes, int, int] | None) -> _Said | None:
        """Return what a record says of itself; None for records that are no pages."""
        plain = None if parts is None else self._answers.read(raw.head, raw.block, parts)
        if plain is not None:
            head = {"warc-payload-digest": plain.digest}
            return _Said(unbracketed(plain.uri), date_of(plain.date), "", head, plain.response)
        return _said(raw)

    def _answer(self, raw: RawRecord, said: _Said) -> tuple[http_response.Response, str]:
        """Return the message in a record, or its block where that is none, and the Content-Type that counts."""
        answer = said.answer
        if answer is None and _is_http(raw, said.mime, said.head):
            limits = self._limits
            answer = http_response.response(raw.block, limits.max_header, limits.max_payload, _OF_MESSAGES)
        if answer is None:
            return http_response.Response(None, {}, raw.block), said.mime
        return answer, answer.fields.get("content-type", "")

    def _page(self, raw: RawRecord, url: str, said: _Said) -> tuple[Page | None, list[tuple[str, str]]]:
        limits, head = self._limits, said.head
        kind = head.get("warc-type", "").lower()
        if kind == "metadata":
            from graphlang.ingest.formats.wat import page_of_wat  # noqa: PLC0415 - few archives have them

            return page_of_wat(raw, self._joiner, limits)
        if kind == "conversion":
            return page_of_wet(raw, url, said.date, head, limits), []
        answer, content_type = self._answer(raw, said)
        mime, charset = media_type.media_type(content_type)
        status, fields, payload = answer.status, answer.fields, answer.payload
        revisit = kind == "revisit"
        # A revisit may come without a block (WARC 1.1, 6.7.2): then there is no status line to be missed.
        faults = [] if revisit and not raw.block else list(answer.faults)
        if "warc-segment-number" in head:
            faults.append(("segmented", "the record goes on in continuation records, which are not read"))
        document: html.Document | None = None
        title = text = charset_from = ""
        main = 0
        used: str | None = None
        decoded: Decoded | None = None
        form = media_type.form(mime, payload)
        if form:
            decoded = decode(payload, charset, markup=form == "html")
            used = decoded.charset
            if form == "html":
                document, charset_from = _read(decoded, mime, limits)
                title, text, main = document.title, document.text, document.main_length
                if document.flattened:
                    faults.append(
                        ("too-deep", "markup nested too deep; what lies deeper was read as text and links alone")
                    )
            else:
                text, charset_from = _plain(decoded)
                main = len(text)
        if revisit and not payload and not _redirects(status):
            # Whatever its header repeats of the original's comes with the original.
            fields = {}
        body = kept(text, main, limits.text_limit)
        links, left_out = links_of(url, document, status, fields, self._joiner, limits)
        page = Page(
            url=url,
            offset=raw.offset,
            date=said.date,
            status=status,
            mime=mime,
            charset=used,
            charset_from=charset_from,
            title=title[: limits.title_limit],
            text=body.text,
            length=body.length,
            size=len(payload),
            digest=digest_of(head.get("warc-payload-digest", ""), payload),
            revisit_of=(canonical(unbracketed(head.get("warc-refers-to-target-uri", ""))) or url) if revisit else None,
            declared=declarations(document, fields),
            links=links,
            revisit_date=date_of(head.get("warc-refers-to-date", "").strip()) if revisit else "",
            main_length=body.main_length,
            visible=self._visible(payload, decoded) if decoded is not None and form == "html" else b"",
            rest=body.rest,
        )
        return page, faults + left_out

    def _visible(self, payload: bytes, decoded: Decoded) -> bytes:
        """Return the visible bytes of a page whose charset nobody is sure of, or of any where all are wanted."""
        if not self._limits.all_bytes and not decoded.in_doubt:
            return b""
        if decoded.charset.startswith(("utf-16", "utf-32")):
            return b""  # the byte path needs ASCII's own bytes for tags
        from graphlang.ingest.payload.visible_bytes import visible  # noqa: PLC0415 - few pages need it

        most = READ if self._limits.text_limit is None else self._limits.text_limit
        return b" ".join(visible(payload[:_MOST_BYTES]).split())[:most]


def _read(decoded: Decoded, mime: str, limits: Limits) -> tuple[html.Document, str]:
    """Return a page of markup as it was meant, its links as browsers follow them, and what named its charset."""
    document = _document(decoded.text, mime, limits)
    if decoded.charset != "utf-8":
        return in_charset(document, decoded.charset), decoded.source
    meant = as_meant(decoded.text)
    if meant is None:
        return document, decoded.source
    found = _document(meant.text, mime, limits)
    if (found.title, found.text) == (document.title, document.text):
        return document, decoded.source
    targets = [*document.anchors, *(reference.target for reference in document.references)] if found.words else ()
    said = {target: found.words.get(taken_back(target, meant.encoded), "") for target in targets}
    words = {target: text for target, text in said.items() if text}
    return (
        document._replace(title=found.title, text=found.text, main_length=found.main_length, words=words),
        f"{decoded.source}, {meant.source}",
    )


def _document(markup: str | bytes, mime: str, limits: Limits) -> html.Document:
    return html.read(_as_xml(markup) if mime.endswith("xml") else markup, limits)


def _plain(decoded: Decoded) -> tuple[str, str]:
    """Return a page of plain text as it was meant, and what named its charset."""
    meant = as_meant(decoded.text) if decoded.charset == "utf-8" else None
    text, source = decoded.text, decoded.source
    if meant is not None:
        text, source = meant.text, f"{source}, {meant.source}"
    return html.fold_paragraphs(text if isinstance(text, str) else text.decode()), source


def _as_xml(markup: str | bytes) -> bytes:
    from graphlang.ingest.html.xhtml import as_html  # noqa: PLC0415 - hardly a page is served as XML

    return as_html(markup if isinstance(markup, bytes) else markup.encode("utf-8", "replace"))


def _redirects(status: int | None) -> bool:
    return status is not None and 300 <= status < 400 and status != 304  # noqa: PLR2004 - not modified


def is_candidate(raw: RawRecord) -> bool:
    """Tell, without taking the record apart, whether `Parser.parse` could return anything for it."""
    if raw.answer is not None:
        return True
    return bool(raw.faults) or raw.item is not None or not _is_warc(raw) or Warc.may_be_page(raw.head)


def _is_warc(raw: RawRecord) -> bool:
    return raw.head[:5].upper() == b"WARC/"


def _said(raw: RawRecord) -> _Said | None:
    if _is_warc(raw):
        if not Warc.may_be_page(raw.head):
            return None
        head = http_response.fields(raw.head, _OF_RECORDS)
        written = unbracketed(head.get("warc-target-uri", ""))
        return _Said(written, date_of(head.get("warc-date", "").strip()), head.get("content-type", ""), head)
    found = Arc.fields(raw.head)
    if found is None:
        return None
    return _Said(http_response.text(found[0]), found[1], http_response.text(found[2]), {})


def _is_http(raw: RawRecord, mime: str, head: dict[str, str]) -> bool:
    """Tell whether the block is an HTTP message; a resource record and an ARC document without status line are not."""
    if raw.block.startswith(b"HTTP/"):
        return True
    return (
        head.get("warc-type", "").lower() != "resource" and bool(head) and "text/" not in mime and "image/" not in mime
    )


def target_uri(raw: RawRecord) -> str | None:
    """Return the target URI of a WARC record that could not be parsed, as far as it can be read."""
    found = re.search(rb"\nwarc-target-uri:[ \t]*([^\r\n]{1,500})", raw.head, re.IGNORECASE)
    return http_response.text(found[1]) if found else None
