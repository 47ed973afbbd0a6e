"""Slips of users: numbers too large for anything, and names of files that promise what a verb cannot write."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., Any]

LARGE = 10**20


@pytest.fixture
def db(make_collection: Callable[..., Path], written: Any) -> Path:
    return make_collection([written("http://a.example/", "deu", 0.9, text="Ein Haus am See.")])


@pytest.mark.parametrize(
    "words",
    [
        ("pages", "--limit", LARGE),
        ("problems", "--limit", LARGE),
        ("sites", "--min-length", LARGE),
        ("texts", "--max-length", LARGE),
        ("sites", "--status", LARGE),
        ("frontier", "--run", LARGE),
        ("runs", "--choose", LARGE),
        ("compare", LARGE, 1),
        ("propagate", "--seed", LARGE),
        ("vote", "--max-links", LARGE),
        ("review", "--count", LARGE),
        ("texts", "--limit", LARGE),
        ("ingest", "--text-limit", LARGE),
        ("ingest", "--max-payload", LARGE),
        ("ingest", "--max-payload", 2**62),  # megabytes
    ],
)
def test_a_number_that_is_too_large_is_refused_in_a_line(graphlang: Call, db: Path, words: tuple[Any, ...]) -> None:
    told = graphlang(words[0], db, *words[1:])
    assert told.exit_code == 2
    assert f"{max(word for word in words if isinstance(word, int))} is " in told.stderr


def test_the_largest_number_is_taken(graphlang: Call, db: Path) -> None:
    assert graphlang("pages", db, "--limit", sys.maxsize).exit_code == 0
    told = graphlang("compare", db, 2**63 - 1, 1)
    assert (told.exit_code, told.stderr) == (3, f"Error: there is no run {2**63 - 1} in this database\n")


@pytest.mark.parametrize("name", ["pages.xlsx", "pages.JSON", "pages.parquet", "pages.csv.gz"])
def test_a_name_that_promises_another_format(graphlang: Call, db: Path, name: str) -> None:
    target = db.parent / name
    told = graphlang("pages", db, "-o", target)
    assert told.exit_code == 2
    assert "is not one of 'table', 'csv', 'tsv', 'jsonl'" in told.stderr
    assert not target.exists()
    assert graphlang("pages", db, "-o", target, "--format", "csv").exit_code == 0


def test_a_flag_of_its_own_says_json(graphlang: Call, tmp_path: Path) -> None:
    assert graphlang("methods", "nfc-2004", "--json", "-o", tmp_path / "card.json").exit_code == 0
    assert (tmp_path / "card.json").read_bytes().startswith(b"{")


@pytest.mark.parametrize("name", ["pages.xlsx", "pages.json", "pages.csv.gz"])
def test_an_export_with_such_a_name(graphlang: Call, db: Path, name: str) -> None:
    target = db.parent / name
    told = graphlang("export", db, "--what", "pages", "-o", target)
    assert told.exit_code == 2
    assert f"{name}: pages comes as csv, tsv, jsonl, parquet, gexf, graphml" in told.stderr
    assert not target.exists()
    assert graphlang("export", db, "--what", "pages", "-o", target, "--format", "csv").exit_code == 0
    assert graphlang("export", db, "--what", "pages", "-o", db.parent / "pages.lst").exit_code == 0


def test_a_gold_file_that_is_no_text(graphlang: Call, db: Path) -> None:
    told = graphlang("evaluate", db, "--gold", db.with_suffix(".npz"))
    assert told.exit_code == 2
    gold = db.parent / "gold.tsv"
    gold.write_bytes(b"url\tlanguage\nhttp://a.example/\xf6\tdeu\n")
    told = graphlang("evaluate", db, "--gold", gold)
    assert (told.exit_code, told.stderr) == (2, f"Error: cannot read {gold}: it is no text in UTF-8\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--mime", "html"), "'html' is no media type, such as text/html or image/*"),
        (("--mime", "text/html,"), "'' is no media type"),
        (("--mime", "*/html"), "'*/html' is no media type"),
        (("--min-length", 9, "--max-length", 8), "no page has 9 characters or more and 8 or fewer"),
    ],
)
def test_a_selection_that_can_hold_nothing_is_refused(
    graphlang: Call, db: Path, words: tuple[Any, ...], complaint: str
) -> None:
    for verb in ("sites", "texts"):
        told = graphlang(verb, db, *words)
        assert (told.exit_code, complaint in told.stderr) == (2, True), told.stderr


def test_a_selection_of_one_length_and_of_a_kind_of_media_types(graphlang: Call, db: Path) -> None:
    length = len("Ein Haus am See.")
    words = ("--min-length", length, "--max-length", length, "--mime", "Text/*")
    assert graphlang("texts", db, *words).stdout.count("http://a.example/") == 1
    assert not graphlang("texts", db, "--mime", "image/*").stdout


def test_texts_end_where_the_limit_says(graphlang: Call, db: Path) -> None:
    assert [len(graphlang("texts", db, "--limit", most).stdout.splitlines()) for most in (0, 1, 2)] == [0, 1, 1]
