"""What people say of pages, by the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Call = Callable[..., Result]

ANNA = "http://museum.example/anna.html"


@pytest.fixture
def db(run_museum: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("graphlang.db.corrections.get_time", lambda: "2026-11-22T10:00:00Z")
    path = tmp_path / "crawl.db"
    run_museum(path)
    return path


def test_correct_list_explain_and_undo(graphlang: Call, db: Path) -> None:
    before = graphlang("pages", db, "--format", "csv").stdout
    result = graphlang(
        *("correct", db, "HTTP://museum.example/anna.html#top", "http://museum.example/neu"),
        *("--language", "sw", "--by", "Asha", "--note", "Anna ni jina"),
    )
    assert result.exit_code == 0
    assert result.stderr == (
        "corrected: 1 page; 1 URL not in the database yet; run 'graphlang propagate' for their neighbours\n"
    )
    assert graphlang("corrections", db, "--format", "csv", "--limit", 1).stdout == (
        "url,language,script,corrected_by,note,corrected,former,former_confidence,undone,undone_by\n"
        f"{ANNA},swa,Latn,Asha,Anna ni jina,2026-11-22T10:00:00Z,deu,0.9782,,\n"
    )
    listed = graphlang("pages", db, "--format", "csv", "--language", "swa").stdout.splitlines()
    assert listed[1:] == [f"{ANNA},swa,Latn,1.0000,,,correction,1,200,6,swa,1.00,"]
    told = graphlang("explain", db, ANNA).stdout
    assert "answer      swa (Swahili) in Latn, confidence 1.000 (by hand)" in told
    said = "swa (Swahili) by Asha, 2026-11-22T10:00:00Z: Anna ni jina; before: deu, confidence 0.978"
    assert f"  corrected   {said}\n" in told
    assert "reasons     log-odds of swa: " in told
    (said,) = json.loads(graphlang("explain", db, ANNA, "--format", "json").stdout)["corrections"]
    assert (said["language"], said["corrected_by"], said["former"]) == ("swa", "Asha", "deu")
    counted = graphlang("info", db, "--format", "csv").stdout
    assert "corrections in force,,2\ncorrections in force,swa,2\ncorrections undone,,0\n" in counted
    result = graphlang("correct", db, ANNA, "--undo", "--by", "Ben")
    assert result.stderr == "undone: 1 correction; run 'graphlang propagate' for their neighbours\n"
    assert graphlang("pages", db, "--format", "csv").stdout == before
    history = graphlang("corrections", db, "--all", "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["undone_by"] for line in history] == ["Ben", None]


def test_what_was_said_does_nothing_to_a_terminal(graphlang: Call, db: Path) -> None:
    said = ("--language", "sw", "--by", "A\x1b[2Jsha", "--note", "x\x1b]0;y\u202e")
    assert graphlang("correct", db, ANNA, *said).exit_code == 0
    for shown in (graphlang("explain", db, ANNA).stdout, graphlang("corrections", db).stdout):
        assert "A\\x1b[2Jsha" in shown
        assert not set(shown) & {"\x1b", "\u202e"}


def test_a_host_and_a_list(graphlang: Call, db: Path, tmp_path: Path) -> None:
    assert graphlang("correct", db, "--host", "Musee.Example", "--language", "oc", "--by", "Asha").exit_code == 0
    listed = tmp_path / "checked.tsv"
    listed.write_text(f"# by phone\n{ANNA}\tcs\nhttp://museum.example/karten.html\n")
    result = graphlang("correct", db, "--from", listed, "--language", "de", "--by", "Asha", "-q")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [json.loads(line) for line in graphlang("corrections", db, "--format", "jsonl").stdout.splitlines()]
    assert {row["url"]: row["language"] for row in rows} == {
        "http://musee.example/": "oci",
        "http://musee.example/luc.html": "oci",
        ANNA: "ces",
        "http://museum.example/karten.html": "deu",
    }


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "nothing to correct: name a URL, --host or --from"),
        ([ANNA, "--language", "de"], "--by is missing"),
        ([ANNA, "--by", "Asha"], "--language is missing"),
        (["--host", "museum.example", "--by", "Asha"], "--language is missing"),
        ([ANNA, "--language", "arabc", "--by", "Asha"], "unknown language 'arabc'; did you mean arabic (ar)?"),
        (
            [ANNA, "--language", "xx", "--by", "Asha"],
            f"{ANNA}: unknown language 'xx' (known: ",
        ),
        (["museum", "--language", "de", "--by", "Asha"], "'museum' is not an http(s) URL"),
        (["--host", "b.example", "--language", "de", "--by", "Asha"], "the collection has no page of b.example"),
        ([ANNA, "--undo", "--language", "de"], "--undo takes neither --language nor --note"),
    ],
)
def test_what_cannot_be_taken_is_wrong_usage(graphlang: Call, db: Path, given: list[str], words: str) -> None:
    result = graphlang("correct", db, *given)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(graphlang("corrections", db, "--all", "--format", "csv").stdout.splitlines()) == 1


@pytest.mark.parametrize("code", ["und", "zxx"])
def test_reasons_are_of_the_language_that_they_speak_for(graphlang: Call, db: Path, code: str) -> None:
    assert graphlang("correct", db, ANNA, "--language", code, "--by", "Asha").exit_code == 0
    told = graphlang("explain", db, ANNA).stdout
    assert f"answer      {code} (" in told
    assert "reasons     log-odds of deu: " in told


def test_a_page_that_no_text_reaches_has_no_answer_and_that_is_said(
    graphlang: Call, write_warc: Callable[..., Path], museum: Path, tmp_path: Path
) -> None:
    alone = write_warc(tmp_path / "alone.warc.gz", [("http://192.0.2.7/1", b"<p>12<a href=2>34</a>")])
    path = tmp_path / "two.db"
    assert graphlang("run", museum, alone, "--db", path, "--workers", 1).exit_code == 0
    told = graphlang("explain", path, "http://192.0.2.7/2").stdout
    assert "answer      und (undetermined), confidence 0.000" in told
    assert "no evidence in the page, or in any page connected with it by links: no answer" in told
    assert "log-odds of und" not in told


def test_a_page_in_no_known_language_says_so(
    graphlang: Call, write_warc: Callable[..., Path], museum: Path, tmp_path: Path
) -> None:
    vai = f"<p>{'ꕉꕜꕮ ꔔꘋ ꖸ ꔰ ꗋꘋ ' * 30}".encode()
    crawl = write_warc(tmp_path / "vai.warc.gz", [("http://192.0.2.7/1", vai)])
    path = tmp_path / "two.db"
    assert graphlang("run", museum, crawl, "--db", path, "--workers", 1).exit_code == 0
    told = graphlang("explain", path, "http://192.0.2.7/1").stdout
    assert "answer      und (undetermined), confidence 0.000" in told
    assert "in no language that the method knows: no answer, and its links do not count, though " in told
