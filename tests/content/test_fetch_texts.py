"""What is made of packages of translations: catalogues written here, language packs, and equal amounts."""

from __future__ import annotations

import csv
import struct
import zipfile
from typing import TYPE_CHECKING

import fetch_texts
import pytest
from hypothesis import given
from hypothesis import strategies as st
from package_texts import dictionary_lines, kinds, messages

if TYPE_CHECKING:
    from pathlib import Path


def catalogue(pairs: dict[str, str]) -> bytes:
    """A gettext catalogue, as its manual describes the format: header, two tables of lengths and places, strings."""
    every = sorted({"": "Content-Type: text/plain; charset=UTF-8\n", **pairs}.items())
    place = 28 + 16 * len(every)
    tables: list[bytes] = []
    strings = b""
    for column in (0, 1):
        for pair in every:
            own = pair[column].encode()
            tables.append(struct.pack("<II", len(own), place + len(strings)))
            strings += own + b"\0"
    header = struct.pack("<7I", 0x950412DE, 0, len(every), 28, 28 + 8 * len(every), 0, 0)
    return header + b"".join(tables) + strings


def test_catalogue_gives_what_was_translated(tmp_path: Path) -> None:
    path = tmp_path / "a.mo"
    path.write_bytes(
        catalogue({"Open": "Rofim", "menu\x04Close": "Close", "menu\x04Save": "Bewaar", "%d day\0%d days": "dag\0dae"})
    )
    assert sorted(messages.catalogue(path)) == ["Bewaar", "Rofim", "dae", "dag"]


def test_language_pack_is_read_by_name(tmp_path: Path) -> None:
    path = tmp_path / "pack.xpi"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("b.properties", "one=Goeie môre\n")
        archive.writestr("a.ftl", "two = Totsiens, { $name }\n")
        archive.writestr("c.dtd", '<!ENTITY x "no">')
    found = list(messages.language_pack(path))
    assert found == ["Totsiens, { $name }", "Goeie môre"]
    assert messages.lines(found) == ["Totsiens", "Goeie môre"][1:]  # a single word says too little


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("Kon %(name)s nie lees nie", "Kon nie lees nie"),
        ("Kopieer {count} lêers na ${folder}", "Kopieer lêers na"),
        ("Nog 50 % van die werk moet gedoen word", "Nog 50 % van die werk moet gedoen word"),
        ("Sien https://example.org vir meer", None),
        ("--help wys hierdie teks", None),
        ("x = y * 2 + 3", None),
        ("ka_nalia e b_aya", None),
        ("སྤྱི་ལོའི་ཟླ་བ་དང་པོ", "སྤྱི་ལོའི་ཟླ་བ་དང་པོ"),
    ],
)
def test_line_of_a_message(message: str, line: str | None) -> None:
    assert messages.lines([message]) == ([] if line is None else [line])


@given(st.lists(st.text(min_size=1, max_size=30), max_size=40), st.integers(0, 400))
def test_spread_keeps_order_and_bound(every: list[str], most: int) -> None:
    every = list(dict.fromkeys(line.encode("utf-8", "ignore").decode() for line in every))
    chosen = messages.spread(every, most)
    assert sum(len(line.encode()) + 1 for line in chosen) <= most or chosen == every == []
    left = iter(every)
    assert all(line in left for line in chosen)


def test_each_of_a_group_gets_as_much_as_the_poorest() -> None:
    every = {"a": ["word " * 20] * 400, "b": ["woord " * 15] * 100}
    sizes = {code: sum(len(line) + 1 for line in lines) for code, lines in fetch_texts.fair(every).items()}
    assert sizes["b"] == 100 * 91
    assert 0.98 * sizes["b"] <= sizes["a"] <= sizes["b"]


def test_kinds_are_known_and_no_language_gets_one_twice() -> None:
    given_kinds = [(code, kind) for codes, kinds in fetch_texts.GROUPS for kind in kinds for code in codes]
    assert len(given_kinds) == len(set(given_kinds))
    assert {kind for _, kind in given_kinds} <= kinds.KINDS.keys()


def test_each_of_a_line_of_dictionaries_is_another_language() -> None:
    codes = [code for group in fetch_texts.DICTIONARIES for code in group]
    assert len(codes) == len(set(codes))


def test_words_are_drawn_alike_and_each_once() -> None:
    words = [f"w{i}" for i in range(500)]
    lines = dictionary_lines.lines(words, 300)
    assert lines == dictionary_lines.lines(words, 300)
    drawn = [word for line in lines for word in line.split()]
    assert len(set(drawn)) == len(drawn) == 300


def test_table_has_what_was_asked_for_in_equal_amounts() -> None:
    """Of the texts that were fetched last; no text is here."""
    with fetch_texts.TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert tuple(rows[0]) == fetch_texts.COLUMNS
    sizes = {(row["code"], row["file"].removesuffix(".txt")): int(row["bytes"]) for row in rows}
    assert len(sizes) == len(rows)
    groups = [(codes, kind) for codes, wanted in fetch_texts.GROUPS for kind in wanted]
    for codes, kind in groups:
        own = [sizes.pop((code, kind)) for code in codes if (code, kind) in sizes]
        assert len(own) in {0, len(codes)}
        assert not own or min(own) > 0.98 * max(own)
    assert sizes.keys() == {(code, "dictionary") for group in fetch_texts.DICTIONARIES for code in group}
    assert all(row["packages"].count("sha256:") for row in rows)
