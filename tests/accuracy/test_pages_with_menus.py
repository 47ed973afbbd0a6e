"""A site in four languages with its menu round each page: a short page has its section's language.

``Foto 12`` has the same words in the German and the Polish section, and ``Photo 12`` in the English and the French one:
only links tell them apart, and a menu that is the same round all of them must not speak for any.
"""

import csv
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import NamedTuple

import pytest

import graphlang as gl

SITE = "http://chor.example"
#: Languages of the site, then some whose pages were not collected.
LANGUAGES = {
    "deu": "Deutsch",
    "eng": "English",
    "fra": "Français",
    "pol": "Polski",
    "dan": "Dansk",
    "ell": "Ελληνικά",
    "jpn": "日本語",
    "rus": "Русский",
    "spa": "Español",
    "vie": "Tiếng Việt",
}
#: What the site calls its pages, in English everywhere: nobody translated the menu.
MENU = ("Home", "Concerts", "Search", "Members", "Log in")


class Row(NamedTuple):
    page: str
    language: str
    title: str
    text: str


def rows() -> list[Row]:
    with Path(__file__).with_name("choir_site.tsv").open(encoding="utf-8", newline="") as lines:
        return [Row(**row) for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def address(page: str, language: str) -> str:
    """A URL that names neither."""
    number = 100 * list(LANGUAGES).index(language) + sum(page.encode())
    return f"{SITE}/{number}.html"


def bar(entries: list[str]) -> str:
    return f"<p>{' | '.join(entries)}</p>"


def bullets(entries: list[str]) -> str:
    return f"<div><ul>{''.join(f'<li>{entry}</li>' for entry in entries)}</ul></div>"


def format_nav(entries: list[str]) -> str:
    return f"<nav>{bullets(entries)}</nav>"


def breaks(entries: list[str]) -> str:
    return "<br>".join(entries)


def definitions(entries: list[str]) -> str:
    return f"<dl>{''.join(f'<dd>{entry}</dd>' for entry in entries)}</dl>"


def cells(entries: list[str]) -> str:
    return f"<table>{''.join(f'<tr><td>{entry}</td></tr>' for entry in entries)}</table>"


MARKUPS = (format_nav, bullets, breaks, cells)


def html(row: Row, markup: Callable[[list[str]], str]) -> bytes:
    section = [other for other in rows() if other.language == row.language]
    names = [
        name if language == row.language else f'<a href="{address(row.page, language)}">{name}</a>'
        for language, name in LANGUAGES.items()
    ]
    site = [f'<a href="http://elsewhere.example/{word}">{word}</a>' for word in MENU]
    titles = [
        f'<a href="{address(other.page, other.language)}">{escape(other.title or other.text)}</a>'
        for other in section
        if other != row
    ]
    menus = "\n".join(markup(entries) for entries in (site, names, titles))
    heading = f"<h1>{escape(row.title)}</h1>" if row.title else ""
    foot = "<div>Powered by a static site generator. The pages of this site are free for all to use.</div>"
    return f"<!doctype html><html><head></head><body>{menus}{heading}<p>{escape(row.text)}</p>{foot}</body>".encode()


@pytest.mark.parametrize("markup", MARKUPS)
def test_short_pages_have_the_language_of_their_section(
    markup: Callable[[list[str]], str], tmp_path: Path, write_warc: Callable[..., Path]
) -> None:
    table = rows()
    archive = write_warc(
        tmp_path / "choir.warc.gz", [(address(row.page, row.language), html(row, markup)) for row in table]
    )
    with gl.open(tmp_path / "choir.db") as collection:
        collection.run(archive)
        answers = {
            page.url: (page.language, page.confidence) for page in collection.pages(everything=True, min_confidence=0.0)
        }
    # "Anna, Sopran" looks English, and all pages around it are short: it may be wrong, if it is in doubt.
    wrong = [
        f"{row.language} {row.page} {row.text[:20]!r}: {language} {confidence:.2f}"
        for row in table
        for language, confidence in [answers[address(row.page, row.language)]]
        if language != row.language and (row.page != "anna" or confidence >= 0.75)
    ]
    assert not wrong, "\n".join(wrong)
