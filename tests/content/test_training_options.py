"""What `train --option` may not say: refused before the corpus is read, with what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from graphlang.content import registry
from graphlang.modelfile import ModelError
from graphlang.papers import byte_trigrams
from graphlang.training.train import train

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("method", ["rank-order", "textcat", "quadgrams", "martins-silva"])
@pytest.mark.parametrize("features", [0, -5, 1.5, True, (1, 2), float("nan"), "400"])
def test_numbers_of_features_that_are_none(corpus_folder: Path, method: str, features: Any) -> None:
    with pytest.raises(ModelError, match=r"features=.*: a whole number from 1 to 1,000,000"):
        train(corpus_folder, method=method, features=features)


@pytest.mark.parametrize(
    ("option", "value"),
    [("held_out", 0), ("limit", 0), ("limit", 2_000_000), ("seed", -1), ("seed", 1.5), ("minimum", 0)]
    + [("doubt", value) for value in (0, -1, float("nan"), float("inf"))],
)
def test_settings_out_of_range(corpus_folder: Path, option: str, value: float) -> None:
    with pytest.raises(ModelError, match=rf"{option}={value}: a (whole )?number from "):
        train(corpus_folder, method="textcat", **{option: value})


def test_an_unknown_setting_is_refused_with_the_names_that_there_are(corpus_folder: Path) -> None:
    names = "doubt, features, held_out, limit, maximum, minimum, seed"
    with pytest.raises(ModelError, match=rf"^orders: no option of training textcat \(it has {names}\)$"):
        train(corpus_folder, method="textcat", orders=(1, 2))


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ({"lower": 0}, (0.95, 0.0)),  # nothing at all: not the paper's 0.92
        ({"upper": 1}, (1.0, 0.92)),
        ({"upper": 0.5}, (0.5, 0.5)),
        ({"lower": 0.97}, (0.97, 0.97)),
        ({"upper": 0.6, "lower": 0.5}, (0.6, 0.5)),
    ],
)
def test_the_model_has_the_chosen_thresholds(
    corpus_folder: Path, tmp_path: Path, given: dict[str, float], used: tuple[float, float]
) -> None:
    train(corpus_folder, method="byte-trigrams", minimum=10, **given).save(tmp_path / "m.npz")
    about = registry.load(tmp_path / "m.npz").describe()
    assert (about["upper"], about["lower"]) == used


@pytest.mark.parametrize("given", [{"upper": 2}, {"lower": -1}, {"lower": True}, {"upper": 0.5, "lower": 0.6}])
def test_thresholds_that_are_none(corpus_folder: Path, given: dict[str, float]) -> None:
    with pytest.raises(ModelError, match=r"a number from 0 to 1|above upper"):
        train(corpus_folder, method="byte-trigrams", minimum=10, **given)


def test_without_thresholds_the_method_always_answers(corpus_folder: Path, tmp_path: Path) -> None:
    train(corpus_folder, method="byte-trigrams", minimum=10).save(tmp_path / "m.npz")
    assert isinstance(registry.load(tmp_path / "m.npz"), byte_trigrams.ByteTrigrams)


def test_folders_without_a_language_or_a_text_are_left_out(corpus_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    for name in ("de", "en", "und", "zxx", "mul"):
        (folder / name).mkdir(parents=True)
        text = corpus_folder / ("de" if name == "de" else "en") / "text.txt"
        (folder / name / "text.txt").write_bytes(text.read_bytes())
    (folder / "nl").mkdir()
    (folder / "nl" / "text.text").write_text("een tekst die niemand leest", encoding="utf-8")
    made = train(folder, method="textcat", minimum=1)
    assert made.labels == ("deu", "eng")
    assert made.parameters["left_out"] == {"mul": 0, "nld": 0, "und": 0, "zxx": 0}


@pytest.mark.parametrize("method", ["nfc", "nfc-2004"])
@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [("held_out", 0, "a whole number from 1 to 2,147,483,648"), ("seed", -1, "a whole number from 0 to ")]
    + [("features", value, "a whole number from 1 to 5,592,405") for value in (-5, 0, 1.5, True, "400", 5_592_406)]
    + [
        ("orders", value, "1 to 5 whole numbers from 1 to 5, each above the one before")
        for value in ((0,), (9,), (), (3, 3), (3, 2), (2.5,), 3, ("3",))
    ]
    + [("document", 0, "a whole number from 1 to "), ("limit", 0, "a whole number from 1 to ")]
    + [("doubt", value, "a number from 0.01 to 100") for value in (0, float("nan"), float("inf"))]
    + [("closed", 1, "true or false"), ("minimum", -1, "a whole number from 0 to ")],
)
def test_settings_of_nfc_out_of_range(corpus_folder: Path, method: str, option: str, value: Any, allowed: str) -> None:
    with pytest.raises(ModelError) as told:
        train(corpus_folder, method=method, **{option: value})
    assert str(told.value).startswith(f"{option}={value}: {allowed}")


@pytest.mark.parametrize(
    ("option", "value"),
    [(name, value) for name in ("smoothing", "power", "turns", "rate", "step") for value in (float("nan"), -1)]
    + [("smoothing", 0), ("step", 0), ("words_share", 1), ("rounds", -1), ("draws", 0), ("batch", 0), ("table", -1)]
    + [("bare", 2), ("close_languages", -1), ("words_size", 0), ("limit", 812)]
    + [("prior", value) for value in ((float("nan"),) * 7, ("x",) * 7, (0.3,) * 8)],
)
def test_settings_of_refinement_out_of_range(corpus_folder: Path, option: str, value: Any) -> None:
    with pytest.raises(ModelError, match=rf"^{option}=.*: (a|7) (whole )?numbers? from "):
        train(corpus_folder, method="nfc", **{option: value})


def test_settings_of_nfc_that_are_none_are_refused_with_the_names_that_there_are(corpus_folder: Path) -> None:
    names = "closed, document, documents, doubt, features, held_out, limit, maximum, minimum, orders, seed"
    with pytest.raises(ModelError, match=rf"^rounds: no option of training nfc-2004 \(it has {names}\)$"):
        train(corpus_folder, method="nfc-2004", rounds=3)
    with pytest.raises(ModelError, match=r"^colour: no option of training nfc \(it has bare, .*words_size\)$"):
        train(corpus_folder, method="nfc", colour=1)


@pytest.mark.parametrize("method", ["nfc", "nfc-2004"])
@pytest.mark.parametrize("every", [1, 10**9])
def test_where_no_line_is_held_out_those_learnt_from_calibrate(corpus_folder: Path, method: str, every: int) -> None:
    made = train(corpus_folder, method=method, minimum=10, document=20, features=100, held_out=every)
    assert np.isfinite(made.arrays["sharpness"]).all()
    assert np.ptp(made.arrays["sharpness"]) > 0


@pytest.mark.parametrize("method", ["nfc", "nfc-2004"])
def test_a_corpus_without_letters_is_an_error(tmp_path: Path, method: str) -> None:
    for code in ("de", "en"):
        (tmp_path / code).mkdir()
        (tmp_path / code / "text.txt").write_text("1 2 3\n4 5 6\n", encoding="utf-8")
    with pytest.raises(ModelError, match="no text that has letters"):
        train(tmp_path, method=method, minimum=1)
