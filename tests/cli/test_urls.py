"""URL methods from the command line: lists of URLs with any content, training, scores, trees."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Call = Callable[..., Result]

HOSTILE = (
    b"",
    b"no-scheme.de/nachrichten/wetter",
    b"www.stadt-muenchen.de",
    b"http://192.0.2.7/",
    b"http://[2001:db8::1]/",
    b"a" * 1_000_000,
    b"http://example.fr/actualit\xe9s/\xff\xfe",
    b"data:text/html;charset=utf-8,Hallo%20Welt",
    b"javascript:alert('guten Tag')",
    b"http://[::1/",
    b"\x1b[2J\x00\x07",
    "https://пример.рф/новости".encode(),
    b"http://xn--e1afmkfd.xn--p1ai/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8",
)


@pytest.mark.parametrize("method", ["url", "url-words-nb", "url-custom-dt", "url-cctld or url-trigrams-re"])
def test_every_line_of_a_hostile_list_has_an_answer(graphlang: Call, method: str) -> None:
    result = graphlang("identify", "--method", method, "--lines", "--format", "jsonl", input_=b"\n".join(HOSTILE))
    assert result.exit_code == 0, result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["input"] for row in rows] == [f"-:{number}" for number in range(1, len(HOSTILE) + 1)]
    assert all(0 <= row["confidence"] <= 1 for row in rows)
    found = [row["language"] for row in rows]
    assert [found[n] for n in (0, 7, 8)] == ["und"] * 3  # there is nothing that could have a language
    assert found[1:3] == ["deu", "deu"]


def test_the_default_reads_bytes_punycode_and_scripts(graphlang: Call) -> None:
    result = graphlang("identify", "--method", "url", "--format", "jsonl", input_=b"\n".join(HOSTILE))
    found = [json.loads(line)["language"] for line in result.stdout.splitlines()]
    assert [found[n] for n in (6, 11, 12)] == ["fra", "rus", "rus"]


LABELLED = "lang\turl\n" + "".join(
    f"{code}\thttp://www.{word}{n}.{tld}/{word}/seite\n"
    for code, tld, words in (("de", "de", ("stadt", "haus")), ("fr", "fr", ("mairie", "maison")))
    for n in range(12)
    for word in words
)


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    file = tmp_path / "urls.tsv"
    file.write_text(LABELLED)
    return file


@pytest.mark.parametrize("method", ["url", "url-words-nb", "url-trigrams-me", "url-custom-dt"])
def test_train_score_and_use_a_model(graphlang: Call, labelled: Path, tmp_path: Path, method: str) -> None:
    model = tmp_path / "my.npz"
    more = ("--text", _text(tmp_path)) if method == "url" else ("--option", "binary=true")
    result = graphlang("train", model, labelled, "--method", method, *more)
    assert result.exit_code == 0, result.stderr
    assert "2 labels" in result.stderr
    first = model.read_bytes()
    assert graphlang("train", model, labelled, "--method", method, *more, "--quiet").exit_code == 0
    assert model.read_bytes() == first

    scored = graphlang("score", labelled, "--method", model, "--languages", "German,fr", "--format", "jsonl")
    rows = [json.loads(line) for line in scored.stdout.splitlines()]
    assert [(row["language"], row["urls"]) for row in rows] == [("deu", 24), ("fra", 24), ("average", 48)]
    assert rows[2]["f"] == 1
    named = graphlang("identify", "--method", model, "--format", "csv", input_=b"http://x.de/haus\n")
    assert next(csv.DictReader(io.StringIO(named.stdout)))["language"] == "deu"


def _text(folder: Path) -> Path:
    for code, line in (("de", "Das Haus steht in der Stadt"), ("fr", "La maison est dans la ville")):
        (folder / "text" / code).mkdir(parents=True, exist_ok=True)
        (folder / "text" / code / "a.txt").write_text(line)
    return folder / "text"


def test_a_folder_of_urls_trains_the_same_model_as_the_table(graphlang: Call, labelled: Path, tmp_path: Path) -> None:
    for code in ("de", "fr"):
        urls = [line.split("\t")[1] for line in LABELLED.splitlines() if line.startswith(f"{code}\t")]
        (tmp_path / "folder" / code).mkdir(parents=True)
        (tmp_path / "folder" / code / "list.txt").write_text("\n".join(urls) + "\n\n")
    for name, corpus in (("a.npz", labelled), ("b.npz", tmp_path / "folder")):
        assert graphlang("train", tmp_path / name, corpus, "--method", "url-words-re", "-q").exit_code == 0
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--method", "url-tarot"), "no URL method that can be trained"),
        (("--method", "url-words-nb", "--option", "tarot=1"), "tarot: no option of url-words-nb"),
        (("--method", "url-words-nb", "--option", "least_urls=100"), "0 languages"),
        (("--method", "url", "--option", "epochs=2", "--option", "least_urls=25"), "two languages"),
        (("--method", "nfc"), "learns from one folder"),
    ],
)
def test_training_that_cannot_be_is_told_in_one_line(
    graphlang: Call, labelled: Path, tmp_path: Path, more: tuple[str, ...], words: str
) -> None:
    result = graphlang("train", tmp_path / "m.npz", labelled, *more, "-q")
    assert result.exit_code in {2, 3}
    assert words in result.stderr
    assert not (tmp_path / "m.npz").exists()


def test_a_table_without_the_columns_is_refused(graphlang: Call, tmp_path: Path) -> None:
    file = tmp_path / "no.tsv"
    file.write_text("code\tpage\nde\thttp://a.de/\n")
    for call in (("train", tmp_path / "m.npz", file, "--method", "url"), ("score", file)):
        result = graphlang(*call)
        assert result.exit_code in {2, 3}
        assert "lang (or language) and url" in result.stderr


def test_scores_and_confusion_worked_by_hand(graphlang: Call, tmp_path: Path) -> None:
    file = tmp_path / "urls.tsv"
    # ccTLD: a.de and d.de have a yes for German, c.fr for French; b.com has none.
    file.write_text("url\tlanguage\nhttp://a.de/\tde\nhttp://b.com/\tde\nhttp://c.fr/\tfr\nhttp://d.de/\tfr\n")
    rows = _rows(graphlang("score", file, "--method", "url-cctld", "--format", "jsonl"))
    # German: R 1/2, p(-|-) 1/2, P 1/2. French: R 1/2, p(-|-) 1, P 1, F 2/3.
    assert [rows[0][name] for name in ("precision", "recall", "negative", "f")] == [0.5, 0.5, 0.5, 0.5]
    assert [rows[1][name] for name in ("precision", "recall", "negative")] == [1, 0.5, 1]
    assert rows[1]["f"] == pytest.approx(2 / 3, abs=1e-4)
    assert rows[2]["f"] == pytest.approx(7 / 12, abs=1e-4)
    shares = _rows(graphlang("score", file, "--method", "url-cctld", "--confusion", "--format", "jsonl"))
    assert shares == [{"language": "deu", "deu": 0.5, "fra": 0}, {"language": "fra", "deu": 0.5, "fra": 0.5}]


def _rows(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_languages_that_cannot_be_scored(graphlang: Call, labelled: Path) -> None:
    assert "ita: not in the file" in graphlang("score", labelled, "--languages", "de,it").stderr
    assert graphlang("score", labelled, "--languages", "de").exit_code == 2
    assert graphlang("score", labelled, "--languages", "de,qqqq").exit_code == 2


def test_a_tree_is_printed(graphlang: Call) -> None:
    result = graphlang("tree", "German", "--depth", 2)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].endswith("?")
    assert {line.strip().split(":")[0] for line in lines[1:]} == {"no", "yes"}
    assert len(lines) <= 7
    assert graphlang("tree", "German", "--method", "url-words-nb").exit_code == 3
    assert graphlang("tree", "qqqq").exit_code == 2


def test_merged_methods_classify_a_collection(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    assert graphlang("ingest", db, museum, "-q").exit_code == 0
    assert graphlang("classify", db, "--method", "url-words-me and url-cctld", "-q").exit_code == 0
    found = {row["url"]: row["language"] for row in _rows(graphlang("pages", db, "--format", "jsonl"))}
    assert len(found) == 5
    assert set(found.values()) == {"und"}  # .example is no country: the helper never says yes


def test_every_url_method_is_listed(graphlang: Call) -> None:
    rows = _rows(graphlang("methods", "--format", "jsonl"))
    listed = {row["method"] for row in rows if row["kind"] == "url"}
    sets = {f"url-{kind}-{learner}" for kind in ("words", "trigrams", "custom") for learner in ("nb", "re", "me")}
    assert listed >= sets | {"url", "url-custom-dt", "url-cctld", "url-cctld+", "A or B", "A and B"}
