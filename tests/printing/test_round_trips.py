"""Every format reads back to the letter what was written; what goes to a terminal can do nothing to it."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang import printing
from graphlang.cli.shared.table import write_table
from graphlang.printing import (
    CONTROL,
    FORMULA,
    format_cell,
    format_json,
    visible,
    visible_lines,
    write_csv,
    write_jsonl,
    write_tsv,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

    Rows = list[tuple[str, ...]]

#: Any characters, halves of surrogate pairs included, and often those that formats and terminals know.
HOSTILE = (
    "\t\n\r\\,\"'=+-@\x00\x07\x1b\x7f\x85\x9b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ud800\udcff\ufeff"
)
LETTER = st.characters(exclude_categories=()) | st.sampled_from(HOSTILE)
TEXT = st.text(LETTER, max_size=12)
SOUND = TEXT.filter(lambda text: not any("\ud800" <= letter <= "\udfff" for letter in text))
COLUMNS = ("url", "title", "text")


def rows_of(text: SearchStrategy[str], width: int = 3) -> SearchStrategy[Rows]:
    return st.lists(st.tuples(*[text] * width), max_size=5)


def write_text(write: Callable[..., int], rows: Rows, **how: bool) -> str:
    """What a format writes, through a file in UTF-8 as in the verbs."""
    file = io.BytesIO()
    out = io.TextIOWrapper(file, encoding="utf-8", newline="")
    assert write(COLUMNS[: len(rows[0]) if rows else 3], rows, out, **how) == len(rows)
    out.flush()
    return file.getvalue().decode()


def format_table(rows: Rows) -> str:
    file = io.StringIO(newline="")
    write_table(COLUMNS, rows, file, cell=lambda value, _: format_cell(value))
    return file.getvalue()


@given(rows_of(SOUND) | rows_of(SOUND, 1))
def test_csv_reads_back(rows: Rows) -> None:
    text = write_text(write_csv, rows)
    for found in (csv.reader(io.StringIO(text, newline="")), csv.reader(io.StringIO(text, newline=""), strict=True)):
        assert list(found)[1:] == [list(row) for row in rows]


@given(rows_of(TEXT))
def test_csv_with_halves_of_pairs_is_sound_all_the_same(rows: Rows) -> None:
    found = list(csv.reader(io.StringIO(write_text(write_csv, rows), newline="")))[1:]
    assert [[visible(one) for one in row] for row in found] == [[visible(one) for one in row] for row in rows]


@given(rows_of(SOUND))
def test_no_cell_of_safe_csv_begins_like_a_formula(rows: Rows) -> None:
    found = list(csv.reader(io.StringIO(write_text(write_csv, rows, safe=True), newline="")))[1:]
    for cells, row in zip(found, rows, strict=True):
        assert cells == [f"'{text}" if text.startswith(FORMULA) else text for text in row]
        assert not any(text.startswith(FORMULA) for text in cells)


@given(rows_of(TEXT))
def test_tsv_reads_back_and_is_inert(rows: Rows) -> None:
    text = write_text(write_tsv, rows)
    assert [tuple(printing.split_tsv(line)) for line in text.splitlines()[1:]] == rows  # no row breaks in two
    assert not CONTROL.search(text.replace("\t", "").replace("\n", ""))
    assert all(line.count("\t") == 2 for line in text.splitlines())


@given(rows_of(TEXT))
def test_json_lines_read_back_and_are_inert(rows: Rows) -> None:
    text = write_text(write_jsonl, rows)
    found = [tuple(json.loads(line).values()) for line in text.splitlines()]
    assert found == [tuple(join_surrogates(one) for one in row) for row in rows]
    assert not CONTROL.search(text.replace("\n", ""))


def join_surrogates(text: str) -> str:
    """Two halves of a pair are a character to JSON."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | SOUND,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SOUND, inner, max_size=3),
    max_leaves=8,
)


@given(NESTED, st.sampled_from([None, 1, 2]))
def test_json_reads_back_and_is_inert(value: object, indent: int | None) -> None:
    text = format_json(value, indent=indent)
    assert json.loads(text) == value
    assert not CONTROL.search(text.replace("\n", ""))
    assert text.encode()


@given(rows_of(TEXT))
def test_tables_are_inert_and_have_a_line_for_each_row(rows: Rows) -> None:
    text = format_table(rows)
    assert len(text.splitlines()) == 2 + len(rows)
    assert not CONTROL.search(text.replace("\n", ""))
    assert not CONTROL.search(write_text(lambda *given: write_csv(*given, for_screen=True), rows).replace("\n", ""))


@given(TEXT)
def test_lines_for_people_are_inert(text: str) -> None:
    assert not CONTROL.search(visible(text))
    assert visible(visible(text)) == visible(text)
    assert not CONTROL.search(visible_lines(text).replace("\n", ""))
    assert visible_lines(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "tsv", "json_", "line"),
    [
        ("a\tb", r"a\tb", r'"a\tb"', r"a\tb"),
        ("C:\\temp", r"C:\\temp", r'"C:\\temp"', "C:\\temp"),
        ("a\x1b[2J", r"a\u001b[2J", r'"a\u001b[2J"', r"a\x1b[2J"),
        ("\u202efdp.exe", r"\u202efdp.exe", r'"\u202efdp.exe"', r"\u202efdp.exe"),
        ("a\u2028b\x85c", r"a\u2028b\u0085c", r'"a\u2028b\u0085c"', r"a\u2028b\x85c"),
        ("\u061c\u200f", r"\u061c\u200f", r'"\u061c\u200f"', r"\u061c\u200f"),
        ("caf\udce9", r"caf\udce9", r'"caf\udce9"', r"caf\udce9"),
        # Persian and Hindi need the joiners, and families of emoji, too: they stay
        ("می\u200cخواهم", "می\u200cخواهم", '"می\u200cخواهم"', "می\u200cخواهم"),
    ],
)
def test_what_each_format_makes_of_a_text(text: str, tsv: str, json_: str, line: str) -> None:
    assert write_text(write_tsv, [(text,)]).splitlines()[1] == tsv
    assert (format_json(text), visible(text)) == (json_, line)


def test_what_each_format_makes_of_values() -> None:
    rows: Rows = [("a,b", 0.25, None), ('say "hi"', float("nan"), -3), ("=1+1", -0.5, "\r")]  # type: ignore[list-item]
    assert write_text(write_csv, rows) == 'url,title,text\n"a,b",0.2500,\n"say ""hi""",,-3\n=1+1,-0.5000,"\r"\n'
    assert write_text(write_csv, rows, safe=True).splitlines(keepends=True)[3:] == ["'=1+1,-0.5000,\"'\r", '"\n']
    assert write_text(write_tsv, rows) == 'url\ttitle\ttext\na,b\t0.2500\t\nsay "hi"\t\t-3\n=1+1\t-0.5000\t\\r\n'
    assert write_text(write_jsonl, rows).splitlines() == [
        '{"url": "a,b", "title": 0.25, "text": null}',
        '{"url": "say \\"hi\\"", "title": null, "text": -3}',
        '{"url": "=1+1", "title": -0.5, "text": "\\r"}',
    ]
    assert format_json({"a": [float("inf"), (1, float("nan"))]}) == '{"a": [null, [1, null]]}'
