r"""Read pages that another program extracted: one JSON object a line, compressed or not.

The fields are those that such programs write: ``url`` (or ``uri``, ``u``, ``source``, or ``url`` or ``warc_url`` in
``metadata``, or ``warc-target-uri`` in ``warc_headers``) and ``text`` (or ``content``, ``raw_content``, ``plain_text``,
``maintext``, ``raw_text``, ``p``); optional are ``title``, ``date`` (``timestamp``, ``ts``, ``crawl_date``,
``date_download``, ``warc_date``, ``date_publish``), ``status``, ``mime`` and ``links`` (strings, or objects with
``url``, ``rel``, ``hreflang`` and ``text``). Elasticsearch has all of them in ``_source``.
The language that a program assigned is not kept: it is no evidence from the page. Offsets are those of lines, in the
decompressed file.

JSON may hold half of a surrogate pair (``\ud83d``, if a program cut a text within a character). Python keeps it, and
neither UTF-8 nor a database can hold it: it becomes U+FFFD, as in browsers.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, BinaryIO

from graphlang.db.records import Links, Page, Problem, packed
from graphlang.ingest.files.decompress import Source
from graphlang.ingest.formats.dates import parse_date
from graphlang.ingest.html.document import Document, Reference, fold, fold_lines
from graphlang.ingest.limits import cut_text
from graphlang.ingest.links.canonical import canonical
from graphlang.ingest.links.extract import extract_links
from graphlang.ingest.links.resolve import Joiner
from graphlang.ingest.payload.encoded_twice import repair_encoding, undo_encoding
from graphlang.ingest.raw import RawRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.ingest.limits import Limits
    from graphlang.ingest.raw import Item

_HEADING = "json-pages"  # ``format`` of the first line in a WACZ's list of pages
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
_TEXTS = ("text", "content", "raw_content", "plain_text", "maintext", "raw_text", "p")
_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)
_URLS = ("url", "uri", "u", "source")
_INNER_URLS = (("metadata", "url"), ("metadata", "warc_url"), ("warc_headers", "warc-target-uri"))
_DATES = ("date", "timestamp", "ts", "crawl_date", "date_download", "warc_date", "date_publish")


class Jsonl:
    """Read one file; it may unpack to ``room`` bytes in all, by default to as many as its size allows."""

    ended: int | None = None

    def __init__(self, file: BinaryIO, limits: Limits, *, room: int | None = None) -> None:
        self._source = Source(file, max_ratio=limits.max_ratio, room=room)
        self._limits = limits
        self._joiner = Joiner()

    @property
    def unpacked(self) -> int:
        """Bytes unpacked so far; 0 for a file that is not compressed."""
        return self._source.unpacked

    @property
    def bytes_read(self) -> int:
        """Offset in the file, as it is stored, that was reached."""
        return self._source.reached

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield one raw record for each page, and for each problem."""
        for offset, line, fault in self._lines():
            if fault is not None:
                yield RawRecord(offset, b"", b"", (fault,))
            elif line.strip():
                item = self._item(offset, line)
                if item is not None:
                    yield RawRecord(offset, b"", b"", item=item)

    def _lines(self) -> Iterator[tuple[int, bytes, tuple[str, str] | None]]:
        start = bytearray()  # of the line that the next chunk continues
        offset = 0
        too_long = 0  # bytes of a line that is skipped
        for chunk in self._source.chunks():
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

    def _item(self, offset: int, line: bytes) -> Item | None:
        try:
            fields = load_json(line)
        except (ValueError, RecursionError) as error:
            return Problem("bad-json", f"a line that is not JSON ({type(error).__name__})", offset)
        if not isinstance(fields, dict):
            return Problem("bad-json", "a line that is no JSON object", offset)
        if "url" not in fields and isinstance(fields.get("_source"), dict):
            fields = fields["_source"]
        if str(fields.get("format", "")).startswith(_HEADING) and "url" not in fields:
            return None
        written = _url(fields)
        url = canonical(written) if written else None
        if url is None or len(url) > self._limits.max_url:
            reason = "the page's URL is not a valid one" if written else "no field that holds a URL"
            return Problem("bad-url", reason, offset, (written or "")[:500] or None)
        return self._page(offset, url, fields)

    def _page(self, offset: int, url: str, fields: dict[str, Any]) -> Page:
        limits = self._limits
        written = next((fields[name] for name in _TEXTS if isinstance(fields.get(name), str) and fields[name]), "")
        title = _string(fields, "title")
        repaired = repair_encoding(f"{title}\n{written}")
        if repaired is not None:
            title, written = undo_encoding(title, repaired.encoded), undo_encoding(written, repaired.encoded)
        text = fold_lines(written)
        body = cut_text(text, len(text), limits.text_limit)
        status = fields.get("status")
        if isinstance(status, str) and len(status) == 3 and status.isdecimal():  # noqa: PLR2004 - as CDXJ has it
            status = int(status)
        dates = [
            parse_date(str(value))  # 20240102030405 may be a number, too
            for name in _DATES
            for place in (fields, fields.get("metadata"))
            if isinstance(place, dict) and type(value := place.get(name)) in {str, int}
        ]
        links = fields.get("links")
        return Page(
            url=url,
            offset=offset,
            date=max(dates, key=len, default=""),  # the most precise
            status=status if isinstance(status, int) and 100 <= status <= 999 else None,  # noqa: PLR2004
            mime=_string(fields, "mime")[:100].lower(),
            charset="utf-8",
            charset_from="utf-8" if repaired is None else f"utf-8, {repaired.source}",
            title=fold(title)[: limits.title_limit],
            text=body.text,
            length=body.length,
            size=len(text.encode("utf-8", "replace")),
            links=extract_links(
                url, _document(links, anchor_texts=limits.anchor_texts), None, {}, self._joiner, limits
            )[0]
            if isinstance(links, list)
            else (),
            parts="both" if isinstance(links, list) else "text",
            main_length=body.main_length,
            rest=body.rest,
        )

    def _links(self, url: str, links: list[Any]) -> Links:
        document = _document(links, anchor_texts=self._limits.anchor_texts)
        return extract_links(url, document, None, {}, self._joiner, self._limits)[0]


def _url(fields: dict[str, Any]) -> str:
    for name in _URLS:
        value = fields.get(name)
        if isinstance(value, str) and value and (name != "source" or _ABSOLUTE.match(value)):
            return value
    return next((value for names in _INNER_URLS if isinstance(value := _inner(fields, *names), str) and value), "")


def _inner(fields: dict[str, Any], outer: str, name: str) -> Any:
    inner = fields.get(outer)
    return inner.get(name) if isinstance(inner, dict) else None


def _document(links: list[Any], *, anchor_texts: bool) -> Document:
    anchors = [link for link in links if isinstance(link, str)]
    objects = [link for link in links if isinstance(link, dict) and isinstance(link.get("url"), str)]
    references = [
        Reference("a", link["url"], _string(link, "rel"), _string(link, "hreflang") or None) for link in objects
    ]
    texts: dict[str, str] = {}
    for link in objects if anchor_texts else ():
        if _string(link, "text").strip():
            texts.setdefault(link["url"], fold(link["text"]))
    return Document(targets=packed(dict.fromkeys(anchors)), references=references, anchor_texts=texts)


def _string(value: dict[str, Any], name: str) -> str:
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
