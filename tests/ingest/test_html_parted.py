"""A page's text parted by the kernel alone beside its definition in Python: `around`, and what is cut out by it."""

from __future__ import annotations

import pytest
from hypothesis import given
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
    assert (page.text[: page.main_size].decode(), page.text[page.main_size :].decode()) == (main, behind)


@pytest.mark.parametrize(
    "markup",
    [
        "<ul><li><a href=/x>x</a></ul>Text",
        "<div><a href=/de>Deutsch</a> <a href=/en>English</a> <a href=/fr>Français</a></div>Text",
    ],
)
def test_lists_and_menus_are_left_to_python(markup: str) -> None:
    assert asked(markup.encode())[1]
