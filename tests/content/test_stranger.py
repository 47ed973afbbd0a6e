"""Languages that are not there, told by words: signs by hand, kernels against their definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.discriminative import stranger, unknown
from graphlang.content.discriminative.model import Discriminative
from graphlang.content.discriminative.scores import Scores
from graphlang.content.discriminative.sparse_weights import ScriptWeights, Sums
from graphlang.native.kernels import KernelError

if TYPE_CHECKING:
    from graphlang.content.identifier import Identifier

STEP = 0.25
BASE = np.array([-6.0, -2.0, -4.0], np.float32)
PRIOR = np.array([-1.0, -2.0, -3.0], np.float32)
ONE = np.ones((1, 1), np.float32)
SCORES = Scores(STEP, ONE, ONE[0], BASE, *(np.zeros(3, np.float32) for _ in range(3)))
AFRIKAANS = (
    "Die rivier ontspring in die heuwels bo die dorp en vloei deur drie valleie voordat dit die see bereik. Die mense "
    "wat daar woon, het geleer om met die water saam te leef, en elke jaar hou hulle 'n fees op die oewer. "
)


@pytest.fixture(scope="module")
def shipped() -> Identifier:
    return registry.load("nfc")


def share(
    best: stranger.Best, words: tuple[int, float, float] | None, answer: np.ndarray, letters: int = 100
) -> tuple[np.ndarray, np.ndarray]:
    number, own, most = words or (0, 0, 0)
    of_words = np.array([number]), np.array([own], np.float32), np.array([most], np.float32)
    return stranger.share(
        best,
        script=np.zeros(1, np.int64),
        columns=np.array([[0, 3, 16]]),
        letters=np.array([letters]),
        found=np.array([300]),
        words=of_words if words else None,
        base=BASE,
        prior=PRIOR,
        to=np.zeros(1, np.int64),
        answer=answer,
    )


def one(label: int, fit: float, margin: float) -> stranger.Best:
    return stranger.Best(np.array([label]), np.array([fit], np.float32), np.array([margin], np.float32))


def test_signs_by_hand() -> None:
    signs, _ = share(one(1, 0.5, 9.0), (10, 20.0, 25.0), np.full((1, 3), 1 / 3, np.float32))
    # fit, base, ln 100, 300 / 100, a margin that is cut, prior, 10 / 100, 20 / 10, (25 - 20) / 10
    assert signs[0] == pytest.approx([0.5, -2, 4.605, 3, 4, -2, 0.1, 2, 0.5], abs=1e-3)


@given(
    st.tuples(st.integers(0, 2), st.floats(-3, 1), st.floats(0, 2)),
    st.tuples(st.integers(0, 30), st.floats(-9, 3), st.floats(0, 4)),
)
def test_the_kernel_is_the_definition(of_best: tuple[int, float, float], words: tuple[int, float, float]) -> None:
    (label, fit, margin), (number, word, regret) = of_best, words
    before = np.full((1, 3), 0.1, np.float32)
    before[0, label] = 0.8
    answer = before.copy()
    best = one(label, fit, margin)
    signs, part = share(best, (number, word * number, (word + regret) * number), answer)
    [chance] = stranger.probability(signs)
    assert part[0] == pytest.approx(chance, abs=1e-4)
    [told] = unknown.probability(best.fit, BASE[label : label + 1], np.array([100]))
    if chance > told + 1e-3 and chance > 2 * stranger.LEAST:
        # What `unknown` shared already counts towards it.
        rest = (1 - chance) / (1 - told)
        assert answer == pytest.approx(before * rest + (1 - rest) / 3, abs=1e-3)
    elif chance < told - 1e-3 or chance < stranger.LEAST / 2:
        assert answer.tolist() == before.tolist()


@given(st.integers(0, 2), st.floats(-3, 1), st.floats(0, 2), st.integers(4, 200))
def test_without_words_the_other_signs_decide_or_leave_it_to_them(
    label: int, fit: float, margin: float, letters: int
) -> None:
    before = np.full((1, 3), 0.1, np.float32)
    before[0, label] = 0.8
    answer, best = before.copy(), one(label, fit, margin)
    signs, part = share(best, None, answer, letters)
    use = stranger.fitted(words=False)
    [chance] = stranger.probability(signs, use)
    assert part[0] == pytest.approx(chance, abs=1e-4)
    few = signs[:, : -stranger.OF_WORDS]
    x = np.clip((few - use.mean[: few.shape[1]]) / use.spread[: few.shape[1]], -3, 3)
    logit = use.terms[0] + stranger.terms_of(x) @ use.terms[1:][np.flatnonzero(use.terms[1:])]
    assert logit[0] == pytest.approx(np.log(chance / (1 - chance)), abs=0.02)
    if stranger.asks(part, np.array([letters]))[0]:
        assert answer.tolist() == before.tolist()
    elif chance > stranger.LEAST * 2:
        [told] = unknown.probability(best.fit, BASE[label : label + 1], np.array([letters]))
        rest = min(1, (1 - chance) / (1 - told))
        assert answer == pytest.approx(before * rest + (1 - rest) / 3, abs=1e-3)


@pytest.mark.parametrize(("part", "letters", "asks"), [(0.5, 200, True), (0.5, 20, False), (0.01, 200, False)])
def test_words_are_read_of_doubtful_texts_that_have_some(part: float, letters: int, asks: bool) -> None:
    assert stranger.asks(np.array([part], np.float32), np.array([letters])).tolist() == [asks]


def test_a_text_that_is_not_asked_about_is_left_as_it_is() -> None:
    answer = np.array([[0.8, 0.1, 0.1]], np.float32)
    signs, part = share(one(-1, 0, 0), (0, 0, 0), answer)
    assert not signs.any()
    assert not part.any()
    assert answer.tolist() == np.array([[0.8, 0.1, 0.1]], np.float32).tolist()


@pytest.mark.parametrize("label", [3, -2])
def test_labels_that_are_none_are_refused(label: int) -> None:
    with pytest.raises(KernelError, match="best"):
        share(one(label, 0, 0), (0, 0, 0), np.zeros((1, 3), np.float32))


SUMS = st.lists(st.lists(st.integers(-400, 400), min_size=3, max_size=3), min_size=1, max_size=4)


def best_of(rows: np.ndarray, found: np.ndarray, offsets: list[int], answer: np.ndarray) -> stranger.Best:
    """Of texts of some windows, all of them in one script of three labels."""
    wide = np.zeros((len(rows), 16), np.int16)
    wide[:, :3] = rows
    weights = ScriptWeights(("A",), (slice(0, 3),), np.array([[0, 0, 0, 8, 0, 0]]), *[np.zeros(0)] * 3)
    return SCORES.best(
        Sums(wide.ravel(), np.arange(len(rows)), np.array([len(rows)])),
        weights,
        features=np.concatenate([[0], np.cumsum(found)]),
        offsets=np.array(offsets),
        letters=np.full(len(offsets) - 1, 200),
        to=np.arange(len(offsets) - 1),
        answer=answer,
    )


@given(SUMS, st.integers(0, 2), st.integers(1, 60))
def test_the_best_of_windows_is_that_of_sums_in_plain_python(rows: list[list[int]], winner: int, found: int) -> None:
    answer = np.full((1, 3), 0.1, np.float32)
    answer[0, winner] = 0.8
    best = best_of(np.array(rows), np.full(len(rows), found), [0, len(rows)], answer)
    total = np.array(rows).sum(axis=0) * STEP / (found * len(rows)) + BASE
    margin = total[winner] - max(np.delete(total, winner))
    assert best.label[0] == winner
    assert best.fit[0] == pytest.approx(total[winner], abs=1e-3)
    assert best.margin[0] == pytest.approx(margin, abs=1e-3)


def test_each_text_has_its_own_windows_and_features() -> None:
    rows = np.array([[40, 0, 0], [20, 10, 0], [0, 0, 60], [0, 9, 9]])
    answer = np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8], [0, 0, 0]], np.float32)
    best = best_of(rows, np.array([4, 6, 5, 7]), [0, 2, 3, 4], answer)
    assert best.label.tolist() == [0, 2, -1]  # of the last one there is no answer
    assert best.fit.tolist() == pytest.approx([60 * STEP / 10 - 6, 60 * STEP / 5 - 4, 0])
    assert best.margin.tolist() == pytest.approx([best.fit[0] - (10 * STEP / 10 - 2), best.fit[1] + 2, 0])


@pytest.mark.parametrize("offsets", [[0, 1, 3], [1, 2], [0, 5], [2, 1, 4], [-1, 4]])
def test_windows_that_are_not_those_of_the_texts_are_refused(offsets: list[int]) -> None:
    rows, answer = np.ones((4, 3), np.int64), np.full((4, 3), 1 / 3, np.float32)
    with pytest.raises(KernelError, match=r"offsets|order"):
        best_of(rows, np.ones(4, np.int64), offsets, answer)


def test_regret_is_that_of_rows_of_weights(shipped: Identifier) -> None:
    assert isinstance(shipped, Discriminative)
    weights, draw = shipped.trained.weights, np.random.default_rng(5)
    latin = weights.names.index("LATIN")
    first, common, rare, *_ = weights.blocks[latin].tolist()
    some = np.concatenate([first + draw.integers(0, common, 8), first + common + draw.integers(0, rare, 30)])
    features, columns = some.astype(np.int32), weights.columns()
    own_labels = weights.labels[latin]
    base = shipped.trained.scores.base / shipped.trained.scores.step
    sums = weights.sums(features, np.arange(len(some) + 1), np.full(len(some), latin, np.uint8))
    [(_, _, rows)] = weights.each(sums)
    table = rows[:, : columns[latin, 1]] + base[own_labels]
    script, offsets = np.full(2, latin), np.array([0, 20, len(some)])
    number, own, most = weights.regret(features, offsets, script, np.array([7, -1]), columns=columns, base=base)
    assert number.tolist() == [20, 0]
    assert own.tolist() == pytest.approx([table[:20, 7].sum(), 0], rel=1e-5)
    assert most.tolist() == pytest.approx([table[:20].max(axis=1).sum(), 0], rel=1e-5)


def test_answers_stay_and_do_not_depend_on_the_company(shipped: Identifier, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [AFRIKAANS[:90], AFRIKAANS * 4, "Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam " * 5]
    doubtful = shipped.probabilities(texts)
    for text, row in zip(texts, doubtful, strict=True):
        assert shipped.probabilities([text])[0].tolist() == row.tolist()
    monkeypatch.setattr(stranger, "FEWEST", 1 << 40)
    sure = shipped.probabilities(texts)
    assert doubtful.argmax(axis=1).tolist() == sure.argmax(axis=1).tolist()
    assert (doubtful.max(axis=1) <= sure.max(axis=1) + 1e-6).all()
