"""Exports of every capture, and of those nearest to a moment: a site in Danish, a year later English, then German."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from warcio.archiveiterator import ArchiveIterator

import graphlang as gl
from graphlang import printing
from graphlang.db.write.sources import encode_path

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[..., Any]

TEXTS = {
    2010: "Museet ligger ved havnen og viser gamle både, net og søkort. Hver morgen åbner en kvinde den tunge dør, og"
    " de første gæster venter allerede i regnen. Om eftermiddagen er der kage og varm te til alle, som har lyst.",
    2011: "The museum lies at the harbour and shows old boats, nets and charts. Every morning a woman opens the heavy"
    " door, and the first visitors are already waiting in the rain. In the afternoon there is cake for everyone.",
    2012: "Das Museum liegt am Hafen und zeigt alte Boote, Netze und Karten. Jeden Morgen öffnet eine Frau die schwere"
    " Tür, und die ersten Gäste warten schon im Regen. Am Nachmittag gibt es Kuchen und heißen Tee für alle.",
}
LANGUAGES = {2010: "dan", 2011: "eng", 2012: "deu"}
SITE = "http://museum.example/"
STAYS = TEXTS[2011].replace("museum", "gallery")


def record(kind: str, path: str, year: int, http: str, *more: str) -> bytes:
    body = http.encode()
    head = "\r\n".join(
        [
            *("WARC/1.0", f"WARC-Type: {kind}", f"WARC-Target-URI: {SITE}{path}", f"WARC-Date: {year}-03-01T12:00:00Z"),
            *more,
            *("Content-Type: application/http; msgtype=response", f"Content-Length: {len(body)}", "", ""),
        ]
    )
    return gzip.compress(head.encode() + body + b"\r\n\r\n", mtime=0)


def page(path: str, year: int, text: str, *links: str) -> bytes:
    anchors = "".join(f'<a href="/{link}">.</a>' for link in links)
    http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body><p>{text}</p>{anchors}"
    return record("response", path, year, http)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three archives: two long pages, ``anna``, whose text is a name, and ``stays``, whose text stays the same.

    In 2009 there is also a revisit of ``boats``, whose content nobody has.
    """
    folder = tmp_path_factory.mktemp("years")
    everything = ("", "boats", "anna", "stays")
    for year, text in TEXTS.items():
        records = [
            page("", year, text, *everything),
            page("boats", year, text[60:] + text[:60], *everything),
            page("anna", year, "Anna", "", "boats"),
            page("stays", year, STAYS, ""),
        ]
        if year == 2011:
            revisit = "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "WARC-Profile: digest"
            records.append(record("revisit", "boats", 2009, "HTTP/1.1 200 OK\r\n\r\n", *revisit))
        (folder / f"{year}.warc.gz").write_bytes(b"".join(records))
    with gl.open(folder / "crawl.db") as made:
        made.run(*(folder / f"{year}.warc.gz" for year in TEXTS))
        shutil.copy(made.path, folder / "plain.db")
        made.propagate_each_year()
    return folder


@pytest.fixture
def years(crawl: Path, tmp_path: Path) -> Path:
    """With a run for each year."""
    return Path(shutil.copy(crawl / "crawl.db", tmp_path))


@pytest.fixture
def db(crawl: Path, tmp_path: Path) -> Path:
    """Without."""
    return Path(shutil.copy(crawl / "plain.db", tmp_path))


def texts(graphlang: Call, db: Path, *how: object) -> tuple[list[dict[str, Any]], str]:
    result = graphlang("texts", db, *how)
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()], result.stderr


def shorten_row(row: dict[str, Any]) -> tuple[str, int, str]:
    return row["url"].removeprefix(SITE), int(row["date"][:4]), row["language"]


IN_EACH_YEAR = [
    *(("", year, language) for year, language in LANGUAGES.items()),
    *(("boats", year, language) for year, language in LANGUAGES.items()),
    *(("anna", year, language) for year, language in LANGUAGES.items()),  # a name: its neighbours of that year say
    *(("stays", year, "eng") for year in LANGUAGES),
]


def test_every_capture_has_its_date_its_text_and_the_language_of_its_time(graphlang: Call, years: Path) -> None:
    found, said = texts(graphlang, years, "--captures", "all")
    assert [shorten_row(row) for row in found] == IN_EACH_YEAR
    assert said == ""
    for row in found:
        year = int(row["date"][:4])
        assert row["source"].endswith(f"{year}.warc.gz")
        if row["url"] in (SITE, f"{SITE}boats"):
            assert (row["by_text"], row["text"][:4] in TEXTS[year]) == (LANGUAGES[year], True)
            assert row["text"].removesuffix("....").rstrip() == row["main"]  # links of one sign are no content
    assert len({row["digest"] for row in found}) == 3 + 3 + 1 + 1  # one for each content
    danish, _ = texts(graphlang, years, "--captures", "all", "--language", "da")
    assert [shorten_row(row)[:2] for row in danish] == [("", 2010), ("boats", 2010), ("anna", 2010)]


def test_by_default_each_page_has_one_text(graphlang: Call, years: Path) -> None:
    found, _ = texts(graphlang, years)
    assert [shorten_row(row) for row in found] == [one for one in IN_EACH_YEAR if one[1] == 2012]


@pytest.mark.parametrize(("moment", "year"), [("2010", 2010), ("2009-01-01", 2010), ("20110301120000", 2011)])
def test_of_a_moment_each_page_has_the_capture_nearest_to_it(
    graphlang: Call, years: Path, moment: str, year: int
) -> None:
    found, said = texts(graphlang, years, "--at", moment)
    assert [shorten_row(row) for row in found] == [one for one in IN_EACH_YEAR if one[1] == year]
    assert ("no run is of" in said) == (moment != "2010")


def test_what_no_run_has_answered_for_has_the_language_of_its_text_or_none(graphlang: Call, db: Path) -> None:
    found, said = texts(graphlang, db, "--captures", "all")
    by_place = {shorten_row(row)[:2]: row for row in found}
    # The text of the German page of 2012 says nothing of those of other years; one that stayed the same does.
    assert [by_place["", year]["language"] for year in LANGUAGES] == ["und", "und", "deu"]
    assert [by_place["stays", year]["language"] for year in LANGUAGES] == ["eng"] * 3
    assert [by_place["stays", year]["method"] for year in LANGUAGES] == ["nfc", "nfc", "propagation"]
    # Today's neighbours are no reason for a language of 2010.
    assert by_place["anna", 2010]["language"] != "deu"
    assert by_place["anna", 2010]["method"] == "nfc"
    assert said.startswith("4 captures have no language yet: 'graphlang propagate DB --each year'")


def test_a_moment_has_the_languages_of_its_run_and_the_corrections(graphlang: Call, db: Path) -> None:
    assert graphlang("propagate", db, "--at", "2012", "-q").exit_code == 0
    assert graphlang("correct", db, f"{SITE}stays", "--language", "gle", "--by", "me").exit_code == 0
    found, _ = texts(graphlang, db, "--at", "2012")
    assert [(shorten_row(row)[2], row["method"]) for row in found] == [
        *(("deu", "propagation"),) * 3,
        ("gle", "correction"),
    ]


def test_the_index_leads_to_the_records(graphlang: Call, years: Path, crawl: Path) -> None:
    target = years.parent / "index.cdxj"
    assert graphlang("export", years, "--what", "cdxj", "--captures", "all", "-o", target).exit_code == 0
    lines = target.read_text(encoding="utf-8").splitlines()
    assert lines == sorted(lines)
    found = []
    for line in lines:
        key, stamp, fields = line.split(" ", 2)
        one = json.loads(fields)
        data = (crawl / one["filename"]).read_bytes()
        begin, length = int(one["offset"]), int(one["length"])
        (read,) = ArchiveIterator(BytesIO(data[begin : begin + length]))  # one record, and nothing behind it
        assert read.rec_headers.get_header("WARC-Target-URI") == one["url"]
        assert "".join(c for c in read.rec_headers.get_header("WARC-Date") if c.isdigit()) == stamp
        assert key.startswith("example,museum)/")
        found.append((one["url"].removeprefix(SITE), int(stamp[:4]), one.get("languages", "").split(",")[0]))
        if stamp.startswith("2009"):
            assert (one["mime"], one["digest"]) == ("warc/revisit", "A" * 32)
    assert sorted(found) == sorted([*IN_EACH_YEAR, ("boats", 2009, "")])


@pytest.mark.parametrize("what", ["wet", "warc-metadata"])
def test_records_of_every_capture(graphlang: Call, years: Path, what: str) -> None:
    target = years.parent / "records.warc.gz"
    assert graphlang("export", years, "--what", what, "--captures", "all", "-o", target).exit_code == 0
    with target.open("rb") as file:
        headers = [one.rec_headers for one in ArchiveIterator(file) if one.rec_type != "warcinfo"]
    found = [
        (
            one.get_header("WARC-Target-URI").removeprefix(SITE),
            int(one.get_header("WARC-Date")[:4]),
            one.get_header("WARC-Identified-Content-Language").split(",")[0],  # and perhaps the second best
        )
        for one in headers
    ]
    assert found == IN_EACH_YEAR
    assert len({one.get_header("WARC-Record-ID") for one in headers}) == len(headers)


def test_a_table_of_captures(graphlang: Call, years: Path) -> None:
    target = years.parent / "captures.tsv"
    assert graphlang("export", years, "--what", "pages", "--captures", "all", "-o", target).exit_code == 0
    head, *rows = (printing.split_tsv(line) for line in target.read_text(encoding="utf-8").splitlines())
    found = [dict(zip(head, row, strict=True)) for row in rows]
    assert [shorten_row(row) for row in found] == IN_EACH_YEAR
    assert [row["languages"] for row in found] == [one[2] for one in IN_EACH_YEAR]


def test_what_cannot_be_had(graphlang: Call, db: Path) -> None:
    for what, words in (
        (("--what", "hosts", "--captures", "all"), "captures of other times come as pages, texts, cdxj"),
        (("--what", "links", "--captures", "all"), "warc-metadata, wet, and not as links"),
        (("--what", "pages", "--format", "gexf", "--at", "2010"), "and not as a graph"),
        (("--what", "texts", "--at", "2010", "--captures", "all"), "--at takes one capture of each page"),
        (("--what", "texts", "--at", "yesterday"), "'yesterday' is not a date or time"),
    ):
        result = graphlang("export", db, *what, "-o", db.parent / "out")
        assert (result.exit_code, words in result.stderr) == (2, True), result.stderr
        assert not (db.parent / "out").exists()


def test_the_library_has_them_too(years: Path, tmp_path: Path) -> None:
    with gl.open(years) as crawl:
        found = [row._asdict() for row in crawl.texts(captures="all")]
        assert [shorten_row(row) for row in found] == IN_EACH_YEAR
        assert [shorten_row(row._asdict()) for row in crawl.texts(at="2010")] == [
            one for one in IN_EACH_YEAR if one[1] == 2010
        ]
        assert crawl.export(tmp_path / "x.jsonl", "texts", at="2010") == []
        assert len((tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()) == 4
        with pytest.raises(ValueError, match=r"^cannot take some captures; there are own, all$"):
            crawl.texts(captures="some")
        with pytest.raises(ValueError, match="is not a date or time"):
            list(crawl.texts(at="soon"))


@pytest.mark.parametrize("name", [b"caf\xe9.warc.gz", b"two\nlines \\xe9.warc.gz", "год 2010.warc.gz".encode()])
def test_archives_with_any_name_are_found_again(graphlang: Call, crawl: Path, tmp_path: Path, name: bytes) -> None:
    archive = tmp_path / os.fsdecode(name)
    try:
        shutil.copy(crawl / "2010.warc.gz", archive)
    except OSError:
        pytest.skip("this file system takes no such name")
    db, index = tmp_path / "crawl.db", tmp_path / "index.cdxj"
    assert graphlang("run", archive, "--db", db).exit_code == 0
    told = graphlang("export", db, "--what", "cdxj", "-o", index)
    assert (told.exit_code, told.stderr) == (0, f"4 captures to {index}\n")
    for line in index.read_text(encoding="utf-8").splitlines():
        found = json.loads(line.split(" ", 2)[2])
        assert found["filename"] == encode_path(archive.name)
        record = archive.read_bytes()[int(found["offset"]) :][: int(found["length"])]
        assert gzip.decompress(record).startswith(b"WARC/1.0")
