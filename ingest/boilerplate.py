"""What stands around the content of a page: navigation, headers and footers, cookie banners, menus of languages.

It is set apart because it says little of the page's own language: a menu of forty language names is in forty languages,
and a cookie banner in that of the visitor. What is set apart: ``<nav>``; ``<header>``, ``<footer>`` and ``<aside>``
outside of articles (within one they hold its headline and its notes); elements of the ARIA roles navigation, banner
and contentinfo; cookie banners; containers of links whose texts are mostly autonyms (the names that languages have for
themselves); and on pages without any of these elements short lists of nothing but links.

The costly searches are made only where a look at the bytes or the text shows that there is something to be found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .autonyms import AUTONYMS

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

TAGS: Final = ("nav", "header", "footer", "aside", "ul")  #: elements that are looked at
_CONTENT: Final = frozenset({"article", "main"})
_CLIMB: Final = 60  # ancestors looked at
_MOST: Final = 50  # elements set apart on a page for one reason
_MENU: Final = 3  # autonyms that make a menu
_MENU_SHARE: Final = 24  # characters of a menu for each autonym in it, at most
_LIST_LINKS: Final = 4
_LIST_SIZE: Final = 1_500  # characters of a list of links
_CONTENT_LEFT: Final = 200  # characters: where fewer are left, the list of links is the content
_OUTER_SIZE: Final = (
    5_000  # characters of an element that is found by its attributes: whole pages are named after banners
)

#: Looked for as it is: a pattern that knew all ways to write it would take longer than parsing the page does.
_ROLE_SIGN: Final = b'role="navigation"'
_ROLES: Final = "[role=navigation],[role=banner],[role=contentinfo]"
_CONSENT_SIGN: Final = "ookie"  # the word is the same in most languages
_CONSENTS: Final = ",".join(
    f"[{place}*={word}-{kind}]"
    for place in ("id", "class")
    for word in ("cookie", "consent")
    for kind in ("banner", "bar", "consent", "notice", "popup")
)
_WRAPPERS: Final = frozenset({"li", "dt", "dd", "td", "span", "b", "strong", "em", "i", "small", "bdi", "option"})
#: Autonyms of which one at least is in nearly every menu of languages.
_SIGNS: Final = ("Deutsch", "English", "Español", "Français", "Русский", "日本語", "Português", "中文", "Italiano")


def set_apart(tree: LexborHTMLParser, elements: list[LexborNode], markup: bytes) -> list[str]:
    """Take what is not content out of a tree; returns its texts.

    Args:
        tree: without its hidden elements. Nodes that are taken out must not be used any more.
        elements: those of `TAGS`, in the order of the page.
        markup: what the tree was made of.
    """
    apart: list[str] = []
    lists = [node for node in elements if node.tag == "ul"]
    found = [node for node in elements if node.tag != "ul" and (node.tag == "nav" or not _within_content(node))]
    if not found and lists:
        _take_lists(tree, lists, apart)
    for node in reversed(found):  # what is within another comes after it
        _take(node, apart)
    apart.reverse()
    if _ROLE_SIGN in markup:
        _take_all(tree, _ROLES, apart)
    return apart


def set_more_apart(tree: LexborHTMLParser, text: str, apart: list[str]) -> bool:
    """Take cookie banners and menus of languages out of a tree, if its text shows that there may be some.

    Returns:
        Whether there were.
    """
    before = len(apart)
    if _CONSENT_SIGN in text:
        _take_all(tree, _CONSENTS, apart)
    if sum([sign in text for sign in _SIGNS]) < 2:  # noqa: PLR2004 - one alone is hardly a menu
        return len(apart) > before
    while len(apart) - before < _MENU:  # a page has one at its top, and perhaps one at its end
        menu = _menu(tree)
        if menu is None:
            break
        _take(menu, apart)
    return len(apart) > before


def _menu(tree: LexborHTMLParser) -> LexborNode | None:
    counts: dict[int, int] = {}
    for link in tree.css("a"):
        words = link.text(strip=True)
        if len(words) < _MENU_SHARE and words.lower() in AUTONYMS:
            container = link.parent
            if container is not None and container.tag in _WRAPPERS:
                container = container.parent
            if container is None or container.tag in {"body", "html"}:
                continue
            place = container.mem_id
            counts[place] = counts.get(place, 0) + 1
            if counts[place] >= _MENU and _is_menu(container):
                return container
    return None


def _is_menu(container: LexborNode) -> bool:
    autonyms = sum(link.text(strip=True).lower() in AUTONYMS for link in container.css("a"))
    return len(" ".join(container.text().split())) <= autonyms * _MENU_SHARE


def _within_content(node: LexborNode) -> bool:
    above = node.parent
    for _ in range(_CLIMB):
        if above is None:
            return False
        if above.tag in _CONTENT:
            return True
        above = above.parent
    return False


def _take(node: LexborNode, apart: list[str]) -> None:
    apart.append(node.text())
    node.decompose()


def _take_all(tree: LexborHTMLParser, selector: str, apart: list[str]) -> None:
    """Take out what a selector finds, one by one, for what is found may hold more of it."""
    for _ in range(_MOST):
        node = tree.css_first(selector)
        if node is None or node.tag in {"body", "html", "main", "article"}:
            return
        if len(node.text()) > _OUTER_SIZE:
            return
        _take(node, apart)


def _take_lists(tree: LexborHTMLParser, lists: list[LexborNode], apart: list[str]) -> None:
    """Take out lists of nothing but links at the top and the end of the page, as long as something else is left."""
    body = tree.body
    for node in reversed([*lists[:2], *lists[2:][-1:]]):
        text = " ".join(node.text().split())
        if not text or len(text) > _LIST_SIZE:
            continue
        links = node.css("a")
        if len(links) < _LIST_LINKS or sum(len(link.text(strip=True)) for link in links) * 5 < len(text) * 4:
            continue
        if body is not None and len("".join(body.text().split())) - len(text) >= _CONTENT_LEFT:
            _take(node, apart)
