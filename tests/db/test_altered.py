"""Databases that strangers altered: every verb ends with one line and a documented exit code, or does its work.

Here one alteration in three meets a verb that reads and one that writes; ``make altered`` runs all verbs on all.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from graphlang.db import StoreError, create, open_existing
from graphlang.db.schema import VERSION, read_documentation

sys.path.append(str(Path(__file__).parent))
import altered_databases as altered

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    Call = Callable[..., Result]

GROWTH = 1 << 20


def test_every_table_and_view_is_altered() -> None:
    assert {*altered.TABLES, *altered.VIEWS} == set(read_documentation()), (
        "name it in altered_databases.py; 'make' fills each table"
    )


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    return altered.make(altered.archive(folder / "museum.warc.gz"), folder / "sound.db")


@pytest.fixture
def stranger(sound: Path, tmp_path: Path) -> Callable[[str], Path]:
    def make(name: str) -> Path:
        path = tmp_path / "stranger.db"
        shutil.copy(sound, path)
        altered.ALTERATIONS[name](path)
        return path

    return make


@pytest.fixture
def mine(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "stranger.db"))


def test_there_are_some_hundreds(sound: Path) -> None:
    assert len(altered.ALTERATIONS) > 190
    with closing(open_existing(sound)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM pages").fetchone()[0] > 5


@pytest.mark.parametrize("name", list(altered.ALTERATIONS)[::3])
def test_a_line_or_the_work_but_no_traceback(graphlang: Call, stranger: Callable[[str], Path], name: str) -> None:
    path = stranger(name)
    for verb in (("pages", path, "--format", "csv"), ("choose", path)):
        arguments = ("runs", path, "--choose", "1", "--format", "csv") if verb[0] == "choose" else verb
        before = sum(file.stat().st_size for file in path.parent.iterdir())
        result = graphlang(*arguments)
        assert result.exit_code in {0, 3, 4, 5}, result.output
        told = result.stderr.splitlines()
        if not result.exit_code:  # altered sources may be newer than the run, and a page without a host is on no list
            told = [line for line in told if not line.startswith(("Results are out of date", "no pages"))]
        assert len(told) == (1 if result.exit_code else 0), result.stderr
        assert sum(file.stat().st_size for file in path.parent.iterdir()) < before + GROWTH


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a trigger on INSERT of pages", "has a trigger fills, which graphlang does not make"),
        ("endless view page_languages", "has a view page_languages that is not as graphlang makes it"),
        ("no table sources", "lacks the table sources"),
        ("not strict links", "has a table links that is not as graphlang makes it"),
        ("a virtual table", "has a table words, which graphlang does not make"),
        ("a foreign view for json_each", "has a view Json_Each, which graphlang does not make"),
        ("a foreign view for a function", "has a view pragma_page_count, which graphlang does not make"),
        ("a thousand foreign tables", "has more than 500 tables, views, indexes and triggers"),
        ("an index that computes", "has a index by_blob, which graphlang does not make"),
        ("a foreign table with a hostile name", r"has a table a\x1b[2J\nb, which graphlang does not make"),
        ("a partial index of URLs", "has a index pages_url that is not as graphlang makes it"),
        ("schema of version 17", f"has schema 17, and this graphlang reads schema {VERSION}: read the archives again"),
        ("id 16777216 in pages", "has 16777216 in pages.id, where it can have 1 to"),
        ("id -1 in hosts", "has -1 in hosts.id, where it can have 1 to"),
        ("'many' ids given out", "has 'many' as the last id of pages, which the file cannot hold"),
        ("source 16777216 in links", "has 16777216 in links.source, where it can have 1 to"),
        ("a journal that deletes", "would make SQLite delete another file, and graphlang did not write it: remove it"),
        ("of another program", "is not a graphlang database: another program made this SQLite file"),
        ("schema of the future", f"has schema 999, and this graphlang reads schema {VERSION}: read the archives again"),
    ],
)
@pytest.mark.parametrize("opened", [open_existing, create])
def test_what_is_wrong_is_told_when_it_is_opened(
    stranger: Callable[[str], Path], opened: Callable[[Path], object], name: str, words: str
) -> None:
    with pytest.raises(StoreError) as told:
        opened(stranger(name))
    assert words in str(told.value)
    assert "\n" not in str(told.value)


def test_a_sound_collection_has_no_findings_and_is_left_as_it_is(graphlang: Call, sound: Path) -> None:
    before = sound.read_bytes()
    result = graphlang("check", sound)
    assert (result.exit_code, result.output) == (0, "")
    assert sound.read_bytes() == before


@pytest.mark.parametrize("name", list(altered.ALTERATIONS)[::11])
def test_a_check_ends_with_findings_or_one_line(graphlang: Call, stranger: Callable[[str], Path], name: str) -> None:
    result = graphlang("check", stranger(name), "--format", "tsv")
    assert result.exit_code in {0, 3}, result.output
    if result.exit_code:
        assert result.stdout or len(result.stderr.splitlines()) == 1
    else:  # what a user may have is named
        assert not result.stdout


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "DELETE FROM pages WHERE id = 2",
            (
                "captures\tpage 2\tpage is 2, not in pages",
                "links\tsource 2, target 1\tsource is 2, not in pages (3 rows)",
            ),
        ),
        ("DELETE FROM runs WHERE id = 3", ("chosen\tid 1\trun is 3, not in runs",)),
        (
            "UPDATE runs SET seeds = '[3]' WHERE id = 3",
            ("runs\tid 3\truns.seeds is '[3]' instead of earlier runs than 3",),
        ),
        (
            "UPDATE runs SET seeds = '[]' WHERE id = 3",
            ("runs\tid 3\tseeds is [], and a run of this kind starts from another",),
        ),
        ("UPDATE runs SET finished = NULL WHERE id = 3", ("chosen\tid 1\trun is 3, which is not finished",)),
        (
            "UPDATE predictions SET confidence = 7 WHERE run = 1 AND page = 1",
            ("predictions\trun 1, page 1\tconfidence is 7.0, outside 0 to 1.001",),
        ),
        (
            "UPDATE texts SET title = CAST(X'FF41' AS TEXT) WHERE page = 1",
            ("texts\tpage 1\ttitle is \\\\xffA, not UTF-8",),
        ),
        (
            "UPDATE captures SET parts = 'all'",
            ("captures\tpage 1\tparts is all, none of both, text,",),
        ),
        ("UPDATE link_kinds SET name = 'other' WHERE id = 7", ("link_kinds\tid 7\tname is other, none of",)),
        (
            "CREATE TRIGGER fills AFTER INSERT ON pages BEGIN DELETE FROM links; END",
            ("schema\tfills\thas a trigger fills, which graphlang does not make",),
        ),
    ],
)
def test_findings_by_table_and_row(graphlang: Call, mine: Path, statement: str, expected: tuple[str, ...]) -> None:
    altered.sql(mine, statement)
    result = graphlang("check", mine, "--format", "tsv")
    assert result.exit_code == 3
    for line in expected:
        assert f"\n{line}" in result.stdout, result.stdout


def test_sqlite_reports_damaged_pages_and_wrong_types(graphlang: Call, mine: Path) -> None:
    altered.loosely(mine, "UPDATE links SET kind = 'abc' WHERE source = 1")
    result = graphlang("check", mine, "--format", "tsv")
    assert "\nfile\t\tnon-INTEGER value in links.kind\n" in result.stdout, result.stdout


def test_what_nobody_foresaw_is_told_as_what_is_wrong_with_the_database(
    graphlang: Call, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise TypeError("unforeseen")

    path = tmp_path / "stranger.db"
    shutil.copy(sound, path)
    monkeypatch.setattr("graphlang.maps.facts.count_problems", fails)
    with pytest.raises(TypeError, match="unforeseen"):  # the database is sound: a defect of the program
        graphlang("problems", path, "--count")
    altered.sql(path, "DELETE FROM texts WHERE page = 1", "UPDATE texts SET main = -3 WHERE page = 2")
    result = graphlang("problems", path, "--count")
    told = f"Error: {path} is unsound: texts (page 2): main is -3, outside 0 to 2147483647"
    assert (result.exit_code, result.stderr) == (3, f"{told} (see 'graphlang check')\n")


OWN = (
    "CREATE TABLE notes (url TEXT PRIMARY KEY, words TEXT, size AS (LENGTH(words)), CHECK (words <> ''))",
    "INSERT INTO notes VALUES ('http://museum.example/anna.html', 'of Anna')",
    "CREATE TABLE visits (id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT)",
    "INSERT INTO visits (url) VALUES ('http://museum.example/')",
    'create view "Größen" as SELECT language, COUNT(*) AS pages FROM page_languages GROUP BY 1',
    "CREATE INDEX by_words ON notes (LOWER(words)) WHERE words IS NOT NULL",
    "CREATE INDEX by_status ON captures (status, date DESC)",
    "ANALYZE",
)


def test_tables_views_indexes_and_statistics_of_a_users_own_may_be_there(graphlang: Call, mine: Path) -> None:
    altered.sql(mine, *OWN)
    before = graphlang("pages", mine, "--format", "csv")
    assert (before.exit_code, before.stderr) == (0, "")
    assert graphlang("classify", mine, "--method", "nfc-2004", "--quiet").exit_code == 0
    assert graphlang("remove", mine, "--url", "http://museum.example/anna.html", "--vacuum", "--quiet").exit_code == 0
    checked = graphlang("check", mine)
    assert (checked.exit_code, checked.stdout) == (0, "")
    assert checked.stderr == (
        "tables and views of your own, not checked: table notes, table visits, index by_words, index by_status,"
        " view Größen\n"
    )
    with closing(sqlite3.connect(mine)) as connection:
        assert connection.execute("SELECT words, size FROM notes").fetchall() == [("of Anna", 7)]
        assert connection.execute('SELECT SUM(pages) FROM "Größen"').fetchone()[0] > 3


def test_a_check_runs_nothing_that_a_users_table_demands_of_its_rows(graphlang: Call, mine: Path) -> None:
    altered.sql(
        mine,
        "CREATE TABLE notes (words CHECK (words <> ''))",
        "PRAGMA ignore_check_constraints=ON",
        "INSERT INTO notes VALUES ('')",
    )
    with closing(sqlite3.connect(mine)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("CHECK constraint failed in notes",)]
    assert graphlang("check", mine).exit_code == 0
