"""Whatever a user hands over: one clear line, the right exit code, nothing lost, no traceback."""

import gzip
import re
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from graphlang.cli.main import EXTRA, cli
from graphlang.collection import computing
from graphlang.db import create

Call = Callable[..., Result]


def problems(db: Path) -> list[tuple[str, str | None]]:
    connection = sqlite3.connect(db)
    found = connection.execute("SELECT kind, url FROM problems ORDER BY id").fetchall()
    connection.close()
    return found


def count(db: Path, table: str) -> int:
    connection = sqlite3.connect(db)
    found = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
    connection.close()
    return int(found)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.warc", b"just some notes, no archive"),
        ("empty.warc.gz", b""),
        ("half.warc.gz", gzip.compress(b"", mtime=0)[:9]),
    ],
)
def test_a_file_that_is_no_archive_is_a_problem_and_the_others_are_read(
    graphlang: Call, museum: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    bad, db = tmp_path / name, tmp_path / "crawl.db"
    bad.write_bytes(content)
    result = graphlang("run", bad, museum, "--db", db, "--workers", 1)
    assert result.exit_code == 1
    assert "graphlang problems" in result.stderr
    assert len(problems(db)) == 1
    assert count(db, "captures") == 5
    listed = graphlang("problems", db, "--format", "tsv")
    assert str(bad) in listed.stdout
    assert listed.exit_code == 0


def test_a_truncated_gzip_keeps_all_that_came_before(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    half, db = tmp_path / "half.warc.gz", tmp_path / "crawl.db"
    half.write_bytes(museum.read_bytes()[:-40])
    result = graphlang("run", half, "--db", db, "--workers", 1)
    assert result.exit_code == 1
    # Of the last of the five records only the end is missing: whether it still counts is the reader's to say.
    assert count(db, "captures") >= 4
    assert len(problems(db)) == 1


def test_a_file_that_does_not_exist(graphlang: Call, tmp_path: Path) -> None:
    result = graphlang("run", tmp_path / "none.warc.gz", "--db", tmp_path / "crawl.db")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert "none.warc.gz" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_no_files_at_all_is_wrong_usage(graphlang: Call, tmp_path: Path) -> None:
    assert graphlang("run", "--db", tmp_path / "crawl.db").exit_code == 2
    assert graphlang("ingest", tmp_path / "crawl.db").exit_code == 2


@pytest.mark.parametrize("count", [(), ("--count",)])
def test_a_kind_of_problem_that_there_is_none_of_is_an_empty_list(
    graphlang: Call, tmp_path: Path, count: tuple[str, ...]
) -> None:
    """A question whether anything was truncated is answered, and a mistyped kind is an error."""
    db, archive = tmp_path / "crawl.db", tmp_path / "none.txt"
    archive.write_bytes(b"no archive at all")
    graphlang("ingest", db, archive, "-q")
    found = graphlang("problems", db, "--kind", "not-an-archive", *count, "--format", "tsv")
    assert (found.exit_code, found.stderr, found.stdout.count("\n")) == (0, "", 2)
    none = graphlang("problems", db, "--kind", "truncated", *count, "--format", "tsv")
    assert (none.exit_code, none.stdout.count("\n")) == (0, 1)
    assert none.stderr == "no problem of kind 'truncated'; there are: not-an-archive\nno problems\n"


@pytest.mark.parametrize("verb", ["pages", "sites", "runs", "problems", "info", "classify", "vote", "propagate"])
def test_a_database_that_is_none(graphlang: Call, tmp_path: Path, verb: str) -> None:
    none = tmp_path / "none.db"
    missing = graphlang(verb, none)
    assert missing.exit_code == 3
    assert missing.stderr == f"Error: no such database: {none} ('graphlang run FILES --db {none}' makes one)\n"
    notes = tmp_path / "notes.db"
    notes.write_text("no database, only words " * 50)
    other = graphlang(verb, notes)
    assert (other.exit_code, len(other.stderr.splitlines())) == (3, 1)
    assert "not a graphlang database" in other.stderr


@pytest.mark.parametrize("verb", ["info", "check", "pages", "classify", "propagate", "report"])
def test_an_empty_file_is_no_database_and_becomes_none(graphlang: Call, tmp_path: Path, verb: str) -> None:
    db = tmp_path / "empty.db"
    db.touch()
    result = graphlang(verb, db, *(["-o", tmp_path / "report.html"] if verb == "report" else []))
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith(f"Error: {db} is empty: ")
    assert db.stat().st_size == 0


@pytest.mark.parametrize("verb", ["pages", "sites", "review", "frontier"])
def test_rows_that_cannot_be_read_have_no_header_either(graphlang: Call, tmp_path: Path, verb: str) -> None:
    result = graphlang(verb, tmp_path / "none.db", "--format", "csv")
    assert (result.exit_code, result.stdout) == (3, "")


@pytest.mark.parametrize(
    "said",
    [
        ("pages", "--below", "nan"),
        ("pages", "--min-confidence", "nan"),
        ("sites", "--below", "nan"),
        ("propagate", "--rounds", "0"),
        ("propagate", "--tolerance", "inf"),
        ("ingest", "x.warc", "--max-seconds", "nan"),
        ("pages", "--language", ""),
        ("pages", "--language", "deu", "--language", " , "),
        ("sites", "--language", ","),
        ("texts", "--language", ""),
        ("languages", "--method", "cld2"),
        ("languages", "--known"),
        ("propagate", "--algorithm", "label-spreading", "--neighbours", "2"),
        ("propagate", "--algorithm", "label-spreading", "--weights", "w.json"),
        ("evaluate", "--gold", "gold.tsv", "--run", "1", "--all-runs"),
    ],
    ids=" ".join,
)
def test_values_that_are_none_and_options_that_would_do_nothing(
    graphlang: Call, tmp_path: Path, said: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    db = tmp_path / "crawl.db"
    create(db).close()
    Path("w.json").write_text("{}", encoding="utf-8")
    result = graphlang(said[0], db, *said[1:])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: " in result.stderr


@pytest.mark.parametrize("said", [("--by", "year"), ("--below", "0.3"), ("--all",)], ids=" ".join)
def test_what_a_model_knows_has_no_pages(graphlang: Call, said: tuple[str, ...]) -> None:
    assert graphlang("languages", "--known", *said).exit_code == 2


@pytest.mark.parametrize("method", ["url", "declared", "tld", "url-words-nb or url-cctld"])
def test_run_says_what_a_method_is_that_reads_no_text(
    graphlang: Call, museum: Path, tmp_path: Path, method: str
) -> None:
    result = graphlang("run", museum, "--db", tmp_path / "crawl.db", "--method", method)
    assert result.exit_code == 2
    assert f"Error: {method} reads no text" in result.stderr
    assert list(tmp_path.glob("crawl.db*")) == []


def test_an_archive_without_pages_and_words_of_links_that_were_not_kept(
    graphlang: Call, write_warc: Callable[..., Path], tmp_path: Path
) -> None:
    files = write_warc(tmp_path / "files.warc.gz", [("file:///home/a/x.html", b"<p>Nebel"), ("urn:x:y", b"<p>Tal")])
    db = tmp_path / "crawl.db"
    result = graphlang("ingest", db, files, "--workers", 1)
    assert result.exit_code == 0
    assert "no captures in it: only records with http and https URLs are pages\n" in result.stderr
    linked = write_warc(tmp_path / "b.warc.gz", [("http://b.example/", b"<a href=/c>Die Karte des Hafens</a>")])
    result = graphlang("ingest", db, linked, files, "--workers", 1)
    assert "is a page: pages are" not in result.stderr
    words = f"{db} has no words of links: 'graphlang ingest --again --anchor-texts' keeps them\n"
    assert graphlang("classify", db, "--anchors").stderr.startswith(words)
    assert graphlang("ingest", db, linked, "--again", "--anchor-texts", "--workers", 1).exit_code == 0
    assert words not in graphlang("classify", db, "--anchors").stderr


def test_steps_out_of_order_say_what_to_do_first(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    graphlang("ingest", db, museum, "--workers", 1)
    for verb in (["vote", db], ["propagate", db], ["evaluate", db, "--gold", museum]):
        result = graphlang(*verb)
        assert result.exit_code == 3
        assert "run 'graphlang classify' first" in result.stderr
    assert graphlang("pages", db, "--format", "csv").exit_code == 0


def test_a_full_disk_keeps_what_was_written_and_the_command_goes_on_later(
    graphlang: Call, museum: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "crawl.db"

    def small(path: Path, **how: Any) -> sqlite3.Connection:
        connection = create(path, **how)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        return connection

    with monkeypatch.context() as patched:
        patched.setattr(computing, "create", small)
        result = graphlang("run", museum, "--db", db, "--workers", 1)
    assert result.exit_code == 4
    assert "the disk is full" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert graphlang("run", museum, "--db", db, "--workers", 1).exit_code == 0
    assert count(db, "captures") == 5


def test_an_empty_collection_is_answered_not_refused(graphlang: Call, tmp_path: Path) -> None:
    archive, db = tmp_path / "info-only.warc", tmp_path / "crawl.db"
    archive.write_bytes(
        b"WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2026-11-21T00:00:00Z\r\n"
        b"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    )
    result = graphlang("run", archive, "--db", db, "--workers", 1)
    assert result.exit_code == 0, result.output
    assert "0 pages read in 0 languages" in result.stdout
    assert graphlang("sites", db).exit_code == 0


def test_models_that_are_none(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db, model = tmp_path / "crawl.db", tmp_path / "model.npz"
    graphlang("ingest", db, museum, "--workers", 1)
    model.write_bytes(b"PK\x03\x04 not really")
    for method in (str(model), "no-such-method"):
        result = graphlang("classify", db, "--method", method)
        assert (result.exit_code, len(result.stderr.splitlines())) == (3, 1), result.output


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        (b"", (2, "no column url")),
        (b"address\tlanguage\n", (2, "no column url")),
        (b"url\tlanguage\n\xff\xfe\n", (2, "cannot read")),
        (b"url\tlanguage\nhttp://museum.example/\n", (2, "line 2: another number of columns")),
        (b"url\tlanguage\nhttp://elsewhere.example/\tde\n", (3, "is in this database: 1 URL that it does not have")),
        (
            b"url\tlanguage\nhttp://elsewhere.example/\tde\nhttp://museum.example/\t??\n",
            (3, "1 URL that it does not have, and 1 line with an unknown language code"),
        ),
    ],
)
def test_gold_files_that_are_none(
    graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path, gold: bytes, expected: tuple[int, str]
) -> None:
    db, file = tmp_path / "crawl.db", tmp_path / "gold.tsv"
    run_museum(db)
    file.write_bytes(gold)
    result = graphlang("evaluate", db, "--gold", file)
    code, words = expected
    assert words in result.stderr
    assert (result.exit_code, len(result.stderr.splitlines()), result.stdout) == (code, 1, "")


def test_hostile_words_reach_the_terminal_only_as_escapes(
    graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path
) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    connection = sqlite3.connect(db)
    connection.execute("UPDATE texts SET title = char(27) || ']0;owned' || char(7) || '[bold]x[/bold]' WHERE page = 1")
    connection.execute("INSERT INTO problems VALUES (NULL, 1, NULL, 'a' || char(9) || 'b', 'k', char(27) || '[2J')")
    connection.commit()
    connection.close()
    result = graphlang("explain", db, "http://museum.example/")
    assert "\x1b" not in result.stdout
    assert "\\x1b]0;owned\\x07[bold]x[/bold]" in result.stdout
    for format_ in ("table", "tsv"):
        listed = graphlang("problems", db, "--format", format_)
        assert "\x1b" not in listed.stdout
    assert "a\\tb" in listed.stdout


LARGE = 10**20


@pytest.fixture
def db(make_collection: Callable[..., Path], written: Any) -> Path:
    return make_collection([written("http://a.example/", "deu", 0.9, text="Ein Haus am See.")])


@pytest.mark.parametrize(
    "words",
    [
        ("pages", "--limit", LARGE),
        ("problems", "--limit", LARGE),
        ("sites", "--min-length", LARGE),
        ("texts", "--max-length", LARGE),
        ("sites", "--status", LARGE),
        ("frontier", "--run", LARGE),
        ("runs", "--choose", LARGE),
        ("compare", LARGE, 1),
        ("propagate", "--seed", LARGE),
        ("vote", "--max-links", LARGE),
        ("review", "--count", LARGE),
        ("texts", "--limit", LARGE),
        ("ingest", "--text-limit", LARGE),
        ("ingest", "--max-payload", LARGE),
        ("ingest", "--max-payload", 2**62),  # megabytes
    ],
)
def test_a_number_that_is_too_large_is_refused_in_a_line(graphlang: Call, db: Path, words: tuple[Any, ...]) -> None:
    result = graphlang(words[0], db, *words[1:])
    assert result.exit_code == 2
    assert f"{max(word for word in words if isinstance(word, int))} is " in result.stderr


def test_the_largest_number_is_taken(graphlang: Call, db: Path) -> None:
    assert graphlang("pages", db, "--limit", sys.maxsize).exit_code == 0
    result = graphlang("compare", db, 2**63 - 1, 1)
    assert result.exit_code == 3
    assert result.stderr == f"Error: there is no run {2**63 - 1} in this database ('graphlang runs' lists them)\n"


@pytest.mark.parametrize("name", ["pages.xlsx", "pages.JSON", "pages.parquet"])
def test_a_name_that_promises_another_format(graphlang: Call, db: Path, name: str) -> None:
    target = db.parent / name
    result = graphlang("pages", db, "-o", target)
    assert result.exit_code == 2
    assert "is not one of 'table', 'csv', 'tsv', 'jsonl'" in result.stderr
    assert not target.exists()
    assert graphlang("pages", db, "-o", target, "--format", "csv").exit_code == 0


def test_a_flag_of_its_own_says_json(graphlang: Call, tmp_path: Path) -> None:
    assert graphlang("methods", "nfc-2004", "--json", "-o", tmp_path / "card.json").exit_code == 0
    assert (tmp_path / "card.json").read_bytes().startswith(b"{")


@pytest.mark.parametrize("name", ["pages.xlsx", "pages.json"])
def test_an_export_with_such_a_name(graphlang: Call, db: Path, name: str) -> None:
    target = db.parent / name
    result = graphlang("export", db, "--what", "pages", "-o", target)
    assert result.exit_code == 2
    assert f"{name}: pages comes as csv, tsv, jsonl, parquet, gexf, graphml" in result.stderr
    assert not target.exists()
    assert graphlang("export", db, "--what", "pages", "-o", target, "--format", "csv").exit_code == 0
    assert graphlang("export", db, "--what", "pages", "-o", db.parent / "pages.lst").exit_code == 0


def test_a_gold_file_that_is_no_text(graphlang: Call, db: Path) -> None:
    result = graphlang("evaluate", db, "--gold", db.with_suffix(".npz"))
    assert result.exit_code == 2
    gold = db.parent / "gold.tsv"
    gold.write_bytes(b"url\tlanguage\nhttp://a.example/\xf6\tdeu\n")
    result = graphlang("evaluate", db, "--gold", gold)
    assert (result.exit_code, result.stderr) == (2, f"Error: cannot read {gold}: not a text in UTF-8\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--mime", "html"), "'html' is not a media type, such as text/html or image/*"),
        (("--mime", "text/html,"), "'' is not a media type"),
        (("--mime", "*/html"), "'*/html' is not a media type"),
        (("--min-length", 9, "--max-length", 8), "no page has 9 characters or more and 8 or fewer"),
    ],
)
def test_a_selection_that_can_hold_nothing_is_refused(
    graphlang: Call, db: Path, words: tuple[Any, ...], complaint: str
) -> None:
    for verb in ("sites", "texts"):
        result = graphlang(verb, db, *words)
        assert (result.exit_code, complaint in result.stderr) == (2, True), result.stderr


def test_a_selection_of_one_length_and_of_a_kind_of_media_types(graphlang: Call, db: Path) -> None:
    length = len("Ein Haus am See.")
    words = ("--min-length", length, "--max-length", length, "--mime", "Text/*")
    assert graphlang("texts", db, *words).stdout.count("http://a.example/") == 1
    assert not graphlang("texts", db, "--mime", "image/*").stdout


def test_texts_end_where_the_limit_says(graphlang: Call, db: Path) -> None:
    assert [len(graphlang("texts", db, "--limit", most).stdout.splitlines()) for most in (0, 1, 2)] == [0, 1, 1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("pages", "--db", "crawl.db"),
            "No such option '--db': name the database without it, 'graphlang pages crawl.db'",
        ),
        (("ingest", "a.warc.gz"), "no files to read into a.warc.gz: name some, or a list of them with --from"),
        (("export", "crawl.db", "-o", "a.csv"), "Missing option '--what'. Choose from: pages, sites, links,"),
        (("pages", "crawl.db", "--limit", "few"), "Invalid value for '--limit': 'few' is not a valid whole number."),
        (("pages", "crawl.db", "--below", "few"), "Invalid value for '--below': 'few' is not a valid number."),
        (("pages", "crawl.db", "--language", "qqq"), "unknown language 'qqq' (known: graphlang languages --known)"),
        (("sites", "crawl.db", "--by", "domain", "year"), "(year): units are separated by commas (--by domain,year)"),
        (("remove", "crawl.db", "http://a.example/"), "(http://a.example/): --url names a URL, --host a host"),
        (("pages", "crawl.db", "swa"), "Got unexpected extra argument (swa): --language names a language"),
        (("sites", "crawl.db", "--by", "hosts"), "'hosts': name one or several of host, domain,"),
        (("texts", "crawl.db", "-o", "{lang}.txt"), "{lang} in a file name has no meaning; {language} makes a file"),
    ],
)
def test_a_slip_gets_a_line_with_the_way_out(graphlang: Call, words: tuple[str, ...], message: str) -> None:
    result = graphlang(*words)
    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(("verb", "hint"), EXTRA.items())
def test_options_that_an_argument_too_many_may_mean_exist(verb: str, hint: str) -> None:
    options = {name for param in cli.commands[verb].params for name in param.opts}
    assert set(re.findall(r"--?\w+", hint)) <= options


@pytest.mark.parametrize(
    "words", [("pages",), ("texts",), ("language-graph",), ("export", "--what", "hosts", "-o", "-")]
)
def test_verbs_name_the_step_that_is_missing(
    graphlang: Call, museum: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    db = tmp_path / "crawl.db"
    assert graphlang("ingest", db, museum).exit_code == 0
    result = graphlang(words[0], db, *words[1:])
    assert result.exit_code == 0
    assert f"nothing is classified yet, so pages are und: graphlang classify {db}\n" in result.stderr


def test_a_run_without_pages_prints_no_empty_tables(graphlang: Call, tmp_path: Path) -> None:
    text, db = tmp_path / "a.txt", tmp_path / "crawl.db"
    text.write_text("no archive")
    result = graphlang("run", text, "--db", db)
    summary = "0 pages read in 0 languages, 0 of them undetermined; 0 more only linked to"
    assert result.stdout.splitlines() == [summary, f"database: {db}"]
    assert f"1 problem: 'graphlang problems {db}' lists it\n" in result.stderr
    assert "unknown format: 'graphlang ingest --help' lists the formats" in graphlang("problems", db).stdout
