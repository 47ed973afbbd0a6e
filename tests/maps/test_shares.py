"""Pages in several languages on the map, in lists and in exports: a collection whose shares are written by hand."""

from __future__ import annotations

import csv
import io
import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from graphlang.codes.languages import parse_choice
from graphlang.db import open_existing
from graphlang.maps.languages import list_languages
from graphlang.maps.selection import Selection
from graphlang.maps.sites import SiteRow, read_site_map
from graphlang.report.facts import count_facts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Make = Callable[..., Path]


@pytest.fixture
def db(make_collection: Make, written: Any) -> Path:
    return make_collection(
        [
            written("http://a.example/", "cym", 0.9, own="cym", shares=(("cym", 0.6), ("eng", 0.4))),
            written("http://a.example/2", "eng", 0.8, own="eng", date="2011-01-01T00:00:00Z"),
            # What is left over, because it was less than 3 %, is the answer's.
            written("http://a.example/3", "eng", own="eng", shares=(("eng", 0.7), ("cym", 0.2), ("fra", 0.05))),
            # The links, or somebody, say another language than any of the shares: then the page is whole.
            written("http://b.example/", "bre", own="cym", shares=(("cym", 0.5), ("eng", 0.5))),
            written("http://c.example/", "srp_Cyrl", own="srp_Cyrl", shares=(("srp_Cyrl", 0.5), ("srp_Latn", 0.5))),
            written("http://d.example/", "eng", fetched=False),
        ]
    )


def sites(db: Path, *units: str, scripts: bool = False, **how: Any) -> list[tuple[Any, ...]]:
    """Unit, language, pages, share, also."""
    with closing(open_existing(db)) as connection:
        table = read_site_map(connection, units, Selection(**how), scripts=scripts)
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return [(row["site"], row["language"], row["pages"], pytest.approx(row["share"]), row["also"]) for row in rows]


def test_a_page_counts_whole_for_its_answer_and_by_its_shares(db: Path) -> None:
    # .4 of the first page (confidence .9), the second (.8), 1 - .2 - .05 of the third; French is only possible.
    english, welsh = 0.4 * 0.9 + 0.8 + 0.75, 0.6 * 0.9 + 0.2
    assert sites(db, "host") == [
        ("a.example", "eng", 2, english / (english + welsh), 1),
        ("a.example", "cym", 1, welsh / (english + welsh), 1),
        ("b.example", "bre", 1, 1.0, 0),
        ("c.example", "srp", 1, 1.0, 0),
    ]
    assert sites(db, "host", everything=True)[-1] == ("d.example", "eng", 0, 1.0, 0)


def test_shares_of_a_site_make_one(db: Path) -> None:
    for unit in ("host", "tld", "path", "year"):
        whole: dict[str, float] = {}
        with closing(open_existing(db)) as connection:
            for row in map(SiteRow._make, read_site_map(connection, [unit], Selection(fetched=True)).rows):
                whole[row.site] = whole.get(row.site, 0) + row.share
        assert list(whole.values()) == pytest.approx([1.0] * len(whole)), unit


def test_scripts_are_languages_of_their_own_where_they_are_told_apart(db: Path) -> None:
    assert [row for row in sites(db, "host", scripts=True) if row[0] == "c.example"] == [
        ("c.example", "srp_Cyrl", 1, 1.0, 0),  # half a page in Latin letters is only possible
    ]


def test_what_is_too_unsure_is_undetermined_as_a_whole(db: Path) -> None:
    assert sites(db, "host", min_confidence=0.95, choices=(parse_choice("und"), parse_choice("cym"))) == [
        ("a.example", "und", 2, 2 / 2.75, 0),  # and .75 pages are in English
    ]


def test_by_year(db: Path) -> None:
    assert [row for row in sites(db, "year") if row[0] == "2011"] == [("2011", "eng", 1, 1.0, 0)]
    assert [row[1:] for row in sites(db, "year") if row[1] == "cym"] == [
        ("cym", 1, (0.6 * 0.9 + 0.2) / (0.9 + 3 - 0.05), 1)
    ]


def test_languages_of_the_collection(db: Path) -> None:
    with closing(open_existing(db)) as connection:
        found = {row.language: row for row in list_languages(connection, Selection())}
    weight = 0.9 + 0.8 + 1 + 1 + 1 - 0.05  # French has no row
    listed = {name: (row.pages, pytest.approx(row.share * weight), row.also) for name, row in found.items()}
    assert listed == {
        "eng": (2, 0.4 * 0.9 + 0.8 + 0.75, 1),
        "bre": (1, 1.0, 0),
        "cym": (1, 0.6 * 0.9 + 0.2, 1),
        "srp": (1, 1.0, 0),
    }


def test_a_language_that_is_a_large_part_of_a_site_has_a_row_without_a_page(
    make_collection: Make, written: Any
) -> None:
    halves = (("cym", 0.6), ("eng", 0.4))
    db = make_collection(
        [written(f"http://a.example/{n}", "cym", own="cym", shares=halves) for n in range(5)], "halves.db"
    )
    assert sites(db, "host") == [("a.example", "cym", 5, 0.6, 0), ("a.example", "eng", 0, 0.4, 5)]


def test_the_report_has_parts_of_sites(db: Path) -> None:
    with closing(open_existing(db)) as connection:
        (place,) = [place for place in count_facts(connection).sites if place.name == "a.example"]
    assert [(part.language, round(part.expected, 1)) for part in place.parts] == [("eng", 1.8), ("cym", 0.9)]
    assert (place.pages, sum(part.share for part in place.parts)) == (3, pytest.approx(1.0))


def test_codes_by_rank_in_exports(graphlang: Callable[..., Any], db: Path) -> None:
    def export(what: str, *how: str) -> str:
        out = db.parent / what
        assert graphlang("export", db, "--what", what, *how, "-o", out).exit_code == 0
        return out.read_text(encoding="utf-8")

    rows = csv.DictReader(io.StringIO(export("pages", "--format", "csv")))
    assert [(row["url"][7:], row["languages"], row["shares"]) for row in rows] == [
        ("a.example/", "cym,eng", "0.60,0.40"),
        ("a.example/2", "eng", "1.00"),
        ("a.example/3", "eng,cym,fra", "0.75,0.20,0.05"),
        ("b.example/", "bre", "1.00"),
        ("c.example/", "srp", "1.00"),
    ]
    fields = [json.loads(line.split(" ", 2)[2]) for line in export("cdxj").splitlines()]
    assert {one["url"][7:]: one["languages"] for one in fields} == {
        "a.example/": "cym,eng",
        "a.example/2": "eng",
        "a.example/3": "eng,cym,fra",
        "b.example/": "bre",
        "c.example/": "srp",
    }


#: Languages and shares of each page.
SAID = {
    "a.example/": ("cym,eng", "0.60,0.40"),
    "a.example/2": ("eng", "1.00"),
    "a.example/3": ("eng,cym,fra", "0.75,0.20,0.05"),
    "b.example/": ("bre", "1.00"),
    "c.example/": ("srp", "1.00"),
}


def list_shares(graphlang: Callable[..., Any], db: Path, *how: str) -> dict[str, tuple[str, str]]:
    result = graphlang("pages", db, "--format", "jsonl", *how)
    assert result.exit_code == 0, result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return {row["url"][7:]: (row["languages"], row["shares"]) for row in rows}


@pytest.mark.parametrize("order", ["found", "confidence", "length", "url"])
def test_pages_tell_shares_in_any_order(graphlang: Callable[..., Any], db: Path, order: str) -> None:
    assert list_shares(graphlang, db, "--sort", order) == SAID


def test_pages_tell_shares_of_those_that_are_listed(graphlang: Callable[..., Any], db: Path) -> None:
    assert list_shares(graphlang, db, "--language", "cy") == {"a.example/": SAID["a.example/"]}
    # What is too doubtful to be Welsh is in no language, and has no parts.
    assert list_shares(graphlang, db, "--language", "und", "--min-confidence", "0.95") == {
        "a.example/": ("", ""),
        "a.example/2": ("", ""),
    }


def test_texts_of_all_answers_say_which_answer_each_is(
    graphlang: Callable[..., Any], make_collection: Make, written: Any
) -> None:
    pages = [
        written("http://a.example/", "deu", text="Guten Tag"),
        written("http://a.example/gone", "deu", text="Nicht gefunden", status=404),
    ]
    db = make_collection(pages, "answers.db")
    of_all = [json.loads(line) for line in graphlang("texts", db, "--all").stdout.splitlines()]
    assert [(row["text"], row["status"]) for row in of_all] == [("Guten Tag", 200), ("Nicht gefunden", 404)]
    assert [json.loads(line)["status"] for line in graphlang("texts", db).stdout.splitlines()] == [200]


def test_texts_and_their_records_tell_the_same(
    graphlang: Callable[..., Any], make_collection: Make, written: Any
) -> None:
    shares = (("cym", 0.6), ("eng", 0.4))
    db = make_collection(
        [
            written(
                "http://a.example/", "cym", own="cym", own_confidence=0.7, text="Bore da. Good morning.", shares=shares
            ),
            written("http://b.example/", "deu", 0.7, "nld", 0.25, text="Tag"),
        ],
        "texts.db",
    )
    rows = [json.loads(line) for line in graphlang("texts", db).stdout.splitlines()]
    said = [(row["languages"], row["shares"], row["by_text"], row["by_text_confidence"], row["digest"]) for row in rows]
    assert said == [("cym,eng", "0.60,0.40", "cym", 0.7, "D"), ("deu", "1.00", None, None, "D")]
    for what in ("wet", "warc-metadata"):
        out = db.parent / what
        assert graphlang("export", db, "--what", what, "-o", out).exit_code == 0
        with out.open("rb") as file:
            _, *found = [
                one.rec_headers.get_header("WARC-Identified-Content-Language") for one in ArchiveIterator(file)
            ]
        assert found == ["cym,eng", "deu,nld"], what  # of a page in one language the second best, where it is likely
