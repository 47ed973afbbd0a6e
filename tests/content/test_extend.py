"""Languages added to a trained model: texts in them are identified, the others keep their columns; invalid input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang import modelfile
from graphlang.content import registry
from graphlang.content.nfc.model import Discriminative
from graphlang.modelfile import Model, ModelError
from graphlang.training import model_columns
from graphlang.training.extend import extend_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.testing import Result

    Call = Callable[..., Result]

DUTCH = ("de kat zit op de mat", "dit is het huis", "waar is de hond", "ze denken dat het weer goed is", "hij leest")
FRENCH = ("le chat dort sur le tapis", "voici la maison", "où est le chien", "ils pensent que oui", "nous lisons")
GREEK = ("ἐν ἀρχῇ ἦν ὁ λόγος καὶ", "πάντα ῥεῖ καὶ οὐδὲν μένει", "γνῶθι σεαυτόν", "ὁ βίος βραχύς", "μηδὲν ἄγαν")
RUSSIAN = ("кошка сидит на ковре", "это дом", "где собака", "они думают что погода хорошая", "мы идём в школу")
UKRAINIAN = ("кіт сидить на килимі", "це будинок", "де собака", "вони думають що погода гарна", "ми йдемо до школи")


def texts(folder: Path, languages: dict[str, Sequence[str]]) -> Path:
    for code, lines in languages.items():
        (folder / code).mkdir(parents=True)
        every = [f"{a} {b} {c}" for a in lines for b in lines for c in lines]
        (folder / code / "text.txt").write_text("\n".join(every) + "\n", encoding="utf-8")
    return folder


def extended(folder: Path, base: Model, *, replaced: bool = False, **given: Any) -> Model:
    return extend_model(folder, base=base, path=Path("base.npz"), digest="ab" * 32, replace=replaced, **given)


@pytest.fixture(scope="module")
def more(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return texts(tmp_path_factory.mktemp("more"), {"nl": DUTCH, "ru": RUSSIAN, "uk": UKRAINIAN})


@pytest.fixture(scope="module")
def made(tiny_model: Model, more: Path) -> Model:
    return extended(more, tiny_model)


def identify_labels(model: Model, some: list[str]) -> list[str]:
    identifier = Discriminative(model, "", "")
    return [identifier.labels[best] for best in identifier.probabilities(some).argmax(axis=1).tolist()]


def test_new_languages_are_told_and_old_ones_too(made: Model) -> None:
    assert made.labels == ("ell", "deu", "eng", "nld", "rus", "ukr")
    new, old = (
        ["waar is het huis", "где кошка", "де кіт і будинок"],
        ["wo ist der hund", "the dog", "πού είναι ο σκύλος"],
    )
    assert identify_labels(made, new) == ["nld", "rus", "ukr"]
    assert identify_labels(made, old) == ["deu", "eng", "ell"]


def test_scores_of_the_old_labels_stay(tiny_model: Model, made: Model) -> None:
    """Of n-grams that the base has: others are new to it."""
    before, after = Discriminative(tiny_model, "", ""), Discriminative(made, "", "")
    kept = [number for number, label in enumerate(made.labels) if label in tiny_model.labels]
    for name in ("base", "bias", "prior", "siblings", "spelling_letter", "spelling_word", "spelling_text"):
        assert made.arrays[name][kept].tolist() == tiny_model.arrays[name].tolist()
    old, new = model_columns.unpack_weights(tiny_model), model_columns.unpack_weights(made)
    for number, own in enumerate(old):
        mine = new[number].column < int(np.count_nonzero(tiny_model.arrays["script"] == number))
        assert new[number].value[mine].tolist() == own.value.tolist()
    known = before.vocabulary.ngrams
    assert tuple(gram for gram in after.vocabulary.ngrams if gram in known) == known


def test_the_same_text_gives_the_same_bytes(tiny_model: Model, more: Path, made: Model) -> None:
    assert extended(more, tiny_model).to_bytes() == made.to_bytes()


def test_the_model_says_what_it_was_made_of(made: Model) -> None:
    [step] = made.parameters["extended"]
    assert (step["base"], step["replaced"], sorted(step["labels"])) == ("ab" * 32, [], ["nld", "rus", "ukr"])
    source = step["labels"]["nld"]
    assert (source["files"], source["more_files"], len(source["sha256"])) == (["nl/text.txt"], 0, 64)
    assert Discriminative(made, "", "").describe()["extended"] == made.parameters["extended"]


def source(model: Model, label: str) -> dict[str, Any]:
    found: dict[str, Any] = model.parameters["extended"][-1]["labels"][label]
    return found


def test_what_a_new_language_learns_from(tiny_model: Model, more: Path, made: Model) -> None:
    """Of a language with diacritics in Latin letters some lines are read without them, as in a full training."""
    assert "made" not in source(made, "nld")
    folder = more.parent / "more-fr"
    with_bare = extended(texts(folder, {"fr": FRENCH}), tiny_model)
    assert 0 < source(with_bare, "fra")["made"]["plain"] < source(with_bare, "fra")["characters"]
    assert identify_labels(with_bare, ["ou est la maison"]) == ["fra"]
    without = extended(folder, tiny_model, bare=0.0, bare_least=0)
    assert "made" not in source(without, "fra")
    assert source(with_bare, "fra") == {**source(without, "fra"), "made": source(with_bare, "fra")["made"]}


def test_lists_of_words_teach_too(tiny_model: Model, more: Path, made: Model, tmp_path: Path) -> None:
    def write(code: str, first: str, more: dict[str, int]) -> None:
        rare = {f"{first}{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}": 1 for i in range(2500)}
        rows = [f"{word} {count}\n" for word, count in {**rare, **more}.items()]
        (tmp_path / f"{code}_50k.txt").write_text("".join(rows), encoding="utf-8")

    write("nl", "woord", {"zwembad": 5_000, "wetter": 1})
    write("de", "wort", {"wetter": 5_000})  # so common there that it is no word of Dutch
    again = extended(more, tiny_model, words=tmp_path, words_size=20_000)
    assert source(again, "nld") == {**source(made, "nld"), "made": {"words": pytest.approx(20_000, rel=0.2)}}
    assert source(again, "rus") == source(made, "rus")  # there is no list of it
    features = [gram.decode() for gram in model_columns.list_ngrams(again)]
    assert " zwembad " in features
    assert " zwembad " not in [gram.decode() for gram in model_columns.list_ngrams(made)]
    assert identify_labels(again, ["zwembad", "wetter"]) == ["nld", "deu"]
    with pytest.raises(ModelError, match="no list of words of rus"):
        extended(texts(tmp_path / "ru", {"ru": RUSSIAN}), tiny_model, words=tmp_path)


def test_translations_of_programs_teach_too(tiny_model: Model, more: Path, made: Model, tmp_path: Path) -> None:
    for name, lines in {
        "nl/app.txt": ["opslaan als", "the weather and the house"],
        "en/app.txt": ["save the house", "the weather"],
        "fr/app.txt": ["enregistrer"],
    }.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    again = extended(more, tiny_model, messages=[tmp_path])
    told = source(again, "nld")
    assert told["characters"] == source(made, "nld")["characters"] + len("opslaan als")  # the other line is English
    assert told["files"] == ["nl/text.txt", "nl/app.txt"]
    assert "fra" not in again.labels  # of which the first folder has nothing


def test_a_new_language_holds_back_for_its_relatives(tiny_model: Model, tmp_path: Path) -> None:
    more = texts(tmp_path / "more", {"nl": DUTCH})
    mixed = ("das ist de hond", "wo ist het haus", "die katze zit auf de matte")  # some of it would be Dutch
    others = texts(tmp_path / "others", {"de": mixed})
    free, held = extended(more, tiny_model), extended(more, tiny_model, relatives=others)
    new = held.labels.index("nld")
    assert held.arrays["bias"][new] == source(held, "nld")["bias"] < 0 == free.arrays["bias"][new]
    assert source(held, "nld") == {**source(free, "nld"), "bias": held.arrays["bias"][new], "relatives": ["deu"]}
    for name, array in free.arrays.items():
        changed = np.flatnonzero(np.atleast_1d(array != held.arrays[name])).tolist()
        assert changed == ([new] if name == "bias" else []), name
    alike = extended(more, tiny_model, relatives=texts(tmp_path / "english", {"en": ("the dog", "where is it")}))
    assert source(alike, "nld")["bias"] == 0  # it takes nothing of it


def test_relatives_that_are_none(tiny_model: Model, more: Path, tmp_path: Path) -> None:
    for code in ("fr", "nl", "xx-none"):
        others = texts(tmp_path / code, {code: FRENCH})
        with pytest.raises(ModelError, match="is no language that the model has and keeps"):
            extended(more, tiny_model, relatives=others)
    (tmp_path / "empty" / "de").mkdir(parents=True)
    with pytest.raises(ModelError, match="empty: deu has no text"):
        extended(more, tiny_model, relatives=tmp_path / "empty")
    one = tmp_path / "one"
    (one / "nl").mkdir(parents=True)
    (one / "nl" / "a.txt").write_text(" ".join(f"{line} {other}" for line in DUTCH for other in DUTCH * 9))
    with pytest.raises(ModelError, match="nld: too few lines to hold some out"):
        extended(one, tiny_model, relatives=texts(tmp_path / "de", {"de": FRENCH}))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"features": 9}, r"features: no option of training --extend \(it has bare, bare_least, seed, words_size\)"),
        ({"bare": 2.0}, r"bare=2.0: a number from 0 to 1"),
    ],
)
def test_settings_that_there_are_not(tiny_model: Model, more: Path, options: dict[str, float], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        extended(more, tiny_model, **options)


def test_an_extended_model_can_be_extended(made: Model, tmp_path: Path) -> None:
    again = extended(texts(tmp_path, {"be": [line.replace("и", "і") + " ў" for line in RUSSIAN]}), made)
    assert len(again.parameters["extended"]) == 2
    assert "bel" in again.labels
    assert identify_labels(again, ["waar is het huis"]) == ["nld"]


def test_a_label_that_exists_is_refused_or_trained_anew(made: Model, tmp_path: Path) -> None:
    folder = texts(tmp_path, {"de": FRENCH})  # to be told from what was there
    with pytest.raises(ModelError, match="the model has deu already"):
        extended(folder, made)
    again = extended(folder, made, replaced=True)
    assert again.parameters["extended"][1]["replaced"] == ["deu"]
    assert sorted(again.labels) == sorted(made.labels)
    assert identify_labels(again, ["où est la maison", "waar is het huis", "where is the dog"]) == ["deu", "nld", "eng"]


@pytest.mark.parametrize(
    ("languages", "words"),
    [
        ({"nl": ("de kat",)}, "nld has 20 characters of text, and 2,000 are needed"),
        ({"xx-none": DUTCH}, "xx-none is the code of no known language"),
        (
            {"nl": (*DUTCH, *RUSSIAN)},
            r"nld: its text is in two scripts \((LATIN|CYRILLIC) \d+%, (LATIN|CYRILLIC) \d+%\)",
        ),
        ({"nl": tuple(str(n) * 9 for n in range(10, 20))}, "nld: its text has no letters"),
        ({"grc": GREEK}, "grc: is written as ell"),
    ],
    ids=["too little", "no code", "two scripts", "no letters", "one label in its script"],
)
def test_what_is_refused(tiny_model: Model, tmp_path: Path, languages: dict[str, tuple[str, ...]], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        extended(texts(tmp_path, languages), tiny_model)


def test_an_empty_folder_is_refused(tiny_model: Model, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="sub-folders"):
        extended(tmp_path, tiny_model)
    (tmp_path / "nl").mkdir()
    with pytest.raises(ModelError, match="nld has no text"):
        extended(tmp_path, tiny_model)


def test_other_models_are_refused(tiny_model: Model, more: Path) -> None:
    with pytest.raises(ModelError, match="made for the method nfc-2004"):
        extended(more, replace(tiny_model, method="nfc-2004"))
    without = {name: array for name, array in tiny_model.arrays.items() if name != model_columns.OCCURRENCES}
    with pytest.raises(ModelError, match="lacks the counts of its n-grams in the training text"):
        extended(more, replace(tiny_model, arrays=without))


def test_the_shipped_model_can_be_extended() -> None:
    """After a new one: tests/content/make_occurrences.py, if it does not hold the numbers itself."""
    path = registry.path("nfc")
    model, _ = modelfile.read(path)
    often = model_columns.read_occurrences(model, path)
    assert (often >= 0).all()
    assert np.median(often) > 2


def test_numbers_beside_another_model_are_refused(tiny_model: Model, more: Path, tmp_path: Path) -> None:
    bare = replace(tiny_model, arrays={n: a for n, a in tiny_model.arrays.items() if n != model_columns.OCCURRENCES})
    path = tmp_path / "m.npz"
    numbers = {model_columns.OCCURRENCES: tiny_model.arrays[model_columns.OCCURRENCES]}
    Model(model_columns.OCCURRENCES_METHOD, ("eng",), {"ngrams": "other"}, numbers).save(
        model_columns.locate_occurrences(path)
    )
    with pytest.raises(ModelError, match="belongs to another model"):
        extend_model(more, base=bare, path=path, digest="", replace=False)
    Model(model_columns.OCCURRENCES_METHOD, ("eng",), {"ngrams": model_columns.digest_ngrams(bare)}, numbers).save(
        model_columns.locate_occurrences(path)
    )
    assert (
        extend_model(more, base=bare, path=path, digest="ab" * 32).to_bytes() == extended(more, tiny_model).to_bytes()
    )


def test_labels_taken_out_leave_the_others_as_they_are(made: Model, tiny_model: Model) -> None:
    smaller = model_columns.remove_labels(made, {"nld", "rus"})
    assert smaller.labels == ("ell", "deu", "eng", "ukr")
    whole, part = Discriminative(made, "", ""), Discriminative(smaller, "", "")
    text = ["where is the dog"]
    [(_, _, all_scores, _)] = whole.measure(text, prior=False)
    [(_, _, scores, _)] = part.measure(text, prior=False)
    assert (all_scores[0, :2].argmax(), scores.shape) == (scores[0].argmax(), (1, 2))
    assert model_columns.remove_labels(tiny_model, ()).to_bytes() == tiny_model.to_bytes()


@pytest.mark.parametrize(
    ("gone", "words"), [({"fra"}, "fra is not a label"), ({"eng", "deu", "ell"}, "no label would be left")]
)
def test_labels_that_cannot_be_taken_out(tiny_model: Model, gone: set[str], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        model_columns.remove_labels(tiny_model, gone)


@given(st.lists(st.integers(0, 10**9), max_size=9))
def test_numbers_come_back_nearly(numbers: list[int]) -> None:
    back = model_columns.unpack_occurrences(model_columns.pack_occurrences(np.array(numbers, dtype=np.int64)))
    assert back + 1 == pytest.approx(np.array(numbers, dtype=np.float64) + 1, rel=0.05)


def test_by_the_command(graphlang: Call, tiny_model: Model, more: Path, made: Model, tmp_path: Path) -> None:
    base, output = tmp_path / "base.npz", tmp_path / "my.npz"
    tiny_model.save(base)
    done = graphlang("train", "--extend", str(base), str(more), "-o", str(output))
    assert done.exit_code == 0, done.stderr
    size = made.parameters["extended"][0]["labels"]["nld"]["characters"]
    assert f"nld ({size:,} characters)" in done.stderr
    told = json.loads(graphlang("methods", str(output), "--json").stdout)
    assert (told["method"], told["labels"]) == ("nfc", len(made.labels))
    assert told["extended"][0]["labels"]["nld"]["files"] == ["nl/text.txt"]
    assert f"nld  {size:,} characters  nl/text.txt" in graphlang("methods", str(output)).stdout
    lists = tmp_path / "lists"
    lists.mkdir()
    (lists / "en.txt").write_text("the 9\n", encoding="utf-8")
    alone = graphlang("train", "--extend", str(base), str(more), "-o", str(output), "--words", str(lists))
    assert alone.exit_code != 0
    assert "no list of words of nld, rus, ukr" in alone.stderr
    again = graphlang("train", "--extend", str(output), str(more), "-o", str(tmp_path / "again.npz"))
    assert again.exit_code != 0
    assert "the model has nld, rus, ukr already" in again.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--extend", "nfc", "FOLDER"], "--output is missing: --extend takes one folder, and the file"),
        (["FOLDER", "-o", "x.npz"], "--output, --replace and --relatives go with --extend"),
        (["--extend", "nfc", "FOLDER", "FOLDER", "-o", "x.npz"], " is a second one"),
        (
            ["--extend", "nfc", "FOLDER", "-o", "x.npz", "--text", "FOLDER"],
            "--text is not supported by --extend; it is for --method url",
        ),
        (["x.npz", "FOLDER", "--text", "FOLDER"], "text is for URLs: nfc learns from one folder"),
        (["x.npz", __file__], f"{__file__} is not a folder: nfc learns from one folder"),
        (["--extend", "nfc", "FOLDER", "-o", "x.npz", "--option", "digest=9"], "digest is not a setting"),
        (["--extend", "nfc", "none", "-o", "x.npz"], "none: no such folder"),
        (["--extend", "nfc", "FOLDER", "-o", "x.npz", "--method", "url"], "and takes no --method url"),
        (["x.npz"], "train takes MODEL"),
    ],
)
def test_options_that_do_not_go_together(graphlang: Call, options: list[str], words: str, more: Path) -> None:
    done = graphlang("train", *(str(more) if option == "FOLDER" else option for option in options))
    assert done.exit_code == 2
    assert words in done.stderr
