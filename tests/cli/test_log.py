"""Messages of verbs on standard error: lines without a terminal, JSON for programs, and none with --quiet."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import click
import pytest

from graphlang.analysis import linked
from graphlang.cli.shared import log, progress
from graphlang.cli.shared.progress import Lines, bars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Call = Callable[..., Result]


def parse_log(result: Result) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [json.loads(line) for line in result.stderr.splitlines()]
    return lines


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_EVERY", 0.05)


def lines_until(capsys: pytest.CaptureFixture[str], lines: int) -> str:
    """Return the content of standard error once it has this number of lines, which may take a while."""
    written = ""
    while written.count("\n") < lines:
        time.sleep(0.01)
        written += capsys.readouterr().err
    return written


@pytest.mark.usefixtures("quick")
def test_a_line_every_few_seconds_also_while_nothing_advances(capsys: pytest.CaptureFixture[str]) -> None:
    with bars() as shown:
        shown.stage("classify", 4000, "pages")
        shown.advance(1000)
        written = lines_until(capsys, 4)
        shown.stage("vote", None, "pages")
    written += capsys.readouterr().err
    _, *lines = (line for line in written.splitlines() if not line.startswith("vote: "))  # the first may be of before
    assert len(lines) >= 3
    assert all(line.startswith("classify: 1,000 of 4,000 pages (25 %), ") for line in lines[:-1])
    assert all(line.endswith(" left") for line in lines[:-1])
    assert re.fullmatch(r"classify: done in \d+:\d\d", lines[-1])
    assert set(shown.seconds) == {"classify", "vote"}


def test_short_work_needs_no_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with bars() as shown:
        shown.stage("classify", 4000, "pages")
        shown.advance(4000)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("quick")
def test_lines_end_with_the_work_also_where_it_fails(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        with bars() as shown:
            shown.stage("classify", 4000, "pages")
            raise OSError("x")

    with pytest.raises(OSError, match="x"):
        work()
    capsys.readouterr()
    time.sleep(0.2)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("quick")
def test_lines_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines(as_json=True)
    lines.stage("ingest", 8_000_000, "bytes")
    lines.advance(2_000_000, pages=100, problems=1)
    written = lines_until(capsys, 3)
    lines.end()
    lines.close()
    _, first, *_, last = map(json.loads, (written + capsys.readouterr().err).splitlines())
    assert (first["event"], first["stage"], first["done"], first["total"]) == ("progress", "ingest", 2e6, 8e6)
    assert (first["pages"], first["problems"], first["rate_unit"]) == (100, 1, "pages/s")
    assert first["seconds_left"] == pytest.approx(3 * first["seconds"], abs=0.3)
    assert (last["event"], last["stage"]) == ("stage done", "ingest")


def test_quiet_prints_nothing_at_all(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db, report = tmp_path / "crawl.db", tmp_path / "crawl.html"
    calls: list[tuple[object, ...]] = [
        ("ingest", db, museum, "--workers", 1),
        ("classify", db),
        ("vote", db),
        ("propagate", db),
        ("run", museum, "--db", db, "--workers", 1, "--report", report),
        ("convert", museum, tmp_path / "crawl.store"),
        ("remove", db, "--url", "http://musee.example/luc.html"),
    ]
    for call in calls:
        result = graphlang(*call, "--quiet")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", ""), call
    assert report.exists()


def test_quiet_says_problems_by_the_exit_code_and_errors_in_words(graphlang: Call, tmp_path: Path) -> None:
    bad = tmp_path / "bad.warc"
    bad.write_bytes(b"no archive")
    result = graphlang("ingest", tmp_path / "crawl.db", bad, "-q", "--workers", 1)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "")
    result = graphlang("vote", tmp_path / "none.db", "-q")
    assert (result.exit_code, result.stderr.startswith("Error: no such database")) == (3, True)


def test_summary_for_programs(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    result = graphlang("run", museum, "--db", db, "--workers", 1, "--json", "--quiet")
    found = json.loads(result.stdout)
    assert result.stderr == ""
    assert found["database"] == str(db)
    assert {name: found["read"][name] for name in ("files", "already_read", "pages", "links", "problems")} == {
        "files": 1,
        "already_read": 0,
        "pages": 5,
        "links": 7,
        "problems": 0,
    }
    assert (found["run"], found["converged"], found["report"]) == (3, True, None)
    assert (found["pages"], found["languages"], found["only_linked_to"]) == (5, 2, 1)
    assert found["pages_by_language"] == {"deu": 3, "fra": 1, "zxx": 1}
    assert {"ingest", "classify", "vote", "propagate"} <= set(found["stages"])
    again = json.loads(graphlang("run", museum, "--db", db, "--workers", 1, "--json", "--quiet").stdout)
    assert (again["read"]["files"], again["read"]["already_read"], again["run"]) == (0, 1, 3)


def test_everything_is_json_where_that_is_asked_for(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    lines = parse_log(graphlang("ingest", db, museum, "--workers", 1, "--log-format", "json"))
    assert [line["event"] for line in lines if line["event"] != "stages"] == ["read"]
    assert (lines[0]["files"], lines[0]["pages"], lines[0]["links"]) == (1, 5, 7)
    lines = parse_log(graphlang("classify", db, "--log-format", "json"))
    assert [(line["event"], line["id"], line["method"], line["pages"]) for line in lines] == [("run", 1, "nfc", 5)]


def test_errors_are_json_too(graphlang: Call, tmp_path: Path) -> None:
    result = graphlang("vote", tmp_path / "none.db", "--log-format", "json")
    (line,) = parse_log(result)
    assert (result.exit_code, line["event"], line["exit_code"]) == (3, "error", 3)
    assert line["message"].startswith(f"no such database: {tmp_path}/none.db ")
    result = graphlang("vote", tmp_path / "none.db", "--seed", "x", "--log-format", "json")
    (line,) = parse_log(result)
    assert (result.exit_code, line["exit_code"], "--seed" in line["message"]) == (2, 2, True)


def test_files_that_were_read_before_take_one_line(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    copies = [shutil.copy(museum, tmp_path / f"copy-{number}.warc.gz") for number in range(3)]
    graphlang("ingest", db, museum, "--workers", 1)
    one = graphlang("ingest", db, museum, "--workers", 1)
    assert click.unstyle(one.stderr).splitlines()[0] == f"already read: {museum}"
    many = graphlang("ingest", db, museum, *copies, "--workers", 1)
    assert many.stderr.splitlines()[0] == f"already read: {museum} and 3 more"
    assert many.stderr.count("already read") == 1


class Terminal(io.StringIO):
    """Remembers what is written to it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def show_lines(written: str) -> list[str]:
    """Lines as a terminal shows them in the end: what was drawn last over each."""
    return [line.split("\r\x1b[K")[-1] for line in written.split("\n")]


def test_bars_are_drawn_over_themselves_and_words_stand_above_them(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(progress, "_DRAWN", 0.01)

    def drawn(times: int) -> None:
        while terminal.getvalue().count("ingest") < times:
            time.sleep(0.01)

    with bars() as shown:
        shown.stage("ingest", 4e6, "bytes")
        shown.advance(1e6, pages=10)
        drawn(3)
        log.put("something was skipped", "message", {}, as_json=False)
        shown.advance(3e6, pages=30)
        drawn(6)
        shown.stage("classify", None, "pages")
        shown.advance(7)
    first, second, third, last = show_lines(terminal.getvalue())
    assert first == "something was skipped"
    assert second.startswith("ingest     " + "━" * 24 + "  4.0 MB  ")
    assert " 30 pages  " in second
    assert "left" not in second
    assert third.startswith("classify   " + "━" * 24 + "  7 pages  ")
    assert last == ""
    assert terminal.getvalue().count("ingest") > 4


def test_a_terminal_that_can_draw_nothing_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "dumb")
    with bars() as shown:
        assert isinstance(shown, Lines)
    assert terminal.getvalue() == ""


def test_no_bar_is_drawn_where_somebody_looks_at_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", Terminal())
    with bars(beside_rows=True) as shown:
        shown.stage("linked", 4, "URLs")
    assert terminal.getvalue() == ""
    with (tmp_path / "rows.tsv").open("w") as file:
        monkeypatch.setattr(sys, "stdout", file)
        with bars(beside_rows=True) as shown:
            shown.stage("linked", 4, "URLs")
    assert terminal.getvalue().startswith("\r\x1b[Klinked ")


def interrupted() -> None:
    with bars() as shown:
        shown.stage("ingest", 4e6, "bytes")
        raise KeyboardInterrupt


def test_an_interrupted_bar_leaves_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert terminal.getvalue().endswith("\n")


@pytest.mark.usefixtures("quick")
def test_verbs_that_list_say_where_they_are_before_the_first_row(
    graphlang: Call, museum: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "crawl.db"
    monkeypatch.setattr(linked, "FIRST", 0)
    assert graphlang("run", museum, "--db", db, "--workers", 1, "-q").exit_code == 0
    write, put = linked.write_block_answers, log.put
    told = threading.Event()

    def telling(*arguments: Any, **more: Any) -> None:
        put(*arguments, **more)
        told.set()

    def slowly(*arguments: Any) -> int:
        assert told.wait(300)
        return write(*arguments)

    monkeypatch.setattr(progress, "put", telling)

    monkeypatch.setattr(linked, "write_block_answers", slowly)
    first = graphlang("pages", db, "--unfetched", "--format", "tsv")
    assert first.stderr.startswith("linked: ")
    assert "URLs" in first.stderr
    again = graphlang("pages", db, "--unfetched", "--format", "tsv")
    assert (again.stdout, again.stderr) == (first.stdout, "")
