"""Parse HTML to title, visible text, references and declarations, in one pass over the bytes.

Visible is what a reader sees of the page as it loads: not scripts, styles, templates, comments, ``<noscript>`` and
``<noframes>`` (written for other browsers), the fallback inside ``<iframe>``, ``<audio>``, ``<video>``, ``<canvas>``
and ``<object>``, drawings (``<svg>``), nor the contents of form controls (``<textarea>``, ``<option>``,
``<datalist>``): a drop-down of forty language names shows one of them; nor text beside a frameset.

Block elements, table cells and ``<br>`` separate words; inline elements do not. White space is folded, to a line feed
where a line or paragraph ends, else to a space, and soft hyphens are dropped. Cells of a table share the line of their
row; in preformatted text an empty line ends a paragraph. Style sheets are not read; text that the `style` of an element
hides is kept, but is not main content. Titles are without templates of client code. The main content comes first in
the text, followed by the text around it (see `native/around.h`).

The pass is made in C (`native/html.c`). It has the tokens of the WHATWG's HTML standard, and of its tree the part that
text and links depend on. A parser that builds the whole tree, and a walk over it in Python, take several times as long;
the tests compare the two.

XHTML, feeds (RSS, Atom) and sitemaps are first converted to the syntax of HTML. The elements of a feed become those of
HTML that mean the same; all others are transparent, as unknown elements are.

>>> convert_feed(b"<rss><item><title>T</title><link>http://a.example/</link></item></rss>")
b'<rss><item><h2>T</h2><a href="http://a.example/"></a></item></rss>'
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, overload

from graphlang.db.records import Declaration, pack_texts
from graphlang.ingest.html import tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from graphlang.ingest.html.tokenizer import ParsedMarkup
    from graphlang.ingest.limits import Limits

_NO_TEXTS: Mapping[str, str] = MappingProxyType({})
_MAX_ANCHOR = 1_000  # bytes of an anchor text that are folded
_REFERENCE_BIT = 1 << 31  # in the target of an anchor
_EMPTY_LINES = re.compile(r"\n[ \t\r]*\n")
_TEMPLATE = re.compile(r"\{\{[^{}\n]{0,200}\}\}")
_MAX_DECLARED = 100
_MAX_INNER = 20  # documents in the attributes of frames
_MAX_CACHED = 200  # characters of robots directives in the cache: pages repeat short ones
_NO_DIRECTIVES: frozenset[str] = frozenset()
_NOINDEX = frozenset({"noindex", "none"})
_DIRECTIVE = re.compile(r"[\w-]+")
_MEASURED = re.compile(r"\bmax-[\w-]+\s*:\s*[\w-]+")  # the "none" of "max-image-preview:none" is no directive
_ADDRESSED = re.compile(r"(?:^|,)\s*(?!unavailable_after\b)[\w-]+\s*:.*", re.DOTALL)  # "otherbot: noindex, nofollow"
_XML_SYNTAX = re.compile(
    rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[(?P<text>.*?)(?:\]\]>|\Z)|<(?P<name>[a-zA-Z][\w:.-]{0,63})(?P<attributes>\s[^<>]*)?/>",
    re.DOTALL,
)
_XHTML_PREFIX = re.compile(rb"\sxmlns:([\w-]{1,40})\s*=\s*[\"']http://www\.w3\.org/1999/xhtml[\"']")
_INTERNAL_SUBSET = re.compile(rb"(?<=<!DOCTYPE)[^>\[]{0,1000}\[.{0,65536}?\]\s*(?=>)", re.DOTALL)
_VOID = frozenset(b"area base br col embed frame hr img input link meta param source track wbr".split())


class Reference(NamedTuple):
    """An element that refers to a target, as written."""

    tag: str  #: ``a``, ``area``, ``frame``, ``iframe`` or ``link``
    target: str
    rel: str
    hreflang: str | None


@dataclass(frozen=True, slots=True)
class References(Sequence[Reference]):
    r"""References as the kernel returns them: most go to another kernel, and need not be split.

    >>> list(References(b"a\0/b\0me\0+de\0"))
    [Reference(tag='a', target='/b', rel='me', hreflang='de')]
    """

    packed: bytes = b""  #: four strings each, each followed by a zero: tag, target, rel, and a plus sign with hreflang

    def __len__(self) -> int:
        return self.packed.count(0) // 4

    @overload
    def __getitem__(self, place: int) -> Reference: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Reference, ...]: ...
    def __getitem__(self, place: int | slice) -> Reference | tuple[Reference, ...]:
        """Return one reference, or some."""
        return tuple(self)[place]

    def __iter__(self) -> Iterator[Reference]:
        """Yield the references one by one."""
        parts = tokenizer.split_strings(self.packed)
        for tag, target, rel, hreflang in zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True):
            yield Reference(tag, target, rel, hreflang[1:] or None)


_NO_REFERENCES = References()  # shared by all pages without references


class Document(NamedTuple):
    """The content of a page."""

    targets: bytes  #: distinct targets of ``<a>`` without rel and hreflang, in UTF-8, each followed by a zero
    references: Sequence[Reference]  #: all other references
    title: str = ""
    text: str = ""  #: the whole visible text, white space folded: the main content, then the text around it
    #: name, http-equiv and content of each ``<meta>`` that may have a language, robots directives or a refresh
    metas: Sequence[dict[str, str | None]] = ()
    base: str | None = None  #: of the first ``<base href>``
    lang: str | None = None  #: ``<html lang>``
    xml_lang: str | None = None  #: ``<html xml:lang>``
    flattened: bool = False  #: elements were nested too deep; deeper ones count as part of their parent
    skipped: int = 0  #: references beyond the limit
    main_length: int = 0  #: characters at the start of the text that are main content
    anchor_texts: Mapping[str, str] = _NO_TEXTS  #: by target as written, if they are kept

    @property
    def anchors(self) -> list[str]:
        """The targets as a list."""
        return tokenizer.split_strings(self.targets)


def read_document(markup: str | bytes, limits: Limits) -> Document:
    r"""Parse a page, as characters or in UTF-8; it has up to four times ``max_links`` references.

    >>> from graphlang.ingest.limits import Limits
    >>> page = read_document("<title>T</title><p>Good <b>m</b>orning<p>all<a href=/x rel=nofollow>!</a>", Limits())
    >>> page.title, page.text, list(page.references)
    ('T', 'Good morning\nall!', [Reference(tag='a', target='/x', rel='nofollow', hreflang=None)])
    """
    if isinstance(markup, str):
        markup = markup.encode("utf-8", "replace")
    limit, depth = 4 * limits.max_links, limits.max_depth
    anchor_texts = _NO_TEXTS
    if limits.anchor_texts:
        anchor_texts = _find_anchor_texts(tokenizer.parse_markup(markup, limit=limit, depth=depth))
    parts = tokenizer.part_markup(markup, limit=limit, depth=depth)
    strings = parse_strings(parts.strings)
    document = Document(
        parts.anchors,
        References(parts.references) if parts.references else _NO_REFERENCES,
        fold(_drop_templates(strings.title)),
        parts.text,
        strings.metas,
        strings.base,
        strings.lang,
        strings.xml_lang,
        parts.flattened,
        parts.skipped,
        parts.main_length,
        anchor_texts,
    )
    for inner in strings.inner[:_MAX_INNER]:
        document = _append_inner(document, inner, limits)
    return document


def _append_inner(document: Document, markup: str, limits: Limits) -> Document:
    """Append text and links of a document that a frame shows (``srcdoc``); its own frames are left out."""
    parts = tokenizer.part_markup(markup.encode("utf-8", "replace"), limit=4 * limits.max_links, depth=limits.max_depth)
    if not parts.text and not parts.anchors and not parts.references:
        return document
    text, main = document.text, document.main_length
    contents = [text[:main].strip("\n"), parts.text[: parts.main_length].strip("\n")]
    content = "\n".join(filter(None, contents))
    around = [text[main:].strip("\n"), parts.text[parts.main_length :].strip("\n")]
    whole = "\n".join(filter(None, (content, *around)))
    references = document.references
    if parts.references:
        references = [*references, *References(parts.references)]
    targets = dict.fromkeys([*document.anchors, *tokenizer.split_strings(parts.anchors)])
    return document._replace(
        text=whole,
        main_length=len(content),
        references=references,
        targets=pack_texts(targets),
        skipped=document.skipped + parts.skipped,
    )


class PageStrings(NamedTuple):
    """Strings of the markup, as written."""

    title: str
    inner: list[str]  #: documents in the ``srcdoc`` of frames
    metas: Sequence[dict[str, str | None]]
    base: str | None
    lang: str | None
    xml_lang: str | None


def parse_strings(strings: list[str]) -> PageStrings:
    """Sort the strings that the kernel returns: each has a letter before it."""
    metas: list[dict[str, str | None]] = []
    inner: list[str] = []
    single: dict[str, str] = {}
    for string in strings:
        letter, value = string[:1], string[1:]
        if letter == "N":
            metas.append({"name": value})
        elif letter == "E":
            metas[-1]["http-equiv"] = value
        elif letter == "C":
            metas[-1]["content"] = value
        elif letter == "D":
            inner.append(value)
        else:
            single.setdefault(letter, value)
    return PageStrings(single.get("T", ""), inner, metas, single.get("B"), single.get("L"), single.get("X"))


def _find_anchor_texts(page: ParsedMarkup) -> dict[str, str]:
    """Return the first anchor text of each target, by target as written."""
    texts: dict[str, str] = {}
    anchors, references = tokenizer.split_strings(page.anchors), tokenizer.split_strings(page.references)
    for link in tokenizer.read_anchors(page.links):
        if not link.target or link.end <= link.begin:
            continue
        number = (link.target & ~_REFERENCE_BIT) - 1
        target = references[4 * number + 1] if link.target & _REFERENCE_BIT else anchors[number]
        if target not in texts:
            text = fold(page.text[link.begin : min(link.end, link.begin + _MAX_ANCHOR)].decode("utf-8", "ignore"))
            if text:
                texts[target] = text
    return texts


def _drop_templates(title: str) -> str:
    """Drop placeholders of templates that scripts expand in a browser."""
    return _TEMPLATE.sub(" ", title) if "{{" in title else title


def fold(text: str) -> str:
    r"""Fold runs of white space to one space, and drop soft hyphens.

    >>> fold("  a\n b\u00adc ")
    'a bc'
    """
    if "\xad" in text:
        text = text.replace("\xad", "")
    return " ".join(text.split())


def fold_lines(text: str) -> str:
    r"""Fold white space as `fold` does, but for line feeds between lines that are not empty.

    >>> fold_lines(" a  b\r\n\n \nc ")
    'a b\nc'
    """
    return "\n".join([line for line in map(fold, text.split("\n")) if line])


def fold_paragraphs(text: str) -> str:
    r"""Fold white space as `fold` does, but for a line feed where empty lines separate paragraphs.

    >>> fold_paragraphs("one\nline\r\n\r\nand another\n")
    'one line\nand another'
    """
    return "\n".join(filter(None, map(fold, _EMPTY_LINES.split(text))))


def list_declarations(document: Document | None, fields: dict[str, str]) -> tuple[Declaration, ...]:
    """Return the languages that a page and its HTTP header declare, as written, and whether they ask for noindex.

    The names of the header fields are in lower case.
    """
    values: list[tuple[str, str | None]] = []
    noindex = not parse_header_directives(fields).isdisjoint(_NOINDEX)
    if document is not None:
        values = [("html-lang", document.lang), ("xml-lang", document.xml_lang)]
        for meta in document.metas:
            if (meta.get("http-equiv") or "").strip().lower() == "content-language":
                values.append(("meta-content-language", meta.get("content")))
            elif (meta.get("name") or "").strip().lower() == "robots":
                noindex = noindex or not parse_robots_directives(meta.get("content") or "").isdisjoint(_NOINDEX)
    if "content-language" in fields:
        values.append(("http-content-language", fields["content-language"]))
    if noindex:
        values.append(("robots", "noindex"))
    # A list, for it takes half the time of a generator, and a page declares little.
    return tuple(
        [
            Declaration(source, stripped[:_MAX_DECLARED])
            for source, value in values
            if value and (stripped := value.strip())
        ]
    )


def parse_header_directives(fields: dict[str, str]) -> frozenset[str]:
    r"""Return the directives of X-Robots-Tag for all robots, in lower case; each line is a field of its own.

    >>> sorted(parse_header_directives({"x-robots-tag": "noarchive, otherbot: noindex, nosnippet\nNoFollow"}))
    ['noarchive', 'nofollow']
    """
    value = fields.get("x-robots-tag")
    if not value:
        return _NO_DIRECTIVES
    if "\n" not in value:
        return parse_robots_directives(value)
    return frozenset().union(*map(parse_robots_directives, value.split("\n")))


def parse_robots_directives(content: str) -> frozenset[str]:
    """Return the directives of a robots meta element, or of one X-Robots-Tag, in lower case.

    Directives of X-Robots-Tag for a robot by name are dropped, and so are all that follow: they are for that robot too.

    >>> sorted(parse_robots_directives("NoIndex, follow, max-image-preview: none"))
    ['follow', 'noindex']
    >>> sorted(parse_robots_directives("noarchive, otherbot: noindex, nofollow"))
    ['noarchive']
    """
    if not content:
        return _NO_DIRECTIVES
    return _cached_directives(content) if len(content) < _MAX_CACHED else _split_directives(content)


def _split_directives(content: str) -> frozenset[str]:
    return frozenset(_DIRECTIVE.findall(_ADDRESSED.sub("", _MEASURED.sub("", content.lower()))))


_cached_directives = lru_cache(maxsize=1024)(_split_directives)


def convert_xhtml(markup: bytes) -> bytes:
    """Convert a page that is served as XML, in UTF-8, to the syntax of HTML.

    In XML any element may be empty (``<script/>``, ``<title/>``, ``<a id="x"/>``), where HTML takes all that follows
    for its content; a CDATA section is text; elements of XHTML may have a prefix; and the document type may hold
    declarations.

    >>> convert_xhtml(b'<script src="x"/><br/><p><a id="y"/><![CDATA[1 < 2]]>')
    b'<script src="x"></script><br/><p><a id="y"></a>1 &lt; 2'
    >>> convert_xhtml(b'<h:p xmlns:h="http://www.w3.org/1999/xhtml">x</h:p>')
    b'<p xmlns:h="http://www.w3.org/1999/xhtml">x</p>'
    """
    prefix = _XHTML_PREFIX.search(markup)
    if prefix:
        markup = re.sub(rb"(</?)" + re.escape(prefix[1]) + rb":(?=\w)", rb"\1", markup)
    return _XML_SYNTAX.sub(_to_html, _INTERNAL_SUBSET.sub(b"", markup, count=1))


def _to_html(match: re.Match[bytes]) -> bytes:
    if match["text"] is not None:
        return match["text"].replace(b"&", b"&amp;").replace(b"<", b"&lt;")
    name = match["name"]
    if name is None or name.lower() in _VOID:
        return match[0]
    return b"<%s%s></%s>" % (name, match["attributes"] or b"", name)


#: What may come before the root. The group is atomic: comments could be joined to others in countless ways.
PROLOG = rb"(?:\xef\xbb\xbf)?\s*(?>(?:<\?[^>]{0,500}>|<!--.{0,2000}?-->)\s*)*+"
_FEED_ROOT = re.compile(PROLOG + rb"<(?:([\w-]{1,40}):)?(rss|feed|RDF|urlset|sitemapindex)[\s>]", re.DOTALL)
_CDATA = re.compile(rb"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_FEED_ELEMENT = re.compile(
    rb"<(?P<text>content:encoded|content|description|summary)(?P<attributes>\s[^<>]*)?>(?P<body>[^<]*)</(?P=text)>"
    rb"|<(?P<place>loc|link)>\s*(?P<url>[^<>\s\"]+)\s*</(?P=place)>"
    rb"|<(?P<hidden>guid|id|lastmod|priority|changefreq|pubDate|updated|published|generator|language|ttl|lastBuildDate|"
    rb"dc:date|docs|icon|logo|uri)(?:\s[^<>]*)?>[^<]*</(?P=hidden)>"
    rb"|<link(?P<link>\s[^<>]*?)/?>(?:</link>)?"
    rb"|<xhtml:link(?P<version>\s[^<>]*?)/?>"
    rb"|<(?P<close>/?)title(?:\s[^<>]*)?>"
)


_FEED_HEAD = 4096  # bytes in which the root begins
_FEED_TYPES = {b"rss": "application/rss+xml", b"RDF": "application/rss+xml", b"feed": "application/atom+xml"}


def is_feed(markup: bytes, at: int = 0) -> bool:
    """Return whether XML, which begins at an index, is a feed or a sitemap, by its root."""
    return _FEED_ROOT.match(markup, at, at + _FEED_HEAD) is not None


def find_feed_type(markup: bytes) -> str:
    """Return the media type of a feed or a sitemap, by its root; empty for other markup.

    >>> find_feed_type(b"<?xml version='1.0'?><rss>"), find_feed_type(b"<urlset>"), find_feed_type(b"<html>")
    ('application/rss+xml', 'application/xml', '')
    """
    root = _FEED_ROOT.match(markup, 0, _FEED_HEAD)
    return _FEED_TYPES.get(root[2], "application/xml") if root else ""


def convert_feed(markup: bytes) -> bytes:
    """Convert a feed or a sitemap, in UTF-8; its elements may have the prefix of its root, as in ``ns0:urlset``."""
    root = _FEED_ROOT.match(markup, 0, _FEED_HEAD)
    if root and root[1] and root[1] != b"rdf":
        markup = re.sub(rb"(</?)" + re.escape(root[1]) + rb":(?=\w)", rb"\1", markup)
    return _FEED_ELEMENT.sub(_feed_to_html, _CDATA.sub(_escape_cdata, markup))


def _escape_cdata(match: re.Match[bytes]) -> bytes:
    """Replace a section of characters by its escaped text."""
    return html.escape(match[1].decode("utf-8", "replace")).encode()


def _feed_to_html(match: re.Match[bytes]) -> bytes:
    if match["text"] is not None:  # markup, escaped once more; plain text stays the same
        return b"<div>%s</div>" % html.unescape(match["body"].decode("utf-8", "replace")).encode("utf-8", "replace")
    if match["place"] is not None:
        return b'<a href="%s"></a>' % match["url"]
    if match["hidden"] is not None:
        return b""
    if match["link"] is not None:
        return b"<a%s></a>" % match["link"] if b"stylesheet" not in match["link"] else b""
    if match["version"] is not None:
        return b"<link%s>" % match["version"]
    return b"<%sh2>" % match["close"]
