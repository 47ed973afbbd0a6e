"""What stands around the content of a page: navigation, headers and footers, cookie banners, menus of languages.

It is set apart because it says little of the page's own language: a menu of forty language names is in forty languages,
and a cookie banner in that of the visitor. What is set apart: ``<nav>``; ``<header>``, ``<footer>`` and ``<aside>``
outside of articles (within one they hold its headline and its notes), unless they hold the page, since nobody closed
them; elements of the ARIA roles navigation, banner and contentinfo; cookie banners; blocks that a script may show later
(``hidden``, a ``<dialog>`` that is not open), if there is content without it; containers of links whose texts are
mostly autonyms (the names that languages have for themselves); and on pages without any of these elements short lists
of nothing but links.

All of it is stretches of the page's text; nothing is looked for unless the page shows that there may be some.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from . import kernel
from .autonyms import AUTONYMS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .kernel import Read, Record

    Span = tuple[int, int]

_MOST: Final = 50  # elements set apart on a page for one reason
_MENU: Final = 3  # autonyms that make a menu
_MENU_SHARE: Final = 24  # characters of a menu for each autonym in it, at most
_MENU_BYTES: Final = 4 * _MENU_SHARE  # bytes of so many characters, at most
_LIST_LINKS: Final = 4
_LIST_SIZE: Final = 1_500  # characters of a list of links
_CONTENT_LEFT: Final = 200  # characters: where fewer are left, the list of links is the content
_OUTER_SIZE: Final = 5_000  # of an element that is found by its attributes: whole pages are named after banners
_CONSENT_SIGN: Final = b"ookie"  # the word is the same in most languages


def around(page: Read) -> list[Span]:
    """Return the stretches of a page's text that are not content, by where they begin, the longer first.

    >>> from graphlang.ingest.kernel import Kernel
    >>> page = Kernel().read(b"<nav>Home</nav><main>Text</main><footer>End", most=9, depth=99)
    >>> [page.text[begin:end].strip() for begin, end in around(page)]
    [b'Home', b'End']
    """
    menus = page.signs & (page.signs - 1)  # one alone is hardly a menu
    packed = page.records
    if not packed and not menus:
        return []
    apart = _Apart(page.text)
    every = 0
    for flags in kernel.columns(packed, kernel.Record)[0]:
        every |= flags
    found = list(kernel.records(packed))
    outer = [one for one in found if one.flags & kernel.IS_NAV or (one.flags & _PLACED) == kernel.IS_OUTER]
    for one in outer:
        if not one.flags & _HOLDS_CONTENT:
            apart.take(one)
    if every & (_HOLDS_CONTENT | kernel.IS_HIDDEN):
        doubtful = [one for one in outer if one.flags & _HOLDS_CONTENT]
        hidden = [one for one in found if one.flags & kernel.IS_HIDDEN and not one.flags & _CONTENT]
        _take_holders([*doubtful, *hidden], apart)
    if not outer and every & kernel.IS_LIST:
        _take_lists(page, [one for one in found if one.flags & kernel.IS_LIST], apart)
    if every & kernel.IS_NAVIGATION:
        _take_all([one for one in found if one.flags & kernel.HAS_ROLE], apart)
    if every & kernel.ASKS_CONSENT and _CONSENT_SIGN in page.text:
        # Pages whole have classes such as "has-cookie-banner".
        _take_all([one for one in found if one.flags & kernel.ASKS_CONSENT and not one.flags & _PAGE], apart)
    if menus:
        _take_menus(page, apart)
    return apart.spans()


_PLACED: Final = kernel.IS_OUTER | kernel.IN_CONTENT
_HOLDS_CONTENT: Final = kernel.HOLDS_MAIN | kernel.HOLDS_ARTICLE
_PAGE: Final = kernel.IS_CONTENT | kernel.HOLDS_MAIN
_CONTENT: Final = kernel.IS_CONTENT | _HOLDS_CONTENT


class _Apart:
    """The stretches that were set apart so far."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._spans: set[Span] = set()

    def take(self, record: Record) -> None:
        if record.end > record.begin:
            self._spans.add((record.begin, record.end))

    def holds(self, record: Record) -> bool:
        return any(begin <= record.begin and record.end <= end for begin, end in self._spans)

    def left(self, begin: int, end: int) -> str:
        """The text of a stretch without what was set apart of it, white space folded."""
        parts: list[bytes] = []
        for first, last in self.spans():
            if last <= begin:
                continue
            if first >= end:
                break
            parts.append(self._text[begin : max(begin, first)])
            begin = min(last, end)
        parts.append(self._text[begin:end])
        return " ".join(b" ".join(parts).decode("utf-8", "replace").split())

    def leaves(self, count: int) -> bool:
        """Whether so many characters that are not white space are left."""
        # A character has four bytes at most: on most pages that says enough.
        apart = sum(end - begin for begin, end in self._spans)
        if len(self._text) - self._text.count(b" ") - apart >= 4 * count:
            return True
        return len("".join(self.left(0, len(self._text)).split())) >= count

    def spans(self) -> list[Span]:
        return sorted(self._spans, key=lambda span: (span[0], -span[1]))


def _take_holders(found: list[Record], apart: _Apart) -> None:
    """Set apart what may hold the page: teasers are articles, but a ``<header>`` that nobody closed holds them all."""
    for count, one in enumerate(found):
        if one.flags & kernel.HOLDS_MAIN:
            continue
        if count >= _MOST or apart.leaves(len(apart.left(one.begin, one.end)) + _CONTENT_LEFT):
            apart.take(one)


def _take_all(found: Iterable[Record], apart: _Apart) -> None:
    """Set apart what was found by its attributes; one that is the page itself shows that they mean something else."""
    taken = 0
    for one in found:
        if apart.holds(one):
            continue
        if one.flags & _PAGE or taken == _MOST or len(apart.left(one.begin, one.end)) > _OUTER_SIZE:
            return
        apart.take(one)
        taken += 1


def _take_lists(page: Read, lists: list[Record], apart: _Apart) -> None:
    """Set apart lists of nothing but links at the top and the end of the page, as long as something else is left."""
    begins, ends, *_ = kernel.columns(page.links, kernel.Anchor)
    for one in reversed([*lists[:2], *lists[2:][-1:]]):
        text = apart.left(one.begin, one.end)
        if not text or len(text) > _LIST_SIZE:
            continue
        own = slice(bisect_left(begins, one.begin), bisect_left(begins, one.end))
        linked = [
            len(_words(page, begin, end)) for begin, end in zip(begins[own], ends[own], strict=True) if end > begin
        ]
        if len(linked) < _LIST_LINKS or sum(linked) * 5 < len(text) * 4:
            continue
        if apart.leaves(len(text) + _CONTENT_LEFT):
            apart.take(one)


def _take_menus(page: Read, apart: _Apart) -> None:
    """Set apart menus of languages: a page has one at its top, and perhaps one at its end."""
    found = list(kernel.records(page.containers))
    autonyms: dict[int, int] = {}
    for begin, end, container, _ in zip(*kernel.columns(page.links, kernel.Anchor), strict=True):
        if end - begin <= _MENU_BYTES and container != kernel.NOTHING:
            words = _words(page, begin, end)
            if len(words) < _MENU_SHARE and words.lower() in AUTONYMS:
                autonyms[container] = autonyms.get(container, 0) + 1
    taken = 0
    for container, count in autonyms.items():
        record = found[container]
        if count < _MENU or apart.holds(record):
            continue
        if len(apart.left(record.begin, record.end)) <= count * _MENU_SHARE:
            apart.take(record)
            taken += 1
            if taken == _MENU:
                return


def _words(page: Read, begin: int, end: int) -> str:
    return " ".join(page.text[begin:end].decode("utf-8", "replace").split())
