"""What stands around the content of a page: navigation, headers and footers, cookie banners, menus of languages.

It is set apart because it says little of the page's own language: a menu of forty language names is in forty languages,
and a cookie banner in that of the visitor. What is set apart: ``<nav>``; ``<header>``, ``<footer>`` and ``<aside>``
outside of articles (within one they hold its headline and its notes), unless they hold the page, since nobody closed
them; elements of the ARIA roles navigation, banner and contentinfo; cookie banners; blocks that a script may show later
(``hidden``, a ``<dialog>`` that is not open), if there is content without it; containers of links whose texts are
mostly autonyms (the names that languages have for themselves); and on pages without any of these elements short lists
of nothing but links.

All of it is spans of the page's text; nothing is looked for unless the page shows that there may be some. What most
pages need of it is in C as well (`native/around.h`, see `graphlang.ingest.html.tokenizer.parted`); the tests hold the
one against the other.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import compress
from typing import TYPE_CHECKING, Final

from graphlang.ingest.html import tokenizer
from graphlang.ingest.html.language_names import AUTONYMS
from graphlang.native.kernels import Kernels

if TYPE_CHECKING:
    from graphlang.ingest.html.tokenizer import ParsedMarkup

    Span = tuple[int, int]
    Element = tuple[
        int, int, int
    ]  # flags, begin, end: fields of a `Record`, of which a page may have a hundred thousand

_kernels = Kernels("graphlang.ingest.html.native._boilerplate")
_MOST: Final = tokenizer.MOST_APART
_MENU: Final = 3  # autonyms that make a menu
_MENU_SHARE: Final = 24  # characters of a menu for each autonym in it, at most
_MENU_BYTES: Final = 4 * _MENU_SHARE  # bytes of so many characters, at most
_LIST_LINKS: Final = 4
_LIST_SIZE: Final = 1_500  # characters of a list of links
_CONTENT_LEFT: Final = tokenizer.CONTENT_LEFT
_OUTER_SIZE: Final = tokenizer.OUTER_SIZE
_CONSENT_SIGN: Final = b"ookie"  # the word is the same in most languages
_PLACED: Final = tokenizer.IS_OUTER | tokenizer.IN_CONTENT
_HOLDS_CONTENT: Final = tokenizer.HOLDS_MAIN | tokenizer.HOLDS_ARTICLE
_PAGE: Final = tokenizer.IS_CONTENT | tokenizer.HOLDS_MAIN
_CONTENT: Final = tokenizer.IS_CONTENT | _HOLDS_CONTENT


def around(page: ParsedMarkup) -> list[Span]:
    """Return the spans of a page's text that are not content, by where they begin, the longer first.

    Time is linear in the page, whatever is nested in whatever.

    >>> page = tokenizer.parse(b"<nav>Home</nav><main>Text</main><footer>End", most=9, depth=99)
    >>> [page.text[begin:end].strip() for begin, end in around(page)]
    [b'Home', b'End']
    """
    menus = page.signs & (page.signs - 1)  # one alone is hardly a menu
    if not page.records and not menus:
        return []
    apart = _Apart(page)
    flags = apart.flags
    every = 0
    for one in set(flags):
        every |= one
    outer: list[int] = []  # numbers of elements: a page may have a hundred thousand
    if every & (tokenizer.IS_NAV | tokenizer.IS_OUTER):
        outer = [n for n, one in enumerate(flags) if one & tokenizer.IS_NAV or one & _PLACED == tokenizer.IS_OUTER]
        apart.take([n for n in outer if not flags[n] & _HOLDS_CONTENT])
    if every & (_HOLDS_CONTENT | tokenizer.IS_HIDDEN):
        doubtful = [n for n in outer if flags[n] & _HOLDS_CONTENT]
        hidden = [n for n, one in enumerate(flags) if one & tokenizer.IS_HIDDEN and not one & _CONTENT]
        _take_holders([*doubtful, *hidden], apart)
    if not outer and every & tokenizer.IS_LIST:
        _take_lists(page, [n for n, one in enumerate(flags) if one & tokenizer.IS_LIST], apart)
    if every & tokenizer.IS_NAVIGATION:
        apart.take_each([n for n, one in enumerate(flags) if one & tokenizer.HAS_ROLE])
    if every & tokenizer.ASKS_CONSENT and _CONSENT_SIGN in page.text:
        # Pages whole have classes such as "has-cookie-banner".
        apart.take_each([n for n, one in enumerate(flags) if one & tokenizer.ASKS_CONSENT and not one & _PAGE])
    spans = apart.spans()
    if menus and (found := _menus(page, apart)):
        spans = sorted({*spans, *found}, key=lambda span: (span[0], -span[1]))
    return spans


class _Apart:
    """What was set apart of a page's text so far."""

    def __init__(self, page: ParsedMarkup) -> None:
        self._text, self.size = page.text, len(page.text)
        self._gone = bytearray(len(page.text))
        self._records = array("I", page.records)
        self.flags, self._begins, self._ends = tokenizer.columns(page.records, tokenizer.Record)
        self._taken = bytearray(len(self.flags))

    def span(self, number: int) -> Span:
        """Where the text of an element begins and ends."""
        return self._begins[number], self._ends[number]

    def take(self, numbers: list[int]) -> None:
        """Set elements apart."""
        _kernels.boilerplate_take(self._records, array("I", numbers), self._gone, self._taken)

    def take_each(self, numbers: list[int]) -> None:
        """Set apart what its attributes tell; where one of these is the page itself, they mean something else."""
        chosen = array("I", numbers)
        _kernels.boilerplate_take_each(
            self._text, self._records, chosen, _PAGE, _MOST, _OUTER_SIZE, self._gone, self._taken
        )

    def take_span(self, span: Span) -> None:
        """Count a span of the text as gone."""
        _kernels.boilerplate_take(array("I", (0, *span)), array("I", (0,)), self._gone, bytearray(1))

    def left(self, span: Span, most: int) -> int:
        """Characters that are left of a span, white space folded; where there are more than `most`, above that."""
        if self._gone.find(0, *span) < 0:
            return 0
        return int(_kernels.boilerplate_left(self._text, self._gone, *span, most))

    def leaves(self, count: int) -> bool:
        """Whether so many characters that are not white space are left."""
        return bool(_kernels.boilerplate_letters(self._text, self._gone) >= count)

    def spans(self) -> list[Span]:
        """Those of all elements that were taken, by where they begin: elements are in the order of their start tags."""
        found = compress(zip(self._begins, self._ends, strict=True), self._taken)
        return [span for span in found if span[0] < span[1]]


def _take_holders(found: list[int], apart: _Apart) -> None:
    """Set apart what may hold the page: teasers are articles, but a ``<header>`` that nobody closed holds them all."""
    checked = [n for n in found[:_MOST] if not apart.flags[n] & tokenizer.HOLDS_MAIN]
    for one in checked:
        if apart.leaves(apart.left(apart.span(one), apart.size) + _CONTENT_LEFT):
            apart.take([one])
    apart.take([n for n in found[_MOST:] if not apart.flags[n] & tokenizer.HOLDS_MAIN])


def _take_lists(page: ParsedMarkup, lists: list[int], apart: _Apart) -> None:
    """Set apart lists of nothing but links at the top and the end of the page, as long as something else is left."""
    begins, ends, *_ = tokenizer.columns(page.links, tokenizer.Anchor)
    for one in reversed([*lists[:2], *lists[2:][-1:]]):
        first, last = span = apart.span(one)
        size = apart.left(span, _LIST_SIZE)
        if not 0 < size <= _LIST_SIZE:
            continue
        own = slice(bisect_left(begins, first), bisect_left(begins, last))
        linked = [
            len(_words(page, begin, end)) for begin, end in zip(begins[own], ends[own], strict=True) if end > begin
        ]
        if len(linked) < _LIST_LINKS or sum(linked) * 5 < size * 4:
            continue
        if apart.leaves(size + _CONTENT_LEFT):
            apart.take([one])


def _menus(page: ParsedMarkup, apart: _Apart) -> list[Span]:
    """Return the menus of languages: a page has one at its top, and perhaps one at its end."""
    autonyms: dict[int, int] = {}
    for begin, end, container, _ in zip(*tokenizer.columns(page.links, tokenizer.Anchor), strict=True):
        if end - begin <= _MENU_BYTES and container != tokenizer.NOTHING:
            words = _words(page, begin, end)
            if len(words) < _MENU_SHARE and words.lower() in AUTONYMS:
                autonyms[container] = autonyms.get(container, 0) + 1
    _, begins, ends = tokenizer.columns(page.containers, tokenizer.Record)
    found: list[Span] = []
    for container, count in autonyms.items():
        span = begins[container], ends[container]
        if count >= _MENU and 0 < apart.left(span, count * _MENU_SHARE) <= count * _MENU_SHARE:
            apart.take_span(span)
            found.append(span)
            if len(found) == _MENU:
                break
    return found


def _words(page: ParsedMarkup, begin: int, end: int) -> str:
    return " ".join(page.text[begin:end].decode("utf-8", "replace").split())
