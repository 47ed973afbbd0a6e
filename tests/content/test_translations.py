"""Translations of programs as training text; labels whose text is in two scripts; the table of sources."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graphlang.content.nfc.model import Discriminative
from graphlang.modelfile import ModelError
from graphlang.training import corpus
from graphlang.training.train import train

from . import conftest, make_sources

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))


def write_files(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_lines_of_many_labels_and_lines_in_english_go() -> None:
    many = {code: [("app", ["Foo 3", f"kata {code}"])] for code in ("aaa", "bbb", "ccc", "ddd")}
    assert all(own == [("app", [f"kata {code}"])] for code, own in corpus.clean_messages(many, {}).items())
    few = {code: many[code] for code in ("aaa", "bbb", "ccc")}  # three may have it in common
    assert corpus.clean_messages(few, {})["aaa"] == [("app", ["Foo 3", "kata aaa"])]
    english = {"eng": [("news", ["the cat and the dog"] * 9)], "deu": [("news", ["der Hund und die Katze"] * 9)]}
    given = {"deu": [("app", ["die Katze", "the dog", "dog der Katze"])], "eng": [("app", ["the dog"])]}
    cleaned = corpus.clean_messages(given, english)
    assert cleaned == {"deu": [("app", ["die Katze", "dog der Katze"])], "eng": [("app", ["the dog"])]}


def test_a_word_that_both_use_is_not_english() -> None:
    texts = {"eng": [("news", ["rat a b"] * 10)], "deu": [("news", ["rat d e"] * 10)]}
    assert corpus.clean_messages({"deu": [("app", ["Rat"])]}, texts) == {"deu": [("app", ["Rat"])]}
    rarer = {"eng": texts["eng"], "deu": [("news", ["rat d e", *["f d e"] * 9])]}
    assert corpus.clean_messages({"deu": [("app", ["Rat"])]}, rarer) == {"deu": [("app", [])]}


def test_messages_are_added_in_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "_SIZE_WITH_MESSAGES", 30)
    monkeypatch.setattr(corpus, "_LEAST_MESSAGES", 5)
    texts = write_files(tmp_path / "a", {"de/news.txt": "eins zwei\ndrei vier\n", "en/news.txt": "one\n" + "two " * 20})
    told = write_files(tmp_path / "b", {"de/app.txt": "neun zehn\nelf\nzwoelf dreizehn\n", "fr/app.txt": "dix\nonze\n"})
    read = corpus.read_corpus(
        texts, label={"de": "deu", "en": "eng", "fr": "fra"}.get, minimum=lambda _: 3, maximum=500, messages=[told]
    )
    # 18 characters of its own leave room for 12: what exceeds it is the last line that is taken.
    assert read.group_by_genre("deu") == {"news": ("eins zwei", "drei vier"), "app": ("neun zehn", "elf")}
    assert (read.left_out, sorted(read.lines)) == ({"fra": 7}, ["deu", "eng"])  # messages count a third


def test_messages_of_several_folders_are_read_as_one(tmp_path: Path) -> None:
    texts = write_files(tmp_path / "a", {"de/news.txt": "eins zwei\n", "en/news.txt": "one\n" + "two " * 20})
    told = write_files(tmp_path / "b", {"de/app.txt": "neun zehn\n"})
    words = write_files(tmp_path / "c", {"de/dictionary.txt": "elf zwoelf\nneun zehn\n"})
    read = corpus.read_corpus(
        texts, label={"de": "deu", "en": "eng"}.get, minimum=lambda _: 3, maximum=500, messages=[told, words]
    )
    genres = {"news": ("eins zwei",), "app": ("neun zehn",), "dictionary": ("elf zwoelf",)}
    assert read.group_by_genre("deu") == genres  # a line that stands in both counts once
    with pytest.raises(ModelError, match="no such folder"):
        corpus.read_corpus(
            texts, label={"de": "deu"}.get, minimum=lambda _: 3, maximum=500, messages=[told, tmp_path / "d"]
        )


def test_a_label_in_two_scripts_keeps_the_one_it_has_more_of(tmp_path: Path) -> None:
    folder = conftest.write_corpus(tmp_path / "c", {"en": conftest.ENGLISH, "de": conftest.GERMAN})
    write_files(folder, {"en/other.txt": "Windows\n" * 2 + "η γάτα\nкот\n42\n", "de/a.txt": "пёс\n" * 300})
    made = train(folder, **conftest.TINY)
    assert (made.labels, made.parameters["scripts"]) == (("deu", "eng"), ["LATIN"])
    best = Discriminative(made, "", "").probabilities(["where is the dog", "wo ist der hund"]).argmax(axis=1)
    assert best.tolist() == [1, 0]
    read = corpus.read_corpus(
        folder, label={"en": "eng", "de": "deu"}.get, minimum=lambda _: 1, maximum=9_999, one_script=True
    )
    assert not {"η γάτα", "кот", "42", "пёс"} & {*read.lines["eng"], *read.lines["deu"]}


def test_other_methods_take_no_messages(corpus_folder: Path) -> None:
    with pytest.raises(ModelError, match="does not learn from translations"):
        train(corpus_folder, method="nfc-2004", messages=[corpus_folder])


@pytest.mark.skipif(not (DATA / "train").is_dir(), reason="the training text is not here (GRAPHLANG_DATA)")
def test_the_sources_of_the_model_are_those_that_are_here() -> None:
    assert make_sources.FILE.read_text(encoding="utf-8") == make_sources.table(DATA)


def test_every_source_has_a_licence_and_a_digest() -> None:
    head, *rows = [line.split("\t") for line in make_sources.FILE.read_text(encoding="utf-8").splitlines()]
    assert tuple(head) == make_sources.COLUMNS
    assert len(rows) > 1_000
    assert all(len(row) == len(head) and all(row) and len(row[-1]) == 64 for row in rows)
