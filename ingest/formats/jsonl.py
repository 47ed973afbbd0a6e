"""Pages that another program extracted: one JSON object a line, compressed or not.

The fields are those that such programs write: ``url`` (or ``uri``, or ``url`` in ``metadata``, or ``warc-target-uri``
in ``warc_headers``) and ``text`` (or ``content``, ``raw_content``, ``plain_text``); and where they are there ``title``,
``date`` (``timestamp``, ``crawl_date``), ``status``, ``mime`` and ``links`` (strings, or objects with ``url``, ``rel``,
``hreflang`` and ``text``). What a program took for the language is not kept: it is no word of the page. Offsets are
those of lines, in the decompressed file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from graphlang.db.records import Page, Problem, packed
from graphlang.ingest.files.decompress import Source
from graphlang.ingest.formats.dates import date_of
from graphlang.ingest.formats.json_values import loads
from graphlang.ingest.formats.records import RawRecord
from graphlang.ingest.html.document import Document, Reference, fold, fold_lines
from graphlang.ingest.kept_text import kept
from graphlang.ingest.links.canonical import canonical
from graphlang.ingest.links.extract import links_of
from graphlang.ingest.links.resolve import Joiner
from graphlang.ingest.payload.encoded_twice import as_meant, taken_back

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.ingest.limits import Limits
    from graphlang.ingest.page import Item

_HEADING = "json-pages"  # the first line of a WACZ's list of pages says what the list is
_TEXTS = ("text", "content", "raw_content", "plain_text")


class Jsonl:
    """Reads one file; see `graphlang.ingest.formats.detect.Records`.

    Args:
        file: opened for reading bytes.
        limits: bounds of a page; a line is at most ``max_json`` bytes long.
        room: bytes that may be unpacked in all; None for as many as the file's size allows.
    """

    ended: int | None = None

    def __init__(self, file: BinaryIO, limits: Limits, *, room: int | None = None) -> None:
        self._source = Source(file, max_ratio=limits.max_ratio, room=room)
        self._limits = limits
        self._joiner = Joiner()

    @property
    def unpacked(self) -> int:
        """Bytes that were unpacked so far; 0 for a file that is not compressed."""
        return self._source.unpacked

    @property
    def bytes_read(self) -> int:
        """Offset in the file, as it is stored, that was reached."""
        return self._source.reached

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield each page, and each problem, by itself."""
        for offset, line, fault in self._lines():
            if fault is not None:
                yield RawRecord(offset, b"", b"", (fault,))
            elif line.strip():
                item = self._item(offset, line)
                if item is not None:
                    yield RawRecord(offset, b"", b"", item=item)

    def _lines(self) -> Iterator[tuple[int, bytes, tuple[str, str] | None]]:
        rest = bytearray()
        offset = 0
        too_long = 0  # bytes of a line that is passed over
        for chunk in self._source.chunks():
            data = chunk.data
            at = 0
            while (end := data.find(b"\n", at)) >= 0:
                if too_long or len(rest) + end - at > self._limits.max_json:
                    yield offset, b"", ("too-large", f"a line of more than {self._limits.max_json} bytes")
                    offset += too_long + len(rest) + end + 1 - at
                    too_long = 0
                else:
                    rest += data[at:end]
                    yield offset, bytes(rest), None
                    offset += len(rest) + 1
                rest.clear()
                at = end + 1
            if too_long:
                too_long += len(data) - at
            else:
                rest += data[at:]
            if len(rest) > self._limits.max_json:
                too_long = len(rest)
                rest.clear()
            if chunk.fault:
                yield offset, b"", (chunk.kind, chunk.fault)
        if too_long:
            yield offset, b"", ("too-large", f"a line of more than {self._limits.max_json} bytes")
        elif rest:
            yield offset, bytes(rest), None

    def _item(self, offset: int, line: bytes) -> Item | None:
        try:
            found = loads(line)
        except (ValueError, RecursionError) as error:
            return Problem("bad-json", f"a line that is not JSON ({type(error).__name__})", offset)
        if not isinstance(found, dict):
            return Problem("bad-json", "a line that is no JSON object", offset)
        if str(found.get("format", "")).startswith(_HEADING) and "url" not in found:
            return None
        written = _url(found)
        url = canonical(written) if written else None
        if url is None or len(url) > self._limits.max_url:
            reason = "the page's URL is not a valid one" if written else "no field that holds a URL"
            return Problem("bad-url", reason, offset, (written or "")[:500] or None)
        return self._page(offset, url, found)

    def _page(self, offset: int, url: str, found: dict[str, Any]) -> Page:
        limits = self._limits
        written = next((found[name] for name in _TEXTS if isinstance(found.get(name), str) and found[name]), "")
        title = _string(found, "title")
        meant = as_meant(f"{title}\n{written}")
        if meant is not None:
            title, written = taken_back(title, meant.encoded), taken_back(written, meant.encoded)
        text = fold_lines(written)
        body = kept(text, len(text), limits.text_limit)
        status = found.get("status")
        if isinstance(status, str) and len(status) == 3 and status.isdecimal():  # noqa: PLR2004 - as CDXJ has it
            status = int(status)
        dates = [
            date_of(str(value))  # 20240102030405 may be a number, too
            for name in ("date", "timestamp", "crawl_date")
            for place in (found, found.get("metadata"))
            if isinstance(place, dict) and type(value := place.get(name)) in {str, int}
        ]
        links = found.get("links")
        return Page(
            url=url,
            offset=offset,
            date=max(dates, key=len, default=""),  # the most precise
            status=status if isinstance(status, int) and 100 <= status <= 999 else None,  # noqa: PLR2004
            mime=_string(found, "mime")[:100].lower(),
            charset="utf-8",
            charset_from="utf-8" if meant is None else f"utf-8, {meant.source}",
            title=fold(title)[: limits.title_limit],
            text=body.text,
            length=body.length,
            size=len(text.encode("utf-8", "replace")),
            links=links_of(url, _document(links, spoken=limits.anchor_texts), None, {}, self._joiner, limits)[0]
            if isinstance(links, list)
            else (),
            parts="both" if isinstance(links, list) else "text",
            main_length=body.main_length,
            rest=body.rest,
        )


def _url(found: dict[str, Any]) -> str:
    for value in (found.get("url"), found.get("uri"), _of(found, "metadata", "url")):
        if isinstance(value, str) and value:
            return value
    value = _of(found, "warc_headers", "warc-target-uri")
    return value if isinstance(value, str) else ""


def _of(found: dict[str, Any], place: str, name: str) -> Any:
    inner = found.get(place)
    return inner.get(name) if isinstance(inner, dict) else None


def _document(links: list[Any], *, spoken: bool) -> Document:
    anchors = [one for one in links if isinstance(one, str)]
    references = [
        Reference("a", one["url"], _string(one, "rel"), _string(one, "hreflang") or None)
        for one in links
        if isinstance(one, dict) and isinstance(one.get("url"), str)
    ]
    words: dict[str, str] = {}
    for one in links if spoken else ():
        if isinstance(one, dict) and isinstance(one.get("url"), str) and _string(one, "text").strip():
            words.setdefault(one["url"], fold(one["text"]))
    return Document(targets=packed(dict.fromkeys(anchors)), references=references, words=words)


def _string(value: dict[str, Any], name: str) -> str:
    inner = value.get(name)
    return inner if isinstance(inner, str) else ""
