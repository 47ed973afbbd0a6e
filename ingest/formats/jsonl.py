r"""Read pages that another program extracted: one JSON object a line, or an array of objects, compressed or not.

The fields are those that such programs write: ``url`` (or ``uri``, ``u``, ``source_url``, ``page_url``, ``warc_url``,
``link``, ``source``, ``id``, or ``url``, ``warc_url`` or ``sourceURL`` in ``metadata``, or ``warc-target-uri`` in
``warc_headers``) and ``text`` (or ``content``, ``raw_content``, ``plain_text``, ``maintext``, ``raw_text``, ``p``,
``markdown``, ``body``; a string or a list of paragraphs), or markup in ``html``, ``raw_html`` or one of these;
optional are ``title``, ``date`` (``timestamp``, ``ts``, ``crawl_date``, ``date_download``, ``warc_date``,
``date_publish``), ``status``, ``mime`` and ``links`` (strings, or objects with ``url``, ``rel``, ``hreflang`` and
``text``). The names may have capitals. Elasticsearch has all of them in ``_source``.
The language that a program assigned is not kept: it is no evidence from the page. Offsets are those of lines, in the
decompressed file.

JSON may hold half of a surrogate pair (``\ud83d``, if a program cut a text within a character). Python keeps it, and
neither UTF-8 nor a database can hold it: it becomes U+FFFD, as in browsers.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, BinaryIO

from graphlang.db.records import Page, Problem, pack_texts
from graphlang.ingest.files.decompress import ByteSource
from graphlang.ingest.formats.dates import parse_date
from graphlang.ingest.formats.saved_html import make_resource
from graphlang.ingest.html.document import Document, Reference, fold, fold_lines
from graphlang.ingest.limits import cut_text
from graphlang.ingest.links.canonical import canonical_url
from graphlang.ingest.links.extract import extract_links
from graphlang.ingest.links.resolve import Joiner
from graphlang.ingest.payload.encoded_twice import repair_encoding, undo_encoding
from graphlang.ingest.raw import RawRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphlang.ingest.files.decompress import Chunk
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.raw import Item

_HEADING = "json-pages"  # ``format`` of the first line in a WACZ's list of pages
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
_TEXTS = ("text", "content", "raw_content", "plain_text", "maintext", "raw_text", "p", "markdown", "body")
_DESCRIPTIONS = ("links", "title", "status", "mime")  #: an object with one of these may have no text
_MARKUP = ("html", "raw_html", "body", "content", "text")
_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)
_URLS = ("url", "uri", "u", "source_url", "page_url", "warc_url", "link", "source", "id")
_NOT_SURELY_URLS = ("source", "link", "id")
_HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_SNIFFED = 1_000  # characters
_INNER_URLS = (
    ("metadata", "url"),
    ("metadata", "warc_url"),
    ("metadata", "sourceURL"),
    ("warc_headers", "warc-target-uri"),
)
_DATES = ("date", "timestamp", "ts", "crawl_date", "date_download", "warc_date", "date_publish")


#: What `split_array` looks at: strings as a whole, which hold most bytes, and brackets.
_BRACKET = re.compile(rb'["{}\[\]]')
_STRING_END = re.compile(rb'(?:[^"\\]++|\\.)*+"', re.DOTALL)
_ARRAY = re.compile(rb"\s*\[")
_LONGEST_START = 256  # bytes of what an array begins with


def is_array(head: bytes) -> bool:
    """Return whether a file is an array of JSON objects, by its first bytes."""
    return re.match(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{", head) is not None


def split_array(
    chunks: Iterable[Chunk], start: re.Pattern[bytes], limit: int
) -> Iterator[tuple[int, bytes, tuple[str, str] | None]]:
    """Yield offset, bytes and fault of each object of an array of JSON, with one object in memory.

    ``start`` matches up to the bracket that opens the array. An object of more than ``limit`` bytes is a fault.
    """
    scan = _ArrayScan(start, limit)
    for chunk in chunks:
        yield from scan.read(chunk.data)
        if scan.is_over:
            return
        if chunk.fault:
            yield scan.offset, b"", (chunk.kind, chunk.fault)
    yield scan.offset, b"", ("truncated", "the file ends within an array of JSON objects")


class _ArrayScan:
    """Find the objects of an array in pieces of a file."""

    def __init__(self, start: re.Pattern[bytes], limit: int) -> None:
        self._start = start
        self._limit = limit
        self._data = b""
        self._base = 0  # offset of the data
        self._at = 0  # in the data
        self._begin = -1  # of the object, in the data
        self._depth = 0
        self._in_array = self._in_string = self._is_long = False
        self.is_over = False  #: whether the array has ended

    @property
    def offset(self) -> int:
        """Return the offset of the first unread byte."""
        return self._base + self._at

    def read(self, piece: bytes) -> Iterator[tuple[int, bytes, tuple[str, str] | None]]:
        """Yield the objects that end in the next piece of the file."""
        dropped = self._at if self._begin < 0 or self._is_long else self._begin
        self._data = self._data[dropped:] + piece
        self._base += dropped
        self._at -= dropped
        self._begin = max(0, self._begin - dropped) if self._begin >= 0 else -1
        if not self._in_array:
            opened = self._start.search(self._data)
            self._in_array = opened is not None
            self._at = opened.end() if opened else max(0, len(self._data) - _LONGEST_START)
        while self._in_array and not self.is_over and (sign := self._next_bracket()):
            if self._move(sign):
                fault = ("too-large", f"an object of more than {self._limit} bytes") if self._is_long else None
                yield self._base + self._begin, b"" if fault else self._data[self._begin : self._at], fault
                self._begin, self._is_long = -1, False
        self._is_long = self._is_long or (self._begin >= 0 and len(self._data) - self._begin > self._limit)

    def _next_bracket(self) -> bytes:
        """Move past the next bracket outside of strings, and return it; empty at the end of the data."""
        while True:
            if self._in_string:
                end = _STRING_END.match(self._data, self._at)
                if end is None:
                    tail = self._data[self._at :]
                    odd = (len(tail) - len(tail.rstrip(b"\\"))) % 2  # a backslash belongs to what follows it
                    self._at = len(self._data) - odd
                    return b""
                self._at, self._in_string = end.end(), False
            bracket = _BRACKET.search(self._data, self._at)
            self._at = bracket.end() if bracket else len(self._data)
            if bracket is None or bracket[0] != b'"':
                return bracket[0] if bracket else b""
            self._in_string = True

    def _move(self, sign: bytes) -> bool:
        """Count a bracket; return whether an object ends with it."""
        if sign in b"{[":
            if not self._depth:
                self._begin = self._at - 1
            self._depth += 1
            return False
        self.is_over = not self._depth
        self._depth -= 1
        self._is_long = self._is_long or self._at - self._begin > self._limit
        return not self._depth


class Jsonl:
    """Read one file; it may unpack to ``room`` bytes in all, by default the most that its size allows."""

    ended: int | None = None

    def __init__(
        self, file: BinaryIO, limits: Limits, *, room: int | None = None, in_array: bool = False, is_list: bool = False
    ) -> None:
        self._source = ByteSource(file, max_ratio=limits.max_ratio, room=room)
        self._limits = limits
        self._in_array = in_array
        self._is_list = is_list  # of the pages of a WACZ: it may have their URLs alone
        self._joiner = Joiner()

    @property
    def unpacked(self) -> int:
        """Bytes unpacked so far; 0 for a file that is not compressed."""
        return self._source.unpacked

    @property
    def bytes_read(self) -> int:
        """Return the offset reached in the stored file."""
        return self._source.position

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield one raw record for each page, and for each problem."""
        for offset, line, fault in self._read_objects() if self._in_array else self._read_lines():
            if fault is not None:
                yield RawRecord(offset, b"", b"", (fault,))
            elif line.strip():
                item = self._make_item(offset, line)
                if isinstance(item, RawRecord):
                    yield item._replace(offset=offset)
                elif item is not None:
                    yield RawRecord(offset, b"", b"", item=item)

    def _read_objects(self) -> Iterator[tuple[int, bytes, tuple[str, str] | None]]:
        return split_array(self._source.read_chunks(), _ARRAY, self._limits.max_json)

    def _read_lines(self) -> Iterator[tuple[int, bytes, tuple[str, str] | None]]:
        start = bytearray()  # of the line that the next chunk continues
        offset = 0
        too_long = 0  # bytes of a line that is skipped
        for chunk in self._source.read_chunks():
            data = chunk.data
            at = 0
            while (end := data.find(b"\n", at)) >= 0:
                if too_long or len(start) + end - at > self._limits.max_json:
                    yield offset, b"", ("too-large", f"a line of more than {self._limits.max_json} bytes")
                    offset += too_long + len(start) + end + 1 - at
                    too_long = 0
                else:
                    start += data[at:end]
                    yield offset, bytes(start), None
                    offset += len(start) + 1
                start.clear()
                at = end + 1
            if too_long:
                too_long += len(data) - at
            else:
                start += data[at:]
            if len(start) > self._limits.max_json:
                too_long = len(start)
                start.clear()
            if chunk.fault:
                yield offset, b"", (chunk.kind, chunk.fault)
        if too_long:
            yield offset, b"", ("too-large", f"a line of more than {self._limits.max_json} bytes")
        elif start:
            yield offset, bytes(start), None

    def _make_item(self, offset: int, line: bytes) -> Item | RawRecord | None:
        try:
            fields = load_json(line)
        except (ValueError, RecursionError) as error:
            return Problem("bad-json", f"a line that is not JSON ({type(error).__name__})", offset)
        if not isinstance(fields, dict):
            return Problem("bad-json", "a line that is no JSON object", offset)
        if "url" not in fields and isinstance(fields.get("_source"), dict):
            fields = fields["_source"]
        if not _find_url(fields):
            fields = {name.lower(): value for name, value in fields.items()}
        if str(fields.get("format", "")).startswith(_HEADING) and "url" not in fields:
            self._is_list = True
            return None
        return self._read_fields(offset, fields)

    def _read_fields(self, offset: int, fields: dict[str, Any]) -> Item | RawRecord:
        written = _find_url(fields)
        url = canonical_url(written) if written else None
        if url is None or len(url) > self._limits.max_url:
            reason = "the page's URL is not a valid one" if written else "no field that holds a URL"
            return Problem("bad-url", reason, offset, (written or "")[:500] or None)
        markup = next((fields[name] for name in _MARKUP if _HTML.match(str(fields.get(name, ""))[:_SNIFFED])), None)
        if isinstance(markup, str):
            return make_resource(url, _find_date(fields), "text/html; charset=utf-8", markup.encode("utf-8", "replace"))
        if not fields.keys() & {*_TEXTS, *_DESCRIPTIONS} and not self._is_list:
            return Problem("bad-record", f"no field that holds a text, such as {_TEXTS[0]}", offset, url)
        return self._make_page(offset, url, fields)

    def _make_page(self, offset: int, url: str, fields: dict[str, Any]) -> Page:
        limits = self._limits
        written = next((text for name in _TEXTS if (text := _join_text(fields.get(name)))), "")
        title = _get_string(fields, "title")
        repaired = repair_encoding(f"{title}\n{written}")
        if repaired is not None:
            title, written = undo_encoding(title, repaired.encoded), undo_encoding(written, repaired.encoded)
        text = fold_lines(written)
        body = cut_text(text, len(text), limits.text_limit)
        status = fields.get("status")
        if isinstance(status, str) and len(status) == 3 and status.isdecimal():  # noqa: PLR2004 - as CDXJ has it
            status = int(status)
        links = fields.get("links")
        return Page(
            url=url,
            offset=offset,
            date=_find_date(fields),
            status=status if isinstance(status, int) and 100 <= status <= 999 else None,  # noqa: PLR2004
            mime=_get_string(fields, "mime")[:100].lower(),
            charset="utf-8",
            charset_from="utf-8" if repaired is None else f"utf-8, {repaired.source}",
            title=fold(title)[: limits.title_limit],
            text=body.text,
            length=body.length,
            size=len(text.encode("utf-8", "replace")),
            links=extract_links(
                url, _make_document(links, anchor_texts=limits.anchor_texts), None, {}, self._joiner, limits
            )[0]
            if isinstance(links, list)
            else (),
            parts="both" if isinstance(links, list) else "text",
            main_length=body.main_length,
            rest=body.rest,
        )


def _find_date(fields: dict[str, Any]) -> str:
    """Return the most precise of the dates."""
    dates = [
        parse_date(str(value))  # 20240102030405 may be a number, too
        for name in _DATES
        for place in (fields, fields.get("metadata"))
        if isinstance(place, dict) and type(value := place.get(name)) in {str, int}
    ]
    return max(dates, key=len, default="")


def _find_url(fields: dict[str, Any]) -> str:
    for name in _URLS:
        value = fields.get(name)
        if isinstance(value, str) and value and (name not in _NOT_SURELY_URLS or _ABSOLUTE.match(value)):
            return value
    return next((value for names in _INNER_URLS if isinstance(value := _find_inner(fields, *names), str) and value), "")


def _find_inner(fields: dict[str, Any], outer: str, name: str) -> Any:
    inner = fields.get(outer)
    return inner.get(name) if isinstance(inner, dict) else None


def _join_text(text: Any) -> str:
    """Return a text, or a list of paragraphs as one; empty for anything else."""
    if isinstance(text, list) and all(isinstance(paragraph, str) for paragraph in text):
        return "\n".join(text)
    return text if isinstance(text, str) else ""


def _make_document(links: list[Any], *, anchor_texts: bool) -> Document:
    anchors = [link for link in links if isinstance(link, str)]
    objects = [link for link in links if isinstance(link, dict) and isinstance(link.get("url"), str)]
    references = [
        Reference("a", link["url"], _get_string(link, "rel"), _get_string(link, "hreflang") or None) for link in objects
    ]
    texts: dict[str, str] = {}
    for link in objects if anchor_texts else ():
        if _get_string(link, "text").strip():
            texts.setdefault(link["url"], fold(link["text"]))
    return Document(targets=pack_texts(dict.fromkeys(anchors)), references=references, anchor_texts=texts)


def _get_string(value: dict[str, Any], name: str) -> str:
    inner = value.get(name)
    return inner if isinstance(inner, str) else ""


def load_json(data: bytes) -> Any:
    r"""Return the value of a JSON text, without lone surrogates.

    Raises ValueError if it is no JSON, RecursionError if it is nested too deep.

    >>> load_json(rb'["\ud83d", "\ud83d\ude00"]') == ["\ufffd", "\U0001f600"]
    True
    """
    value = json.loads(data.decode("utf-8-sig", "surrogatepass"))
    if _SURROGATE.search(data):
        return json.loads(replace_surrogates(json.dumps(value, ensure_ascii=False)))
    return value


def replace_surrogates(text: str) -> str:
    r"""Return a text with U+FFFD for each lone surrogate.

    >>> replace_surrogates("caf\udce9") == "caf\ufffd"
    True
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
