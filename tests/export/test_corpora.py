"""Texts for corpora: compressed, a file for each language, without repetitions, by paragraph, with translations."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pytest
import zstandard

from graphlang.export import corpora
from graphlang.export.corpora import NearDuplicates, measure_quality
from graphlang.export.tables import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., Any]

GERMAN = "Das Museum liegt am Hafen und zeigt alte Boote, die früher auf der Elbe gefahren sind."
FRENCH = "Le musée se trouve au port et montre de vieux bateaux qui naviguaient autrefois sur la Seine."
ENGLISH = "The museum lies by the harbour and shows old boats that used to sail on the Thames every day."
BOATS = "Visitors may go aboard three of them, and the oldest was built for the herring trade in the north."
SHIPS = "The ships of the navy are shown in the next building, which is open from April to the end of October."
HOST = "http://m.example"
PAGES = {
    "/de/a": f"<link rel=alternate hreflang=fr href=/fr/a><p>{GERMAN}",
    "/fr/a": f"<link rel=alternate hreflang=de href=/de/a><p>{FRENCH}",
    "/de/b": f"<nav><a href=/en/b>English</a> <a href=/en/c>Boats</a></nav><p>{GERMAN} Kommen Sie bald.",
    "/en/b": f"<p>{ENGLISH} {BOATS}<p>{FRENCH}<p>{SHIPS}",
    "/en/c": f"<nav><a href=/de/b>Deutsch</a></nav><p>{ENGLISH}",
    "/en/d": f"<link rel=alternate hreflang=fr href=/de/a><p>{ENGLISH}<p>{ENGLISH}",
    "/de/e": f"<nav>Start</nav><p>{GERMAN}",
}


def _record(path: str, body: str) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body.encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {HOST}{path}\r\nWARC-Date: 2024-01-02T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


@pytest.fixture(scope="module")
def _crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import graphlang as gl  # noqa: PLC0415 - not for tests of other modules

    folder = tmp_path_factory.mktemp("corpora")
    (folder / "a.warc").write_bytes(b"".join(_record(path, body) for path, body in PAGES.items()))
    with gl.open(folder / "crawl.db") as collection:
        collection.run(folder / "a.warc")
    return folder / "crawl.db"


@pytest.fixture
def db(_crawled: Path) -> Path:
    return _crawled


def lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.decode().splitlines()]


UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "t.jsonl.gz": gzip.decompress,
    "t.jsonl.zst": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    "t.jsonl": bytes,
}


@pytest.mark.parametrize("verb", [("texts",), ("export", "--what", "texts")])
@pytest.mark.parametrize("name", UNPACK)
def test_the_name_of_a_file_says_how_it_is_compressed(
    graphlang: Call, db: Path, tmp_path: Path, verb: tuple[str, ...], name: str
) -> None:
    result = graphlang(verb[0], db, *verb[1:], "-o", tmp_path / name)
    assert (result.exit_code, result.stderr) == (0, f"7 texts to {tmp_path / name}\n")
    assert [row["url"] for row in lines(UNPACK[name]((tmp_path / name).read_bytes()))] == [
        HOST + path for path in PAGES
    ]


def test_a_compressed_file_is_the_same_each_time(graphlang: Call, db: Path, tmp_path: Path) -> None:
    for name in ("a.csv.gz", "b.csv.gz"):
        graphlang("pages", db, "-o", tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


@pytest.mark.parametrize("verb", [("texts",), ("export", "--what", "texts")])
@pytest.mark.parametrize("target", ["{language}.jsonl", "."])
def test_a_file_for_each_language(
    graphlang: Call, db: Path, tmp_path: Path, verb: tuple[str, ...], target: str
) -> None:
    assert graphlang(verb[0], db, *verb[1:], "-o", tmp_path / target).exit_code == 0
    files = {path.name: [row["url"] for row in lines(path.read_bytes())] for path in tmp_path.iterdir()}
    assert files == {
        f"{language}.jsonl": [HOST + path for path in PAGES if path.startswith(f"/{folder}/")]
        for language, folder in (("deu", "de"), ("eng", "en"), ("fra", "fr"))
    }


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("texts", "--limit", 3), "--limit is for one file"),
        (("texts", "--paragraphs", "--format", "txt"), "txt has no languages of paragraphs"),
        (("export", "--what", "pages"), "is for texts, and not for pages"),
    ],
)
def test_what_has_no_file_for_each_language(
    graphlang: Call, db: Path, tmp_path: Path, options: tuple[object, ...], reason: str
) -> None:
    result = graphlang(options[0], db, *options[1:], "-o", tmp_path / "{language}.jsonl")
    assert result.exit_code == 2
    assert reason in result.stderr


@pytest.mark.parametrize("what", ["texts", "web-languages"])
def test_a_label_of_a_hostile_database_is_no_path(graphlang: Call, db: Path, tmp_path: Path, what: str) -> None:
    hostile, folder = tmp_path / "hostile.db", tmp_path / "folder"
    shutil.copyfile(db, hostile)
    folder.mkdir()
    with closing(sqlite3.connect(hostile)) as connection, connection:
        connection.execute("UPDATE labels SET language = '../escaped', label = '../escaped' WHERE language = 'deu'")
    result = graphlang("export", hostile, "--what", what, "-o", folder)
    assert result.exit_code != 0
    assert "labels" in result.stderr
    assert not list(tmp_path.glob("escaped*"))


def test_unique_texts_differ_in_their_main_content(graphlang: Call, db: Path) -> None:
    result = graphlang("texts", db, "--unique")
    assert [row["url"].removeprefix(HOST) for row in lines(result.stdout_bytes)] == list(PAGES)[:-1]
    assert result.stderr == "1 text left out: an earlier page has the same or nearly the same text\n"


def test_texts_near_an_earlier_one_are_left_out(graphlang: Call, db: Path, tmp_path: Path) -> None:
    pytest.importorskip("rensa")
    result = graphlang("export", db, "--what", "texts", "--near", 0.7, "-o", tmp_path / "t.jsonl")
    urls = [row["url"].removeprefix(HOST) for row in lines((tmp_path / "t.jsonl").read_bytes())]
    assert urls == ["/de/a", "/fr/a", "/en/b", "/en/c"]
    assert "3 texts left out" in result.stderr


def test_lists_are_lists_in_parquet(graphlang: Call, db: Path, tmp_path: Path) -> None:
    graphlang("texts", db, "-o", tmp_path / "t.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pylist()
    assert [row["languages"] for row in rows] == [
        row["languages"].split(",") for row in lines(graphlang("texts", db).stdout_bytes)
    ]
    assert all(sum(row["shares"]) == pytest.approx(1, abs=0.05) for row in rows)


def test_each_paragraph_has_its_own_language(graphlang: Call, db: Path) -> None:
    rows = lines(graphlang("texts", db, "--paragraphs", "--language", "eng").stdout_bytes)
    mixed = [row for row in rows if row["url"] == f"{HOST}/en/b"]
    assert [(row["paragraph"], row["language"], row["text"]) for row in mixed] == [
        (1, "eng", f"{ENGLISH} {BOATS}"),
        (2, "fra", FRENCH),
        (3, "eng", SHIPS),
    ]
    assert {row["page_language"] for row in rows} == {"eng"}
    around = [row["text"] for row in rows if not row["is_main"]]
    assert around == ["Deutsch"]


def test_the_paragraphs_of_each_language_have_a_file(graphlang: Call, db: Path, tmp_path: Path) -> None:
    graphlang("texts", db, "--paragraphs", "-o", tmp_path / "{language}.jsonl")
    rows = {path.stem: lines(path.read_bytes()) for path in tmp_path.iterdir()}
    assert all(row["language"] == language for language in rows for row in rows[language])
    french = [(row["url"].removeprefix(HOST), row["text"]) for row in rows["fra"]]
    assert french == [("/fr/a", FRENCH), ("/en/b", FRENCH)]


def test_pages_and_their_translations(graphlang: Call, db: Path, tmp_path: Path) -> None:
    """A page in another language than hreflang says (``/en/d``) is no translation; nor is the target of a mere link."""
    graphlang("export", db, "--what", "translations", "-o", tmp_path / "t.jsonl")
    pairs = [
        (row["source_url"], row["target_url"], row["source_language"], row["target_language"], row["by"], row["mutual"])
        for row in lines((tmp_path / "t.jsonl").read_bytes())
    ]
    assert pairs == [
        (f"{HOST}/de/a", f"{HOST}/fr/a", "deu", "fra", "hreflang", 1),
        (f"{HOST}/de/b", f"{HOST}/en/b", "deu", "eng", "url", 0),
    ]


def test_signals_of_quality(graphlang: Call, db: Path) -> None:
    rows = {row["url"]: row for row in lines(graphlang("texts", db, "--quality").stdout_bytes)}
    assert rows[f"{HOST}/en/d"]["repeated"] == 0.5
    assert rows[f"{HOST}/de/a"]["repeated"] == 0
    assert 0.9 < rows[f"{HOST}/de/a"]["letters"] < 1
    assert {row["filler"] for row in rows.values()} == {0}


def test_stop_words_are_counted_where_a_list_of_the_language_is_installed() -> None:
    pytest.importorskip("stopwordsiso")
    assert measure_quality("Der Hund und die Katze spielen.", "deu").stopwords == 0.5  # der, und, die
    assert measure_quality("--- 12", "deu").stopwords == 0
    assert measure_quality("Der Hund", "zho").stopwords is None  # no spaces between words
    assert measure_quality("Der Hund", "und").stopwords is None


def test_stop_words_are_unknown_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stopwordsiso", None)
    corpora._find_stop_words.cache_clear()
    assert measure_quality("Der Hund und die Katze spielen.", "deu").stopwords is None
    corpora._find_stop_words.cache_clear()


WORDS = [f"word{number}" for number in range(300)]
TEXT = " ".join(WORDS)
NEAR = " ".join([*WORDS[:290], "another", "end"])  # 286 of 298 runs are the same: 0.96
FAR = " ".join([*WORDS[:100], *(f"other{number}" for number in range(200))])  # 96 of 496 runs: 0.19


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        ([("eng", TEXT), ("eng", NEAR), ("eng", FAR)], [True, False, True]),
        ([("eng", TEXT), ("deu", NEAR)], [True, True]),
        ([("eng", "Two words"), ("eng", "TWO  words"), ("eng", "")], [True, False, True]),
    ],
)
def test_a_text_near_an_earlier_one_in_its_language_is_left_out(texts: list[tuple[str, str]], kept: list[bool]) -> None:
    pytest.importorskip("rensa")
    earlier = NearDuplicates(0.8)
    assert [earlier.add(*text) for text in texts] == kept


def test_the_oldest_text_is_forgotten() -> None:
    pytest.importorskip("rensa")
    earlier = NearDuplicates(0.8, remembered=1)
    assert [earlier.add("eng", text) for text in (TEXT, FAR, NEAR)] == [True, True, True]


def test_without_the_package_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(corpora, "import_module", fail)
    with pytest.raises(MissingExtraError, match=r"pip install 'graphlang\[near\]'"):
        NearDuplicates(0.8)
