"""Tables for people: columns for the terminal's width, rows as they come, the user's pager, a reader who leaves."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from graphlang.cli.shared.output import write_rows
from graphlang.cli.shared.table import write_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from click.testing import Result

    Call = Callable[..., Result]
    Shown = Callable[..., list[str]]

URL = "http://museum.example/a/long/way/down/to/page-{:03}.html"
ROWS = [(URL.format(1), "deu", 0.9812, "", 12), (URL.format(2), "fra", 1.0, "a text that is too long to be shown", 3)]
COLUMNS = ("url", "language", "confidence", "words", "length")
MAIN = "from graphlang.cli import main; main()"


class Terminal(io.StringIO):
    """A terminal that keeps what was written."""

    def isatty(self) -> bool:
        return True


def cell(value: object, column: str) -> str:
    del column
    return f"{value:.4f}" if isinstance(value, float) else str(value)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """The lines that a terminal of a given size shows."""
    monkeypatch.setenv("TERM", "dumb")

    def write(width: int, rows: Iterable[Sequence[Any]] = ROWS, *, height: int = 24, **how: Any) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("LINES", str(height))
        terminal = Terminal()
        with monkeypatch.context() as streams:
            streams.setattr(sys, "stdin", Terminal())
            streams.setattr(sys, "stdout", terminal)  # where click looks for a terminal
            write_table(COLUMNS, rows, terminal, cell=cell, **how)
        return terminal.getvalue().splitlines()

    return write


def test_all_is_whole_where_there_is_room(shown: Shown) -> None:
    assert shown(121) == [
        f"language  confidence  words{'':30}  length  url",
        "─" * 121,
        f"deu           0.9812  {'':35}      12  {URL.format(1)}",
        f"fra           1.0000  {ROWS[1][3]}       3  {URL.format(2)}",
    ]


def test_the_url_of_a_page_is_last_and_whole_and_other_texts_lose_their_ends(shown: Shown) -> None:
    assert shown(96) == [
        "(no room for length; --wide shows them)",
        "language  confidence  words                     url",
        "─" * 96,
        f"deu           0.9812                            {URL.format(1)}",
        f"fra           1.0000  a text that is too lo...  {URL.format(2)}",
    ]


def test_columns_without_room_are_named_and_headers_are_never_broken(shown: Shown) -> None:
    assert shown(60) == [
        "(no room for words, length; --wide shows them)",
        "language  confidence  url",
        "─" * 60,
        f"deu           0.9812  {URL.format(1)}",
        f"fra           1.0000  {URL.format(2)}",
    ]
    assert shown(50, first=("length", "language"))[1].split() == ["language", "length", "url"]
    assert shown(30)[0] == "(3 columns have no room; --wide)"
    assert shown(50)[1].split() == ["language", "confidence", "url"]


@pytest.mark.parametrize("width", [1, 10, 30, 41, 63, 80, 200])
def test_only_a_url_is_longer_than_the_terminal(shown: Shown, width: int) -> None:
    rows = [*ROWS, (URL.format(3), "a language with a long name", 1.0, "x" * 99, 1)]
    lines = shown(width, rows)
    assert max(len(line.partition("http")[0]) for line in lines[-5:]) <= max(width, len("url"))
    assert [line[-len(URL.format(1)) :] for line in lines[-3:]] == [URL.format(number) for number in (1, 2, 3)]


def test_wide_shows_everything(shown: Shown) -> None:
    assert shown(40, wide=True) == shown(121)


def test_cells_of_two_columns_each_and_control_characters(shown: Shown) -> None:
    lines = shown(121, [("竹林", "zho", 1.0, "a\x1b[2Jb", 1), ("ab", "deu", 1.0, "", 2)])
    assert lines[2:] == [
        "zho           1.0000  a\\x1b[2Jb       1  竹林",
        "deu           1.0000                  2  ab",
    ]


def test_where_nobody_looks_on_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    file = io.StringIO()
    assert write_table(COLUMNS, ROWS, file, cell=cell) == 2
    assert ROWS[1][0] in file.getvalue()
    assert ROWS[1][3] in file.getvalue()


def test_rows_are_shown_as_they_come_and_a_reader_may_leave(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PAGER", f"sh -c 'head -n 4 > {tmp_path}/seen'")
    endless = ((URL.format(number), "deu", 1.0, "", number) for number in count())
    assert shown(80, endless, pager=True) == []
    assert (tmp_path / "seen").read_text().splitlines()[3].endswith(URL.format(1))


def test_what_fits_on_the_screen_needs_no_pager(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "false")
    assert len(shown(121, pager=True)) == 4
    assert shown(121, ROWS * 20, pager=True) == []


@pytest.mark.parametrize("pager", ["", "cat", "no-such-program-anywhere", "'"])
def test_without_a_pager_all_is_written(shown: Shown, monkeypatch: pytest.MonkeyPatch, pager: str) -> None:
    monkeypatch.setenv("PAGER", pager)
    assert len(shown(121, ROWS * 20, pager=True)) == 42


def test_tables_in_the_midst_of_others_are_not_paged(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", "false")
    write_rows(("n",), [(number,) for number in range(200)], format_="table")
    assert len(capsys.readouterr().out.splitlines()) == 202


@pytest.fixture
def db(make_collection: Callable[..., Path], written: Callable[..., object]) -> Path:
    return make_collection([written(f"http://museum.example/{number}", "deu", own="deu") for number in range(5)])


def test_wide_on_the_command_line(graphlang: Call, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[bool, bool]] = []

    def write(*_: object, wide: bool, pager: bool, **__: object) -> int:
        told.append((wide, pager))
        return 0

    monkeypatch.setattr("graphlang.cli.shared.output.write_table", write)
    for verb in ("pages", "sites", "runs", "info"):
        graphlang(verb, db)
        graphlang(verb, db, "--wide")
    assert told == [(False, True), (True, True)] * 4


@pytest.mark.parametrize("format_", ["table", "csv", "jsonl"])
def test_a_pipe_whose_reader_has_gone_is_no_error(db: Path, format_: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", MAIN, "pages", str(db), "--format", format_],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0
    process.stderr.close()


def test_runs_on_a_terminal_of_eighty_columns(db: Path, on_terminal: Callable[..., str]) -> None:
    lines = on_terminal("runs", db, width=80).splitlines()
    assert lines[:2] == [
        "(5 columns have no room; --wide)",
        "chosen  id  kind         method  at  seeds  pages  finished",
    ]
    assert [line.split()[:4] for line in lines[3:]] == [
        ["1", "content", "nfc", "5"],
        ["*", "2", "propagation", "bp"],
    ]


def test_review_and_encodings_fit_a_narrow_terminal(db: Path, on_terminal: Callable[..., str]) -> None:
    for verb, columns in (
        (("review", db, "--format", "table"), "answer  confidence  runner_up  url"),
        (("info", db, "--encodings"), "language  charset  pages"),
    ):
        told, shown, *rows = on_terminal(*verb, width=36).splitlines()
        assert (shown, told.endswith("; --wide)")) == (columns, True)
        widest = max(len(re.sub(r"http://.*", "", row)) for row in rows)  # a URL is whole
        assert widest <= 36


def test_the_rule_is_drawn_in_letters_that_the_charset_has() -> None:
    for charset, rule in (("utf-8", "─"), ("ascii", "-"), ("latin-1", "-"), ("cp437", "─")):
        raw = io.BytesIO()
        with io.TextIOWrapper(raw, encoding=charset, errors="backslashreplace") as file:
            write_table(("a", "bcd"), [("xy", 1)], file, cell=cell)
            file.flush()
            assert raw.getvalue().decode(charset).splitlines()[1] == rule * 7
