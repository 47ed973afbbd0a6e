"""Profiles of a byte model: listed, added, replaced and removed, while all others stay byte for byte."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from graphlang import modelfile
from graphlang.content import registry
from graphlang.papers import byte_profiles

Call = Callable[..., Result]
TEXTS = {
    "deu": "Der Zug nach Süden fährt heute von einem anderen Gleis, und der Speisewagen ist geschlossen. ",
    "fra": "Le train du soir part d'une autre voie, et la voiture-restaurant est fermée jusqu'à demain. ",
    "rus": "Вечерний поезд отправляется с другого пути, а вагон-ресторан закрыт до завтрашнего утра. ",
}


def corpus(folder: Path, *languages: str, times: int = 120) -> Path:
    for language in languages:
        (folder / language).mkdir(parents=True)
        lines = [f"{TEXTS[language]}{number}" for number in range(times)]
        (folder / language / "a.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


def held(path: Path) -> dict[tuple[str, str], tuple[bytes, bytes]]:
    return {
        one.key: (one.grams.tobytes(), one.counts.tobytes())
        for one in byte_profiles.unpack_profiles(modelfile.read(path)[0], str(path))
    }


@pytest.mark.parametrize("method", ["quadgrams", "byte-trigrams"])
def test_one_language_more_and_one_less_leave_the_others_as_they_were(
    graphlang: Call, tmp_path: Path, method: str
) -> None:
    file = tmp_path / "m.npz"
    trained = graphlang("train", file, corpus(tmp_path / "two", "deu", "fra"), "--method", method, "-q")
    assert trained.exit_code == 0, trained.output
    before = held(file)
    added = graphlang("profiles", file, "--add", corpus(tmp_path / "one", "rus"))
    assert added.exit_code == 0, added.output
    assert "added rus in koi8-r" in added.stdout
    after = held(file)
    assert {key: after[key] for key in before} == before
    assert registry.load(file).labels == ("deu", "fra", "rus")
    found = registry.load(file).identify_bytes([TEXTS["rus"].encode("koi8-r")])  # type: ignore[attr-defined]
    assert (found[0].tolist(), found[2]) == ([2], ["koi8-r"])
    fewer = graphlang("profiles", file, "--remove", "rus:koi8-r", "--remove", "fra", "-o", tmp_path / "n.npz")
    assert fewer.exit_code == 0, fewer.output
    assert held(file) == after
    left = held(tmp_path / "n.npz")
    assert left == {key: value for key, value in after.items() if key[0] != "fra" and key != ("rus", "koi8-r")}


def test_a_language_that_is_there_is_replaced(graphlang: Call, tmp_path: Path) -> None:
    file = tmp_path / "m.npz"
    assert graphlang("train", file, corpus(tmp_path / "a", "deu", "fra"), "--method", "quadgrams", "-q").exit_code == 0
    before = held(file)
    result = graphlang("profiles", file, "--add", corpus(tmp_path / "b", "fra", times=200))
    assert "replaced fra in utf-8" in result.stdout
    after = held(file)
    assert after.keys() == before.keys()
    assert after["fra", "utf-8"] != before["fra", "utf-8"]
    assert after["deu", "utf-8"] == before["deu", "utf-8"]


def test_profiles_are_listed(graphlang: Call) -> None:
    lines = graphlang("profiles", "byte-trigrams", "--format", "csv").stdout.splitlines()
    assert lines[0] == "label,encoding,ngrams"
    assert any(line.startswith("rus,koi8-r,") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nfc-2004", "--remove", "deu", "-o", "x.npz"), "has no profiles; only models of"),
        (("nfc", "--only", "deu,eng"), "name a file for the changed model with --output"),
        (("nfc", "--only", "deu,nonsense", "-o", "x.npz"), "--only: unknown language 'nonsense'"),
        (("nfc", "--remove", "tlh", "-o", "x.npz"), "the model has no tlh"),
        (("nfc", "--only", "srp_Arab", "-o", "x.npz"), "the model has no srp_Arab"),
        (("nfc", "--only", "deu", "--remove", "de", "-o", "x.npz"), "no label would be left"),
        (("nfc", "--add", ".", "-o", "x.npz"), "graphlang train --extend nfc adds languages"),
        (("byte-trigrams", "--only", "tlh", "-o", "x.npz"), "tlh: no profile of the model"),
        (("byte-trigrams", "--remove", "xxx", "-o", "x.npz"), "no profile of the model"),
        (("byte-trigrams", "--remove", "deu"), "name a file for the changed model with --output"),
        (("byte-trigrams", "-o", "x.npz"), "--output without"),
        (("byte-trigrams", "--remove", "rus", "-o", "x.npz", "--format", "csv"), "--format is for the list"),
        (("none.npz",), "no such method"),
    ],
)
def test_what_cannot_be_done_is_said(graphlang: Call, arguments: tuple[str, ...], words: str) -> None:
    result = graphlang("profiles", *arguments)
    assert result.exit_code != 0
    assert words in result.stderr
    assert not Path("x.npz").exists()


def test_a_byte_model_of_some_languages_alone(graphlang: Call, tmp_path: Path) -> None:
    file = tmp_path / "m.npz"
    made = graphlang("train", file, corpus(tmp_path / "a", *TEXTS), "--method", "byte-trigrams", "-q")
    assert made.exit_code == 0, made.output
    before = held(file)
    fewer = graphlang("profiles", file, "--only", "French,ru", "-o", tmp_path / "n.npz")
    assert fewer.exit_code == 0, fewer.output
    assert set(fewer.stdout.splitlines()) == {
        f"removed deu in {encoding}" for label, encoding in before if label == "deu"
    }
    assert held(tmp_path / "n.npz") == {key: value for key, value in before.items() if key[0] != "deu"}


def test_too_little_text_changes_nothing(graphlang: Call, tmp_path: Path) -> None:
    file = tmp_path / "m.npz"
    assert graphlang("train", file, corpus(tmp_path / "a", "deu", "fra"), "--method", "quadgrams", "-q").exit_code == 0
    before = file.read_bytes()
    result = graphlang("profiles", file, "--add", corpus(tmp_path / "b", "rus", times=2))
    assert (result.exit_code, "less than" in result.stderr) == (3, True)
    assert file.read_bytes() == before
