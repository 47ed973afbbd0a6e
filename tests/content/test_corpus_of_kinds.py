"""The corpus of the default model: which files it gets, how much of each kind, and what is held out."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING

import make_corpus
import make_languages
import pytest

if TYPE_CHECKING:
    from pathlib import Path

LINES = [f"line number {number} of a text" for number in range(2_000)]


def test_the_last_lines_of_a_file_are_held_out() -> None:
    training, held_out = make_corpus.split([*LINES[:99], LINES[0]])
    assert (training, held_out) == (LINES[:90], LINES[90:99])  # the last one is in the training text
    assert make_corpus.split(["one", "two"]) == (["one", "two"], [])


def test_a_bible_gets_no_more_than_all_other_text() -> None:
    files = {"ebible-xyz": LINES, "lafand-mt": LINES[:10]}
    assert sum(map(len, make_corpus.weigh(files, 0)["ebible-xyz"])) == pytest.approx(make_corpus.LEAST_BIBLE, abs=30)
    assert make_corpus.weigh(files, 80_000)["ebible-xyz"] == LINES
    assert make_corpus.weigh(files, 0)["lafand-mt"] == LINES[:10]
    assert len(make_corpus.take(LINES, 10 * len(LINES[-1]))) == 10


def test_the_corpus_has_both_collections_without_what_is_held_out(tmp_path: Path) -> None:
    english = tmp_path / "data" / "train" / "en" / "news.txt"
    english.parent.mkdir(parents=True)
    english.write_text("the old page\n", encoding="utf-8")
    texts = {"en/umsab-tweets": LINES[:20], "aau/ebible-aau": LINES, "luo/lafand-mt": LINES, "zzzz/lafand": LINES}
    with tarfile.open(tmp_path / "data" / make_corpus.ARCHIVE, "w:xz") as archive:
        for name, lines in texts.items():
            content = "\n".join(lines).encode()
            member = tarfile.TarInfo(f"train-more/{name}.txt")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    make_corpus.main(tmp_path / "data", tmp_path / "out")
    files = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.txt")}
    assert files == {
        "corpus/en/news.txt",
        "corpus/en/chat-umsab-tweets.txt",
        "corpus/luo/news-lafand-mt.txt",
        "held_out/en/chat-umsab-tweets.txt",
        "held_out/luo/news-lafand-mt.txt",
    }  # of Abau there is a Bible alone
    held_out = tmp_path / "out" / "held_out" / "en" / "chat-umsab-tweets.txt"
    assert held_out.read_text(encoding="utf-8").splitlines() == LINES[18:20]


def test_belarusian_is_spelt_in_latin_letters() -> None:
    assert make_corpus.spell_latin("Ён лёг. ЛЕС; сінь, дзённік: у сямʼі") == "Jon loh. LES; siń, dzionnik: u siamji"


def test_a_label_is_described_by_its_text_and_its_lines() -> None:
    genres = {"udhr": ("abcd",), "bible": ("abcdef",)}
    row = make_languages.describe("xho", genres, [["xho", "zul"], ["xho"] * 2, [None] * 2])
    assert row == ["xho", "bible, declaration", "10", "2", "0.500", "1.000", "0.000", "zul"]
    genres = {"udhr": tuple(LINES), "words": tuple(LINES)}
    assert len(make_languages.choose_lines({}, genres)) == make_languages.OF_KIND
    assert make_languages.choose_lines({"news": ["too short", LINES[0]]}, genres) == LINES[:1]
