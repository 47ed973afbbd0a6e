"""Language maps of a collection whose rows are written by hand."""

from collections import namedtuple
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graphlang.codes.languages import parse_choice
from graphlang.db import open_existing
from graphlang.export.common_crawl import list_sites_by_language
from graphlang.maps.languages import list_languages
from graphlang.maps.selection import Selection
from graphlang.maps.sites import list_sites, read_language_map, read_site_map

Make = Callable[..., Path]


@pytest.fixture
def db(make_collection: Make, written: Any) -> Path:
    return make_collection(
        [
            written("http://a.example.de/", "deu", 0.9, own="deu", date="2010-01-01T00:00:00Z"),
            written("http://a.example.de/x/1", "deu", 0.95, own="und", own_confidence=0.0, text="Anna"),
            written("http://a.example.de/x/2", "fra", 0.5, "deu", 0.4, own="fra", own_confidence=0.5, text="12"),
            written("http://b.example.de/", "zho_Hant", 0.8, own="zho_Hant", date="2011-01-01T00:00:00Z"),
            written("http://b.example.de/cn", "zho_Hans", 0.7, "zho_Hant", 0.2, own="zho_Hans"),
            written("http://b.example.de/spacer.gif", "dan", 1.0, mime="image/gif", charset=None, text=""),
            written("http://b.example.de/gone", "eng", 1.0, status=404),
            written("http://c.other.uk/", "eng", 0.6, fetched=False),
            written("http://d.wet.org/", "eng", 1.0, own="eng", status=None, mime=""),
        ]
    )


def sites(db: Path, *units: str, scripts: bool = False, **how: Any) -> list[Any]:
    with closing(open_existing(db)) as connection:
        table = read_site_map(connection, units, Selection(**how), scripts=scripts)
    row_class = namedtuple("Row", table.columns)  # noqa: PYI024 - columns depend on the units
    return [row_class._make(row) for row in table.rows]


def test_by_host_only_text_with_status_200_counts(db: Path) -> None:
    found = [
        (row.site, row.language, row.pages, row.unfetched, round(row.share, 3), round(row.confidence, 3))
        for row in sites(db, "host")
    ]
    assert found == [
        ("a.example.de", "deu", 2, 0, 0.818, 0.925),  # 0.9 + 0.95 + 0.4 of 2.75 expected pages
        ("a.example.de", "fra", 1, 0, 0.182, 0.5),
        ("b.example.de", "zho", 2, 0, 1.0, 0.75),
        ("d.wet.org", "eng", 1, 0, 1.0, 1.0),
    ]
    assert [(row.site, row.unfetched) for row in sites(db, "host", fetched=False)] == [("c.other.uk", 1)]


def test_all_counts_images_and_errors(db: Path) -> None:
    found = {(row.site, row.language): row.pages for row in sites(db, "domain", everything=True)}
    assert found["example.de", "dan"] == 1
    assert found["example.de", "eng"] == 1


def test_short_pages_and_those_that_the_graph_resolved(db: Path) -> None:
    found = {row.language: (row.short, row.resolved) for row in sites(db, "host") if row[0] == "a.example.de"}
    assert found == {"deu": (1, 1), "fra": (1, 0)}  # Anna is sure by her links; "12" is as doubtful as before


def test_several_units_have_a_column_each(db: Path) -> None:
    assert [row[:4] for row in sites(db, "domain", "year")] == [
        ("example.de", "2010", "deu", "German"),
        ("example.de", "2011", "zho", "Chinese"),
        ("example.de", "2012", "deu", "German"),
        ("example.de", "2012", "zho", "Chinese"),
        ("example.de", "2012", "fra", "French"),
        ("wet.org", "2012", "eng", "English"),
    ]


def test_years_come_in_their_order_and_the_sites_of_a_year_by_their_size(db: Path) -> None:
    assert [row[:3] for row in sites(db, "year", "host")] == [
        ("2010", "a.example.de", "deu"),
        ("2011", "b.example.de", "zho"),
        ("2012", "a.example.de", "deu"),
        ("2012", "a.example.de", "fra"),
        ("2012", "b.example.de", "zho"),
        ("2012", "d.wet.org", "eng"),
    ]


@pytest.mark.parametrize(
    ("unit", "first"),
    [("tld", "de"), ("country", "de"), ("suffix", "de"), ("path", "a.example.de/x/"), ("year", "2010")],
)
def test_every_unit(db: Path, unit: str, first: str) -> None:
    assert sites(db, unit)[0][0] == first


def test_countries_are_those_of_the_top_level_domain(db: Path) -> None:
    assert {row[0] for row in sites(db, "country", everything=True)} == {"de", "gb", ""}


def test_scripts_are_told_apart_where_wanted(db: Path) -> None:
    only = Selection(choices=(parse_choice("zh-TW"),))
    with closing(open_existing(db)) as connection:
        rows = read_site_map(connection, ["host"], only, scripts=True).rows
    assert [(row[0], row[1], row[7], round(row[6], 3)) for row in rows] == [("b.example.de", "zho_Hant", 1, 0.533)]


def test_shares_are_of_all_pages_of_a_site_whatever_is_listed(db: Path) -> None:
    assert [(row.language, round(row.share, 3)) for row in sites(db, "host", choices=(parse_choice("fr"),))] == [
        ("fra", 0.182)
    ]


@pytest.mark.parametrize(
    ("how", "urls"),
    [
        ({"status": (404,)}, 1),
        ({"mime": ("image/gif",)}, 1),
        ({"mime": ("image/*",)}, 1),
        ({"mime": ("text/*",)}, 5),
        ({"mime": ("text/html", "image/*")}, 6),
        ({"mime": ("im%/*", "tex_/*", "*/*")}, 0),
        ({"max_length": 10}, 2),
        ({"min_length": 10}, 4),
        ({"below": 0.65}, 1),
        ({"fetched": False}, 1),
        ({"everything": True, "status": (200,)}, 6),
    ],
)
def test_filters(db: Path, how: dict[str, Any], urls: int) -> None:
    assert sum(row.pages + row.unfetched for row in sites(db, "host", **how)) == urls


def test_what_is_below_the_threshold_is_undetermined(db: Path) -> None:
    assert {row[1] for row in sites(db, "host", min_confidence=0.75)} == {"deu", "und", "zho", "eng"}
    assert [row[1] for row in sites(db, "host", min_confidence=0.75, choices=(parse_choice("und"),))] == ["und"] * 2


def test_units_that_there_are_not(db: Path) -> None:
    with closing(open_existing(db)) as connection:
        with pytest.raises(ValueError, match="cannot group by colour; there are host"):
            read_language_map(connection, "colour")
        with pytest.raises(ValueError, match="name each unit once"):
            read_language_map(connection, ["host", "host"])


def test_languages_with_what_follows_from_their_confidences(db: Path) -> None:
    with closing(open_existing(db)) as connection:
        found = {row.language: row for row in list_languages(connection, Selection())}
    german = found["deu"]
    assert (german.pages, german.sites, german.scripts, german.encodings) == (2, 1, "Latn 2", "utf-8 2")
    assert round(german.expected, 6) == 0.9 + 0.95 + 0.4
    assert (german.low, german.high) == (0, 3)  # one domain: 2.25 - .5 -+ 1.96 (.3 + .218 + .490)
    assert round(german.certainty, 6) == 1 - 0.1 * 0.05 * 0.6
    assert found["zho"].scripts == "Hans 1, Hant 1"
    assert (found["eng"].pages, found["eng"].unfetched) == (1, 1)
    assert "dan" not in found


def test_a_language_in_one_script_has_the_pages_of_this_script(graphlang: Callable[..., Any], db: Path) -> None:
    """Of two Chinese pages `sites` and `pages` counted the one in Hant, `languages` both."""
    with closing(open_existing(db)) as connection:
        (row,) = list_languages(connection, Selection(choices=(parse_choice("zh-TW"),)))
        both = list_languages(
            connection, Selection(choices=(parse_choice("zh-TW"), parse_choice("zh-CN"), parse_choice("fr")))
        )
    assert (row.language, row.name, row.pages, row.scripts) == ("zho_Hant", "Chinese (Traditional)", 1, "Hant 1")
    assert (round(row.share, 3), row.expected, row.low, row.high) == (0.165, 0.8, 0, 1)
    assert (row.sites, row.confidence, row.certainty) == (1, 0.8, pytest.approx(0.8))
    assert [(row.language, row.pages) for row in both] == [("zho_Hant", 1), ("zho_Hans", 1), ("fra_Latn", 1)]
    listed = graphlang("languages", db, "--language", "zh-TW", "--by", "year", "--format", "csv").stdout.splitlines()
    assert [line.split(",")[:4] for line in listed[1:]] == [["2011", "zho_Hant", "Chinese (Traditional)", "0.8000"]]


def test_hosts_and_lists_of_a_script_have_its_pages_alone(db: Path) -> None:
    """Of the two Chinese pages of b.example.de, one is in Hant; both were counted, and listed as zho.md."""
    selection = Selection(choices=(parse_choice("zh-TW"),))
    with closing(open_existing(db)) as connection:
        (host,) = list_sites(connection, "host", selection)
        ((code, page),) = list_sites_by_language(connection, selection)
    assert host == ("b.example.de", "zho_Hant", 0.8 / 1.5, 0.8, 1, 0, host.length, "zho_Hant 0.533")
    assert code == "zho_Hant"
    assert page.splitlines()[3] == "- http://b.example.de/ (1 page, 0.80)"
    assert page.splitlines()[-1] == "- ISO-639-3 code: zho"


def test_a_language_that_is_only_a_second_guess_is_not_listed(make_collection: Make, written: Any) -> None:
    db = make_collection([written("http://a.example/", "deu", 0.6, "nld", 0.4)])
    with closing(open_existing(db)) as connection:
        assert [row.language for row in list_languages(connection, Selection())] == ["deu"]


def test_no_page_at_all(make_collection: Make) -> None:
    db = make_collection([])
    with closing(open_existing(db)) as connection:
        assert list_languages(connection, Selection()) == []
        assert read_site_map(connection, ["host"], Selection()).rows == []


def test_the_command_line(graphlang: Callable[..., Any], db: Path) -> None:
    result = graphlang("sites", db, "--by", "domain,year", "--language", "zho_Hant,fr", "--format", "csv")
    assert result.stdout.splitlines()[0] == (
        "domain,year,language,name,expected,low,high,share,pages,confidence,also,unfetched,length,short,resolved"
    )
    assert [line.split(",")[:3] for line in result.stdout.splitlines()[1:]] == [
        ["example.de", "2011", "zho_Hant"],
        ["example.de", "2012", "fra_Latn"],
    ]
    assert graphlang("sites", db, "--by", "colour").exit_code == 2
    assert graphlang("sites", db, "--by", "host,host").exit_code == 2
    assert graphlang("sites", db, "--language", "nonsense-language").exit_code == 2
    assert graphlang("sites", db, "--status", "ok").exit_code == 2
    assert graphlang("languages", db, "--format", "csv", "--language", "zh-Hant").stdout.count("\n") == 2
    assert graphlang("languages").exit_code == 2
    known = graphlang("languages", "--known", "--format", "tsv").stdout.splitlines()
    assert known[0].split("\t") == ["language", "script", "name", "tag"]
    assert "swa\tLatn\tSwahili\tsw" in known
