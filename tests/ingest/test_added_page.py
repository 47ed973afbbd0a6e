"""Pages that readers of other packages yield: what is wrong in one is named, and is no fault of the database."""

from __future__ import annotations

from typing import Any

import pytest

from graphlang.db.records import READ, Declaration, Link, LinkKind, Links, Page, Problem, inflate_text
from graphlang.ingest.formats.detect import check_item
from graphlang.ingest.limits import Limits

URL = "http://a.example/"
LIMITS = Limits()


def test_what_is_as_it_should_be_stays() -> None:
    link = Link("http://b.example/", LinkKind.ANCHOR)
    page = Page(URL, 7, status=200, text="Nebel", length=5, declared=(Declaration("html-lang", "de"),))
    assert check_item(page, LIMITS) == page
    parted = Page(URL, 7, links=Links.from_links([link]))
    assert check_item(parted, LIMITS) is parted
    problem = Problem("damaged", "cut", 7)
    assert check_item(problem, LIMITS) is problem


def test_urls_are_made_canonical() -> None:
    links = (Link("http://B.example#top", LinkKind.ANCHOR), Link("http://b.example/", LinkKind.AREA))
    page = check_item(Page("HTTP://A.example:80", 0, links=links), LIMITS)
    assert isinstance(page, Page)
    assert page.url == URL
    assert list(page.links) == [Link("http://b.example/", LinkKind.ANCHOR)]


def test_texts_are_cut_as_those_of_our_own_readers_are() -> None:
    text = "a" * READ + "b" * 10
    given = Page(URL, 0, title="abc", text=text, length=len(text), main_length=len(text))
    page = check_item(given, Limits(text_limit=READ + 4, title_limit=2))
    assert isinstance(page, Page)
    assert (page.title, page.text, inflate_text(page.rest, 9)) == ("ab", "a" * READ, "bbbb")
    assert (page.length, page.main_length) == (READ + 10, READ + 4)
    assert check_item(page, Limits(text_limit=3, title_limit=2)) is page  # the reader has cut it
    assert check_item(Page(URL, 0, text="abc", length=3), Limits(text_limit=None)) == Page(URL, 0, text="abc", length=3)


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (None, "it yielded NoneType, expected Page or Problem"),
        (URL, "it yielded str"),
        (Page("not a url", 0), "'not a url' is not an http"),
        (Page(URL, -5), "offset is -5, which is negative"),
        (Page(URL, 0, text=b"bytes"), "text is of type bytes, expected str"),  # type: ignore[arg-type]
        (Page(URL, 0, text="\ud800"), "surrogates not allowed"),
        (Page(URL, 0, digest=None), "digest is of type NoneType"),  # type: ignore[arg-type]
        (Page(URL, 0, status="200"), "status is of type str, expected int"),  # type: ignore[arg-type]
        (Page(URL, 0, links=(URL,)), "links hold str, expected Link"),  # type: ignore[arg-type]
        (Page(URL, 0, links=(Link("mailto:x", 1),)), "to which a link leads"),
        (Page(URL, 0, declared=("de",)), "declared holds str"),  # type: ignore[arg-type]
        (Page(URL, 0, visible="x"), "visible is of type str, expected bytes"),  # type: ignore[arg-type]
    ],
)
def test_what_is_wrong_is_named(item: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        check_item(item, LIMITS)
