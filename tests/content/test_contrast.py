"""Training the vector of one language again: only its column changes, and everyday words of another no longer count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphlang.content.nfc.model import Discriminative
from graphlang.training import contrast, model_columns
from graphlang.training.contrast import LineGroup
from graphlang.training.train import train

if TYPE_CHECKING:
    from graphlang.modelfile import Model

OWN = ["dem dey waka for di road wey dey there", "wetin dem wan chop na rice and fish", "i know say you dey come"]
ENGLISH = ["i know what you mean and i like it", "you know that i say what i want", "come and see what we have there"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("corpus")
    news = ["the council of the town has met", "the minister of finance said that taxes rise"]
    for name, lines in {
        "pcm": [*OWN, *ENGLISH],
        "en": news,
        "de": ["der nebel liegt im tal", "die minister der stadt"],
    }.items():
        (folder / name).mkdir()
        (folder / name / "a.txt").write_text("".join(f"{line}\n" for line in lines * 3), encoding="utf-8")
    return train(folder, minimum=10, document=20, features=900, rounds=4, draws=60, power=0.0)


def retrain(model: Model) -> Model:
    groups = [LineGroup(OWN, 200, 1.0, in_language=True), LineGroup(ENGLISH, 200, 50.0, in_language=False)]
    return contrast.retrain(model, "pcm", groups, seed=1)


def test_shared_words_no_longer_count_and_own_words_do(model: Model) -> None:
    before, after = Discriminative(model, "", "a"), Discriminative(retrain(model), "", "b")
    column = before.labels.index("pcm")
    texts = ["you know what i mean", "wetin dey for di road"]
    english, own = (after.probabilities(texts) - before.probabilities(texts))[:, column].tolist()
    assert english < -0.1
    assert own > -0.1
    assert after.probabilities(texts)[1].argmax() == column


def test_the_columns_of_other_labels_stay(model: Model) -> None:
    again = retrain(model)
    column = model.labels.index("pcm")
    for before, after in zip(model_columns.unpack_weights(model), model_columns.unpack_weights(again), strict=True):
        for weights in (before, after):
            assert np.abs(weights.value).max() <= 40
        same = [
            (w.row[w.column != column], w.column[w.column != column], w.value[w.column != column])
            for w in (before, after)
        ]
        assert all(np.array_equal(*arrays) for arrays in zip(*same, strict=True))
    assert {name for name in model.arrays if not np.array_equal(model.arrays[name], again.arrays[name])} <= {
        "gaps",
        "values",
    }


def test_the_same_seed_gives_the_same_bytes(model: Model) -> None:
    assert retrain(model).to_bytes() == retrain(model).to_bytes()
