"""A text in a script that no language of the method is written in gets no answer, by its content or by links."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import graphlang
from graphlang.analysis.classify import classify
from graphlang.analysis.propagate import propagate
from graphlang.analysis.vote import vote
from graphlang.content import registry
from graphlang.db import Link, LinkKind, Page, create
from graphlang.db.write.choose_capture import Keep
from graphlang.db.write.writer import HostParts, Writer, finish

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping
    from pathlib import Path

VAI = "ꕉꕜꕮ ꔔꘋ ꖸ ꔰ ꗋꘋ "
FRENCH = "Le vif renard brun saute par-dessus le chien paresseux, et le chien n'y voit aucun mal. " * 4
PLACES = {"long": 1, "short": 2, "number": 3, "a": 4, "b": 5}  # URLs that sound like no language
TEXTS = {"long": VAI * 30, "short": VAI, "number": "42", "a": FRENCH, "b": FRENCH}


def collection(path: Path, links: Mapping[str, Iterable[str]] | None = None) -> sqlite3.Connection:
    """Five pages, each of which links to all, or as it is said."""
    connection = create(path)
    (source,) = connection.execute(
        "INSERT INTO sources (name, sha256, bytes) VALUES ('a', 'a', 1) RETURNING id"
    ).fetchone()
    links = dict.fromkeys(PLACES, PLACES) if links is None else links
    pages = [
        Page(
            url=f"http://v.example/{PLACES[name]}",
            offset=0,
            date="2000",
            status=200,
            text=text,
            links=tuple(Link(f"http://v.example/{PLACES[to]}", LinkKind.ANCHOR) for to in links.get(name, ())),
        )
        for name, text in TEXTS.items()
    ]
    Writer(connection, lambda _: HostParts("v.example", "v.example", "example", "example"), keep=Keep.LAST).add(
        source, pages, position=len(pages), finished=True
    )
    finish(connection)
    return connection


def read_answers(connection: sqlite3.Connection) -> dict[str, tuple[str, float]]:
    rows = connection.execute("SELECT url, language, confidence FROM page_languages WHERE fetched").fetchall()
    names = {str(place): name for name, place in PLACES.items()}
    return {names[url.rpartition("/")[2]]: (language, confidence) for url, language, confidence in rows}


def test_it_is_und_by_its_text_and_after_the_graph_where_it_is_long(tmp_path: Path) -> None:
    with closing(collection(tmp_path / "v.db")) as connection:
        classify(connection, registry.load("nfc"))
        by_text = read_answers(connection)
        assert by_text["long"] == by_text["short"] == ("und", 0.0)
        assert (by_text["number"], by_text["a"][0]) == (("zxx", 1.0), "fra")
        for infer in (vote, propagate):
            infer(connection)
            by_graph = read_answers(connection)
            assert by_graph["long"][0] == "und"
            assert by_graph["short"][0] == "fra"  # a few signs may stand on a page in any language
            assert by_graph["number"][0] == "zxx"
            assert by_graph["a"][0] == "fra"


def test_its_links_say_nothing_to_others(tmp_path: Path) -> None:
    # Nothing but the long page stands between the French ones and the short one.
    through_it = {"a": ["long"], "b": ["long"], "long": ["short", "a", "b"]}
    for infer in (vote, propagate):
        answers = []
        for name, links in (("joined", through_it), ("apart", {})):
            with closing(collection(tmp_path / f"{infer.__name__}-{name}.db", links)) as connection:
                classify(connection, registry.load("nfc"))
                infer(connection)
                answers.append(read_answers(connection))
        joined, apart = answers
        assert joined == apart
        assert joined["long"] == ("und", 0.0)


def test_identify_says_und_and_spans_are_empty() -> None:
    found = graphlang.identify([VAI, VAI * 30, FRENCH, "42"])
    assert [one.language for one in found] == ["und", "und", "fra", "zxx"]
    assert [one.confidence for one in found[:2]] == [0.0, 0.0]
