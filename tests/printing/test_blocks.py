"""Formats are written block by block; the definition is what one row after the other gives."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from graphlang.printing import CONTROL, FORMULA, format_blocks, visible, write_csv, write_jsonl, write_tsv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Row = tuple[Any, ...]

HOSTILE = 'ab,"=-\t\r\n\\\x00\x1b\x7f\x85\u202e\u2028\ud800\xa0é日%'
TEXT = st.text(st.sampled_from(HOSTILE), max_size=4) | st.just("plain")
NUMBER = st.integers() | st.floats() | st.none()
COLUMN = st.sampled_from([st.just("a"), TEXT, TEXT | st.none(), NUMBER, st.integers(), st.floats(), TEXT | NUMBER])
ROWS = st.lists(COLUMN, min_size=1, max_size=4).flatmap(lambda columns: st.lists(st.tuples(*columns), max_size=9))


def cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4f}"
    return "" if value is None else str(value)


def as_csv(rows: list[Row], *, safe: bool) -> Iterator[str]:
    for row in rows:
        out = io.StringIO(newline="")
        formulas = [safe and isinstance(value, str) and value.startswith(FORMULA) for value in row]
        texts = ["'" + cell(value) if formula else cell(value) for value, formula in zip(row, formulas, strict=True)]
        csv.writer(out).writerow([re.sub("[\ud800-\udfff]", lambda half: visible(half[0]), text) for text in texts])
        yield out.getvalue()[:-2] + "\n"


def as_tsv(rows: list[Row]) -> Iterator[str]:
    letters = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"}
    pattern = re.compile(rf"\\|{CONTROL.pattern}")
    for row in rows:
        escaped = [pattern.sub(lambda one: letters.get(one[0], f"\\u{ord(one[0]):04x}"), cell(value)) for value in row]
        yield "\t".join(escaped) + "\n"


def as_jsonl(columns: tuple[str, ...], rows: list[Row]) -> Iterator[str]:
    def plain(value: Any) -> Any:
        return (round(value, 4) if math.isfinite(value) else None) if isinstance(value, float) else value

    for row in rows:
        record = {name: plain(value) for name, value in zip(columns, row, strict=True)}
        yield CONTROL.sub(lambda one: f"\\u{ord(one[0]):04x}", json.dumps(record, ensure_ascii=False)) + "\n"


def write_text(write: Callable[..., int], columns: tuple[str, ...], rows: list[Row], **how: bool) -> str:
    out = io.StringIO(newline="")
    assert write(columns, iter(rows), out, **how) == len(rows)
    return out.getvalue()


@given(ROWS)
def test_each_format_is_what_row_after_row_gives(rows: list[Row]) -> None:
    columns = ("url", 'a "name", 100%', "c\t", "d")[: len(rows[0]) if rows else 2]
    for safe in (False, True):
        head = as_csv([columns], safe=False)
        assert write_text(write_csv, columns, rows, safe=safe) == "".join([*head, *as_csv(rows, safe=safe)])
    assert write_text(write_tsv, columns, rows) == "".join(as_tsv([columns, *rows]))
    assert write_text(write_jsonl, columns, rows) == "".join(as_jsonl(columns, rows))


def test_blocks_grow_while_texts_are_short_and_shrink_where_they_are_long() -> None:
    sizes = [count for _, count in format_blocks([("",)] * 3_000, lambda rows: "x" * len(rows))]
    assert sizes == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 953]
    long = [count for _, count in format_blocks([("",)] * 12, lambda rows: "x" * 400_000 * len(rows))]
    assert long == [1] * 12
    both = [("x" * size,) for size in [1] * 63 + [100_000] * 100]
    assert max(len(text) for text, _ in format_blocks(both, lambda rows: "".join(row[0] for row in rows))) == 6_400_000
