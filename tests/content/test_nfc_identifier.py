"""NFC on languages small enough to work out by hand, and what holds for any texts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry, speaker_prior
from graphlang.content import score_lists as top_k
from graphlang.content.nfc.model import Discriminative
from graphlang.content.ngrams.vocabulary import Vocabulary, pack_ngrams
from graphlang.content.text.scripts import Registry
from graphlang.modelfile import Model, ModelError
from graphlang.papers import nfc_2004
from graphlang.papers.nfc_2004 import Nfc2004

if TYPE_CHECKING:
    from pathlib import Path

    from graphlang.content.identifier import Identifier


def by_hand() -> Nfc2004:
    """Two trigrams, "aba" and "bab"; language x has them 3 to 4, language y 1 to 0."""
    vectors = nfc_2004.compute_reference_vectors(np.array([[3, 4], [1, 0]]))
    model = Model(
        "nfc-2004",
        ("x", "y"),
        {"limit": 100, "closed": False},
        {"ngrams": pack_ngrams(["aba", "bab"]), "vectors": vectors, "sharpness": np.zeros(7, np.float32)},
    )
    return Nfc2004(model, "", "by hand")


def test_reference_vectors_have_length_one() -> None:
    assert nfc_2004.compute_reference_vectors(np.array([[3, 4], [1, 0]])) == pytest.approx(
        np.array([[0.6, 0.8], [1.0, 0.0]])
    )


def test_features_of_all_documents_are_counted_together() -> None:
    counts = nfc_2004.count_features(Vocabulary(["aba", "bab"]), ["abab", "aba"], limit=100, closed=False)
    assert counts.tolist() == [3, 2]  # abab: aba bab aba bab; aba: aba (baa aab)


def test_cosine_by_hand() -> None:
    # "abab" wraps round to aba bab aba bab: (2, 2), length root 8. x: (0.6 + 0.8) / root 2, y: 1 / root 2.
    # "aba" gives aba baa aab: (1, 0). x: 0.6, y: 1.
    scores, lengths = by_hand().similarities(["abab", "aba", "zzz", "1"])
    root = 2**0.5
    assert scores == pytest.approx(np.array([[1.4 / root, 1 / root], [0.6, 1.0], [0, 0], [0, 0]]))
    assert lengths.tolist() == [4, 3, 3, 0]


@pytest.mark.parametrize("wrong", [3e38, 1.01, -0.1])
def test_vectors_longer_than_one_are_refused(wrong: float) -> None:
    arrays = {"ngrams": pack_ngrams(["aba", "bab"]), "sharpness": np.zeros(7, np.float32)}
    arrays["vectors"] = np.array([[0.6, 0.8], [wrong, 0]], np.float32)
    with pytest.raises(ModelError, match="m: its vectors do not have length 1"):
        Nfc2004(Model("nfc-2004", ("x", "y"), {"limit": 100, "closed": False}, arrays), "", "m")


def test_a_model_without_ngrams_knows_nothing() -> None:
    arrays = {"ngrams": np.zeros(0, np.uint8), "vectors": np.zeros((2, 0), np.float32)}
    arrays["sharpness"] = np.zeros(7, np.float32)
    reader = Nfc2004(Model("nfc-2004", ("x", "y"), {"limit": 100, "closed": False}, arrays), "", "m")
    assert reader.probabilities(["aba", "1"]).tolist() == [[0.5, 0.5], [0, 0]]


def test_probabilities_by_hand() -> None:
    chances = by_hand().probabilities(["aba", "zzz", "1", ""])
    certain = 1 / (1 + np.exp(-0.4))
    assert chances == pytest.approx(np.array([[1 - certain, certain], [0.5, 0.5], [0, 0], [0, 0]]), abs=1e-6)


@pytest.fixture(scope="module")
def tiny(tiny_model_path: Path) -> Identifier:
    return registry.load(tiny_model_path)


def test_tiny_model_knows_its_languages(tiny: Identifier) -> None:
    assert tiny.labels == ("ell", "deu", "eng")
    best, _ = top_k.choose_top(tiny.probabilities(["das wetter ist gut", "ο καιρός", "the weather"]), 1)
    assert [tiny.labels[i] for i in best[:, 0]] == ["deu", "ell", "eng"]


def test_no_letters_no_answer(tiny: Identifier) -> None:
    chances = tiny.probabilities(["", " ", "12 345", "😀👍", "\x00", "\ud800", "...", "\u200d"])
    assert (chances == 0).all()
    assert tiny.probabilities([]).shape == (0, 3)


def test_a_script_that_no_language_has_is_in_none_and_a_strange_word_in_any(tiny: Identifier) -> None:
    chances = tiny.probabilities(["ꡁꡃꡆ", "xyzw" * 2_500_000, "ꡁꡃꡆ " * 1_000])
    assert chances.sum(axis=1) == pytest.approx([0, 1, 0], abs=1e-5)
    assert chances.max() < 0.99


@pytest.mark.parametrize("units", [34, 69, 400])
def test_a_second_look_that_finds_another_script_leaves_nothing_of_the_first(tiny: Identifier, units: int) -> None:
    """Every second character, which tells the script of a long text, is Latin, and most of its letters are Greek."""
    chances = tiny.probabilities(["1αaα11111111" * units])
    assert chances.sum() == pytest.approx(1, abs=1e-5)
    assert chances.argmax() == tiny.labels.index("ell")


@given(st.lists(st.text(max_size=40), max_size=12), st.randoms(use_true_random=False))
def test_an_answer_does_not_depend_on_the_batch(tiny: Identifier, texts: list[str], random: object) -> None:
    together = tiny.probabilities(texts)
    order = list(range(len(texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = tiny.probabilities([texts[i] for i in order])
    assert shuffled == pytest.approx(together[order], abs=1e-5)
    for text, row in zip(texts, together, strict=True):
        assert tiny.probabilities([text])[0] == pytest.approx(row, abs=1e-5)
        assert row.sum() == pytest.approx(1.0, abs=1e-5) or (row == 0).all()


def test_capitals_spaces_and_punctuation_change_nothing(tiny: Identifier) -> None:
    plain, loud = tiny.probabilities(["where is the dog", "  WHERE -- is\nthe... dog?! 42"])
    assert plain.tolist() == loud.tolist()


def test_the_prior_says_less_the_longer_the_text(tiny_model: Model) -> None:
    gaps = []
    unspelt = Discriminative(
        replace(tiny_model, arrays={n: a for n, a in tiny_model.arrays.items() if "spelling" not in n}), "", ""
    )
    for text in ("the", "the weather is good and so are we", "the weather is good " * 8):
        [(_, _, alone, _)] = unspelt.measure([text], prior=False)
        [(_, _, scores, _)] = unspelt.measure([text])
        english_over_german = (scores - alone)[0] @ [-1, 1]
        gaps.append(float(english_over_german))
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[0] == pytest.approx(
        0.4 * 0.9 * (speaker_prior.compute_log_prior(["eng", "deu"], 1.0) @ [1, -1]), abs=1e-4
    )


@pytest.mark.parametrize("prior", [[0, 0, -1000], [1000, 1000, 1000], [0, -30, -1], [-30, -30, 0]])
@pytest.mark.parametrize("lean", [1.0, 1000.0, -1000.0])
def test_what_english_gives_away_is_given_whatever_the_prior(
    tiny_model: Model, prior: list[float], lean: float
) -> None:
    changed = {"prior": np.array(prior, np.float32), "lean": np.full(7, lean, np.float32)}
    hostile = Discriminative(replace(tiny_model, arrays={**tiny_model.arrays, **changed}), "", "")
    assert hostile.probabilities(["the dog", "ο", "the"]).sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-5)


def test_english_alone_gives_nothing_away(tiny_model: Model) -> None:
    keep = {"ngrams": np.zeros(0, np.uint8), "gaps": np.zeros(0, np.uint8), "values": np.zeros(0, np.int8)}
    keep |= {
        "features": np.zeros((1, 2), np.int32),
        "script": np.zeros(1, np.uint8),
        "sharpness": np.zeros((1, 7), "f4"),
    }
    keep |= {name: tiny_model.arrays[name][-1:] for name in ("base", "bias", "prior", "siblings", "step")}
    alone = Model("nfc", ("eng",), {**tiny_model.parameters, "scripts": ["LATIN"]}, {**keep, "lean": np.zeros(7, "f4")})
    assert Discriminative(alone, "", "").probabilities(["the dog"]).tolist() == [[1]]


def test_describe_says_how_it_was_trained(tiny: Identifier) -> None:
    about = tiny.describe()
    assert about["method"] == tiny.name == "nfc"
    assert about["model"] == tiny.hash
    assert about["orders"] == [1, 2, 3, 4, 5]


def test_top_keeps_the_best_and_pads() -> None:
    indices, chances = top_k.choose_top(np.array([[0.2, 0.5, 0.3], [0, 0, 0], [1, 0, 0]], dtype=np.float32), 2)
    assert indices.tolist() == [[1, 2], [-1, -1], [0, -1]]
    assert chances.tolist() == [[0.5, pytest.approx(0.3)], [0, 0], [1, 0]]
    assert indices.dtype == np.int16
    assert top_k.choose_top(np.ones((1, 1), dtype=np.float32), 3)[0].tolist() == [[0, -1, -1]]


def test_unknown_method() -> None:
    with pytest.raises(ModelError, match="no such method"):
        registry.load("nonsense")


@pytest.mark.parametrize("name", ["nfc", "nfc-2004"])
def test_shipped_models_load_and_tell_great_languages_apart(name: str) -> None:
    identifier = registry.load(name)
    texts = {
        "eng": "The committee will meet again next week to discuss what should be done about the river.",
        "rus": "Комитет соберётся на следующей неделе, чтобы обсудить, что делать с рекой.",
        "ell": "Η επιτροπή θα συνεδριάσει ξανά την επόμενη εβδομάδα για να συζητήσει για το ποτάμι.",
        "tha": "คณะกรรมการจะประชุมกันอีกครั้งในสัปดาห์หน้า",
    }
    best, _ = top_k.choose_top(identifier.probabilities(list(texts.values())), 1)
    if name == "nfc":
        assert [identifier.labels[i] for i in best[:, 0]] == list(texts)
    assert identifier.labels[best[2, 0]] == "ell"


def test_scripts_without_labels_and_too_many_of_them_are_refused(tiny_model: Model) -> None:
    names = tiny_model.parameters["scripts"]
    every = np.concatenate([tiny_model.arrays["features"], np.zeros((300, 2), np.int32)])
    for more in (1, 300):
        changed = {
            **tiny_model.parameters,
            "scripts": [*names, *(f"S{i}" for i in range(more))],
        }
        arrays = {**tiny_model.arrays, "features": every[: len(names) + more]}
        with pytest.raises(ModelError, match="no labels"):
            Discriminative(Model(tiny_model.method, tiny_model.labels, changed, arrays), "", "m")


def test_names_of_no_script_leave_numbers_for_those_that_there_are() -> None:
    scripts = Registry()
    for i in range(62):
        scripts.number(f"S{i}")
    with pytest.raises(ValueError, match="S62: no script"):
        scripts.number("S62")
    assert scripts.number("S0") == 3
    numbers = {scripts.number("GREEK"), scripts.script(ord("ж")), scripts.number("CYRILLIC")}
    assert len(numbers) == 2
    assert {scripts.name(scripts.script(code_point)) for code_point in range(0x110000)} <= set(scripts._names)


@pytest.mark.parametrize("number", [65, 255, 256, 300])
def test_more_scripts_than_there_are(tiny_model: Model, number: int) -> None:
    labels = tuple(f"x{i}" for i in range(number))
    arrays = {name: array for name, array in tiny_model.arrays.items() if not name.startswith("spelling")}
    arrays |= dict.fromkeys(("base", "bias", "prior", "siblings"), np.zeros(number, np.float32))
    arrays |= {"script": np.arange(number).astype(np.uint8), "features": np.zeros((number, 2), np.int32)}
    arrays |= {"ngrams": np.zeros(0, np.uint8), "gaps": np.zeros(0, np.uint8), "values": np.zeros(0, np.int8)}
    arrays["sharpness"] = np.zeros((number, 7), np.float32)
    parameters = {**tiny_model.parameters, "scripts": [f"NO SCRIPT {i}" for i in range(number)]}
    with pytest.raises(ModelError, match=r"no script|order of their scripts"):
        Discriminative(Model("nfc", labels, parameters, arrays), "", "m")
    assert Discriminative(tiny_model, "", "tiny").probabilities(["ο καιρός"]).argmax() == 0


def test_a_text_half_in_each_of_two_languages_is_in_one_of_them() -> None:
    """Its best language had .19, which lists show as `und`."""
    spanish = (
        "El museo está junto al puerto y abre a las nueve. Los visitantes ven barcas viejas, redes y mapas."
        " Los sábados los niños pueden construir un barco pequeño. El taller es gratuito, pero hay que inscribirse."
    )
    german = (
        "Das Museum liegt am Hafen und öffnet um neun Uhr. Die Besucher sehen alte Boote, Netze und Karten. Am Samstag"
        " können Kinder ein kleines Boot bauen. Die Werkstatt kostet nichts, aber man muss sich vorher anmelden."
    )
    reader = registry.load("nfc")
    for text in (f"{spanish}\n{german}", f"{german}\n{spanish}"):
        chances = dict(zip(reader.labels, reader.probabilities([text])[0].tolist(), strict=True))
        assert max(chances["spa"], chances["deu"]) > 0.3
