"""Lists of pages by the chosen run: their order, and those that declare another language than was found."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graphlang.codes.languages import LanguageChoice, parse_choice
from graphlang.collection import Collection
from graphlang.db import create, open_existing
from graphlang.maps.pages import list_pages
from graphlang.maps.selection import Selection

Make = Callable[..., Path]


@pytest.fixture
def db(make_collection: Make, written: Any) -> Path:
    path: Path = make_collection(
        [
            written("http://a.example/c", "deu", 0.9, text="Anna und Otto"),
            written("http://a.example/a", "fra", 0.5, text="Anne"),
            written("http://a.example/b", "nld", 0.7, text="Anna en Otto gaan"),
            written("http://a.example/d", "und", 0.0, text="xx"),
        ]
    )
    said = [
        ("a.example/c", "html-lang", "de-AT"),
        ("a.example/a", "html-lang", "en"),
        ("a.example/a", "meta-content-language", "de, it"),
        ("a.example/b", "html-lang", "de"),
        ("a.example/b", "http-content-language", "nl"),
        ("a.example/b", "robots", "noindex"),
        ("a.example/d", "html-lang", "sv"),
    ]
    with closing(create(path)) as connection:
        connection.executemany(
            "INSERT INTO declarations SELECT id, ?, ? FROM pages WHERE url = ?",
            [(source, value, f"http://{url}") for url, source, value in said],
        )
    return path


def list_urls(db: Path, **how: Any) -> list[str]:
    with closing(open_existing(db)) as connection:
        chosen = Selection(choices=tuple(how.pop("choices", ())), fetched=True)
        return [row[0].rpartition("/")[2] for row in list_pages(connection, chosen, **how)]


@pytest.mark.parametrize(
    ("sort", "order"),
    [("found", "cabd"), ("confidence", "dabc"), ("length", "dacb"), ("url", "abcd")],
)
def test_pages_come_in_the_order_that_is_asked_for(db: Path, sort: str, order: str) -> None:
    assert "".join(list_urls(db, sort=sort)) == order


def test_pages_that_declare_only_other_languages(db: Path) -> None:
    assert list_urls(db, declared_unlike=True) == [
        "a"
    ]  # b declares two, one of which was found; of d nothing was found
    assert list_urls(db, declared_unlike=True, choices=[LanguageChoice("deu")]) == []


def test_an_order_that_there_is_not(db: Path) -> None:
    with pytest.raises(ValueError, match=r"^cannot sort by size; there are found, confidence, length, url$"):
        list_urls(db, sort="size")


def test_a_script_counts_and_a_language_without_one_is_in_any(make_collection: Make, written: Any) -> None:
    path = make_collection(
        [
            written("http://a.example/a", "zho_Hans"),
            written("http://a.example/b", "zho_Hant"),
            written("http://a.example/c", "srp_Latn"),
            written("http://a.example/d", "deu"),
        ]
    )
    for tags, found in (
        (["zh-TW"], "b"),
        (["zho_Hans"], "a"),
        (["zho"], "ab"),
        (["zho_Hant", "sr-Latn"], "bc"),
        (["sr-Cyrl", "de"], "d"),
        ([], "abcd"),
    ):
        rows = Collection(path).pages(language=tags)
        assert "".join(row.url[-1] for row in rows) == found
        assert "".join(list_urls(path, choices=[parse_choice(tag) for tag in tags])) == found


def test_a_host_is_found_as_people_write_it(make_collection: Make, written: Any) -> None:
    path = make_collection([written("http://xn--bcher-kva.example/a", "deu"), written("http://[2001:db8::1]/b", "deu")])
    for name, found in (("Bücher.Example", "a"), ("xn--bcher-kva.example", "a"), ("[2001:DB8::1]", "b"), ("a.b", "")):
        assert "".join(row.url[-1] for row in Collection(path).pages(host=name)) == found
    with pytest.raises(ValueError, match="is not a host"):
        Collection(path).pages(host="http://a.example/")


def test_only_fetched_text_counts_unless_asked_for(make_collection: Make, written: Any) -> None:
    """Images, redirects and error pages were 869 of the 879 uncertain pages of a crawl."""
    path = make_collection(
        [
            written("http://a.example/a", "deu", 0.5),
            written("http://a.example/b", "deu", 0.1, mime="image/gif", charset=None, text=""),
            written("http://a.example/c", "deu", 0.1, status=301),
            written("http://a.example/d", "deu", 0.1, status=404),
            written("http://a.example/e", "deu", 0.1, mime="text/css", charset=None, text=""),
            written("http://a.example/f", "deu", 0.3, fetched=False),
        ]
    )
    crawl = Collection(path)

    def urls(**how: Any) -> str:
        return "".join(row.url[-1] for row in crawl.pages(**how))

    assert (urls(), urls(below=0.6), urls(fetched=False)) == ("a", "a", "f")
    assert urls(everything=True) == "abcdef"
    assert (urls(status=[301, 404]), urls(mime="image/*"), urls(min_length=10_000)) == ("cd", "b", "")
    assert sum(row.pages for row in crawl.sites()) == sum(row.pages for row in crawl.languages()) == 1
    assert len(list(crawl.texts())) == len(list(crawl.review())) == 1
    crawl.export(path.parent / "pages.csv", "pages")
    assert (path.parent / "pages.csv").read_text(encoding="utf-8").count("http://") == 1


def test_an_answer_below_the_floor_is_undetermined_with_its_guess(make_collection: Make, written: Any) -> None:
    crawl = Collection(
        make_collection([written("http://a.example/a", "nus", 0.15), written("http://a.example/b", "deu", 0.9)])
    )
    assert [(row.language, row.guess) for row in crawl.pages()] == [("und", "nus"), ("deu", None)]
    assert [(row.language, row.guess) for row in crawl.pages(min_confidence=0.0)] == [("nus", None), ("deu", None)]
    assert [row.language for row in crawl.languages()] == ["und", "deu"]
    assert {row.language for row in crawl.sites()} == {"und", "deu"}
    assert dict(crawl.pages_by_language()) == {"deu": 1, "und": 1}
