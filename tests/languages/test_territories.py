"""What a country-code top-level domain says of the language."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

import pytest

from graphlang.codes import languages
from graphlang.codes.languages import code
from graphlang.codes.territories import (
    GENERIC_CCTLDS,
    _read_table,
    find_territory,
    list_countries,
    list_official_languages,
    list_uses,
)

DATA = Path(os.environ.get("GRAPHLANG_DATA") or Path(__file__).parents[3] / "shared" / "data")


@pytest.mark.parametrize(
    ("tld", "expected"),
    [
        ("ch", ("deu", "fra", "ita", "roh")),
        ("CH", ("deu", "fra", "ita", "roh")),
        (".uk", ("eng", "cym", "gle", "gla")),
        ("gb", ("eng", "cym", "gle", "gla")),
        ("se", ("swe", "fin")),
        ("no", ("nob", "nno", "sme")),
        ("jp", ("jpn",)),
        ("xn--fiqs8s", ("zho", "uig", "zha", "mon", "bod", "kor")),
        ("xn--h2brj9c", ("hin",)),
        ("cat", ("cat",)),
        ("eu", ()),
        ("com", ()),
        ("aq", ()),
        ("xn--", ()),
        ("", ()),
        ("not a tld", ()),
    ],
)
def test_the_official_languages_of_a_domain(tld: str, expected: tuple[str, ...]) -> None:
    assert list_official_languages(tld) == expected


def test_swiss_german_is_spoken_and_standard_german_written() -> None:
    assert "gsw" not in [use.language for use in list_uses("ch")]


def test_a_territory_without_official_language_falls_back_on_those_used() -> None:
    assert list_official_languages("ta") == ("eng",)  # Tristan da Cunha


def test_every_row_is_sound() -> None:
    for country, rows in _read_table().items():
        assert find_territory(country) == country or country == "ac"
        assert [use.share for use in rows] == sorted((use.share for use in rows), reverse=True)
        assert len({use.language for use in rows}) == len(rows)
        for use in rows:
            assert code(use.language) == use.language
            assert 0 <= use.share <= 1
            assert use.status in {"official", "de facto", "regional", "used"}


def test_countries_are_the_inverse_of_official() -> None:
    languages = {language for country in _read_table() for language in list_official_languages(country)}
    for language in languages:
        assert set(list_countries(language)) == {
            country for country in _read_table() if language in list_official_languages(country)
        }


def test_generic_domains_are_territories() -> None:
    assert all(find_territory(tld) for tld in GENERIC_CCTLDS)


def test_the_table_of_names_is_what_its_script_makes() -> None:
    pytest.importorskip("babel", reason="Babel is not installed")
    make = runpy.run_path(str(Path(__file__).parent / "make_tables.py"))
    made, kept = (text.splitlines()[1:] for text in (make["names"](), (make["DATA"] / "names.tsv").read_text("utf-8")))
    # Other versions of Babel have other versions of CLDR.
    assert len(set(made) ^ set(kept)) < len(kept) / 100


def test_the_table_of_subtags_is_what_its_script_makes() -> None:
    make = runpy.run_path(str(Path(__file__).parent / "make_tables.py"))
    made, kept = (text.splitlines() for text in (make["subtags"](), (make["DATA"] / "subtags.tsv").read_text("utf-8")))
    if made[0] != kept[0]:  # other versions of langcodes have other versions of the registry
        pytest.skip(f"the table is not of this version: {made[0]}")
    assert made == kept


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not here (GRAPHLANG_DATA)")
def test_the_tables_are_what_their_script_makes() -> None:
    make = runpy.run_path(str(Path(__file__).parent / "make_tables.py"))
    source = DATA / "reference" / "cldr"
    told = "run: python tests/languages/make_tables.py DATA/reference/cldr"
    assert make["scripts"](source) == (make["DATA"] / "scripts.tsv").read_text("utf-8"), told
    assert make["territories"](source) == (make["DATA"] / "territories.tsv").read_text("utf-8"), told


def test_names_are_found_by_their_order() -> None:
    lines = languages._read_name_lines()
    assert lines == sorted(lines)
    assert all(
        languages.find_name(line.split("\t")[0], line.split("\t")[1]) == line.split("\t")[2] for line in lines[::97]
    )
    assert languages.find_name("language", "zzzz") is languages.find_name("territory", "zzzz") is None
