"""Parse one raw record to the page in it, and report its faults.

There are two ways, which the tests compare. An ordinary page, which most are (an answer of HTTP with HTML in UTF-8 and
nothing odd), takes two calls of C: `_parse_ordinary`. All others take the steps of `_parse_steps`, which define the
result.
"""

from __future__ import annotations

import os
import re
from array import array
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.db.records import NO_LINKS, READ, Declaration, Links, Page, Problem, unpack_texts
from graphlang.ingest.formats.arc import Arc
from graphlang.ingest.formats.dates import parse_date
from graphlang.ingest.formats.warc import Warc, strip_brackets
from graphlang.ingest.html import document as html
from graphlang.ingest.html import tokenizer
from graphlang.ingest.limits import TimeLimit, TimeLimitError, cut_text
from graphlang.ingest.links.canonical import canonical_url, decode_uri, rename_urls, strip_page
from graphlang.ingest.links.extract import extract_links, list_header_references, list_meta_references
from graphlang.ingest.links.resolve import Joiner
from graphlang.ingest.native import ordinary_page as _kernels
from graphlang.ingest.payload import http
from graphlang.ingest.payload.charset import Decoded, find_utf8_source, is_utf8_label
from graphlang.ingest.payload.content_encoding import decode_payload
from graphlang.ingest.payload.detect_charset import may_hide
from graphlang.ingest.read_payload import read_content
from graphlang.native.kernels import copy_bytes, decode_bytes

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from graphlang.ingest.limits import Limits
    from graphlang.ingest.raw import Faults, Item, RawRecord

_HTML: Final = "text/html"
_HTTP: Final = ("http://", "https://")
_BOM: Final = b"\xef\xbb\xbf"
_HTML_ROOTS: Final = (b"<!DOC", b"<!doc", b"<html", b"<HTML")  # nearly all pages: these are no feeds
_REDIRECTS: Final = range(300, 400)
_NOT_MODIFIED: Final = 304
_MAX_CACHED: Final = 2_000  # characters of the strings of a page in the cache
_SCHEME = re.compile(r"\s*https?:", re.IGNORECASE)
_ANY_SCHEME = re.compile(r"\s*[a-z][a-z0-9+.-]*:(?!\d{1,5}(?:/|\s*$))", re.IGNORECASE)  # and no port
_URI_FIELD = re.compile(rb"(?<=\n)(warc-(?:refers-to-)?target-uri)[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE)
_MIRRORED = "x-graphlang-mirrored"
#: Crawlers that run a browser keep what its scripts fetch: parts of pages, and no pages.
_FETCHED_BY_SCRIPT = re.compile(
    rb"\nwarc-resource-type[ \t]*:[ \t]*(?:xhr|fetch|eventsource|websocket|ping|preflight)[ \t\r]*\n", re.IGNORECASE
)
#: URIs of records with the text of a page as a browser showed it (browsertrix), or with its document.
_RENDERED = re.compile(r"(urn:text:|onreadydom:)(?=https?://)", re.IGNORECASE)
_IDENTIFIED = re.compile(rb"\nwarc-identified-payload-type[ \t]*:([^\r\n]{0,200})", re.IGNORECASE)
_MAX_BYTES = 1 << 20  # of a page, for its visible bytes
#: Header fields of WARC records and of HTTP messages that are parsed.
_RECORD_FIELDS = (
    b"warc-type\0warc-target-uri\0warc-date\0content-type\0warc-payload-digest\0warc-segment-number\0"
    b"warc-block-digest\0warc-refers-to-target-uri\0warc-refers-to-date\0x-graphlang-mirrored\0"
)
_MESSAGE_FIELDS = (
    b":status\0content-type\0content-encoding\0transfer-encoding\0content-language\0x-robots-tag\0"
    b"location\0refresh\0link\0"
)
_MAX_REASON = 500  # characters of a bad URL or an error in a Problem


class _RecordHeader(NamedTuple):
    """The header of a record."""

    uri: str  # as written
    date: str
    mime: str  # media type of the block
    fields: dict[str, str]
    answer: http.Response | None = None  # in the block, if it is ordinary


class _PageStrings(NamedTuple):
    """Fields derived from the strings of a page and the header of its answer; many pages have the same."""

    declared: tuple[Declaration, ...]
    base: bytes
    document: html.Document  # with its strings alone
    fields: dict[str, str]  # of the answer
    nofollow: bool


class Parser:
    """Turn raw records into pages; for one thread at a time. Its caches never change the result."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._joiner = Joiner()
        self._splitter = http.AnswerSplitter(limits)
        self._time_limit = TimeLimit(limits.max_seconds)
        self._needs_steps = (
            limits.all_bytes or limits.anchor_texts or limits.ignore_server_charset or bool(limits.charset)
        )
        # A random key, so that no page can make its references collide.
        self._reader = _kernels.ordinary_page_new(int.from_bytes(os.urandom(4), "little"))
        self._markup, self._links = _kernels.new_ordinary_page_result(), _kernels.new_ordinary_page_links()

    def hold_timer(self) -> AbstractContextManager[None]:
        """Keep the handler of the time limit installed while many pages are parsed, instead of for each page."""
        return self._time_limit.hold()

    def pause(self) -> None:
        """Stop the timer, while `hold_timer`: call it before other code runs between two pages."""
        self._time_limit.pause()

    def parse(self, raw: RawRecord) -> list[Item]:
        """Return the page of a record and its problems; an empty list for records that hold no page.

        It never raises: errors become a Problem of kind ``failed``, a page that takes too long one of ``too-slow``.
        """
        try:
            with self._time_limit:
                items = self._parse(raw)
        except TimeLimitError:
            reason = f"not parsed within {self._limits.max_seconds:g} seconds of processor time"
            return [Problem("too-slow", reason, raw.offset, find_target_uri(raw))]
        except Exception as error:  # noqa: BLE001 - the archive is hostile, and the other records are innocent
            return [
                Problem("failed", f"{type(error).__name__}: {error}"[:_MAX_REASON], raw.offset, find_target_uri(raw))
            ]
        if self._limits.plain_urls:
            return [strip_page(item) if isinstance(item, Page) else item for item in items]
        return items

    def _parse(self, raw: RawRecord) -> list[Item]:
        if raw.item is not None:
            return [raw.item]
        if b"-Resource-Type" in raw.head and _FETCHED_BY_SCRIPT.search(raw.head):
            return [Problem(kind, reason, raw.offset) for kind, reason in raw.faults]
        parts = raw.answer or self._splitter.split(raw.head, raw.block)
        if parts is not None and not raw.faults:
            page = self._parse_ordinary(raw.offset, raw.block, parts)
            if page is not None:
                return [page]
        if parts is not None and raw.block.startswith(b"HTTP/", parts[2]):
            parts = None  # an answer of a proxy comes first
        header = self._parse_answer(parts, raw.block) if parts is not None else _parse_header(raw)
        if header is None:
            return [Problem(kind, reason, raw.offset) for kind, reason in raw.faults]
        return self._parse_steps(raw, header)

    def _parse_ordinary(self, offset: int, block: bytes, parts: http.AnswerParts) -> Page | None:
        """Return an ordinary page of a record without faults; None if anything about it is unusual."""
        strings, status, body = parts
        uri, date, digest, answer = strings.decode("ascii").split("\0", 3)
        limits, markup = self._limits, self._markup
        source = _find_http_source(answer)
        if source is None or status in _REDIRECTS or self._needs_steps or not uri.startswith(_HTTP):
            return None
        fields = http.parse_answer_fields(answer)
        faults: Faults = ()
        if "content-encoding" in fields or "transfer-encoding" in fields:
            block, faults = decode_payload(block[body:], fields, limits.max_payload)
            body = 0
        begin = body
        if block.startswith(_BOM, body):
            source, begin = "bom", body + len(_BOM)
        source = source or find_utf8_source(block, body)
        url = self._joiner.make_absolute(uri)
        is_feed = not block.startswith(_HTML_ROOTS, begin) and html.is_feed(block, begin)
        is_utf16 = block[begin + 1 : begin + 2] == b"\0"
        if faults or not source or url is None or len(url) > limits.max_url or is_feed or is_utf16:
            return None
        limit, depth = 4 * limits.max_links, limits.max_depth
        _kernels.ordinary_page_read(self._reader, block, begin, limit, depth, source == "utf-8", markup)
        if markup.left:
            return None
        names = copy_bytes(markup.strings, markup.strings_size)
        page_strings = (
            _cached_strings(answer, names)
            if len(answer) + len(names) < _MAX_CACHED
            else _parse_page_strings(answer, names)
        )
        text = decode_bytes(markup.text, markup.text_size)
        if page_strings is None or may_hide(text):
            return None
        links = self._gather_links(url, page_strings)
        if links is None and (links := self._extract_links(url, page_strings)) is None:
            return None
        content = cut_text(text, markup.main_length, limits.text_limit)
        return Page(
            url=url,
            offset=offset,
            date=parse_date(date),
            status=status,
            mime=_HTML,
            charset="utf-8",
            charset_from=source,
            title=html.fold(decode_bytes(markup.title, markup.title_size))[: limits.title_limit],
            text=content.text,
            length=content.length,
            size=len(block) - body,
            digest=http.compute_payload_digest(digest, block, body),
            declared=page_strings.declared,
            links=links,
            main_length=content.main_length,
            rest=content.rest,
        )

    def _gather_links(self, url: str, strings: _PageStrings) -> Links | None:
        """Return the links of the ordinary page that was read last; None if they are unusual, or too many."""
        links, limits = self._links, self._limits
        _kernels.ordinary_page_gather(
            self._reader, strings.base, url.encode(), strings.nofollow, limits.max_url, limits.max_links, links
        )
        if links.left:
            return None
        if not links.kinds_size:
            return NO_LINKS
        hreflangs: tuple[tuple[int, str], ...] = ()
        if links.places_size:
            places = array("I", copy_bytes(links.places, links.places_size))
            hreflangs = tuple(zip(places, unpack_texts(copy_bytes(links.hreflangs, links.hreflangs_size)), strict=True))
        return Links(copy_bytes(links.urls, links.urls_size), copy_bytes(links.kinds, links.kinds_size), hreflangs)

    def _extract_links(self, url: str, strings: _PageStrings) -> Links | None:
        """Return the links of the ordinary page that was read last, one by one; None if some are dropped."""
        markup = self._markup
        references = html.References(copy_bytes(markup.references, markup.references_size))
        targets = copy_bytes(markup.anchors, markup.anchors_size)
        document = strings.document._replace(targets=targets, references=references)
        links, problems = extract_links(url, document, None, strings.fields, self._joiner, self._limits)
        return None if problems else links

    def _parse_steps(self, raw: RawRecord, header: _RecordHeader) -> list[Item]:
        """Return the page of any record that holds one, and its problems."""
        url = None
        faults = list(raw.faults)
        rendered = _RENDERED.match(header.uri)
        written = header.uri[rendered.end() :] if rendered else header.uri
        if not written:
            faults.append(("bad-record", "no target URI"))
        elif _SCHEME.match(written):
            url = self._joiner.make_absolute(written)
            if url is None or len(url) > self._limits.max_url:
                long = url is not None or len(written) > self._limits.max_url
                why = f"more than {self._limits.max_url} characters" if long else "not a valid URL"
                faults.append(("bad-url", f"target URI is {why}"))
                url = None
        elif not _ANY_SCHEME.match(written) and header.fields.get("warc-type", "").lower() != "metadata":
            # Other schemes (dns:, urn:) belong to no pages, and the metadata of a whole file have its name (WAT).
            faults.append(("bad-url", "target URI has no scheme, such as https:"))
        items: list[Item] = []
        if url is not None:
            if rendered and rendered[1].lower() == "urn:text:":
                from graphlang.ingest.formats.wet_wat import parse_wet  # noqa: PLC0415 - rare

                page: Page | None = parse_wet(raw, url, header.date, {}, self._limits)
            else:
                page, page_faults = self._parse_page(raw, url, header)
                faults += page_faults
            if page is not None and (rendered or header.fields.get("warc-type", "").lower() == "conversion"):
                page = replace(page, parts="text", links=NO_LINKS)
            if page is not None and _MIRRORED in header.fields:
                from graphlang.ingest.formats.wget_mirror import make_target_renamer  # noqa: PLC0415 - rare

                page = rename_urls(page, make_target_renamer(page.url, header.fields[_MIRRORED]))
            if page is not None:
                items.append(page)
        problem_url = (url or written or "")[:_MAX_REASON] or None
        return [*(Problem(kind, reason, raw.offset, problem_url) for kind, reason in faults), *items]

    def _parse_answer(self, parts: http.AnswerParts, block: bytes) -> _RecordHeader:
        """Return the header of a record with an ordinary answer that holds no ordinary page."""
        answer = http.parse_answer(parts, block, self._limits.max_payload)
        fields = {"warc-payload-digest": answer.digest}
        return _RecordHeader(strip_brackets(answer.uri), parse_date(answer.date), "", fields, answer.response)

    def _parse_block(self, raw: RawRecord, header: _RecordHeader) -> tuple[http.Response, str]:
        """Return the HTTP message in a record, or its block if that is none, and the Content-Type that counts."""
        answer = header.answer
        if answer is None and _is_http(raw, header):
            limits = self._limits
            answer = http.parse_response(raw.block, limits.max_header, limits.max_payload, _MESSAGE_FIELDS)
        if answer is None:
            return http.Response(None, {}, raw.block), header.mime
        return answer, answer.fields.get("content-type", "")

    def _parse_page(self, raw: RawRecord, url: str, header: _RecordHeader) -> tuple[Page | None, list[tuple[str, str]]]:
        limits, record_fields = self._limits, header.fields
        kind = record_fields.get("warc-type", "").lower()
        if kind == "metadata" or (kind == "conversion" and header.mime.startswith("text/plain")):
            from graphlang.ingest.formats.wet_wat import parse_wat, parse_wet  # noqa: PLC0415 - rare in crawls

            if kind == "metadata":
                return parse_wat(raw, self._joiner, limits)
            return parse_wet(raw, url, header.date, record_fields, limits), []
        answer, content_type = self._parse_block(raw, header)
        mime, declared_charset = http.parse_media_type(content_type)
        identified_mime, identified_charset = _parse_identified_type(raw.head)
        mime = mime or identified_mime
        status, fields, payload = answer.status, answer.fields, answer.payload
        revisit, original = kind == "revisit", record_fields.get("warc-refers-to-target-uri", "")
        # A revisit may have no block (WARC 1.1, 6.7.2): then no status line is missing.
        faults = [] if revisit and not raw.block else list(answer.faults)
        if "warc-segment-number" in record_fields:
            faults.append(("segmented", "the record goes on in continuation records, which are not read"))
        content = read_content(mime, payload, declared_charset, identified_charset, limits)
        mime, document, decoded = content.mime, content.document, content.decoded
        faults += content.faults
        if revisit and not payload and not _is_redirect(status):
            # The fields that it repeats come with its original.
            fields = {}
        body = cut_text(content.text, content.main_length, limits.text_limit)
        links, problems = extract_links(url, document, status, fields, self._joiner, limits)
        page = Page(
            url=url,
            offset=raw.offset,
            date=header.date,
            status=status,
            mime=mime,
            charset=content.charset,
            charset_from=content.charset_from,
            title=content.title[: limits.title_limit],
            text=body.text,
            length=body.length,
            size=len(payload),
            digest=http.compute_payload_digest(record_fields.get("warc-payload-digest", ""), payload),
            revisit_of=(canonical_url(strip_brackets(original)) or url) if revisit else None,
            declared=html.list_declarations(document, fields),
            links=links,
            revisit_date=parse_date(record_fields.get("warc-refers-to-date", "").strip()) if revisit else "",
            main_length=body.main_length,
            visible=b"" if decoded is None or document is None else self._extract_visible_bytes(payload, decoded),
            rest=body.rest,
        )
        return page, faults + problems

    def _extract_visible_bytes(self, payload: bytes, decoded: Decoded) -> bytes:
        """Return the visible bytes of a page whose charset is in doubt, or of any if all are kept."""
        if not self._limits.all_bytes and not decoded.in_doubt:
            return b""
        if decoded.charset.startswith(("utf-16", "utf-32")):
            return b""  # tags are found as ASCII bytes
        from graphlang.ingest.payload.visible_bytes import extract_visible  # noqa: PLC0415 - few pages need it

        limit = READ if self._limits.text_limit is None else self._limits.text_limit
        return b" ".join(extract_visible(payload[:_MAX_BYTES]).split())[:limit]


@lru_cache(256)
def _find_http_source(answer: str) -> str | None:
    """Return ``http`` for an answer of HTML in UTF-8, an empty string for HTML without a charset, None for others."""
    fields = http.parse_answer_fields(answer)
    mime, charset = http.parse_media_type(fields.get("content-type", ""))
    if mime != _HTML or list_header_references(None, fields):
        return None
    if charset is None:
        return ""
    return "http" if is_utf8_label(charset) else None


def _parse_page_strings(answer: str, names: bytes) -> _PageStrings | None:
    """Parse the header of an answer and the strings of its page but the title; None for unusual pages."""
    strings = html.parse_strings(tokenizer.split_strings(names))
    document = html.Document(
        b"", (), metas=strings.metas, base=strings.base, lang=strings.lang, xml_lang=strings.xml_lang
    )
    fields = http.parse_answer_fields(answer)
    refreshes, nofollow = list_meta_references(document, fields)
    if refreshes or strings.inner:
        return None
    base = strings.base.encode("utf-8", "surrogatepass") if strings.base else b""
    return _PageStrings(html.list_declarations(document, fields), base, document, fields, nofollow)


_cached_strings = lru_cache(512)(_parse_page_strings)


def _is_redirect(status: int | None) -> bool:
    return status is not None and status in _REDIRECTS and status != _NOT_MODIFIED


def is_candidate(raw: RawRecord) -> bool:
    """Return whether `Parser.parse` could return anything for a record, without parsing it."""
    if raw.answer is not None:
        return True
    return bool(raw.faults) or raw.item is not None or not _is_warc(raw) or Warc.may_be_page(raw.head)


def _is_warc(raw: RawRecord) -> bool:
    return raw.head[:5].upper() == b"WARC/"


def _parse_header(raw: RawRecord) -> _RecordHeader | None:
    """Return the header of any record; None if the record holds no page."""
    if _is_warc(raw):
        if not Warc.may_be_page(raw.head):
            return None
        fields = http.parse_fields(raw.head, _RECORD_FIELDS)
        if not raw.head.isascii():
            fields |= {match[1].decode().lower(): decode_uri(match[2]) for match in _URI_FIELD.finditer(raw.head)}
        written = strip_brackets(fields.get("warc-target-uri", ""))
        return _RecordHeader(
            written, parse_date(fields.get("warc-date", "").strip()), fields.get("content-type", ""), fields
        )
    line = Arc.fields(raw.head)
    if line is None:
        return None
    return _RecordHeader(decode_uri(line[0]), line[1], http.decode_value(line[2]), {})


def _parse_identified_type(head: bytes) -> tuple[str, str | None]:
    """Return media type and charset of WARC-Identified-Payload-Type: the crawler's own guess."""
    match = _IDENTIFIED.search(head)
    return http.parse_media_type(http.decode_value(match[1]).strip()) if match else ("", None)


def _is_http(raw: RawRecord, header: _RecordHeader) -> bool:
    """Return whether the block is an HTTP message; a resource, or an ARC document without a status line, is none."""
    if raw.block.startswith(b"HTTP/") or raw.block[:40].lstrip().startswith((b"HTTP/", b"HTTP ")):
        return True
    fields, mime = header.fields, header.mime
    return (
        fields.get("warc-type", "").lower() != "resource"
        and bool(fields)
        and "text/" not in mime
        and "image/" not in mime
    )


def find_target_uri(raw: RawRecord) -> str | None:
    """Return the target URI of a WARC record that could not be parsed, if it is readable."""
    match = re.search(rb"\nwarc-target-uri:[ \t]*([^\r\n]{1,500})", raw.head, re.IGNORECASE)
    return http.decode_value(match[1]) if match else None
