"""Genres of training text, word lists, and lines without diacritics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphlang.content.nfc.model import Discriminative
from graphlang.content.text.scripts import registry
from graphlang.modelfile import ModelError
from graphlang.training import close_languages, corpus, derived_text, excerpts, logistic_regression
from graphlang.training.train import train
from graphlang.training.training_options import TrainingOptions

if TYPE_CHECKING:
    from pathlib import Path

LATIN, CYRILLIC = registry.number("LATIN"), registry.number("CYRILLIC")


def draw_excerpts(**change: object) -> tuple[excerpts.GenreExcerpts, list[tuple[str, int, int]]]:
    settings: dict[str, object] = {"shares": {}, "shortest": 3, "longest": 4, "random": np.random.default_rng(1)}
    texts = [{"news": ["a" * 300], "words": ["b" * 100]}, {"words": ["c" * 200]}]
    made = excerpts.GenreExcerpts(texts, np.array([40, 20]), **(settings | change))  # type: ignore[arg-type]
    found, truth, genre = made.draw()
    return made, list(zip([text[0] for text in found], truth.tolist(), genre.tolist(), strict=True))


def test_pieces_are_shared_by_genre() -> None:
    made, found = draw_excerpts()
    # Language 0: three quarters of its 40 excerpts are news.
    assert {row: found.count(row) for row in set(found)} == {("a", 0, 0): 30, ("b", 0, 1): 10, ("c", 1, 1): 20}
    # News: language 1 has none. Words: language 0 has half as many excerpts.
    assert made.offsets == pytest.approx(np.array([[0, excerpts.LEAST_LOG_ODDS], [np.log(0.5), 0]]))


def test_a_kind_may_have_a_fixed_share() -> None:
    _, found = draw_excerpts(shares={"words": 0.5})
    assert {row: found.count(row) for row in set(found)} == {("a", 0, 0): 20, ("b", 0, 1): 20, ("c", 1, 1): 20}


def test_a_language_of_one_piece_has_it() -> None:
    made = excerpts.GenreExcerpts(
        [{"a": ["x"], "b": ["y"], "c": ["z"]}, {}],
        np.array([1, 0]),
        shares={},
        shortest=1,
        longest=1,
        random=np.random.default_rng(1),
    )
    assert made.draw()[0] == ["x"]


def test_the_corpus_tells_kinds(tmp_path: Path) -> None:
    for name, line in {
        "udhr_a.txt": "eins",
        "udhr_b.txt": "zwei",
        "news-2021.part2.txt": "drei",
        "7.txt": "vier",
    }.items():
        (tmp_path / "de").mkdir(exist_ok=True)
        (tmp_path / "de" / name).write_text(f"{line}\n", encoding="utf-8")
    read = corpus.read_corpus(tmp_path, label={"de": "deu"}.get, minimum=lambda _: 1, maximum=99, least_labels=1)
    assert read.group_by_genre("deu") == {"": ("vier",), "news": ("drei",), "udhr": ("eins", "zwei")}


def test_words_go_to_the_label_of_their_script_and_foreign_ones_are_left_out(tmp_path: Path) -> None:
    def write(name: str, words: dict[str, int]) -> None:
        (tmp_path / name).write_text("".join(f"{word} {count}\n" for word, count in words.items()), encoding="utf-8")

    latin = {f"rec{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}": 10 for i in range(3000)}
    cyrillic = {f"реч{chr(0x430 + i % 30)}{chr(0x430 + i // 30 % 30)}{chr(0x430 + i // 900)}": 10 for i in range(3000)}
    english = {f"word{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}": 10 for i in range(2500)}
    write("sr_50k.txt", {**latin, **cyrillic, "the": 1, "42": 900})
    write("en_50k.txt", {**english, "the": 9000})
    write("ze_en_50k.txt", {"neither": 1})
    write("fr.txt", {"peu": 3, "de": 2})
    scripts = {"srp_Latn": LATIN, "srp_Cyrl": CYRILLIC, "eng": LATIN, "fra": LATIN}
    found = derived_text.draw_word_lines(
        derived_text.read_word_lists(tmp_path, scripts),
        characters=60_000,
        random=np.random.default_rng(1),
        labels=scripts,
    )
    assert sorted(found) == ["eng", "srp_Cyrl", "srp_Latn"]  # of French there is too little
    words = {label: {word for line in own for word in line.split(" ")} for label, own in found.items()}
    assert words["srp_Latn"] <= set(latin)
    assert words["srp_Cyrl"] <= set(cyrillic)
    assert "the" in words["eng"]
    assert {len(line.split(" ")) for line in found["eng"]} == {1, 2, 3, 4}
    assert 50_000 < sum(len(line) + 1 for line in found["eng"]) < 70_000


def test_words_with_a_letter_of_another_language_are_left_out() -> None:
    texts = {
        "jpn": ["これは日本語のテスト"] * 500,
        "kor": ["이것은 한국어"] * 500,
        "zho_Hans": ["这是中文测试日本"] * 500,
    }
    drawn = {"zho_Hans": ["の 日 本", "は", "中文 テスト", "罕见"], "kor": ["한국", "語"]}
    assert derived_text.drop_foreign_letters(drawn, texts) == {"zho_Hans": ["日 本", "中文", "罕见"], "kor": ["한국"]}
    short = {label: lines[:9] for label, lines in texts.items()}  # too little to know what letters it has
    assert derived_text.drop_foreign_letters(drawn, short) == drawn


def test_word_lists_that_are_none(tmp_path: Path, corpus_folder: Path) -> None:
    with pytest.raises(ModelError, match="no such folder"):
        derived_text.read_word_lists(tmp_path / "absent", {})
    with pytest.raises(ModelError, match="no list of words"):
        derived_text.read_word_lists(tmp_path, {"deu": LATIN})
    (tmp_path / "de.txt").write_text("und viel\n", encoding="utf-8")
    with pytest.raises(ModelError, match="not lines of a word"):
        derived_text.read_word_lists(tmp_path, {"deu": LATIN})
    (tmp_path / "de.txt").write_text("und -9\n", encoding="utf-8")
    with pytest.raises(ModelError, match="a word has the frequency -9"):
        derived_text.read_word_lists(tmp_path, {"deu": LATIN})
    (tmp_path / "de.txt").write_text("und 0\n", encoding="utf-8")
    with pytest.raises(ModelError, match="no list of words"):
        derived_text.read_word_lists(tmp_path, {"deu": LATIN})
    with pytest.raises(ModelError, match="does not learn from word lists"):
        train(corpus_folder, method="nfc-2004", words=tmp_path)


def test_a_share_of_the_lines_loses_its_diacritics() -> None:
    every = ["žluť", "kůň", "plain"] * 100
    made = derived_text.draw_bare_lines(every, 0.1, 0, np.random.default_rng(1))
    assert set(made) == {"zlut", "kun"}
    assert 0 < sum(map(len, made)) <= 0.1 * sum(map(len, every))
    assert derived_text.draw_bare_lines(["plain"], 0.5, 9, np.random.default_rng(1)) == []


def test_of_few_lines_as_many_lose_their_diacritics_as_there_must_be() -> None:
    made = derived_text.draw_bare_lines(["łódź"] * 10, 0.1, 12, np.random.default_rng(1))
    assert made == ["lodz"] * 3  # of four characters each


def test_siblings_move_only_each_other() -> None:
    lists = {"ces": {"že": 30, "v": 70}, "slk": {"že": 30, "v": 30, "alebo": 40}}
    [group] = close_languages.find_groups(["ces", "deu", "slk"], lists)
    assert group.labels.tolist() == [0, 2]
    # "v" is 0.7 and 0.3, 0.5 in the mean; the logs of 1.4 and 0.6 about their mean are half the log of 7/3 apart.
    assert group.ratios["v"] == pytest.approx([np.log(7 / 3) / 2, -np.log(7 / 3) / 2], abs=1e-4)
    assert group.ratios["že"] == pytest.approx([0, 0])
    vectors = logistic_regression.Vectors(
        np.zeros((3, 3), np.float32), np.zeros(3, np.float32), np.zeros(3, np.float32)
    )
    group.separate(vectors, [" v ", "v", " že "], np.array([0, 1, 2]), 2.0 / group.group.factor)
    assert vectors.weights == pytest.approx(np.array([[1, 0, -1], [0, 0, 0], [0, 0, 0]]) * np.log(7 / 3), abs=1e-3)
    assert vectors.bias.tolist() == vectors.base.tolist() == [0, 0, 0]
    assert close_languages.find_groups(["ces", "deu"], lists) == []


def test_siblings_whose_texts_differ_in_kind_are_drawn_together() -> None:
    group = close_languages.LanguageGroup(("bos_Latn", "hrv"), difference_share=0.25)
    pair = close_languages.CloseLanguages(group, np.array([0, 2]), {})
    vectors = logistic_regression.Vectors(
        np.array([[8, 1, 0]], dtype=np.float32), np.array([0, 1, 8], np.float32), np.array([2, 1, 2], np.float32)
    )
    pair.separate(vectors, ["ija"], np.array([0, 1, 2]), 1.0)
    assert vectors.weights.tolist() == [[5, 1, 3]]  # a quarter of the distance from 4, the mean of both
    assert vectors.base.tolist() == [3, 1, 5]
    assert vectors.bias.tolist() == [2, 1, 2]


def test_siblings_without_lists_lean_to_the_one_that_more_people_write() -> None:
    [group] = close_languages.find_groups(["ces", "fas", "prs"], {})
    assert group.labels.tolist() == [1, 2]
    vectors = logistic_regression.Vectors(np.ones((1, 3), np.float32), np.ones(3, np.float32), np.zeros(3, np.float32))
    group.separate(vectors, [" است "], np.array([0, 1, 2]), 1.0)
    assert vectors.weights.tolist() == [[1, 1, 1]]
    added = close_languages.compute_score_offsets(["ces", "fas", "prs"], [group])
    assert added[0] == added[1] == 0
    assert added[2] < 0


def test_a_label_of_programs_alone_is_made_seldom_once_the_model_is_calibrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for code, own in {"fr": "le chat dort", "frc": "le chien court"}.items():
        (tmp_path / code).mkdir()
        (tmp_path / code / "a.txt").write_text("\n".join(f"{own} {n * 'ici '}" for n in range(20)), encoding="utf-8")
    settings = {"minimum": 10, "document": 20, "features": 200, "rounds": 1, "draws": 20}
    made = train(tmp_path, **settings)  # type: ignore[arg-type]
    assert made.labels == ("fra", "frc")
    assert made.arrays["siblings"].tolist() == [0, -3]
    monkeypatch.setattr(close_languages, "RARE", {})
    without = train(tmp_path, **settings)  # type: ignore[arg-type]
    assert without.arrays["siblings"].tolist() == [0, 0]
    for name, array in without.arrays.items():
        assert name == "siblings" or np.array_equal(array, made.arrays[name]), name


def test_word_lists_tell_siblings_apart(tmp_path: Path) -> None:
    shared = {"dan": "jedan", "kuća": "kuća", "more": "more", "voda": "voda"}
    for code, own in {"cs": "jablko", "sk": "jabuka"}.items():
        (tmp_path / "text" / code).mkdir(parents=True)
        lines = [f"{a} {own} {b}" for a in shared for b in shared]
        (tmp_path / "text" / code / "a.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "lists").mkdir()
    tail = {f"slovo{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}": 1 for i in range(2000)}
    for code, words in {"cs": {"však": 50, "more": 1}, "sk": {"však": 50, "more": 900}}.items():
        rows = [f"{word} {count}\n" for word, count in {**words, **tail}.items()]
        (tmp_path / "lists" / f"{code}.txt").write_text("".join(rows), encoding="utf-8")
    settings = {"minimum": 10, "document": 20, "features": 200, "rounds": 1, "draws": 20}
    made = train(tmp_path / "text", words=tmp_path / "lists", **settings)  # type: ignore[arg-type]
    assert made.parameters["close_languages"] == [["ces", "slk"]]
    assert made.parameters["word_lists"] == ["ces", "slk"]
    reader = Discriminative(made, "", "here")
    [(_, _, answer, _)] = reader.measure(["more more more"], prior=False)
    assert answer[0, made.labels.index("slk")] > answer[0, made.labels.index("ces")]


def test_files_with_the_name_of_a_made_genre_keep_their_lines(tmp_path: Path) -> None:
    words = [f"wort{chr(97 + number // 26 % 26)}{chr(97 + number % 26)}{number // 676}" for number in range(2_000)]
    (tmp_path / "de.txt").write_text("".join(f"{word} 3\n" for word in words), encoding="utf-8")
    own = {"plain": ["Schönes Wetter"], "words": ["ein Wort"], "wiki": ["über den Fluss"]}
    texts = [{genre: list(lines) for genre, lines in own.items()}]
    options = TrainingOptions(bare=1.0, words_size=500)
    derived_text.add_derived_text(texts, ["deu"], tmp_path, options, np.random.default_rng(1))
    [found] = texts
    assert found["wiki"] == own["wiki"]
    assert (found["plain"][0], set(found["plain"][1:])) == ("Schönes Wetter", {"Schones Wetter", "uber den Fluss"})
    assert found["words"][0] == "ein Wort"
    assert len(found["words"]) > 1
    assert set(" ".join(found["words"][1:]).split()) <= set(words)
