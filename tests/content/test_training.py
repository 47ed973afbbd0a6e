"""From a folder to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from graphlang.content import registry, speaker_prior
from graphlang.content.nfc import sparse_weights, weight_codec
from graphlang.content.nfc.model import Discriminative
from graphlang.modelfile import Model, ModelError
from graphlang.training import corpus, fisher, fit_nfc, logistic_regression
from graphlang.training.train import train
from graphlang.training.training_options import list_option_rules

from . import conftest

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SMALL: dict[str, Any] = {"minimum": 10, "document": 20, "features": 100, "rounds": 1, "draws": 20}


def test_the_same_corpus_gives_the_same_bytes(corpus_folder: Path) -> None:
    first, second = (train(corpus_folder, method="nfc", **SMALL).to_bytes() for _ in range(2))
    assert first == second
    assert train(corpus_folder, method="nfc", **SMALL, seed=1).to_bytes() != first


def test_counts_are_widened_where_they_are_too_great(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    often = tuple(f"da da da da {line}" for line in conftest.GERMAN)  # 32 times each: " d" stands 192 times
    folder = conftest.write_corpus(tmp_path / "c", {"de": often, "en": conftest.ENGLISH})
    wide = train(folder, method="nfc", **SMALL).to_bytes()
    monkeypatch.setattr(fit_nfc, "_COUNT_TYPE", np.int8)
    assert train(folder, method="nfc", **SMALL).to_bytes() == wide


def test_the_rounds_of_a_script_are_reported_as_its_share_of_the_labels(corpus_folder: Path) -> None:
    told: list[tuple[str, int, int]] = []
    train(corpus_folder, method="nfc", **{**SMALL, "rounds": 2}, progress=lambda *now: told.append(now))
    refined = [done for stage, done, labels in told if stage == "refine" and labels == 3]
    assert refined == [1, 2, 3, 3]  # Greek, alone in its script; English and German after a round, two, and at the end


def test_the_published_setting(corpus_folder: Path, tmp_path: Path) -> None:
    stages = []
    made = train(
        corpus_folder, method="nfc-2004", minimum=10, document=20, progress=lambda stage, *_: stages.append(stage)
    )
    assert (made.parameters["orders"], made.parameters["features"], made.parameters["closed"]) == ([3], 1000, False)
    assert "rounds" not in made.parameters
    assert list(dict.fromkeys(stages)) == ["read", "n-grams", "calibrate"]
    made.save(tmp_path / "m.npz")
    identifier = registry.load(tmp_path / "m.npz")
    assert all(len(gram) == 3 for gram in identifier.vocabulary.ngrams)  # type: ignore[attr-defined]
    best = identifier.probabilities(["the house is good", "das haus ist gut", "το σπίτι είναι"]).argmax(axis=1)
    assert [identifier.labels[i] for i in best.tolist()] == ["eng", "deu", "ell"]


def test_parameters_say_what_was_left_out(corpus_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    for sub in corpus_folder.iterdir():
        (folder / sub.name).mkdir(parents=True)
        (folder / sub.name / "text.txt").write_bytes((sub / "text.txt").read_bytes())
    (folder / "fr").mkdir()
    (folder / "fr" / "text.txt").write_text("bonjour\n", encoding="utf-8")
    (folder / "no language at all").mkdir()
    made = train(folder, method="nfc-2004", minimum=20, document=20)
    assert made.parameters["left_out"] == {"fra": 7, "no language at all": 0}
    assert made.labels == ("deu", "ell", "eng")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "magic"}, "no method that can be trained"),
        ({"wrong": 1}, "no option of training"),
        ({"prior": 0.3}, "prior=0.3: 7 numbers"),
        ({"prior": (0.3,) * 6}, "7 numbers"),
        ({"prior": (float("nan"),) * 7}, "7 numbers"),
        ({"lm_gain": (0.2,) * 7}, "the last 2 of them 0"),
        ({"lm_gain": (0, 0, 0, 0, 0, 0.2, 0)}, "the last 2 of them 0"),
        ({"lm_gain": (0.2, 0, 0, 0, 0, 0, 0), "closed": False}, "needs closed=true"),
        ({"lm_text_exponent": 100}, "lm_text_exponent=100: a number from 0 to 20"),
        ({"lm_inverse_temperature": 0}, r"lm_inverse_temperature=0: a number from 0\.01 to 1"),
        ({"lm_least": -1}, "lm_least=-1: a number from 0"),
    ],
)
def test_wrong_wishes(corpus_folder: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        train(corpus_folder, **change)


@pytest.mark.parametrize("knot", range(7))
def test_a_model_that_training_allows_can_be_loaded(corpus_folder: Path, knot: int) -> None:
    gain = [0.0] * 7
    gain[knot] = 10.0
    if not list_option_rules("nfc")["lm_gain"].allows(gain):
        return
    made = train(corpus_folder, **SMALL, lm_gain=gain, lm_text_exponent=20, lm_inverse_temperature=0.01, lm_least=0)
    assert Discriminative(made, "", "").probabilities(["the dog"]).sum() == pytest.approx(1)


def test_texts_whose_last_word_has_no_space(corpus_folder: Path) -> None:
    made = train(corpus_folder, **SMALL, closed=False)
    assert made.parameters["lm_gain"] == [0] * 7
    chances = Discriminative(made, "", "").probabilities(["where is the dog", "wo ist der hund"])
    assert [made.labels[best] for best in chances.argmax(axis=1)] == ["eng", "deu"]


def test_languages_each_in_a_script_of_its_own(corpus_folder: Path, tmp_path: Path) -> None:
    for name in ("de", "el"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text.txt").write_bytes((corpus_folder / name / "text.txt").read_bytes())
    made = train(tmp_path, **SMALL)
    assert Discriminative(made, "", "").probabilities(["wo", "που"]).tolist() == [[0, 1], [1, 0]]


def test_bad_corpora(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such folder"):
        train(tmp_path / "absent")
    (tmp_path / "de").mkdir()
    with pytest.raises(ModelError, match="at least 2 "):
        train(tmp_path, minimum=0)
    (tmp_path / "de" / "a.txt").write_bytes(b"gut\xff")
    with pytest.raises(ModelError, match=r"not UTF-8 \(byte 3\)"):
        train(tmp_path, minimum=0)


def test_files_share_the_room_and_lines_count_once(tmp_path: Path) -> None:
    for code in ("de", "en"):
        (tmp_path / code).mkdir()
    (tmp_path / "de" / "long.txt").write_text("\n".join(f"line {i:03}" for i in range(100)), encoding="utf-8")
    (tmp_path / "de" / "short.txt").write_text("eins\neins\n\n zwei \n", encoding="utf-8")
    (tmp_path / "en" / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    label = {"de": "deu", "en": "eng"}.get
    read = corpus.read_corpus(tmp_path, label=label, minimum=lambda _: 1, maximum=40)
    assert read.lines["deu"] == ("eins", "zwei", "line 000", "line 001", "line 002", "line 003")
    assert corpus.read_corpus(tmp_path, label=label, minimum=lambda _: 1, maximum=400).digest != read.digest


def test_held_out_lines_do_not_depend_on_their_order() -> None:
    lines = tuple(f"line {i}" for i in range(500))
    kept, out = corpus.hold_out(lines, 10)
    again, out_again = corpus.hold_out(lines[::-1], 10)
    assert sorted(out) == sorted(out_again)
    assert sorted(kept + out) == sorted(lines)
    assert sorted(again) == sorted(kept)
    assert 20 < len(out) < 90


def test_candidates_rank_what_tells_the_languages_apart() -> None:
    documents = [["aax aax aax", "aax aax aay"], ["bbx bbx bbx", "bbx bbx bby"]]
    candidates = fisher.FeatureCandidates(documents, orders=(2,))
    best = candidates.choose_top(20)
    assert {"aa", "bb"} <= set(best[:6])
    assert best.index("aa") < best.index("x ")  # both languages have "x "
    assert "ay" not in best  # in one document only
    own = candidates.choose_in_turn(2, np.ones(2))
    assert {gram[0] for gram in own} <= set("ab ")


@given(
    arrays(np.int8, st.tuples(st.integers(0, 4), st.integers(1, 300)), elements=st.sampled_from([0] * 20 + [-40, 7]))
)
def test_weights_survive_packing(steps: NDArray[np.int8]) -> None:
    assert unpacked(steps).tolist() == steps.tolist()


def unpacked(steps: NDArray[np.int8]) -> NDArray[np.int16]:
    """What a model of one label and many features, half of them common, reads back."""
    gaps, values = weight_codec.squeeze(steps)
    common = steps.size // 2
    arrays = {"gaps": gaps, "values": values, "script": np.zeros(1, np.uint8)}
    arrays["features"] = np.array([(common, steps.size)], dtype=np.int32)
    block = sparse_weights.unpack(Model("nfc", ("eng",), {"scripts": ["LATIN"]}, arrays), steps.size, "here")
    lists = np.zeros(steps.size - common, dtype=np.int16)
    rest = block.rest[: block.starts[-1]]
    lists[np.flatnonzero(np.diff(block.starts))] = rest.astype(np.int8)
    assert (rest >> 8 == 0).all()
    table = block.table[: 8 * common + 8].reshape(-1, 8)
    assert (table[:, 1:] == 40 * 257).all()
    assert (table[common] == 40 * 257).all()
    assert (table >> 8 == 40).all()  # no label there
    return np.concatenate([(table[:common, 0] & 0xFF).astype(np.int16) - 40, lists]).reshape(steps.shape)


def test_weights_far_apart_survive_packing() -> None:
    steps = np.zeros((3, 1000), dtype=np.int8)
    steps[0, 254], steps[1, 0], steps[2, 999] = 1, 2, 3
    gaps, _ = weight_codec.squeeze(steps)
    assert gaps.tolist() == [255, 255, 255, 236, 255, 255, 255, 255, 255, 255, 255, 214]
    assert unpacked(steps).tolist() == steps.tolist()


def test_labels_of_one_script_stand_together(tiny_model: Model) -> None:
    assert tiny_model.labels == ("ell", "deu", "eng")
    assert tiny_model.parameters["scripts"] == ["GREEK", "LATIN"]
    assert tiny_model.arrays["script"].tolist() == [0, 1, 1]
    # A script with one language needs no features; no feature mixes scripts or is a single letter.
    assert tiny_model.arrays["features"].tolist()[0] == [0, 0]
    grams = tiny_model.arrays["ngrams"].tobytes().decode().split("\n")
    assert all(gram.isascii() and len(gram) > 1 for gram in grams)
    assert " katze " in grams


def test_words_are_candidates_where_they_are_longer_than_any_ngram() -> None:
    documents = [["whole words here", "whole words there"], ["other things", "other things yet"]]
    best = fisher.FeatureCandidates(documents, orders=(2, 3), words=True).choose_top(100)
    assert {" whole ", " words ", " other ", " things "} <= set(best)
    assert " here " not in best  # in one document only
    assert " yet " not in best


def test_main_script_of_mixed_lines() -> None:
    lines = {"eng": ["windows"], "zho_Hans": ["安装 windows 之后", "打开 firefox"], "rus": ["windows для начинающих"]}
    assert corpus.sort_by_script(lines) == ("rus", "zho_Hans", "eng")


def test_start_by_hand() -> None:
    # Two languages of 100 and 300 characters; the n-gram stands 3 times in the first and once in the second, that is
    # 4 in 400; in a text of 50 characters of no particular language 0.5 times are expected.
    vectors = logistic_regression.start_vectors(np.array([[3], [1]], dtype=np.int32), np.array([100, 300]), 50.0)
    assert vectors.weights == pytest.approx(np.log([[1 + 3 / 0.5, 1 + 1 / 0.5]]))
    assert vectors.base == pytest.approx(np.log([50 / 150, 50 / 350]))
    # which is the log ratio of the smoothed shares, (3 + 0.5) / (100 + 50) over 0.01 for the first language
    assert vectors.weights[0, 0] + vectors.base[0] == pytest.approx(np.log(3.5 / 150 / 0.01))


def _nothing_left_out(_texts: sparse.csr_array, truth: np.ndarray) -> np.ndarray:
    return np.zeros(len(truth), dtype=np.float32)


def test_a_text_is_scored_as_if_it_had_not_been_counted() -> None:
    # The n-gram stands once in the first language and nine times in the second, which have 100 characters each. Without
    # the text that it was counted in, the weight of the first is what `start` would give for none, that of the second
    # what it would give for eight.
    counts, letters = np.array([[1], [9]], dtype=np.int32), np.array([100, 100])
    text = sparse.csr_array(np.ones((2, 1), dtype=np.float32))
    left = logistic_regression.leave_one_out(counts, letters, 20.0)(text, np.array([0, 1]))
    whole = logistic_regression.start_vectors(counts, letters, 20.0).weights[0]
    assert whole + left == pytest.approx(np.log([1, 1 + 8 / 1]))


def test_refinement_moves_only_what_matters_and_towards_the_truth() -> None:
    vectors = logistic_regression.Vectors(
        np.zeros((3, 2), np.float32), np.zeros(2, np.float32), np.zeros(2, np.float32)
    )
    texts = sparse.csr_array(np.array([[1.0, 0, 0], [0, 1.0, 0]], dtype=np.float32))
    losses: list[float] = []
    after = logistic_regression.refine_vectors(
        vectors,
        lambda: (texts, np.array([0, 1]), np.zeros((1, 2), dtype=np.float32)),
        _nothing_left_out,
        rounds=20,
        rate=0.1,
        batch=1,
        progress=lambda _done, _all, loss: losses.append(loss),
    )
    assert losses[0] > losses[-1]
    assert after.weights[0, 0] > 0 > after.weights[0, 1]
    assert after.weights[1, 1] > 0 > after.weights[1, 0]
    assert after.weights[2].tolist() == [0, 0]


def test_what_is_known_beforehand_is_not_learnt() -> None:
    vectors = logistic_regression.Vectors(
        np.zeros((1, 2), np.float32), np.zeros(2, np.float32), np.zeros(2, np.float32)
    )
    texts = sparse.csr_array(np.ones((2, 1), dtype=np.float32))
    certain = np.array([[0, -20], [-20, 0]], dtype=np.float32)  # the kind of each text says all about its language
    after = logistic_regression.refine_vectors(
        vectors, lambda: (texts, np.array([0, 1]), certain), _nothing_left_out, rounds=3, rate=0.5, batch=1
    )
    assert after.weights.tolist() == [[0, 0]]
    assert after.bias.tolist() == [0, 0]


def test_prior_follows_the_number_of_speakers() -> None:
    prior = speaker_prior.compute_log_prior(["eng", "isl", "vot"], 0.5)
    assert prior[0] == 0
    assert prior[0] > prior[1] > prior[2]
    assert speaker_prior.compute_log_prior(["eng", "vot"], 0.0).tolist() == [0, 0]
