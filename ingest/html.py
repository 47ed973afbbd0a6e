"""HTML -> title, visible text, references and declarations, in one walk over one tree.

Visible is what a reader sees of the page as it loads: not scripts, styles, templates, comments, ``<noscript>`` and
``<noframes>`` (written for other browsers), the fallback inside ``<iframe>``, ``<audio>``, ``<video>``, ``<canvas>``
and ``<object>``, drawings (``<svg>``), nor the contents of form controls (``<textarea>``, ``<option>``,
``<datalist>``): a drop-down of forty language names shows one of them. Block elements, table cells and ``<br>`` set
words apart; inline elements do not. White space is folded and soft hyphens are dropped. Style sheets are not looked at.
The main content comes first in the text, and what stands around it (see `graphlang.ingest.boilerplate`) behind it.

What can be done in C is done there: a space is put before the block tags that need one, the parser builds the tree,
and the text of the body is taken in one go once the hidden elements are out. Python sees only the elements, in one
list, and looks into those that mean something. Nothing here recurses, so that depth costs neither stack nor time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from selectolax.lexbor import LexborHTMLParser

from .boilerplate import TAGS, set_apart, set_more_apart
from .tame import tamed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from selectolax.lexbor import LexborNode

    from .limits import Limits

_HIDDEN_TAGS = (
    *("script", "style", "template", "noscript", "noframes", "noembed", "iframe", "title", "svg", "audio", "video"),
    *("canvas", "object", "applet", "textarea", "option", "datalist"),
)
_SEEN_TAGS = ("a", "area", "link", "meta", "base", "frame", "iframe", "html", "title")

#: A tag that sets words apart, if no white space stands before it: any but those of the inline elements, by the first
#: letters of the name. (No inline element begins with p, h, l or o, but for ``<label>``, which stands by itself.)
_APART = re.compile(
    rb"<(?<![\s]<)(?=/?(?:[phlo]|t[^tie]|d[^efa]|ul|b[lro]|c[ea]|f(?:i|o[ro])|na|m(?:e|ai)|s(?:e|um)|a[rsd]|xmp"
    rb"|iframe))",
    re.IGNORECASE,
)
_MAX_METAS = 100


def _numbers() -> tuple[dict[int, str], frozenset[int], frozenset[int]]:
    """Return Lexbor's numbers: of all elements that mean something, with their names, of the hidden, of the outer."""
    tree = LexborHTMLParser("")

    def number(name: str) -> int:
        return int(tree.create_node(name).tag_id)

    seen = {number(name): name for name in (*_HIDDEN_TAGS, *_SEEN_TAGS, *TAGS)}
    return seen, frozenset(number(name) for name in _HIDDEN_TAGS), frozenset(number(name) for name in TAGS)


_SEEN, _HIDDEN, _OUTER = _numbers()


class Reference(NamedTuple):
    """An element that leads somewhere, as written."""

    tag: str  #: ``a``, ``area``, ``frame``, ``iframe`` or ``link``
    target: str
    rel: str
    hreflang: str | None


class Document(NamedTuple):
    """What a page says."""

    anchors: list[str]  #: distinct targets of the ``<a>`` that have neither rel nor hreflang
    references: list[Reference]  #: all the others
    title: str = ""
    text: str = ""  #: the whole visible text, white space folded: the main content, then what stands around it
    metas: Sequence[dict[str, str | None]] = ()  #: attributes of each ``<meta>``
    base: str | None = None  #: of the first ``<base href>``
    lang: str | None = None  #: ``<html lang>``
    xml_lang: str | None = None  #: ``<html xml:lang>``
    flattened: bool = False  #: the tree was too deep to be built (see `graphlang.ingest.tame`)
    skipped: int = 0  #: references beyond the limit
    main_length: int = 0  #: characters at the start of the text that are main content
    words: Mapping[str, str] = {}  #: anchor texts by target as written, if they are wanted


def read(markup: str | bytes, limits: Limits) -> Document:
    """Read a page.

    Args:
        markup: the page, as characters or in UTF-8.
        limits: ``max_depth`` and, for the references, four times ``max_links``.

    >>> from graphlang.ingest.limits import Limits
    >>> page = read("<title>T</title><p>Good <b>m</b>orning<p>all<a href=/x rel=nofollow>!</a>", Limits())
    >>> page.title, page.text, page.references
    ('T', 'Good morning all!', [Reference(tag='a', target='/x', rel='nofollow', hreflang=None)])
    """
    if isinstance(markup, str):
        markup = markup.encode("utf-8", "replace")
    markup, flattened = tamed(markup, limits.max_depth)
    tree = LexborHTMLParser(_APART.sub(b" <", markup), scripting=True)
    root = tree.root
    elements = [node for node in root.traverse() if node.tag_id in _SEEN] if root is not None else []
    gathered = _gather(elements, 4 * limits.max_links)
    outer = _shown(elements)
    for node in reversed(elements):  # what is within another comes after it
        if node.tag_id in _HIDDEN:
            node.decompose()
    text, main_length = _texts(tree, outer, markup)
    return Document(text=text, flattened=flattened, main_length=main_length, **gathered)


def _shown(elements: list[LexborNode]) -> list[LexborNode]:
    """Return those elements that stand around content and are not within a hidden one."""
    shown: list[LexborNode] = []
    hidden: set[int] = set()  # elements that may not have ended yet
    for node in elements:
        if node.tag_id in _OUTER:
            if hidden and _is_within(node, hidden):
                continue
            hidden.clear()  # what follows in the order of the page is not within them either
            shown.append(node)
        elif node.tag_id in _HIDDEN:
            hidden.add(node.mem_id)
    return shown


def _is_within(node: LexborNode, others: set[int]) -> bool:
    above = node.parent
    while above is not None:
        if above.mem_id in others:
            return True
        above = above.parent
    return False


def _texts(tree: LexborHTMLParser, outer: list[LexborNode], markup: bytes) -> tuple[str, int]:
    """Return the text of a page without hidden elements, the content first, and the length of the content."""
    apart = set_apart(tree, outer, markup)
    body = tree.body
    main = body.text() if body is not None else ""
    if body is not None and set_more_apart(tree, main, apart):
        main = body.text()
    main = fold(main)
    rest = fold(" ".join(apart))
    return f"{main} {rest}".strip() if rest else main, len(main)


class _Gathered(TypedDict):
    title: str
    anchors: list[str]
    references: list[Reference]
    metas: list[dict[str, str | None]]
    base: str | None
    lang: str | None
    xml_lang: str | None
    skipped: int


def _gather(elements: list[LexborNode], most: int) -> _Gathered:  # noqa: C901, PLR0912 - one clause for each element
    """Read the elements that mean something: title, language, metas and references."""
    title: str | None = None
    base: str | None = None
    html: dict[str, str | None] = {}
    anchors: dict[str, None] = {}
    references: list[Reference] = []
    metas: list[dict[str, str | None]] = []
    skipped = 0
    for node in elements:
        name = _SEEN[node.tag_id]
        if name == "a":
            written = node.attributes
            target = written.get("href")
            if not target or target[0] == "#" or target in anchors:
                continue
            if len(anchors) + len(references) >= most:
                skipped += 1
            elif "rel" in written or "hreflang" in written:
                references.append(Reference("a", target, written.get("rel") or "", written.get("hreflang")))
            else:
                anchors[target] = None
        elif name == "meta":
            if len(metas) < _MAX_METAS:
                metas.append(node.attributes)
        elif name == "title":
            above = node.parent
            if title is None and above is not None and above.tag != "svg":
                title = node.text()
        elif name == "html":
            html = node.attributes
        elif name == "base":
            base = node.attributes.get("href") if base is None else base
        elif name in _SEEN_TAGS:
            written = node.attributes
            target = written.get("src" if name in {"frame", "iframe"} else "href")
            if not target:
                continue
            if len(anchors) + len(references) >= most:
                skipped += 1
            else:
                references.append(Reference(name, target, written.get("rel") or "", written.get("hreflang")))
    return {
        "title": fold(title or ""),
        "anchors": list(anchors),
        "references": references,
        "metas": metas,
        "base": base,
        "lang": html.get("lang"),
        "xml_lang": html.get("xml:lang"),
        "skipped": skipped,
    }


def fold(text: str) -> str:
    r"""Fold runs of white space to one space, and drop soft hyphens.

    >>> fold("  a\n b\u00adc ")
    'a bc'
    """
    if "\xad" in text:
        text = text.replace("\xad", "")
    return " ".join(text.split())
