"""Near duplicates: texts that share most of their runs of five words."""

from __future__ import annotations

import pytest

from graphlang.export import near_duplicates
from graphlang.export.near_duplicates import NearDuplicates
from graphlang.export.parquet import MissingExtraError

WORDS = [f"word{number}" for number in range(300)]
TEXT = " ".join(WORDS)
NEAR = " ".join([*WORDS[:290], "another", "end"])  # 286 of 298 runs are the same: 0.96
FAR = " ".join([*WORDS[:100], *(f"other{number}" for number in range(200))])  # 96 of 496 runs: 0.19


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        ([("eng", TEXT), ("eng", NEAR), ("eng", FAR)], [True, False, True]),
        ([("eng", TEXT), ("deu", NEAR)], [True, True]),
        ([("eng", "Two words"), ("eng", "TWO  words"), ("eng", "")], [True, False, True]),
    ],
)
def test_a_text_near_an_earlier_one_in_its_language_is_left_out(texts: list[tuple[str, str]], kept: list[bool]) -> None:
    pytest.importorskip("rensa")
    earlier = NearDuplicates(0.8)
    assert [earlier.add(*text) for text in texts] == kept


def test_the_oldest_text_is_forgotten() -> None:
    pytest.importorskip("rensa")
    earlier = NearDuplicates(0.8, remembered=1)
    assert [earlier.add("eng", text) for text in (TEXT, FAR, NEAR)] == [True, True, True]


def test_without_the_package_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(near_duplicates, "import_module", fail)
    with pytest.raises(MissingExtraError, match=r"pip install 'graphlang\[near\]'"):
        NearDuplicates(0.8)
