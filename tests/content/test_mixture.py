"""What windows of a long text say together: by hand, and the kernel against its definition."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content.nfc import doubt
from graphlang.content.nfc.model import add_rows
from graphlang.content.nfc.scores import LENGTHS, Scores
from graphlang.content.nfc.sparse_weights import ScriptWeights, Sums
from graphlang.content.text import windows
from graphlang.native.kernels import KernelError

if TYPE_CHECKING:
    from collections.abc import Sequence

STEP = 1 / 1024
SURE = np.array([-50, *[0] * 7], np.float32)  # nothing is unknown


def mixture(
    rows: np.ndarray,
    offsets: Sequence[int],
    *,
    lengths: Sequence[int] | None = None,
    found: Sequence[int] | None = None,
    foreign: int = -1,
    base: np.ndarray | None = None,
    step: float = STEP,
    coefficients: np.ndarray = SURE,
    outliers: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of texts in one script, and how sure they are; scores of windows are `rows` times `step`."""
    labels = rows.shape[1]
    width = -(-labels // 16) * 16
    wide = np.zeros((len(rows), width), np.int16)
    wide[:, :labels] = rows
    none = np.zeros(labels, np.float32)
    ones = np.ones((1, len(LENGTHS)), np.float32)
    scores = Scores(step, ones, ones[0], none if base is None else base, none, none, none)
    weights = ScriptWeights(("A",), (slice(0, labels),), np.array([[0, 0, 0, width // 2, 0, 0]]), *[np.zeros(0)] * 3)
    answer = np.full((max(0, len(offsets) - 1), labels), 9, np.float32)
    with mock.patch.object(doubt, "COEFFICIENTS", coefficients):
        sure = scores.fill_mixture(
            Sums(wide.ravel(), np.arange(len(rows)), np.array([len(rows)])),
            weights,
            features=np.cumsum([0, *(found or [1] * len(rows))]),
            lengths=np.array(lengths or [50] * len(rows)),
            offsets=np.array(offsets),
            prior=none,
            foreign=foreign,
            outliers=outliers,
            to=np.arange(len(answer)),
            answer=answer,
        )
    return answer, sure


def pages(*chances: list[list[float]], foreign: int = 0) -> np.ndarray:
    rows = np.log(np.array([row for page in chances for row in page]) + 1e-9) / STEP
    answer, sure = mixture(rows.round(), np.cumsum([0, *map(len, chances)]).tolist(), foreign=foreign)
    assert sure.tolist() == answer.max(axis=1).tolist()
    return answer


def test_pieces_that_agree_add_up_by_hand() -> None:
    likely = np.array([0.2, 0.8]) ** (2 * 2 ** (windows.EFFECTIVE - 1))
    assert pages([[0.2, 0.8], [0.2, 0.8]], foreign=-1)[0] == pytest.approx(likely / likely.sum(), abs=1e-3)


def test_english_is_what_gets_mixed_into_other_languages() -> None:
    eng, spa = [0.98, 0.02], [0.02, 0.98]
    best = pages([eng, eng, spa, spa], [eng, eng, eng, eng], [spa, spa, spa, eng]).argmax(axis=1)
    assert best.tolist() == [1, 0, 1]
    # The other way round a half is not enough to overrule: between others the majority decides.
    assert pages([spa, spa, spa, eng], foreign=-1).argmax() == 1
    assert pages([eng, eng, eng, spa], foreign=-1).argmax() == 0


def test_one_odd_piece_is_worth_little() -> None:
    outliers, usual = [1.0, 0.0, 0.0], [0.0, 0.6, 0.4]
    assert pages([outliers, *[usual] * 4], foreign=-1).argmax() == 1


@pytest.mark.parametrize("foreign", [-1, 0])
def test_silent_pieces_say_nothing(foreign: int) -> None:
    rows = np.array([[-1200, -350], [-100, -2300]])
    alone, _ = mixture(rows[:1], [0, 1], foreign=foreign)
    both, _ = mixture(rows, [0, 2], lengths=[50, 0], found=[1, 0], foreign=foreign)
    assert both.tolist() == pytest.approx(alone, abs=1e-6)
    none, sure = mixture(rows, [0, 2], lengths=[0, 0], foreign=foreign)
    assert not none.any()
    assert not sure.any()


ROWS = st.lists(st.lists(st.integers(-12_000, 12_000), min_size=19, max_size=19), min_size=1, max_size=5)


@given(ROWS, st.integers(-1, 18), st.lists(st.booleans(), min_size=5, max_size=5))
def test_pieces_together_are_those_of_the_definition(
    rows: list[list[int]], foreign: int, has_letters: list[bool]
) -> None:
    cut = len(rows) // 2
    offsets = [0, len(rows)] if cut == 0 else [0, cut, len(rows)]
    speaks = has_letters[: len(rows)]
    made, _ = mixture(np.array(rows), offsets, lengths=[9 * one for one in speaks], foreign=foreign, outliers=0.01)
    for text, own in enumerate(made):
        mine = range(offsets[text], offsets[text + 1])
        scores = [np.array(rows[i]) * STEP for i in mine]
        probabilities = [np.exp(row - np.logaddexp.reduce(row)) for row in scores]
        told = [speaks[i] for i in mine]
        if not any(told):
            assert not own.any()
            continue
        least = np.log(windows.OUTLIERS)
        with np.errstate(divide="ignore"):
            likely = sum(s * np.maximum(np.log(c), least) for s, c in zip(told, probabilities, strict=True))
        hosted = max(c[foreign] for c in probabilities) if foreign >= 0 else 0
        if abs(hosted - windows.FOREIGN / 10) < 1e-6:
            continue  # rounding decides
        if hosted > windows.FOREIGN / 10:
            mixed = sum(
                s * np.log(c * (1 - windows.FOREIGN) + windows.FOREIGN * c[foreign] + windows.OUTLIERS)
                for s, c in zip(told, probabilities, strict=True)
            )
            likely = np.logaddexp(likely, mixed + np.log(windows.MIXED))
        likely = likely * max(sum(told), 1) ** (windows.EFFECTIVE - 1)
        expected = np.exp(likely - np.logaddexp.reduce(likely)) * 0.99 + 0.01 / 19
        assert own == pytest.approx(expected, rel=2e-4, abs=1e-6)


BASE = np.array([-6.0, -2.0, -4.0], np.float32)


@given(
    st.lists(st.tuples(st.integers(-200, 200), st.integers(1, 60)), min_size=1, max_size=6),
    st.integers(1, 100),
    st.integers(0, 2),
)
def test_what_may_be_in_no_language_is_shared(told: list[tuple[int, int]], letters: int, winner: int) -> None:
    rows = np.zeros((len(told), 3), np.int64)
    rows[:, winner] = [steps for steps, _ in told]
    found = [number for _, number in told]
    about = {"lengths": [letters] * len(told), "found": found, "base": BASE, "step": 0.25}
    before, sure = mixture(rows, [0, len(told)], **about)
    doubted, as_sure = mixture(rows, [0, len(told)], **about, coefficients=doubt.COEFFICIENTS)
    assert as_sure.tolist() == sure.tolist()  # which is of before
    best = int(before[0].argmax())
    fit = np.float32(rows[:, best].sum() * 0.25 / sum(found)) + BASE[best]
    [chance] = doubt.unknown_language_probability(
        np.array([fit]), BASE[best : best + 1], np.array([letters * len(told)])
    )
    if abs(chance - doubt.MAX_UNKNOWN) < 1e-4:
        return
    expected = before * (1 - chance) + chance / 3 if chance <= doubt.MAX_UNKNOWN else np.zeros_like(before)
    assert doubted == pytest.approx(expected, abs=2e-4)


def test_a_script_of_one_language_has_no_doubt() -> None:
    [[alone]], _ = mixture(np.full((1, 1), -9000), [0, 1], coefficients=np.full(8, 50, np.float32))
    assert alone == 1


@pytest.mark.parametrize("offsets", [[0, 1, 3], [1, 2], [0, 5], [2, 1, 4], [-1, 4]])
def test_windows_that_are_not_those_of_the_texts_are_refused(offsets: list[int]) -> None:
    with pytest.raises(KernelError, match=r"offsets|order"):
        mixture(np.ones((4, 3), np.int64), offsets)


@given(st.data(), st.integers(1, 5), st.sampled_from([1, 8, 19]))
def test_rows_are_added_up_as_numpy_does(data: st.DataObject, rows: int, columns: int) -> None:
    sums = np.random.default_rng(data.draw(st.integers(0, 99))).integers(-32768, 32768, (rows, columns), np.int16)
    groups = data.draw(st.lists(st.lists(st.integers(0, rows - 1), max_size=6), max_size=4))
    members = np.array([row for group in groups for row in group], np.int64)
    found = add_rows(sums, members, np.cumsum([0, *map(len, groups)]))
    assert found.shape == (len(groups), columns)
    for group, own in zip(groups, found.tolist(), strict=True):
        assert own == sums[group].sum(axis=0, dtype=np.int64).clip(-32768, 32767).tolist()


@pytest.mark.parametrize(("members", "offsets"), [([0, 2], [0, 2]), ([-1], [0, 1]), ([0], [0, 2]), ([0, 1], [2, 0])])
def test_rows_that_are_none_are_refused(members: list[int], offsets: list[int]) -> None:
    with pytest.raises(KernelError, match=r"members|offsets"):
        add_rows(np.zeros((2, 8), np.int16), np.array(members), np.array(offsets))
