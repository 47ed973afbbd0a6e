"""Databases that strangers altered: every verb ends with one line and a documented exit code, or does its work.

Here all alterations meet a verb that reads and one that writes; ``make altered`` has all verbs meet them.
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
from graphlang.db.schema.column_docs import TABLES
from graphlang.db.schema.migrations import VERSION

sys.path.append(str(Path(__file__).parent))
import altered_databases as altered

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    Call = Callable[..., Result]

GROWTH = 1 << 20


def test_every_table_and_view_is_altered() -> None:
    assert {*altered.TABLES, *altered.VIEWS} == set(TABLES), "name it in altered_databases.py; 'make' fills each table"


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
    assert len(altered.ALTERATIONS) > 211
    with closing(open_existing(sound)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM pages").fetchone()[0] > 5


@pytest.mark.parametrize("name", altered.ALTERATIONS)
def test_a_line_or_the_work_but_no_traceback(graphlang: Call, stranger: Callable[[str], Path], name: str) -> None:
    path = stranger(name)
    for verb in (("pages", path, "--format", "csv"), ("choose", path)):
        arguments = ("runs", path, "--choose", "1", "--format", "csv") if verb[0] == "choose" else verb
        before = sum(file.stat().st_size for file in path.parent.iterdir())
        result = graphlang(*arguments)
        assert result.exit_code in {0, 3, 4, 5}, result.output
        told = result.stderr.splitlines()
        if not result.exit_code:  # what the run has not seen may well be said of sources that somebody altered
            told = [line for line in told if ", which is shown: " not in line]
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
        (
            "a migration less",
            f"says that its schema is {VERSION}, which its list of {VERSION - 1} migrations does not bear out",
        ),
        ("two tables in one place", "keeps two tables in one place"),
        ("id 16777216 in pages", "has 16777216 in pages.id, where it can have 1 to"),
        ("id -1 in hosts", "has -1 in hosts.id, where it can have 1 to"),
        ("'many' ids given out", "says that pages has had 'many' ids, which the file cannot hold"),
        ("source 16777216 in links", "has 16777216 in links.source, where it can have 1 to 7"),
        ("another kind of link", "has other link_kinds than graphlang"),
        ("a journal that deletes", "would have another file deleted, and no graphlang wrote it: remove it"),
        ("of another program", "is not a graphlang database (it is a SQLite file of something else)"),
        ("schema of the future", "was made by a newer graphlang (schema 999; this one knows"),
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


@pytest.mark.parametrize("name", [*list(altered.ALTERATIONS)[::4], "all runs less"])
def test_what_is_repaired_is_sound_and_of_use(graphlang: Call, stranger: Callable[[str], Path], name: str) -> None:
    path = stranger(name)
    checked = graphlang("check", path)
    repaired = graphlang("check", path, "--repair")
    assert checked.exit_code in {0, 3}
    assert repaired.exit_code in {0, 3}, repaired.output
    assert not [file for file in path.parent.iterdir() if "-repair" in file.name]
    if repaired.exit_code == 0:
        assert (graphlang("check", path).stdout, graphlang("sites", path).exit_code) == ("", 0)
        assert bool(repaired.stdout) == (checked.exit_code == 3)
    else:
        assert len(repaired.stderr.splitlines()) == 1


def test_a_sound_collection_is_told_so_and_left_as_it_is(graphlang: Call, sound: Path) -> None:
    before = sound.read_bytes()
    for options in ((), ("--repair",)):
        result = graphlang("check", sound, *options)
        assert (result.exit_code, result.output) == (0, "")
    assert sound.read_bytes() == before


@pytest.mark.parametrize(
    ("statements", "found", "done"),
    [
        (
            ("DELETE FROM pages WHERE id = 2",),
            ("captures\tpage 2\tpage is 2, none of pages", "links\tsource 1, target 2\ttarget is 2, none of pages"),
            ("captures\t1 row whose page is none of pages: dropped", "runs\tpages of run 1: counted anew, 3"),
        ),
        (
            ("DELETE FROM runs WHERE id = 3",),
            ("chosen\tid 1\trun is 3, none of runs", "predictions\trun 3, page 1\trun is 3, none of runs"),
            ("chosen\t1 row whose run is none of runs: dropped", "chosen\trun 2, the newest"),
        ),
        (
            ("UPDATE runs SET seeds = '[3]' WHERE id = 3",),
            ("""runs\tid 3\truns.seeds is '[3]' instead of earlier runs than 3""",),
            ("runs\t1 that cannot be told, or start from none: dropped with their answers",),
        ),
        (
            ("UPDATE predictions SET confidence = 7 WHERE run = 1 AND page = 1",),
            ("predictions\trun 1, page 1\tconfidence is 7.0, outside 0 to 1.001",),
            ("predictions\t1 row left out, for confidence is not as declared",),
        ),
        (
            ("CREATE TRIGGER fills AFTER INSERT ON pages BEGIN DELETE FROM links; END", "DROP VIEW link_details"),
            ("schema\tfills\thas a trigger fills, which graphlang does not make",),
            ("schema\ttrigger fills: dropped", "schema\tview link_details: made anew"),
        ),
    ],
)
def test_findings_and_repairs_by_table_and_row(
    graphlang: Call, mine: Path, statements: tuple[str, ...], found: tuple[str, ...], done: tuple[str, ...]
) -> None:
    path = mine
    altered.sql(path, *statements)
    told = graphlang("check", path, "--format", "tsv")
    assert told.exit_code == 3
    assert set(found) <= set(told.stdout.splitlines())
    repaired = graphlang("check", path, "--repair", "--format", "tsv")
    assert set(done) <= set(repaired.stdout.splitlines())
    assert graphlang("check", path).exit_code == 0


def test_pages_that_lost_their_host_get_that_of_their_url(graphlang: Call, sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "stranger.db"
    shutil.copy(sound, path)
    before = graphlang("pages", path, "--format", "csv").stdout
    altered.sql(path, "DELETE FROM hosts")
    assert graphlang("check", path, "--repair").exit_code == 0
    with closing(open_existing(path)) as connection:
        assert connection.execute("SELECT host, domain, tld FROM hosts ORDER BY host").fetchall() == [
            ("musee.example", "musee.example", "example"),
            ("museum.example", "museum.example", "example"),
        ]
    assert graphlang("pages", path, "--format", "csv").stdout == before


def test_what_nobody_foresaw_is_told_as_what_is_wrong_with_the_database(
    graphlang: Call, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise TypeError("unforeseen")

    path = tmp_path / "stranger.db"
    shutil.copy(sound, path)
    monkeypatch.setattr("graphlang.maps.problems.count_problems", fails)
    with pytest.raises(TypeError, match="unforeseen"):  # the database is sound: a defect of the program
        graphlang("problems", path, "--count")
    altered.sql(path, "DELETE FROM texts WHERE page = 1", "UPDATE texts SET main = -3 WHERE page = 2")
    result = graphlang("problems", path, "--count")
    told = f"Error: {path} is unsound: texts (page 2): main is -3, outside 0 to 2147483647"
    assert (result.exit_code, result.stderr) == (3, f"{told} ('graphlang check' tells more)\n")


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
        "of a user's own, and not looked at: table notes, table visits, index by_words, index by_status, view Größen\n"
    )
    with closing(sqlite3.connect(mine)) as connection:
        assert connection.execute("SELECT words, size FROM notes").fetchall() == [("of Anna", 7)]
        assert connection.execute('SELECT SUM(pages) FROM "Größen"').fetchone()[0] > 3


def test_repair_says_that_tables_of_a_users_own_are_gone(graphlang: Call, mine: Path) -> None:
    altered.sql(mine, *OWN, "DELETE FROM pages WHERE id = 2")
    repaired = graphlang("check", mine, "--repair", "--format", "tsv")
    assert "schema\ttable notes, a user's own: dropped" in repaired.stdout.splitlines()
    assert (graphlang("check", mine).exit_code, graphlang("check", mine).output) == (0, "")


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
