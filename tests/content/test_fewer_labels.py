"""A model of some of its languages: they answer as before among themselves, and what was done is written down."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphlang import modelfile
from graphlang.codes.languages import LanguageChoice
from graphlang.content import registry
from graphlang.content.nfc.model import Discriminative
from graphlang.modelfile import ModelError
from graphlang.training.extend import extend_model
from graphlang.training.model_columns import SmallerModel, count_label_ngrams, select_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.testing import Result

    from graphlang.modelfile import Model

    Call = Callable[..., Result]

DIGEST = "ab" * 32
LINES = ("wo ist der hund", "where is the dog", "die katze", "the cat", "das haus", "the weather is good")


def fewer(model: Model, only: Sequence[str] = (), without: Sequence[str] = ()) -> SmallerModel:
    return select_labels(
        model,
        path=Path("m.npz"),
        digest=DIGEST,
        only=[LanguageChoice(*name.split("_")) for name in only],
        without=[LanguageChoice(*name.split("_")) for name in without],
    )


def test_what_is_left_answers_as_before(tiny_model: Model) -> None:
    assert tiny_model.labels == ("ell", "deu", "eng")
    made = fewer(tiny_model, only=["eng", "deu"])
    assert (made.model.labels, made.removed, made.single) == (("deu", "eng"), ("ell",), ())
    whole = Discriminative(tiny_model, "", "").probabilities(LINES)
    part = Discriminative(made.model, "", "").probabilities(LINES)
    assert part.argmax(axis=1).tolist() == [0, 1, 0, 1, 0, 1]
    best = np.arange(len(LINES)), part.argmax(axis=1)
    assert part[best] == pytest.approx(whole[:, 1:][best], abs=0.005)  # Greek had a part of what is in doubt alone
    assert (part[best] >= whole[:, 1:][best]).all()


def test_a_text_in_a_script_of_which_nothing_is_left_is_told_in_nothing(tiny_model: Model) -> None:
    part = Discriminative(fewer(tiny_model, without=["ell"]).model, "", "")
    assert not part.probabilities(["πού είναι ο σκύλος"]).any()


def test_a_language_that_is_left_alone_in_its_script_is_named(tiny_model: Model) -> None:
    made = fewer(tiny_model, without=["deu"])
    assert (made.model.labels, made.removed, made.single) == (("ell", "eng"), ("deu",), ("eng",))  # Greek was before


def test_what_was_done_is_in_the_model(tiny_model: Model) -> None:
    made = fewer(tiny_model, only=["eng", "deu"]).model
    assert made.parameters["extended"] == [{"base": DIGEST, "removed": 1, "labels": {}}]
    again = fewer(made, only=["eng"]).model
    assert [step["removed"] for step in again.parameters["extended"]] == [1, 1]


def test_a_language_is_added_to_what_is_left(tiny_model: Model, tmp_path: Path) -> None:
    lines = [f"de kat zit op {a} en {b}" for a in ("de mat", "het huis", "de hond") for b in range(40)]
    (tmp_path / "nld").mkdir()
    (tmp_path / "nld" / "a.txt").write_text("\n".join(lines), encoding="utf-8")
    made = fewer(tiny_model, only=["eng", "deu"]).model
    more = extend_model(tmp_path, base=made, path=Path("fewer.npz"), digest=DIGEST)
    assert more.labels == ("deu", "eng", "nld")
    told = Discriminative(more, "", "").probabilities(["de kat zit op het huis", "where is the dog"])
    assert told.argmax(axis=1).tolist() == [2, 1]


@pytest.mark.parametrize(
    ("only", "without", "words"),
    [
        (["fra"], [], "m.npz: the model has no fra"),
        (["deu_Cyrl"], [], "the model has no deu_Cyrl"),
        (["deu"], ["deu"], "no label would be left"),
        (["deu", "eng", "ell"], [], "no label would be removed"),
    ],
)
def test_what_cannot_be_made(tiny_model: Model, only: list[str], without: list[str], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        fewer(tiny_model, only=only, without=without)


def test_other_methods_cannot_be_made_smaller() -> None:
    path = registry.path("nfc-2004")
    model, digest = modelfile.read(path)
    with pytest.raises(ModelError, match="made for the method nfc-2004"):
        select_labels(model, path=path, digest=digest, only=[LanguageChoice("eng")])


def test_ngrams_are_counted_of_each_label(tiny_model: Model) -> None:
    count = count_label_ngrams(tiny_model)
    assert list(count) == list(tiny_model.labels)
    assert count["ell"] == 0  # alone in its script
    assert sum(count.values()) == np.count_nonzero(tiny_model.arrays["values"])


def test_by_the_command(graphlang: Call, tiny_model: Model, tmp_path: Path) -> None:
    file, output = tmp_path / "m.npz", tmp_path / "fewer.npz"
    tiny_model.save(file)
    listed = graphlang("profiles", file, "--format", "csv").stdout.splitlines()
    assert listed == [
        "label,encoding,ngrams",
        *(f"{label},,{n}" for label, n in count_label_ngrams(tiny_model).items()),
    ]
    done = graphlang("profiles", file, "--only", "English,el", "-o", output)
    assert (done.exit_code, done.stdout) == (0, "removed deu\n")
    assert "English is the only language left in the script Latn: all texts in it get it\n" in done.stderr
    model, digest = modelfile.read(output)
    assert f"{output}: 2 labels, sha256 {digest}" in done.stderr
    assert model.labels == ("ell", "eng")
    assert graphlang("methods", output).stdout.splitlines()[-1].endswith("...: 1 label")
    known = graphlang("methods", output, "--languages", "--format", "csv").stdout.splitlines()[1:]
    nothing = "," * 11  # was measured
    assert known == [f"eng,eng,Latn,English,en{nothing}", f"ell,ell,Grek,Greek,el{nothing}"]
    before = file.read_bytes()
    same = graphlang("profiles", file, "--remove", "tlh")
    assert (same.exit_code, file.read_bytes()) == (3, before)
    assert graphlang("profiles", file, "--remove", "de").exit_code == 0  # the file itself
    digest = hashlib.sha256(before).hexdigest()
    alike = select_labels(tiny_model, path=file, digest=digest, without=[LanguageChoice("deu")])
    assert file.read_bytes() == alike.model.to_bytes()


def test_the_shipped_model_of_ten_languages(graphlang: Call, tmp_path: Path) -> None:
    output = tmp_path / "nordic.npz"
    named = "Danish,fao,is,nb,nn,swe,fi,sme,en,de"
    assert graphlang("profiles", "nfc", "--only", named, "-o", output).exit_code == 0
    assert output.stat().st_size < registry.path("nfc").stat().st_size / 10
    told = graphlang(
        "identify", "--method", output, "--lines", "--format", "tsv", input_="Hvad koster det?\nиди сюда\n".encode()
    )
    assert [line.split("\t")[1] for line in told.stdout.splitlines()[1:]] == ["dan", "und"]


def test_languages_are_left_out_by_the_licence_of_their_text(graphlang: Callable[..., Result], tmp_path: Path) -> None:
    output = tmp_path / "fewer.npz"
    done = graphlang("profiles", "nfc", "--licence", "NC-ND", "-o", output)
    assert done.exit_code == 0
    removed = set(registry.load("nfc").labels) - set(registry.load(output).labels)
    assert done.stdout == f"removed {len(removed)} labels\n"
    assert {"aau", "zty"} <= removed
    assert not {"eng", "deu", "abk"} & removed
    assert "no licence of a training text contains 'XX'" in graphlang("profiles", "nfc", "--licence", "XX").stderr
    other = graphlang("profiles", output, "--licence", "NC")
    assert other.exit_code == 2
    assert "the licences of the texts are known of nfc alone" in other.stderr
