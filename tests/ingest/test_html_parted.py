"""A page's text parted by the kernel beside its definition in plain Python, `around`.

The definition is slow: lines and elements are looked at again and again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import markup_kernel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest.html import tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markup_kernel import Element

    from graphlang.ingest.html.tokenizer import Anchor, ParsedMarkup

Span = tuple[int, int]

HOLDS_CONTENT = markup_kernel.HOLDS_MAIN | markup_kernel.HOLDS_ARTICLE
NAMED = markup_kernel.IS_NAMED | markup_kernel.NAMES_LINKS
LIST_LINKS, EDGE_LINKS, MENU_NAMES, MENU_SHARE, BRIDGE, SENTENCE = 4, 2, 3, 24, 30, 60
PAGE_LETTERS, PAGE_TIMES, ATTEMPTS, HEADINGS = 200, 4, 3, 16
NAMES = frozenset({"deutsch", "english", "français", "русский", "中文", "português", "de", "en", "fr", "pt"})
TEMPLATE = re.compile(rb"\{\{[^{}\n]{0,196}\}\}")


def is_language(text: str) -> bool:
    """Tell the few names and codes of languages that the tests have."""
    name = " ".join(text.split())
    if not 2 <= len(name.encode()) <= 48:
        return False
    name = re.sub(r"(?<=.) *[(\[][^(\[]*[)\]]$|(?<=.) *［[^［]*］$", "", name).lower()
    return re.sub(r"^(\w\w)[-_][a-z]\w{1,3}$", r"\1", name) in NAMES


@dataclass
class Run:
    """Lines of links."""

    begin: int
    end: int
    links: int
    names: int
    letters: int
    is_content: bool
    bridge: int

    def is_menu(self) -> bool:
        """Whether the lines are a choice of languages."""
        if self.names < MENU_NAMES and not (self.names > 1 and self.names == self.links):
            return False
        return self.letters <= self.names * MENU_SHARE


@dataclass
class Page:
    """A page while parts of it are set apart."""

    text: bytes
    records: list[Element]
    links: list[Anchor]
    gone: bytearray
    refused: set[int]
    taken: set[int] = field(default_factory=set)
    spans: list[Span] = field(default_factory=list)
    rest: int = 0
    content: int = 0
    sentences: int = 0
    edges: Span = (2**32, 0)  #: where the first line with sentences begins, and where the last one ends

    def letters(self, begin: int, end: int, *, all_of_them: bool = False) -> int:
        """Count what is left: characters but blanks."""
        if not all_of_them and self.gone.find(1, begin, end) >= 0:
            return sum(
                self.text[at] & 0xC0 != 0x80 and self.text[at] not in b" \n" and not self.gone[at]
                for at in range(begin, end)
            )
        starts = self.text[begin:end].translate(None, bytes(range(0x80, 0xC0)))
        return len(starts.translate(None, b" \n"))

    def left(self) -> int:
        """Letters that are left of the page."""
        return self.letters(0, len(self.text))

    def mark(self, begin: int, end: int) -> None:
        """Set a span apart."""
        self.gone[begin:end] = b"\1" * (end - begin)

    def take(self, number: int) -> None:
        """Set an element apart."""
        self.mark(*self.records[number][1:])
        self.taken.add(number)

    def candidates(self, flags: int) -> list[tuple[int, Element]]:
        """Elements with one of the flags that may still be set apart."""
        return [
            (n, one)
            for n, one in enumerate(self.records)
            if one.flags & flags and n not in self.taken and n not in self.refused
        ]

    def has_title(self, begin: int, end: int, *, inside: bool) -> bool:
        """Whether a first-level heading is left in a span, or outside of it."""
        titles = [one for one in self.records if one.flags & markup_kernel.IS_TITLE][:HEADINGS]
        return any(
            (one.begin >= begin and one.end <= end) == inside and 0 in self.gone[one.begin : one.end] for one in titles
        )

    def holds_title(self, begin: int, end: int) -> bool:
        """Whether a first-level heading is in a span, dropped or not."""
        titles = [one for one in self.records if one.flags & markup_kernel.IS_TITLE][:HEADINGS]
        return any(one.begin >= begin and one.end <= end for one in titles)

    def linked_bytes(self, begin: int, end: int) -> int:
        """Bytes of a span that are in links."""
        return len({at for one in self.links for at in range(max(one.begin, begin), min(one.end, end))})

    def sentences_in(self, begin: int, end: int) -> int:
        """Letters of the lines in a span that are mostly no links, and long."""
        letters = 0
        for line in re.finditer(rb"[^\n]*", self.text[begin:end]):
            first, last = begin + line.start(), begin + line.end()
            linked = self.linked_bytes(first, last)
            if last - first >= SENTENCE + linked and linked * 2 < last - first:
                letters += self.letters(first, last, all_of_them=True)
        return letters


def around(markup: ParsedMarkup) -> list[Span]:
    """Return the spans of a page's text that are not content, by where they begin, the longer first."""
    refused: set[int] = set()
    for attempt in range(ATTEMPTS + 1):
        page = Page(
            markup.text,
            list(markup_kernel.read_elements(markup.records)),
            list(tokenizer.read_anchors(markup.links)),
            bytearray(len(markup.text)),
            refused,
        )
        take_elements(page)
        take_templates(page)
        take_runs(page, find_runs(page))
        take_outside(page)
        number = misjudged(page) if attempt < ATTEMPTS else None
        if number is None:
            break
        refused.add(number)
    spans = [*page.spans, *(tuple(page.records[n][1:]) for n in page.taken)]
    return sorted(((b, e) for b, e in spans if b < e), key=lambda span: (span[0], -span[1]))


def take_elements(page: Page) -> None:
    """Set apart elements: by their tags, what hides them, their names and their roles."""
    every = 0
    for one in page.records:
        every |= one.flags
    take_outer(page)
    take_hidden(page)
    for n, one in page.candidates(NAMED):
        if is_named_apart(page, one):
            page.take(n)
    if every & markup_kernel.IS_NAVIGATION:
        take_attributed(page, markup_kernel.HAS_ROLE, 0)
    if every & markup_kernel.ASKS_CONSENT and b"ookie" in page.text:
        take_attributed(page, markup_kernel.ASKS_CONSENT, markup_kernel.IS_CONTENT | markup_kernel.HOLDS_MAIN)


def take_outer(page: Page) -> None:
    """Set apart navigation, headers, footers and asides."""
    outer = [
        (n, one)
        for n, one in page.candidates(markup_kernel.IS_NAV | markup_kernel.IS_OUTER)
        if one.flags & markup_kernel.IS_NAV or not one.flags & markup_kernel.IN_CONTENT
    ]
    reach = 0
    for n, one in outer:
        if not one.flags & HOLDS_CONTENT and one.end > reach:
            page.take(n)
            reach = one.end
    for n, one in outer:
        if one.flags & HOLDS_CONTENT and not one.flags & markup_kernel.HOLDS_MAIN:
            own = page.letters(one.begin, one.end)
            if own and page.left() - own >= own + markup_kernel.CONTENT_LEFT:
                page.take(n)


def take_hidden(page: Page) -> None:
    """Set apart what no visitor sees, if content is left without it."""
    for n, one in page.candidates(markup_kernel.IS_HIDDEN):
        own = page.letters(one.begin, one.end)
        enough = page.left() - own >= min(own, markup_kernel.CONTENT_LEFT)
        is_doubtful = one.flags & (markup_kernel.IS_CONTENT | HOLDS_CONTENT)
        if own and not is_doubtful and (enough or page.has_title(one.begin, one.end, inside=False)):
            page.take(n)


def is_named_apart(page: Page, one: Element) -> bool:
    """Whether the name of an element is to be believed."""
    own = page.letters(one.begin, one.end)
    rest = page.left() - own
    if one.flags & (markup_kernel.HOLDS_MAIN | markup_kernel.IS_MAIN) or not own or not rest:
        return False
    if one.flags & (markup_kernel.IS_CONTENT | HOLDS_CONTENT) and rest < own + markup_kernel.CONTENT_LEFT:
        return False
    if page.has_title(one.begin, one.end, inside=True):
        return False
    if not one.flags & markup_kernel.IS_SURE and own >= PAGE_LETTERS and own > 2 * rest:
        sentences = page.sentences_in(one.begin, one.end)
        if sentences >= PAGE_LETTERS and sentences > 2 * rest:
            return False
    if one.flags & markup_kernel.IS_NAMED:
        return True
    links = [link for link in page.links if one.begin <= link.begin < one.end]
    return 2 * sum(page.letters(link.begin, min(link.end, one.end)) for link in links) >= own


def take_attributed(page: Page, wanted: int, unwanted: int) -> None:
    """Set apart elements that attributes name, up to one that is the page."""
    for n, one in page.candidates(wanted):
        own = page.letters(one.begin, one.end)
        if one.flags & unwanted or not own:
            continue
        if one.flags & (markup_kernel.IS_CONTENT | markup_kernel.HOLDS_MAIN) or own > markup_kernel.OUTER_SIZE:
            break
        page.take(n)


def take_templates(page: Page) -> None:
    """Set apart templates of client code."""
    for one in TEMPLATE.finditer(page.text):
        if not page.gone[one.start()]:
            page.mark(*one.span())
            page.spans.append(one.span())


@dataclass
class Line:
    """What is left of a line."""

    begin: int
    end: int
    letters: int
    linked: int = 0
    links: int = 0
    names: int = 0
    linked_bytes: int = 0

    def is_linked(self) -> bool:
        """Whether the line is nothing but links, and signs between them."""
        others = self.letters - self.linked
        return self.linked > 0 and (others * 4 <= self.linked or others <= 2 * self.links)


def lines_of(page: Page) -> Iterator[Line]:
    """Yield the lines of which something is left."""
    language = counted = 0
    at = page.gone.find(0)
    while at >= 0:
        end = page.text.find(b"\n", at)
        line = Line(at, end if end >= 0 else len(page.text), 0)
        at = page.gone.find(0, line.end + 1)
        line.letters = page.letters(line.begin, line.end)
        for one in page.links if line.letters else ():
            begin, end = max(one.begin, line.begin, counted), min(one.end, line.end)
            counted = max(counted, end) if begin < end else counted
            if letters := page.letters(begin, end):
                line.linked, line.linked_bytes = line.linked + letters, line.linked_bytes + end - begin
                if one.begin >= line.begin:
                    line.links += 1
                    is_other = one.language not in {0, language}
                    line.names += is_language(page.text[begin:end].decode("utf-8", "replace")) or is_other
                    language = one.language or language
            if one.begin < line.end < one.end:
                break  # it reaches into the next line
        if line.letters:
            yield line


def find_runs(page: Page) -> list[Run]:
    """Find lines that are links, side by side, and count what else is left."""
    runs: list[Run] = []
    bridge, is_open = 0, False
    mains = [one for one in page.records if one.flags & markup_kernel.IS_MAIN]
    contents = [one for one in page.records if one.flags & markup_kernel.IS_CONTENT]
    for line in lines_of(page):
        is_content = any(one.begin < line.end and one.end > line.begin for one in contents)
        is_same = is_open and runs[-1].is_content == is_content
        if line.is_linked():
            if is_same:
                last = runs.pop()
                links, names, letters = last.links + line.links, last.names + line.names, last.letters + line.letters
                runs.append(Run(last.begin, line.end, links, names, letters, is_content, last.bridge))
            else:
                runs.append(Run(line.begin, line.end, line.links, line.names, line.letters, is_content, bridge))
            is_open, bridge = True, 0
            continue
        bridge = line.letters if is_same and line.letters <= BRIDGE else 0
        is_open = False
        page.content += line.letters * is_content
        if line.end - line.begin - line.linked_bytes >= SENTENCE:
            page.edges = (page.edges[0] if page.edges[1] else line.begin), line.end
            if line.begin >= max((one.end for one in mains if one.begin < line.end), default=0):
                page.sentences += line.letters - line.linked
    return [run for run in runs if run.links]


def join_runs(runs: list[Run], *, across: bool) -> list[Run]:
    """Join runs that short lines part, if these are to belong to them."""
    result: list[Run] = []
    for run in runs:
        if across and result and run.bridge and run.is_content == result[-1].is_content:
            last = result[-1]
            letters = last.letters + run.letters + run.bridge
            result[-1] = Run(
                last.begin, run.end, last.links + run.links, last.names + run.names, letters, last.is_content, 0
            )
        else:
            result.append(run)
    return result


def take_runs(page: Page, runs: list[Run]) -> None:
    """Set apart menus of languages, and lists of links where other text is left."""

    def is_list(run: Run) -> bool:
        is_at_edge = not run.is_content and (run.end <= page.edges[0] or run.begin >= page.edges[1])
        return run.is_menu() or run.links >= (EDGE_LINKS if is_at_edge else LIST_LINKS)

    lists: list[Run] = []
    for across in (True, False):
        lists = [run for run in join_runs(runs, across=across) if is_list(run)]
        page.rest = page.left() - sum(run.letters for run in lists)
        if page.rest >= markup_kernel.CONTENT_LEFT:
            break
    for run in lists:
        if run.is_menu() or page.rest >= (markup_kernel.CONTENT_LEFT if run.is_content else 1):
            page.mark(run.begin, run.end)
            page.spans.append((run.begin, run.end))


def take_outside(page: Page) -> None:
    """Set apart all that is outside of ``<main>``."""
    mains = [one for one in page.records if one.flags & markup_kernel.IS_MAIN and 0 in page.gone[one.begin : one.end]]
    if not mains:
        return
    begin, end = mains[0].begin, max(one.end for one in mains)
    own = page.letters(begin, end)
    if not own or page.left() == own:
        return
    if page.has_title(begin, end, inside=True) or page.sentences <= own * PAGE_TIMES:
        for span in ((0, begin), (end, len(page.text))):
            page.mark(*span)
            page.spans.append(span)


def misjudged(page: Page) -> int | None:
    """Return the number of the element that was set apart and is the page."""
    if page.content or page.rest * PAGE_TIMES > len(page.text) or page.has_title(0, 0, inside=False):
        return None
    best, most, reach = None, PAGE_LETTERS - 1, 0
    for n in sorted(page.taken):
        one = page.records[n]
        if one.end <= reach or one.flags & (markup_kernel.IS_HIDDEN | markup_kernel.ASKS_CONSENT):
            continue
        reach = one.end
        is_doubtful = bool(one.flags & (markup_kernel.IS_SURE | NAMED))
        has_own_title = page.holds_title(one.begin, one.end)
        if has_own_title and one.flags & markup_kernel.IS_UNCLOSED and not is_doubtful:
            return n
        if is_doubtful and page.rest > 2 and not has_own_title:
            continue
        own = page.sentences_in(one.begin, one.end)
        if own > most and own >= page.rest * PAGE_TIMES:
            best, most = n, own
    return best


PIECES = (
    *("<nav>", "</nav>", "<header>", "</header>", "<footer>", "<aside>", "</aside>", "<main>", "</main>", "<article>"),
    *("</article>", "<div hidden>", "<div role=navigation>", "<div role=banner>", "<div class=cookie-notice>"),
    *("</div>", "<dialog>", "</dialog>", "<my-part hidden>", "<main hidden>", "<header role=contentinfo>", "<ul><li>"),
    *(
        "</ul>",
        "<a href=/x>Deutsch</a>",
        "<a href=/y>English</a>",
        "<p>",
        "we use cookies",
        "日本語 ",
        "é",
        "word " * 60,
    ),
    *("x" * 300, "x" * 6_000),
)


def part(markup: bytes, depth: int = 99) -> tuple[str, str]:
    """Return the main content of a page, and what is behind it."""
    page = tokenizer.part_markup(markup, limit=50, depth=depth)
    return page.text[: page.main_length], page.text[page.main_length :]


def defined(markup: bytes, depth: int = 99) -> tuple[str, str]:
    """Return what `part` is to return."""
    whole = tokenizer.parse_markup(markup, limit=50, depth=depth)
    text, size = markup_kernel.move_spans(whole.text, around(whole))
    return text[:size].decode(), text[size:].decode()


@given(st.lists(st.sampled_from(PIECES), max_size=16), st.sampled_from([3, 99]))
def test_the_kernel_parts_a_page_as_the_definition_does(pieces: list[str], depth: int) -> None:
    markup = "".join(pieces).encode()
    assert part(markup, depth) == defined(markup, depth)


@pytest.mark.parametrize(
    ("markup", "main", "behind"),
    [
        ("", "", ""),
        ("<p>Text", "Text", ""),
        ("<nav>Home</nav><p>Text<footer>End", "Text", "\nHome\nEnd"),
        ("<header><main>Text</main></header>", "Text", ""),
        ("<article><header>Head</header>Text</article>", "Head\nText", ""),
        (f"<header><article>Teaser</article></header>{'x' * 250}", "x" * 250, "\nTeaser"),
        (f"<header><article>All</article>{'x' * 250}", f"All\n{'x' * 250}", ""),
        (f"<div hidden>Later</div>{'x' * 250}", "x" * 250, "\nLater"),
        ("<div hidden>Later</div>x", "Later\nx", ""),
        ("<div role=navigation>Home</div>Text", "Text", "\nHome"),
        ("<div class=cookie-notice>Cookies!</div>Text", "Text", "\nCookies!"),
        ("<div class=cookie-notice>We store data.</div>Text", "We store data.\nText", ""),
    ],
)
def test_what_stands_around_the_content(markup: str, main: str, behind: str) -> None:
    assert part(markup.encode()) == defined(markup.encode()) == (main, behind)


LINKS = "<li><a href=/x>one</a><li><a href=/y>two words</a><li><a href=/z>three</a><li><a href=/é>vier é</a>"
WORDS = "word " * 60
#: Lists that are of links, or nearly so: pieces that pages are put together from.
LISTED = (
    *("<ul>", "</ul>", LINKS, f"<ul>{LINKS}</ul>", f"<ul>{LINKS}and words</ul>"),
    *(f"<ul>{LINKS}{'and words ' * 9}</ul>", f"<ul>{LINKS * 80}</ul>", f"<ul><li><a href=/l>{WORDS}</a>{LINKS}</ul>"),
    f"<ul><a href=/m>{WORDS * 50}</a>{LINKS}",
    *("<ul><li><a href=/x> </a><li><a href=/x>\u3000</a><li><a href=/y>a</a><li><a href=/z>b</a></ul>", WORDS, "<p>"),
    *("é", "<div hidden>", "</div>", "<nav>", "</nav>", "<main>", "</main>", "<a href=/o>", "</a>", "<table><td>"),
    "</table>",
)


@given(st.lists(st.sampled_from(LISTED), max_size=12))
def test_lists_of_links_are_told_as_the_definition_does(pieces: list[str]) -> None:
    markup = "".join(pieces).encode()
    assert part(markup) == defined(markup)


SENTENCES = "All of these words are in one long line, which has more than sixty bytes. " * 4
#: What the rules about names, languages, headings and pages in the wrong element look at.
SITES = (
    *("<div id=sidebar>", "<div class='site-footer'>", "<section id=comments>", "<div class=menu>", "</div>"),
    *("</section>", "<div class=lang>", "<ul class=LanguageSwitcher>", "<div class='has-sidebar'>", "<h1>Title</h1>"),
    *("<header>", "<nav>", "</header>", "</nav>", "<footer>", "</footer>", "<main>", "</main>", "<article>"),
    *(
        "</article>",
        "<p>",
        "<br>",
        "<a href=/d>Deutsch (de)</a>",
        "<a href=/z>中文 ［中文］</a>",
        "<a href=/p>pt-BR</a>",
    ),
    *("<a href=/f>FRANÇAIS</a>", "<a href=/1 hreflang=sw>Habari</a>", "<a href=/2 hreflang=mi>Kia ora</a>", " | "),
    *("<a href=/3>A page<p>of ours</a>", "<div style='color:red; display : NONE'>", "<p style=visibility:hidden>"),
    *("<i aria-hidden=true>x</i>", "{{ a }}", "{{ {{ b }}", SENTENCES, "Foto 12", "some words", LINKS),
    *("<h1><a href=/h>Linked</a></h1>", "<object><a href=/o>"),
)


@given(st.lists(st.sampled_from(SITES), max_size=18))
def test_names_languages_and_pages_are_told_as_the_definition_does(pieces: list[str]) -> None:
    markup = "".join(pieces).encode()
    assert part(markup) == defined(markup)


def format_list(links: int, words: str) -> str:
    return f"<ul>{'<li><a href=/x>link</a>' * links}{words}</ul>"


def lines(links: int) -> str:
    return "\n".join(["link"] * links)


@pytest.mark.parametrize(
    ("markup", "main", "behind"),
    [
        (f"{format_list(4, '')}Foto 12", "Foto 12", "\n" + lines(4)),
        (f"{format_list(2, '')}Foto 12", "Foto 12", "\n" + lines(2)),
        (f"{format_list(1, '')}Foto 12", "link\nFoto 12", ""),  # a title may be a link
        (format_list(4, ""), lines(4), ""),  # the list is all there is
        (
            f"{'x' * 99}{format_list(3, '')}{'y' * 99}",
            "x" * 99 + "\n" + lines(3) + "\n" + "y" * 99,
            "",
        ),  # amid sentences
        (f"{'x' * 99}{format_list(4, '')}{'y' * 99}", "x" * 99 + "\n" + "y" * 99, "\n" + lines(4)),
        (f"<article>{'x' * 199}{format_list(4, '')}</article>", "x" * 199 + "\n" + lines(4), ""),
        (f"<article>{'x' * 200}{format_list(4, '')}</article>", "x" * 200, "\n" + lines(4)),
        # a heading between links belongs to them where there is content elsewhere
        (f"{format_list(4, '')}More{format_list(4, '')}{'x' * 200}", "x" * 200, f"\n{lines(4)}\nMore\n{lines(4)}"),
        (f"{format_list(4, '')}Foto{format_list(4, '')}", "Foto", f"\n{lines(4)}\n{lines(4)}"),
    ],
)
def test_which_lines_of_links_are_no_content(markup: str, main: str, behind: str) -> None:
    assert part(markup.encode()) == defined(markup.encode()) == (main, behind)
