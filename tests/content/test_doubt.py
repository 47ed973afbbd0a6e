"""Doubt: both estimates by hand, kernels against their definitions, and the answers of the shipped model."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.nfc import doubt
from graphlang.content.nfc.doubt import OpenSet
from graphlang.content.nfc.model import Discriminative
from graphlang.content.nfc.scores import Scores
from graphlang.content.nfc.sparse_weights import KINDS, KindSums, ScriptWeights, Sums
from graphlang.content.ngrams.vocabulary import Vocabulary
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


def test_the_coefficients_are_those_of_the_model_that_is_shipped(shipped: Identifier) -> None:
    fitted = json.loads(doubt.FILE.read_text(encoding="utf-8"))["model"]
    assert fitted == shipped.hash, "run: python tests/content/make_unknown.py DATA"


def share(
    best: doubt.BestLabels, ngrams: KindSums | None, answer: np.ndarray, letters: int = 100, **more: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return doubt.discount(
        best,
        script=np.zeros(1, np.int64),
        columns=np.array([[0, 3, 16]]),
        letters=np.array([letters]),
        features=np.array([300]),
        ngrams=ngrams,
        base=BASE,
        prior=PRIOR,
        to=np.zeros(1, np.int64),
        answer=answer,
        **more,
    )


def make_sums(counts: list[int], label_sums: list[float], best_sums: list[float], nonzero: list[int]) -> KindSums:
    """Of 3-grams, 5-grams and words of one text."""
    return KindSums(
        np.array([counts], np.int64),
        np.array([label_sums], np.float32),
        np.array([best_sums], np.float32),
        np.array([nonzero], np.int64),
    )


NOTHING = make_sums([0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0])


def make_best_labels(label: int, fit: float, margin: float) -> doubt.BestLabels:
    return doubt.BestLabels(np.array([label]), np.array([fit], np.float32), np.array([margin], np.float32))


def test_signs_by_hand() -> None:
    ngrams = make_sums([80, 0, 10], [40.0, 0, 20.0], [60.0, 0, 25.0], [60, 0, 9])
    likelihood = np.array([-0.75], np.float32)
    signs, _, undecided = share(
        make_best_labels(1, 0.5, 9.0), ngrams, np.full((1, 3), 1 / 3, np.float32), likelihood=likelihood
    )
    # fit, base, ln 100, 300 / 100, a margin that is cut, prior, 10 / 100
    assert signs[0, :7] == pytest.approx([0.5, -2, 4.605, 3, 4, -2, 0.1], abs=1e-3)
    # 3-grams: 40 / 80, (60 - 40) / 80, 60 / 80; no 5-grams; words: 20 / 10, (25 - 20) / 10, 9 / 10
    assert signs[0, 7:] == pytest.approx([0.5, 0.25, 0.75, 0, 0, 0, 2, 0.5, 0.9, -0.75], abs=1e-3)
    assert not undecided.any()


@given(
    st.tuples(st.integers(0, 2), st.floats(-3, 1), st.floats(0, 2)),
    st.lists(st.tuples(st.integers(0, 30), st.floats(-9, 3), st.floats(0, 4)), min_size=3, max_size=3),
    st.none() | st.floats(-4, 2),
)
def test_the_kernel_is_the_definition(
    of_best: tuple[int, float, float], kinds: list[tuple[int, float, float]], likelihood: float | None
) -> None:
    (label, fit, margin), counts = of_best, [kind[0] for kind in kinds]
    ngrams = make_sums(
        counts,
        [n * weight for n, weight, _ in kinds],
        [n * (weight + regret) for n, weight, regret in kinds],
        [n // 2 for n in counts],
    )
    before = np.full((1, 3), 0.1, np.float32)
    before[0, label] = 0.8
    answer = before.copy()
    best = make_best_labels(label, fit, margin)
    last = None if likelihood is None else np.array([likelihood], np.float32)
    signs, doubts, _ = share(best, ngrams, answer, likelihood=last)
    [chance] = doubt.open_set_probability(signs, doubt.read_coefficients("ngrams" if last is None else "likelihood"))
    assert doubts[0] == pytest.approx(chance, abs=2e-4)
    [shared] = doubt.unknown_language_probability(best.fit, BASE[label : label + 1], np.array([100]))
    if chance > shared + 1e-3 and chance > 2 * doubt.LEAST:
        # The doubt that the answer has already counts towards it.
        rest = (1 - chance) / (1 - shared)
        assert answer == pytest.approx(before * rest + (1 - rest) / 3, abs=1e-3)
    elif chance < shared - 1e-3 or chance < doubt.LEAST / 2:
        assert answer.tolist() == before.tolist()


@given(st.integers(0, 2), st.floats(-3, 1), st.floats(0, 2), st.integers(4, 200), st.sampled_from([0.8, 0.96]))
def test_without_ngrams_the_first_signs_decide_or_wait_for_them(
    label: int, fit: float, margin: float, letters: int, confidence: float
) -> None:
    before = np.full((1, 3), (1 - confidence) / 2, np.float32)
    before[0, label] = confidence
    answer, best = before.copy(), make_best_labels(label, fit, margin)
    signs, doubts, undecided = share(best, None, answer, letters)
    use = doubt.read_coefficients("letters")
    assert len(use.mean) == doubt.STAGES["letters"]
    [chance] = doubt.open_set_probability(signs, use)
    assert doubts[0] == pytest.approx(chance, abs=1e-4)
    assert undecided.tolist() == [confidence >= doubt.SURE and bool(doubts[0] >= np.float32(doubt.ASK))]
    if undecided[0]:
        assert answer.tolist() == before.tolist()
    elif chance > doubt.LEAST * 2:
        [shared] = doubt.unknown_language_probability(best.fit, BASE[label : label + 1], np.array([letters]))
        rest = min(1, (1 - chance) / (1 - shared))
        assert answer == pytest.approx(before * rest + (1 - rest) / 3, abs=1e-3)


@given(st.integers(0, 2), st.floats(-3, 1), st.floats(0, 2), st.sampled_from([0.8, 0.96]))
def test_texts_that_ngrams_leave_in_doubt_wait_for_the_likelihood(
    label: int, fit: float, margin: float, confidence: float
) -> None:
    before = np.full((1, 3), (1 - confidence) / 2, np.float32)
    before[0, label] = confidence
    left, decided = before.copy(), before.copy()
    best, ngrams = make_best_labels(label, fit, margin), make_sums([30, 20, 5], [30, 20, 5], [60, 40, 9], [28, 18, 5])
    _, doubts, undecided = share(best, ngrams, left, has_next_stage=True)
    assert undecided.tolist() == [confidence >= doubt.SURE and bool(doubts[0] >= np.float32(doubt.ASK_LIKELIHOOD))]
    _, last_doubts, last_undecided = share(best, ngrams, decided)
    assert not last_undecided.any()
    assert last_doubts.tolist() == doubts.tolist()
    assert left.tolist() == (before if undecided[0] else decided).tolist()


def test_what_is_usual_is_known_of_the_language_models_that_it_was_measured_with() -> None:
    measured = {"usual": {"eng": [-2.25, -14.5], "deu": [-2.5, -13.0]}}
    with mock.patch.object(doubt, "_read_file", return_value=measured):
        found = doubt.find_usual_likelihood(["deu", "eng", "nld"], np.array([-13.00004, -14.25, -13], np.float32))
    assert found.tolist() == [-2.5, pytest.approx(np.nan, nan_ok=True), pytest.approx(np.nan, nan_ok=True)]


def test_the_likelihood_of_texts_of_several_windows_is_that_of_their_letters(shipped: Identifier) -> None:
    assert isinstance(shipped, Discriminative)
    trained, doubts, lm = shipped.parts, OpenSet(shipped.parts), shipped.parts.char_lm
    assert lm is not None
    texts = [AFRIKAANS[:40], "not asked", AFRIKAANS[40:80], AFRIKAANS[80:101]]
    letters = trained.sum_weights(texts).letters
    labels = np.array([shipped.labels.index(label) for label in ("nld", "eng")])
    found = doubts._compute_likelihood(lm, letters, np.array([0, 1, 2, 4]), np.array([0, 2]), labels)
    own = lm.estimate_likelihood(letters, labels[[0, 0, 1, 1]]).tolist()
    usual, n = doubt.find_usual_likelihood(trained.labels, lm.letter)[labels].tolist(), letters.lengths.tolist()
    assert found.tolist() == [
        pytest.approx(own[0] / n[0] - usual[0], abs=1e-4),
        pytest.approx((own[2] + own[3]) / (n[2] + n[3]) - usual[1], abs=1e-4),
    ]


def test_a_skipped_text_does_not_change() -> None:
    answer = np.array([[0.8, 0.1, 0.1]], np.float32)
    signs, doubts, undecided = share(make_best_labels(-1, 0, 0), NOTHING, answer)
    assert not undecided.any()
    assert not signs.any()
    assert not doubts.any()
    assert answer.tolist() == np.array([[0.8, 0.1, 0.1]], np.float32).tolist()


@pytest.mark.parametrize("label", [3, -2])
def test_labels_that_are_none_are_refused(label: int) -> None:
    with pytest.raises(KernelError, match="best"):
        share(make_best_labels(label, 0, 0), NOTHING, np.zeros((1, 3), np.float32))


SUMS = st.lists(st.lists(st.integers(-400, 400), min_size=3, max_size=3), min_size=1, max_size=4)


def best_of(rows: np.ndarray, found: np.ndarray, offsets: list[int], answer: np.ndarray) -> doubt.BestLabels:
    """Of texts of some windows, all of them in one script of three labels."""
    wide = np.zeros((len(rows), 16), np.int16)
    wide[:, :3] = rows
    weights = ScriptWeights(("A",), (slice(0, 3),), np.array([[0, 0, 0, 8, 0, 0]]), *[np.zeros(0)] * 3)
    return SCORES.find_best(
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
    weights, draw = shipped.parts.weights, np.random.default_rng(5)
    latin = weights.names.index("LATIN")
    first, common, rare, *_ = weights.blocks[latin].tolist()
    some = np.concatenate([first + draw.integers(0, common, 8), first + common + draw.integers(0, rare, 30)])
    features, columns = some.astype(np.int32), weights.list_columns()
    own_labels = weights.labels[latin]
    base = shipped.parts.scores.base / shipped.parts.scores.step
    sums = weights.sum_features(features, np.arange(len(some) + 1), np.full(len(some), latin, np.uint8))
    [(_, _, rows)] = weights.iterate_scripts(sums)
    table = rows[:, : columns[latin, 1]] + base[own_labels]
    script, offsets = np.full(2, latin), np.array([0, 20, len(some)])
    kinds = draw.integers(0, KINDS + 1, len(shipped.vocabulary)).astype(np.uint8)
    greatest = np.zeros(len(kinds), np.int32)
    about: dict[str, Any] = {"columns": columns, "base": base, "kinds": kinds, "greatest": greatest}
    of_kind = kinds[features[:20], None] == np.arange(KINDS)
    for _ in range(2):  # the second time from the cache of the first
        counts, label_sums, best_sums, nonzero = weights.compare_features(
            features, offsets, script, np.array([7, -1]), **about
        )
        assert counts.tolist() == [of_kind.sum(axis=0).tolist(), [0] * KINDS]
        assert label_sums[0].tolist() == pytest.approx(table[:20, 7] @ of_kind, rel=1e-5)
        assert best_sums[0].tolist() == pytest.approx(table[:20].max(axis=1) @ of_kind, rel=1e-5)
        assert nonzero.tolist() == [((rows[:20, 7] != 0) @ of_kind.astype(int)).tolist(), [0] * KINDS]
        assert not label_sums[1].any()
        assert not best_sums[1].any()
    common_ones = features[:20][of_kind.any(axis=1) & (features[:20] < first + common)]
    assert np.flatnonzero(greatest).tolist() == sorted(set(common_ones.tolist()))


def test_models_without_the_ngrams_are_not_asked(shipped: Identifier) -> None:
    assert isinstance(shipped, Discriminative)
    assert OpenSet(shipped.parts).applies
    assert not OpenSet(replace(shipped.parts, vocabulary=Vocabulary(["abc", "a", " whole "]))).applies


@pytest.mark.parametrize(
    ("name", "value"), [("FEWEST_LETTERS", 1 << 40), ("COEFFICIENTS", np.array([-50, *[0] * 7], np.float32))]
)
def test_the_best_label_stays_the_best(
    shipped: Identifier, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    lorem = "Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam " * 5
    texts = [AFRIKAANS[:90], AFRIKAANS * 4, lorem, "Ndiyabulela kakhulu"]
    monkeypatch.setattr(shipped, "_further", None)  # its languages get what an unknown one loses
    doubtful = shipped.probabilities(texts)
    for text, row in zip(texts, doubtful, strict=True):
        assert shipped.probabilities([text])[0].tolist() == row.tolist()
    monkeypatch.setattr(doubt, name, value)
    sure = shipped.probabilities(texts)
    assert doubtful.argmax(axis=1).tolist() == sure.argmax(axis=1).tolist()
    assert (doubtful.max(axis=1) <= sure.max(axis=1) + 1e-6).all()


def best(identifier: Identifier, text: str) -> tuple[str, float]:
    [row] = identifier.probabilities([text])
    return identifier.labels[int(row.argmax())], float(row.max())


def test_what_fits_badly_is_unknown_the_longer_the_surer() -> None:
    fit, base = np.array([0, -2, -2, -2], np.float32), np.full(4, -5, np.float32)
    chances = doubt.unknown_language_probability(fit, base, np.array([100, 10, 40, 400]))
    assert (np.diff(chances[1:]) > 0).all()
    assert chances[0] < 0.05
    assert chances[2] > 0.5


def test_by_hand() -> None:
    # -17.393 + 2.498 * -1 + 3.679 * 5 + (1.327 + 1.406 - 0.095 * 5) * ln 100 + 0.038 * 5 - 0.361 * 25 = 0.066
    [chance] = doubt.unknown_language_probability(
        np.array([-1], np.float32), np.array([-5], np.float32), np.array([100])
    )
    assert chance == pytest.approx(1 / (1 + np.exp(-0.066)), abs=1e-3)
