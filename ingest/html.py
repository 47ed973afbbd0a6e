"""HTML -> title, visible text, references and declarations, in one walk over one tree.

Visible is what a reader sees of the page as it loads: not scripts, styles, templates, comments, ``<noscript>`` and
``<noframes>`` (written for other browsers), the fallback inside ``<iframe>``, ``<audio>``, ``<video>`` and ``<canvas>``, drawings
(``<svg>``), nor the contents of form controls (``<textarea>``, ``<option>``, ``<datalist>``): a drop-down of forty language names
shows one of them. Block elements, table cells and ``<br>`` set words apart; inline elements do not. White space is folded
and soft hyphens are dropped.

The walk goes from node to node and keeps the open elements in a list, so that depth costs memory and never the stack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from .tame import tamed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from .limits import Limits

_HIDDEN_TAGS = (
    "script style template noscript noframes noembed audio video canvas svg textarea option datalist object applet"
).split()
_BLOCK_TAGS = (
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr iframe legend li main menu nav ol p pre search section"
    " select summary table tbody td tfoot th thead tr ul xmp"
).split()
_LINK_TAGS = ("a", "area", "link", "meta", "base", "frame", "iframe", "html", "title")

_HIDDEN, _BLOCK, _TEXT = 1, 2, 3


def _ids() -> tuple[dict[int, int], dict[int, str]]:
    """Return what to do at each tag, and the names of those whose attributes count, by Lexbor's numbers."""
    tree = LexborHTMLParser("x")

    def number(name: str) -> int:
        return int(tree.create_node(name).tag_id)

    role = {number(name): _HIDDEN for name in _HIDDEN_TAGS}
    role |= {number(name): _BLOCK for name in _BLOCK_TAGS}
    body = tree.body
    text = body.first_child if body is not None else None
    if text is None:
        raise ImportError("the HTML parser makes no text nodes")
    role[text.tag_id] = _TEXT
    return role, {number(name): name for name in _LINK_TAGS}


_ROLE, _LINKING = _ids()


class Reference(NamedTuple):
    """An element that leads somewhere, as written."""

    tag: str  #: ``a``, ``area``, ``frame``, ``iframe`` or ``link``
    target: str
    rel: str
    hreflang: str | None


class Document(NamedTuple):
    """What a page says."""

    title: str
    text: str  #: the whole visible text, white space folded
    references: list[Reference]
    metas: list[dict[str, str | None]]  #: attributes of each ``<meta>``
    base: str | None  #: of the first ``<base href>``
    lang: str | None  #: ``<html lang>``
    xml_lang: str | None  #: ``<html xml:lang>``
    flattened: bool  #: the tree was too deep to be built (see `graphlang.ingest.tame`)
    skipped: int  #: references beyond the limit


def read(text: str, limits: Limits) -> Document:
    """Read a page.

    Args:
        text: the page, decoded.
        limits: ``max_depth`` and, for the references, four times ``max_links``.

    >>> from graphlang.ingest.limits import Limits
    >>> page = read("<title>T</title><p>Good <b>m</b>orning<p>all<a href=/x rel=nofollow>!</a>", Limits())
    >>> page.title, page.text, page.references
    ('T', 'Good morning all!', [Reference(tag='a', target='/x', rel='nofollow', hreflang=None)])
    """
    markup = text.encode("utf-8", "replace")
    markup, flattened = tamed(markup, limits.max_depth)
    tree = LexborHTMLParser(markup, scripting=True)
    root = tree.root
    if root is None:
        return Document("", "", [], [], None, None, None, flattened, 0)
    return _walk(root, 4 * limits.max_links, flattened=flattened)


def _walk(root: LexborNode, most: int, *, flattened: bool) -> Document:  # noqa: C901, PLR0912 - one loop, for its speed
    title: str | None = None
    base: str | None = None
    html: dict[str, str | None] = {}
    references: list[Reference] = []
    metas: list[dict[str, str | None]] = []
    skipped = 0
    parts: list[str] = []
    add = parts.append
    role_of, name_of = _ROLE.get, _LINKING.get
    above: list[tuple[LexborNode, bool]] = []  # the open elements, and whether their end sets words apart
    node: LexborNode | None = root
    while node is not None:
        tag = node.tag_id
        role = role_of(tag)
        child = None
        if role == _TEXT:
            add(node.text_content or "")
        elif role != _HIDDEN:
            block = role == _BLOCK
            if block:
                add(" ")
            child = node.first_child
            name = name_of(tag)
            if name is not None:
                if name == "title":
                    child = None
                    if title is None:
                        title = node.text()
                elif name == "meta":
                    if len(metas) < 100:  # noqa: PLR2004 - pages have a dozen
                        metas.append(node.attributes)
                elif name == "html":
                    html = node.attributes
                elif name == "base":
                    base = node.attributes.get("href") if base is None else base
                else:
                    if name == "iframe":
                        child = None
                    written = node.attributes
                    target = written.get("src" if name in {"frame", "iframe"} else "href")
                    if target:
                        if len(references) < most:
                            references.append(
                                Reference(name, target, written.get("rel") or "", written.get("hreflang"))
                            )
                        else:
                            skipped += 1
            if child is not None:
                above.append((node, block))
                node = child
                continue
        following = node.next
        while following is None and above:
            node, block = above.pop()
            if block:
                add(" ")
            following = node.next
        node = following
    return Document(
        fold(title or ""),
        fold("".join(parts)),
        references,
        metas,
        base,
        html.get("lang"),
        html.get("xml:lang"),
        flattened,
        skipped,
    )


def fold(text: str) -> str:
    """Fold runs of white space to one space, and drop soft hyphens.

    >>> fold("  a\\n b\\u00adc ")
    'a bc'
    """
    return " ".join(text.replace("\xad", "").split())
