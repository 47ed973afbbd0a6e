"""The second part of a model: languages that it adds, and answers that it must leave alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from graphlang import modelfile
from graphlang.codes.languages import LanguageChoice
from graphlang.content import registry
from graphlang.content.nfc import further
from graphlang.content.nfc.model import Discriminative
from graphlang.content.segments.page_shares import compute_page_shares
from graphlang.modelfile import Model, ModelError
from graphlang.training import extend, model_columns, new_languages
from graphlang.training.train import train

from .conftest import TINY, write_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from graphlang.modelfile import Model as ModelFile

FINNISH = ("kissa istuu matolla", "tämä on talo", "missä koira on", "he luulevat että sää on hyvä")
ABAU = ("hakwe so aio somokwe", "sa hiykwe lowndi prueyn", "hromkwe lon nonkway", "mokwe ley ohi se lira")
ENGLISH = "they think that the weather is good where the dog is"
OF_ABAU = "hakwe so aio hiykwe lowndi mokwe ley ohi se lira"


def stage(signs: int, **terms: float) -> dict[str, Any]:
    """Coefficients of a stage: a constant, and factors on signs that are neither shifted nor scaled."""
    linear = [terms.get("constant", 0.0), *(terms.get(sign, 0.0) for sign in further.SIGNS[:signs])]
    products = signs * (signs + 1) // 2
    return {"mean": [0.0] * signs, "spread": [1.0] * signs, "terms": linear + [0.0] * products}


@pytest.fixture(scope="module")
def pair(tiny_model: ModelFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of English, German and Greek, beside which one of Finnish and Abau is.

    The second part reads all texts without a sure answer, and gets .8 of them.
    """
    folder = tmp_path_factory.mktemp("pair")
    corpus = write_corpus(folder / "corpus", {"fi": FINNISH, "aau": ABAU})
    second = train(corpus, method="nfc", **TINY)
    digest = second.save(folder / further.FILE)
    parameter = {
        "sha256": digest,
        "labels": list(second.labels),
        "ask": stage(4, constant=0.0),  # one half: above `ASK`
        "gate": stage(5, constant=1.3863),  # log of .8 / .2
    }
    path = folder / "first.npz"
    replace(tiny_model, parameters={**tiny_model.parameters, further.PARAMETER: parameter}).save(path)
    return path


def test_signs_by_hand() -> None:
    # Least .1 of four labels: .4 for no language; log odds of .4, .6 and .2, log 100. No answer: log odds at the ends.
    # Then two equal labels, a sure text, and a short one. The last column is of the second model.
    rows = [[0.6, 0.2, 0.1, 0.1, 0.0], [0.0] * 5, [0.0, 0.5, 0.5, 0.0, 0.0], [0.98, 0.02, 0.0, 0.0, 0.0], [0.0] * 5]
    texts = ["x" * size for size in (100, 20, 400, 100, 19)]
    places, signs = further.measure_signs(np.array([[*row, 0.9] for row in rows], dtype=np.float32), 5, texts)
    end = np.log(0.997 / 0.003)
    assert places.tolist() == [0, 1, 2]
    assert signs == pytest.approx(
        np.array(
            [
                [np.log(0.4 / 0.6), np.log(0.6 / 0.4), np.log(0.2 / 0.8), np.log(100)],
                [end, -end, -end, np.log(20)],
                [end, 0, 0, np.log(400)],
            ]
        ),
        abs=1e-4,
    )


def test_a_sure_answer_of_the_first_part_stays(pair: Path, tiny_model: ModelFile) -> None:
    both, first = registry.load(pair), Discriminative(tiny_model, "", "first")
    assert both.labels == (*first.labels, "aau", "fin")
    answer, alone = both.probabilities([ENGLISH]), first.probabilities([ENGLISH])
    assert alone.max() > further.SURE
    assert answer[:, :3].tolist() == alone.tolist()
    assert not answer[:, 3:].any()


def test_a_doubtful_text_is_divided_between_both_parts(pair: Path, tiny_model: ModelFile) -> None:
    both, first = registry.load(pair), Discriminative(tiny_model, "", "first")
    assert isinstance(both, Discriminative)
    [answer], [alone] = both.probabilities([OF_ABAU]), first.probabilities([OF_ABAU])
    assert alone.max() < further.SURE
    assert both.labels[answer.argmax()] == "aau"
    assert answer[3:].sum() == pytest.approx(0.8, abs=0.01)
    assert answer[:3] == pytest.approx(0.2 * alone, abs=0.01) or not alone.any()
    assert answer.sum() == pytest.approx(1, abs=1e-5)


def test_the_second_part_is_never_sure(pair: Path) -> None:
    identifier = registry.load(pair)
    assert isinstance(identifier, Discriminative)
    assert identifier._further is not None
    identifier._further._stages = {
        name: further._read_stage(stage(signs, constant=90.0), signs) for name, signs in further.STAGES.items()
    }
    assert identifier.probabilities([OF_ABAU]).max() <= further.MOST


@pytest.mark.parametrize(
    "text",
    ["", "1234567890 1234567890 12", "hakwe so aio", "日本語のテキスト。" * 4],
)
def test_texts_that_are_short_or_in_another_script_have_no_further_language(pair: Path, text: str) -> None:
    assert not registry.load(pair).probabilities([text])[:, 3:].any()


def test_a_page_in_a_further_language_is_in_one_language(pair: Path) -> None:
    identifier = registry.load(pair)
    page = " ".join(f"{line} {other}" for line in ABAU for other in ABAU)
    answer = identifier.probabilities([page])
    assert identifier.labels[answer[0].argmax()] == "aau"
    assert compute_page_shares(identifier, [page], answer) == [[]]


def test_the_second_part_is_read_when_a_text_needs_it(
    pair: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(further, "_SHIPPED", tmp_path / "missing.npz")
    alone = tmp_path / "first.npz"
    alone.write_bytes(pair.read_bytes())
    identifier = registry.load(alone)
    assert identifier.probabilities([ENGLISH]).any()
    with pytest.raises(ModelError, match=r"missing.npz: No such file"):
        identifier.probabilities([OF_ABAU])
    (tmp_path / further.FILE).write_bytes(pair.read_bytes())
    with pytest.raises(ModelError, match=r"missing.npz: No such file"):
        registry.load(alone).probabilities([OF_ABAU])
    monkeypatch.setattr(further, "_SHIPPED", pair)
    with pytest.raises(ModelError, match=r"first.npz: nfc-further.npz, beside it or of .* not its second"):
        registry.load(alone).probabilities([OF_ABAU])


@pytest.mark.parametrize(
    "wrong",
    [
        {"labels": []},
        {"labels": ["aau", "aau"]},
        {"gate": stage(4)},
        {"ask": stage(4, constant=float("nan"))},
        {"labels": 7},
        {"ask": {"mean": []}},
        {"gate": None},
        {"without": 7},
        {"without": [7]},
        {"labels": [{}]},
    ],
)
def test_a_damaged_parameter_is_refused(pair: Path, wrong: dict[str, Any]) -> None:
    parameter = modelfile.read_header(pair)[2][further.PARAMETER]
    assert further.find_further(Model("nfc", ("deu",), {further.PARAMETER: parameter}, {}), str(pair)) is not None
    damaged = Model("nfc", ("deu",), {further.PARAMETER: {**parameter, **wrong}}, {})
    with pytest.raises(ModelError, match="its parameter further is damaged"):
        further.find_further(damaged, str(pair))


@pytest.mark.parametrize("labels", [["aau"], ["fin", "aau"], ["aau", "fin", "fra"], ["aau", "xx-no-language"]])
def test_labels_are_those_of_the_second_part(pair: Path, tmp_path: Path, labels: list[str]) -> None:
    model, _ = modelfile.read(pair)
    parameter = {**model.parameters[further.PARAMETER], "labels": labels}
    (tmp_path / further.FILE).write_bytes(pair.with_name(further.FILE).read_bytes())
    path = tmp_path / "first.npz"
    replace(model, parameters={**model.parameters, further.PARAMETER: parameter}).save(path)
    with pytest.raises(ModelError, match=r"is not its second part|'xx-no-language' is not a language label"):
        registry.load(path).probabilities([OF_ABAU])


@pytest.mark.parametrize(
    ("only", "without", "left"),
    [
        ([], ["deu"], ["ell", "eng", "aau", "fin"]),
        ([], ["fin", "deu"], ["ell", "eng", "aau"]),
        ([], ["fin"], ["ell", "deu", "eng", "aau"]),
        (["eng", "aau"], [], ["eng", "aau"]),
        (["eng", "deu"], [], ["deu", "eng"]),
    ],
)
def test_languages_of_both_parts_can_be_left_out(
    pair: Path, tmp_path: Path, only: list[str], without: list[str], left: list[str]
) -> None:
    model, digest = modelfile.read(pair)
    chosen = {
        name: [LanguageChoice(label) for label in labels] for name, labels in (("only", only), ("without", without))
    }
    smaller = model_columns.select_labels(model, path=pair, digest=digest, **chosen)
    assert set(smaller.removed) == {"aau", "deu", "ell", "eng", "fin"} - set(left)
    (tmp_path / further.FILE).write_bytes(pair.with_name(further.FILE).read_bytes())
    smaller.model.save(tmp_path / "smaller.npz")
    identifier = registry.load(tmp_path / "smaller.npz")
    assert list(identifier.labels) == left
    answer = identifier.probabilities([OF_ABAU])[0]
    is_abau = identifier.labels[answer.argmax()] == "aau"
    assert is_abau == ({"aau", "deu", "eng"} <= set(left))  # one language alone in a script gets all texts in it


def test_a_model_of_other_labels_alone_is_refused(pair: Path) -> None:
    model, digest = modelfile.read(pair)
    with pytest.raises(ModelError, match="no label would be left"):
        model_columns.select_labels(model, path=pair, digest=digest, only=[LanguageChoice("aau")])


def test_an_extended_model_keeps_the_languages_that_were_not_added(
    pair: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_languages, "LEAST_TEXT", 10)
    monkeypatch.setattr(further, "_SHIPPED", pair.with_name(further.FILE))
    model, digest = modelfile.read(pair)
    corpus = write_corpus(tmp_path / "corpus", {"fi": FINNISH})
    extended = extend.extend_model(corpus, base=model, path=pair, digest=digest)
    extended.save(tmp_path / "extended.npz")  # the second part is not beside it
    identifier = registry.load(tmp_path / "extended.npz")
    assert sorted(identifier.labels) == ["aau", "deu", "ell", "eng", "fin"]
    answer = identifier.probabilities([OF_ABAU])[0]
    assert identifier.labels[answer.argmax()] == "aau"
    assert answer.sum() == pytest.approx(1, abs=1e-5)
