"""An ordinary page in two calls of C: an answer of HTTP that holds HTML in UTF-8, and nothing odd.

Most pages are such. What is out of the ordinary in any way is left to `graphlang.ingest.page`, which says what a page
is: the tests hold the one against the other.
"""

from __future__ import annotations

import os
from array import array
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.db.records import NO_LINKS, READ, Declaration, Links, Page, unpacked
from graphlang.ingest.formats.dates import date_of
from graphlang.ingest.html import document as html
from graphlang.ingest.html import tokenizer
from graphlang.ingest.html.declarations import declarations
from graphlang.ingest.kept_text import KeptText, kept
from graphlang.ingest.links.extract import links_of, of_header, of_metas
from graphlang.ingest.native import ordinary_page as _kernels
from graphlang.ingest.payload.charset import early_utf8, names_utf8
from graphlang.ingest.payload.digest import digest_of
from graphlang.ingest.payload.media_type import media_type
from graphlang.ingest.payload.plain_answer import fields_of
from graphlang.native.kernels import copy_bytes, decode_bytes

if TYPE_CHECKING:
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.links.resolve import Joiner

_HTML: Final = "text/html"
_MARK: Final = b"\xef\xbb\xbf"  # byte order mark
_REDIRECTS: Final = range(300, 400)
_LONG: Final = 2_000  # characters of what a page states that are not worth remembering


class _Stated(NamedTuple):
    """What follows from the strings of a page and the header of its answer; many pages have the same."""

    declared: tuple[Declaration, ...]
    base: bytes
    document: html.Document  # of its strings alone
    fields: dict[str, str]  # of the header
    unfollowed: bool


class OrdinaryPages:
    """Reads ordinary pages; for one thread at a time.

    Args:
        limits: bounds of a record.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._wanted = not (limits.all_bytes or limits.anchor_texts)
        # A key that a page cannot know, so that its references cannot be made to collide.
        self._reader = _kernels.ordinary_page_new(int.from_bytes(os.urandom(4), "little"))
        self._said, self._links = _kernels.new_ordinary_page_said(), _kernels.new_ordinary_page_links()

    def read(self, offset: int, block: bytes, parts: tuple[bytes, int, int], joiner: Joiner) -> Page | None:
        """Return the page of a record without faults; None where anything about it is out of the ordinary.

        Args:
            offset: of the record.
            block: the answer.
            parts: what it and its record say, see `graphlang.ingest.payload.plain_answer.AnswerReader.parts`.
            joiner: for the URL of the page.
        """
        written, status, body = parts
        uri, date, digest, header = written.decode("ascii").split("\0", 3)
        source = _charset_source(header)
        if source is None or status in _REDIRECTS or not (self._wanted and uri.startswith(("http://", "https://"))):
            return None
        begin = body
        if block.startswith(_MARK, body):
            source, begin = "bom", body + len(_MARK)
        source = source or early_utf8(block, body)
        url = joiner.absolute(uri)
        limits, said = self._limits, self._said
        if not source or url is None or len(url) > limits.max_url:
            return None
        most, depth = 4 * limits.max_links, limits.max_depth
        _kernels.ordinary_page_read(self._reader, block, begin, most, depth, source == "utf-8", said)
        if said.left:
            return None
        strings = copy_bytes(said.strings, said.strings_size)
        stated = _known(header, strings) if len(header) + len(strings) < _LONG else _stated(header, strings)
        if stated is None:
            return None
        links = self._linked(url, stated)
        if links is None:
            links = self._joined(url, stated, joiner)
        if links is None:
            return None
        text = decode_bytes(said.text, said.text_size)
        length = len(text)
        whole = length <= READ and (limits.text_limit is None or length <= limits.text_limit)
        body_text = (
            KeptText(text, b"", length, said.main_length) if whole else kept(text, said.main_length, limits.text_limit)
        )
        return Page(
            url=url,
            offset=offset,
            date=date_of(date),
            status=status,
            mime=_HTML,
            charset="utf-8",
            charset_from=source,
            title=html.fold(decode_bytes(said.title, said.title_size))[: limits.title_limit],
            text=body_text.text,
            length=length,
            size=len(block) - body,
            digest=digest_of(digest, block, body),
            declared=stated.declared,
            links=links,
            main_length=body_text.main_length,
            rest=body_text.rest,
        )

    def _joined(self, url: str, stated: _Stated, joiner: Joiner) -> Links | None:
        """Return the links of the page that was read last, one by one; None where some are left out."""
        said = self._said
        references = html.References(copy_bytes(said.references, said.references_size))
        whole = stated.document._replace(targets=copy_bytes(said.anchors, said.anchors_size), references=references)
        links, left_out = links_of(url, whole, None, stated.fields, joiner, self._limits)
        return None if left_out else links

    def _linked(self, url: str, stated: _Stated) -> Links | None:
        """Return the links of the page that was read last; None where they are not plain, or too many."""
        links, limits = self._links, self._limits
        _kernels.ordinary_page_gather(
            self._reader, stated.base, url.encode(), stated.unfollowed, limits.max_url, limits.max_links, links
        )
        if links.left:
            return None
        if not links.kinds_size:
            return NO_LINKS
        hreflangs: tuple[tuple[int, str], ...] = ()
        if links.places_size:
            places = array("I", copy_bytes(links.places, links.places_size))
            hreflangs = tuple(zip(places, unpacked(copy_bytes(links.hreflangs, links.hreflangs_size)), strict=True))
        return Links(copy_bytes(links.urls, links.urls_size), copy_bytes(links.kinds, links.kinds_size), hreflangs)


@lru_cache(256)
def _charset_source(header: str) -> str | None:
    """On whose word an answer is HTML in UTF-8: ``http``, an empty string for nobody's yet; None where it is neither.

    Args:
        header: fields of the answer, see `graphlang.ingest.payload.plain_answer.fields_of`.
    """
    fields = fields_of(header)
    mime, charset = media_type(fields.get("content-type", ""))
    if mime != _HTML or "content-encoding" in fields or "transfer-encoding" in fields or of_header(None, fields):
        return None
    if charset is None:
        return ""
    return "http" if names_utf8(charset) else None


def _stated(header: str, strings: bytes) -> _Stated | None:
    """Tell what a page states; None where it leads somewhere by itself.

    Args:
        header: as above.
        strings: of the page, but for its title.
    """
    said = html.said(tokenizer.strings(strings))
    document = html.Document(b"", (), metas=said.metas, base=said.base, lang=said.lang, xml_lang=said.xml_lang)
    fields = fields_of(header)
    refreshed, unfollowed = of_metas(document, fields)
    if refreshed:
        return None
    base = said.base.encode("utf-8", "surrogatepass") if said.base else b""
    return _Stated(declarations(document, fields), base, document, fields, unfollowed)


_known = lru_cache(512)(_stated)
