"""Where output may go: never over what is read, never half, never nothing in the place of something."""

import errno
import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from graphlang.files import OutputError, open_replacement, refuse_empty

Call = Callable[..., Result]


@pytest.fixture
def db(run_museum: Callable[[Path], Path], museum: Path) -> Path:
    path = run_museum(museum.with_name("crawl.db"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE sources SET name = ?", (str(museum),))  # the template read another copy
    return path


@pytest.mark.parametrize("name", ["crawl.db", "crawl.db-wal", "crawl.db-shm", "museum.warc.gz", "link.db", "hard.db"])
def test_what_is_read_is_not_written_over(graphlang: Call, db: Path, name: str) -> None:
    (db.parent / "link.db").symlink_to(db)
    os.link(db, db.parent / "hard.db")
    target = db.parent / name
    result = graphlang("pages", db, "--format", "csv", "-o", target)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: cannot write to {target}: it is ")
    assert not target.exists() or b"url,language" not in target.read_bytes()
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM pages").fetchone() == (6,)


def test_weights_and_models_replace_no_database_and_nothing_that_is_read(graphlang: Call, db: Path) -> None:
    folder, other = db.parent, db.parent / "other.db"
    other.write_bytes(db.read_bytes())
    gold, urls, texts = folder / "gold.tsv", folder / "urls.tsv", folder / "texts"
    gold.write_text("url\tlanguage\nhttp://museum.example/\tdeu\n", encoding="utf-8")
    urls.write_text("lang\turl\nde\thttp://a.example/\n", encoding="utf-8")
    (texts / "deu").mkdir(parents=True)
    words = [
        ("tune", db, "--gold", gold, "-o", db),
        ("tune", db, "--gold", gold, "-o", gold),
        ("tune", db, "--gold", gold, "--also", other, gold, "-o", other),
        ("train", db, texts),
        ("train", urls, urls, "--method", "url"),
        ("train", "--extend", "nfc", texts, "-o", db),
        ("export", db, "--what", "languages", "--format", "csv", "-o", other),
    ]
    before = {path: path.read_bytes() for path in (db, other, gold, urls)}
    for said in words:
        result = graphlang(*said)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.output
        assert result.stderr.startswith("Error: cannot write to ")
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_an_output_without_room_is_named(graphlang: Call, db: Path) -> None:
    result = graphlang("export", db, "--what", "pages", "--format", "csv", "-o", "/dev/full")
    assert (result.exit_code, result.stderr) == (4, "Error: /dev/full: No space left on device\n")


def test_a_file_without_room_is_named_and_what_stood_there_stays(tmp_path: Path) -> None:
    target = tmp_path / "pages.csv"
    target.write_text("before", encoding="utf-8")

    def write() -> None:
        with open_replacement(target) as file:
            file.write(b"half")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space left") as raised:
        write()
    assert raised.value.filename == str(target)
    assert target.read_text(encoding="utf-8") == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_an_output_without_a_folder_is_told_before_the_work(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    target = tmp_path / "no" / "report.html"
    result = graphlang("run", museum, "--db", tmp_path / "new.db", "--report", target)
    assert (result.exit_code, result.stderr) == (2, f"Error: {target}: No such file or directory\n")
    assert list(tmp_path.glob("new.db*")) == []
    texts = tmp_path / "texts"
    texts.mkdir()
    result = graphlang("train", tmp_path / "no" / "my.npz", texts)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_an_empty_list_replaces_no_file(graphlang: Call, db: Path) -> None:
    target = db.parent / "oci.csv"
    made = graphlang("pages", db, "--language", "oci", "--format", "csv", "-o", target)
    assert made.exit_code == 0
    assert target.read_text(encoding="utf-8").startswith("url,language,")
    again = graphlang("pages", db, "--language", "oci", "--format", "csv", "-o", target)
    assert (again.exit_code, again.stderr) == (1, f"Error: {target} is left as it is: there is nothing to write\n")
    assert [path.name for path in db.parent.glob(".*")] == []


def test_an_empty_archive_replaces_no_archive(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.warc"
    empty.write_bytes(b"")
    before = museum.read_bytes()
    result = graphlang("convert", empty, museum)
    assert result.exit_code == 1
    assert museum.read_bytes() == before
    assert "left as it is" in result.stderr


def test_what_fails_halfway_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("before", encoding="utf-8")
    target.chmod(0o640)

    def fail() -> None:
        with open_replacement(target) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_text(encoding="utf-8") == "before"
    with open_replacement(target) as file:
        file.write(b"whole")
    assert (target.read_text(encoding="utf-8"), target.stat().st_mode & 0o777) == ("whole", 0o640)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_links_are_followed_and_devices_written_to(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("before", encoding="utf-8")
    link.symlink_to(real)
    with open_replacement(link) as file:
        file.write(b"after")
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "after"
    with open_replacement(Path(os.devnull)) as file:
        file.write(b"gone")
    assert not Path(os.devnull).is_file()


def test_nothing_may_stand_where_nothing_stood(tmp_path: Path) -> None:
    refuse_empty(tmp_path / "missing")
    (tmp_path / "empty").touch()
    refuse_empty(tmp_path / "empty")
    (tmp_path / "full").write_text("x", encoding="utf-8")
    with pytest.raises(OutputError, match="full is left as it is"):
        refuse_empty(tmp_path / "full")


def test_run_counts_languages_of_pages_that_were_read(graphlang: Call, db: Path, museum: Path) -> None:
    connection = sqlite3.connect(db)  # the URL that was never fetched is given a language of its own
    (label,) = connection.execute("SELECT id FROM labels WHERE label = 'oci'").fetchone()
    (page,) = connection.execute("SELECT id FROM pages WHERE url LIKE '%nie-geholt%'").fetchone()
    connection.execute("UPDATE predictions SET label = ? WHERE page = ?", (label, page))
    connection.commit()
    connection.close()
    shown = graphlang("run", museum, "--db", db, "--workers", 1)
    assert "5 pages read in 2 languages, 0 of them undetermined; 1 more only linked to" in shown.stdout


def test_a_folder_and_a_missing_folder_are_refused_in_one_line(graphlang: Call, db: Path) -> None:
    assert graphlang("pages", db, "-o", db.parent).exit_code == 2
    missing = graphlang("pages", db, "-o", db.parent / "no" / "x.csv")
    assert missing.exit_code == 2
    assert missing.stderr.count("\n") == 1


def test_a_link_in_a_circle_is_told_in_a_line(graphlang: Call, db: Path, museum: Path) -> None:
    loop = db.parent / "loop.warc"
    loop.symlink_to(loop.name)
    circle = "Too many levels of symbolic links"
    for said in (
        ("export", db, "--what", "pages", "--format", "csv", "-o", loop),
        ("report", db, "-o", loop),
        ("convert", museum, loop),
        ("run", museum, "--db", db, "--report", loop),
    ):
        result = graphlang(*said)
        assert (result.exit_code, result.stderr) == (2, f"Error: {loop}: {circle}\n")
    result = graphlang("run", museum, "--db", loop)
    assert (result.exit_code, result.stderr) == (3, f"Error: {loop} is a link that leads back to itself\n")
    assert loop.is_symlink()
    assert not list(db.parent.glob("loop.warc-lock"))


def test_what_no_report_can_be_written_to_is_refused_before_the_work(
    graphlang: Call, museum: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as taken:
        taken.bind("taken")
        for target in ("", "taken"):
            assert graphlang("run", museum, "--db", "new.db", "--report", target).exit_code == 2
    assert not (tmp_path / "new.db").exists()


def test_a_pipe_that_has_no_path_is_written_to_as_it_is() -> None:
    """/dev/stdout, where standard output is a pipe, is a link to such a one."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as other:
        with open_replacement(Path(f"/dev/fd/{writing}")) as file:
            file.write(b"whole")
        os.close(writing)
        assert other.read() == b"whole"


@pytest.mark.parametrize(
    ("said", "name", "begins"),
    [
        (("pages",), "a.csv", "url,language,"),
        (("pages",), "a.TSV", "url\tlanguage\t"),
        (("sites",), "a.jsonl", '{"site": '),
        (("languages",), "a.txt", "language  name"),
        (("pages", "--format", "tsv"), "a.csv", "url\tlanguage\t"),
        (("review",), "a.tsv", "url\tlanguage\t"),
        (("texts",), "a.txt", "Das Museum"),
        (("texts",), "a.lst", '{"url": '),
        (("language-graph",), "a.gexf", "<?xml "),
        (("language-graph",), "a.json", "{"),
    ],
    ids=str,
)
def test_the_name_of_a_file_says_its_format(
    graphlang: Call, db: Path, said: tuple[str, ...], name: str, begins: str
) -> None:
    target = db.parent / name
    assert graphlang(said[0], db, *said[1:], "-o", target).exit_code == 0
    assert target.read_text(encoding="utf-8").startswith(begins)
