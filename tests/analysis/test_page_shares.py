"""Pages in several languages: what a content run writes of their shares, and what the view makes of it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from graphlang.analysis.classify import classify
from graphlang.analysis.correct import PageLabel, correct
from graphlang.analysis.update import update_run
from graphlang.analysis.vote import vote
from graphlang.content import registry
from graphlang.db import Page, create
from graphlang.db.remove import remove
from graphlang.db.runs.lifecycle import forget_run
from graphlang.db.write.choose_capture import Keep
from graphlang.db.write.writer import HostParts, Writer, finish

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from pathlib import Path

WELSH = "Mae'r tywydd yn braf heddiw ac mae'r plant yn chwarae yn yr ardd. "
ENGLISH = "The weather is fine today and the children are playing in the garden. "
SERBIAN = "Данас је лепо време и деца се играју у башти поред старе куће. "
TEXTS = {
    "both": WELSH * 8 + "\n" + ENGLISH * 4,
    "welsh": WELSH * 12,
    "english": ENGLISH * 12,
    "scripts": SERBIAN * 8 + "\n" + ENGLISH * 4,
    "short": "Croeso. Welcome.",
    "none": "1 2 3",
}
IDENTIFIER = registry.load("nfc")


def add(connection: sqlite3.Connection, name: str, texts: Mapping[str, str], *, date: str = "2026") -> None:
    (source,) = connection.execute(
        "INSERT INTO sources (name, sha256, bytes) VALUES (?, ?, 1) RETURNING id", (name, name)
    ).fetchone()
    pages = [
        Page(url=f"http://{name}.example/", offset=0, date=date, status=200, text=text) for name, text in texts.items()
    ]

    def site(url: str) -> HostParts:
        host = url.split("/")[2]
        return HostParts(host, host, "example", "example")

    Writer(connection, site, keep=Keep.LAST).add(source, pages, position=len(pages), finished=True)
    finish(connection)


def shares_of(connection: sqlite3.Connection, run: int) -> dict[str, list[tuple[int, str, float]]]:
    """Rank, language and share by the name of the page."""
    found: dict[str, list[tuple[int, str, float]]] = {}
    for url, *row in connection.execute(
        "SELECT url, rank, label, share FROM (SELECT url, rank, labels.label, share FROM page_shares"
        " JOIN pages ON pages.id = page JOIN labels ON labels.id = page_shares.label WHERE run = ?) ORDER BY url, rank",
        (run,),
    ):
        found.setdefault(url.removeprefix("http://").removesuffix(".example/"), []).append(tuple(row))
    return found


def test_a_content_run_tells_the_shares_of_pages_in_several_languages(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", TEXTS)
        run = classify(connection, IDENTIFIER)
        found = shares_of(connection, run.id)
        assert run.parameters["shares"] is True
        # Eight sentences of 50 letters and four of 56; eight of 49 and four of 56. Stretches are looked at.
        assert found == {
            "both": [(1, "cym", pytest.approx(400 / 624, abs=0.08)), (2, "eng", pytest.approx(224 / 624, abs=0.08))],
            "scripts": [
                (1, "srp_Cyrl", pytest.approx(392 / 616, abs=0.08)),
                (2, "eng", pytest.approx(224 / 616, abs=0.08)),
            ],
        }


def test_shares_are_left_out_where_nobody_wants_them(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", TEXTS)
        run = classify(connection, IDENTIFIER, shares=False)
        assert shares_of(connection, run.id) == {}
        assert "shares" not in run.parameters
        add(connection, "b", {"more": TEXTS["both"]})
        again = update_run(connection, run)
        assert (again.id, shares_of(connection, again.id)) == (run.id + 1, {})


def test_neither_threads_nor_the_order_of_pages_change_a_share(tmp_path: Path) -> None:
    found = []
    for name, texts, workers in (("a", TEXTS, 1), ("b", dict(reversed(TEXTS.items())), 4)):
        with closing(create(tmp_path / f"{name}.db")) as connection:
            add(connection, name, texts)
            found.append(shares_of(connection, classify(connection, IDENTIFIER, workers=workers).id))
    assert found[0] == found[1]


def test_a_collection_that_has_grown_keeps_the_shares_of_pages_that_are_the_same(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", TEXTS)
        first = classify(connection, IDENTIFIER)
        before = shares_of(connection, first.id)
        add(connection, "b", {"scripts": TEXTS["english"], "new": TEXTS["both"]}, date="2027")
        second = update_run(connection, first)
        assert second.id != first.id
        assert shares_of(connection, second.id) == {"both": before["both"], "new": before["both"]}
        assert shares_of(connection, first.id) == before


def test_shares_go_with_their_page_and_with_their_run(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", TEXTS)
        run = classify(connection, IDENTIFIER)
        remove(connection, ["http://both.example/"], [], host_of=str, canonical=str)
        assert list(shares_of(connection, run.id)) == ["scripts"]
        connection.execute("BEGIN")
        forget_run(connection, run.id)
        connection.execute("COMMIT")
        assert connection.execute("SELECT COUNT(*) FROM page_shares").fetchone() == (0,)


def view(connection: sqlite3.Connection, name: str) -> dict[str, tuple[float, int]]:
    """Share, and whether it is the page's answer, by language."""
    rows = connection.execute(
        "SELECT language, share, main FROM language_shares WHERE host = ?", (f"{name}.example",)
    ).fetchall()
    return {language: (share, main) for language, share, main in rows}


def test_the_view_gives_every_page_that_was_read_all_of_itself(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", TEXTS)
        content = classify(connection, IDENTIFIER)
        vote(connection)  # the chosen run is another one, that started from the content run
        told = {language: share for _, language, share in shares_of(connection, content.id)["both"]}
        assert view(connection, "both") == {
            "cym": (pytest.approx(told["cym"]), 1),
            "eng": (pytest.approx(told["eng"]), 0),
        }
        assert {language: main for language, (_, main) in view(connection, "scripts").items()} == {"srp": 1, "eng": 0}
        assert view(connection, "welsh") == {"cym": (1.0, 1)}
        assert view(connection, "none") == {"zxx": (1.0, 1)}
        wholes = connection.execute("SELECT TOTAL(share) FROM language_shares GROUP BY page").fetchall()
        assert [total for (total,) in wholes] == pytest.approx([1.0] * len(TEXTS))
        # Somebody says that it is neither: then it is told whole.
        correct(connection, [PageLabel("http://both.example/", "bre")], by="A")
        assert view(connection, "both") == {"bre": (1.0, 1)}
        correct(connection, [PageLabel("http://both.example/", "eng")], by="A")
        assert {language: main for language, (_, main) in view(connection, "both").items()} == {"eng": 1, "cym": 0}
