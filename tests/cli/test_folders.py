"""What of a folder is read, and what is said of the rest; a command that fails at once leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

import graphlang as gl
from graphlang.db import InputError

Call = Callable[..., Result]
ADDRESS = "an address: graphlang fetches nothing, it reads files on this machine"


@pytest.fixture
def folder(museum: Path, tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    shutil.copy(museum, made / "part-00001")
    (made / "notes.txt").write_text("no archive")
    (made / "passwd.warc").symlink_to("/etc/passwd")
    return made


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_passed_over_is_counted_and_named_where_the_user_wants_it(
    graphlang: Call, folder: Path, tmp_path: Path
) -> None:
    counted = graphlang("ingest", tmp_path / "a.db", folder, "--workers", 1)
    assert counted.exit_code == 0
    skipped = "skipped: 2 files (no archive: 1, symbolic link: 1); --verbose names them"
    assert counted.stderr.splitlines()[0] == skipped
    assert "read 1 file: 5 captures" in counted.stderr
    named = graphlang("ingest", tmp_path / "b.db", folder, "--workers", 1, "--verbose")
    assert named.stderr.splitlines()[:2] == [
        f"skipped: {folder}/notes.txt (no archive)",
        f"skipped: {folder}/passwd.warc (symbolic link)",
    ]
    followed = graphlang("ingest", tmp_path / "c.db", folder, "--workers", 1, "--follow-links")
    assert followed.exit_code == 1  # /etc/passwd is no archive
    assert "skipped: 1 file (no archive: 1); --verbose names them" in followed.stderr
    assert not graphlang("ingest", tmp_path / "d.db", folder, "--workers", 1, "-q").stderr


@pytest.mark.parametrize("verb", ["run", "ingest"])
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("nosuch", "cannot read nosuch: no such file or folder"),
        ("no*such", "cannot read no*such: no such file or folder"),
        (
            "http://a.example/x.warc.gz",
            "cannot read http://a.example/x.warc.gz: " + ADDRESS,
        ),
        (
            "/dev/null",
            "cannot read /dev/null: a stream, and a file is read twice: pass it to standard input (-)",
        ),
    ],
)
def test_a_file_that_is_not_there_leaves_no_database(
    graphlang: Call, empty: Path, verb: str, file: str, words: str
) -> None:
    for arguments in ((file,), ("--from", "list.txt")):
        Path("list.txt").write_text(f"{file}\n")
        given = ("run", "--db", "new.db") if verb == "run" else ("ingest", "new.db")
        result = graphlang(*given, *arguments, "--workers", 2)
        assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"Error: {words}")
        assert [path.name for path in empty.iterdir()] == ["list.txt"]


@pytest.mark.parametrize("verb", [("run", "--db", "new.db"), ("ingest", "new.db")])
def test_an_empty_name_is_not_the_working_folder(graphlang: Call, empty: Path, verb: tuple[str, ...]) -> None:
    (empty / "a.jsonl").write_text('{"url": "http://a.example/", "text": "page"}\n')
    result = graphlang(*verb, "", "--workers", 1)
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (
        2,
        "Error: Invalid value for '[FILES]...': an empty name is not a file or folder",
    )
    assert not (empty / "new.db").exists()


def test_the_library_leaves_no_database_either(tmp_path: Path) -> None:
    with gl.open(tmp_path / "new.db") as crawl, pytest.raises(InputError, match="no such file"):
        crawl.ingest(tmp_path / "nosuch")
    assert not list(tmp_path.iterdir())


def test_the_library_follows_links_where_it_is_told_to(folder: Path, tmp_path: Path) -> None:
    with gl.open(tmp_path / "a.db") as crawl:
        done = crawl.ingest(folder)
        assert [(one.path.name, one.reason) for one in done.skipped] == [
            ("notes.txt", "no archive"),
            ("passwd.warc", "symbolic link"),
        ]
        assert [one.path.name for one in crawl.ingest(folder, follow_links=True).skipped] == ["notes.txt"]
    assert {type(one).__name__ for one in gl.read(folder)} == {"Page"}
    assert {type(one).__name__ for one in gl.read(folder, follow_links=True)} == {"Page", "Problem"}


def test_standard_input_comes_where_it_is_named(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"url": "http://b.example/", "text": "page"}\n')
    result = graphlang("ingest", tmp_path / "a.db", other, "-", museum, "--workers", 1, input_=museum.read_bytes())
    assert result.exit_code == 0
    assert result.stderr.splitlines()[0] == f"already read: {museum}"
    with gl.open(tmp_path / "a.db") as crawl:
        sources = [Path(row["name"]).name for row in crawl.db.query("SELECT name FROM sources ORDER BY id")]
    assert sources == ["other.jsonl", "-"]


def test_the_database_is_no_archive_of_its_own(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    """As where a shell puts it into a pattern: ``graphlang run * --db crawl.db``, the second time."""
    db = tmp_path / "crawl.db"
    graphlang("ingest", db, museum, "--workers", 1)
    again = tmp_path / "again.db"
    again.symlink_to(db)
    for _ in range(2):
        told = graphlang("ingest", db, museum, db, again, "--workers", 1)
        assert told.exit_code == 0
        assert "skipped: 2 files (the database: 2); --verbose names them" in told.stderr
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM sources").fetchall() == [(1,)]
        assert connection.execute("SELECT COUNT(*) FROM problems").fetchall() == [(0,)]
    assert f"skipped: {db} (the database)" in graphlang("ingest", db, db, "--verbose", "--workers", 1).stderr


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems take names in UTF-8 alone")
def test_a_database_whose_name_is_no_utf_8(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / os.fsdecode(b"caf\xe9.db")
    assert graphlang("run", museum, "--db", db).exit_code == 0
    again = graphlang("run", museum, db, "--db", db)
    assert again.exit_code == 0
    assert "skipped: 1 file (the database: 1)" in again.stderr
    assert "6" in graphlang("info", db, "--format", "csv").stdout
    for what in ("report.html", "pages.csv"):
        target = tmp_path / os.fsdecode(b"\xe9" + what.encode())
        verb = ("report", db) if what == "report.html" else ("export", db, "--what", "pages", "--format", "csv")
        assert graphlang(*verb, "-o", target).exit_code == 0
        assert target.stat().st_size


def test_names_where_the_locale_has_no_letters_for_them(museum: Path, tmp_path: Path) -> None:
    inherited = {name: value for name, value in os.environ.items() if name not in ("LANG", "LC_CTYPE")}
    ascii_alone = {**inherited, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    archive = tmp_path / "žižka.warc.gz"
    archive.write_bytes(museum.read_bytes())
    call = [sys.executable, "-P", "-c", "from graphlang.cli import main; main()", "run", archive, "--db", "ñ.db", "-q"]
    done = subprocess.run(call, cwd=tmp_path, env=ascii_alone, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    with closing(sqlite3.connect(tmp_path / "ñ.db")) as connection:
        assert connection.execute("SELECT name FROM sources").fetchall() == [(str(archive),)]
