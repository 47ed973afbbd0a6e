"""What is said of the lines of a gold file that count for nothing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from graphlang.cli.shared.crawl import say_unused_gold
from graphlang.evaluation.evaluate import Gold

if TYPE_CHECKING:
    import pytest


def test_unknown_codes_are_reported_but_not_a_whole_column_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    say_unused_gold(Gold(unknown=Counter({"\x1bq": 3, "deutsh": 1})))
    assert capsys.readouterr().err.splitlines() == [
        "unknown language code in the gold file: \\x1bq (3 lines, skipped)",
        "unknown language code in the gold file: deutsh (1 line, skipped)",
    ]
    say_unused_gold(Gold(unknown=Counter({f"title {number}": 1 + (number == 7) for number in range(10_000)})))
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 11
    assert "title 7 (2 lines" in told[0]
    assert told[-1] == "and 9,990 other unknown codes (9,990 lines, skipped)"
