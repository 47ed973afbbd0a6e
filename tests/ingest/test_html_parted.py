"""A page's text parted by the kernel alone beside its definition in Python: `around`, and what is cut out by it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlang.ingest.html import tokenizer
from graphlang.ingest.html.boilerplate import around

PIECES = (
    *("<nav>", "</nav>", "<header>", "</header>", "<footer>", "<aside>", "</aside>", "<main>", "</main>", "<article>"),
    *(
        "</article>",
        "<div hidden>",
        "<div role=navigation>",
        "<div role=banner>",
        "<div class=cookie-notice>",
        "</div>",
    ),
    *("<dialog>", "</dialog>", "<my-part hidden>", "<main hidden>", "<header role=contentinfo>", "<ul><li>", "</ul>"),
    *(
        "<a href=/x>Deutsch</a>",
        "<a href=/y>English</a>",
        "<p>",
        "we use cookies",
        "日本語 ",
        "é",
        "word " * 60,
        "x" * 300,
    ),
    "x" * 6_000,
)


def asked(markup: bytes, depth: int = 99) -> tuple[tokenizer.PartedMarkup, bool]:
    """What the kernel says, and whether it left the page to Python."""
    called = []

    def tell(page: tokenizer.ParsedMarkup) -> list[tuple[int, int]]:
        called.append(page)
        return around(page)

    return tokenizer.parted(markup, most=50, depth=depth, around=tell), bool(called)


@given(st.lists(st.sampled_from(PIECES), max_size=16), st.sampled_from([3, 99]))
def test_the_kernel_parts_a_page_as_the_definition_does(pieces: list[str], depth: int) -> None:
    markup = "".join(pieces).encode()
    whole = tokenizer.parse(markup, most=50, depth=depth)
    assert asked(markup, depth)[0] == tokenizer.PartedMarkup.of(whole, around(whole))


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
    page, is_left = asked(markup.encode())
    assert not is_left
    assert (page.text[: page.main_length], page.text[page.main_length :]) == (main, behind)


def test_menus_are_left_to_python() -> None:
    markup = "<div><a href=/de>Deutsch</a> <a href=/en>English</a> <a href=/fr>Français</a></div>Text"
    assert asked(markup.encode())[1]


LINKS = "<li><a href=/x>one</a><li><a href=/y>two words</a><li><a href=/z>three</a><li><a href=/é>vier é</a>"
WORDS = "word " * 60
#: Lists that are of links, or nearly so: pieces that pages are put together from.
LISTED = (
    *("<ul>", "</ul>", LINKS, f"<ul>{LINKS}</ul>", f"<ul>{LINKS}and words</ul>", f"<ul>{LINKS}{'and words ' * 9}</ul>"),
    *(
        f"<ul>{LINKS * 80}</ul>",
        f"<ul><li><a href=/l>{WORDS}</a>{LINKS}</ul>",
        f"<ul><a href=/m>{WORDS * 50}</a>{LINKS}",
    ),
    *(
        "<ul><li><a href=/x> </a><li><a href=/x>\u3000</a><li><a href=/y>a</a><li><a href=/z>b</a></ul>",
        WORDS,
        "<p>",
        "é",
    ),
    *(
        "<div hidden>",
        "</div>",
        "<nav>",
        "</nav>",
        "<main>",
        "</main>",
        "<a href=/o>",
        "</a>",
        "<table><td>",
        "</table>",
    ),
)


@settings(max_examples=400)
@given(st.lists(st.sampled_from(LISTED), max_size=12))
def test_lists_of_links_are_told_as_the_definition_does(pieces: list[str]) -> None:
    markup = "".join(pieces).encode()
    whole = tokenizer.parse(markup, most=50, depth=99)
    assert asked(markup) == (tokenizer.PartedMarkup.of(whole, around(whole)), False)


def listed(links: int, words: str) -> str:
    return f"<ul>{'<li><a href=/x>link</a>' * links}{words}</ul>"


@pytest.mark.parametrize(
    ("markup", "main", "behind"),
    [
        (f"{listed(4, '')}{'x' * 250}", "x" * 250, "\n" + "link\n" * 3 + "link"),
        (f"{listed(3, '')}{'x' * 250}", "link\n" * 3 + "x" * 250, ""),
        (f"{listed(4, '')}{'x' * 199}", "link\n" * 4 + "x" * 199, ""),
        (f"{listed(4, 'four')}{'x' * 250}", "link\n" * 3 + "linkfour\n" + "x" * 250, ""),
        (f"{listed(300, '')}{'x' * 2000}", "x" * 2000, "\n" + "link\n" * 299 + "link"),
        (f"{listed(301, '')}{'x' * 2000}", "link\n" * 301 + "x" * 2000, ""),
    ],
)
def test_which_lists_are_of_links(markup: str, main: str, behind: str) -> None:
    page, is_left = asked(markup.encode())
    assert not is_left
    assert (page.text[: page.main_length], page.text[page.main_length :]) == (main, behind)
