"""The language graph of a collection whose links are written by hand."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from graphlang.db import open_existing
from graphlang.maps.language_graph import distances, language_graph
from graphlang.maps.selection import Selection
from graphlang.maps.site_graph import site_links_of

Call = Callable[..., Any]


@pytest.fixture
def db(make_collection: Call, written: Any) -> Path:
    # a (deu, 3 pages in a circle) -> b (eng) -> c (fra) -> b; links within a do not count as roads
    return make_collection(
        [
            written("http://a.one/1", "deu", links=(1, 3, 5)),
            written("http://a.one/2", "deu", links=(2,)),
            written("http://a.one/3", "deu", links=(0,)),
            written("http://b.two/", "eng", links=(4,)),
            written("http://c.three/", "fra", links=(3,)),
            written("http://d.four/", "deu", links=(6,)),
            written("http://e.five/", "und", links=(0,)),
        ]
    )


def test_links_between_sites_are_counted_by_language(db: Path) -> None:
    with closing(open_existing(db)) as connection:
        found = language_graph(connection, Selection())
    assert found.pairs == [
        ("deu", "deu", 1, 0.5),
        ("deu", "eng", 1, 0.5),
        ("eng", "fra", 1, 1.0),
        ("fra", "eng", 1, 1.0),
    ]
    german, english, french = found.languages
    assert (german.pages, german.links_out, german.links_in) == (4, 2, 1)
    assert (german.introversion, german.extroversion) == (0.5, 0.5)
    assert (english.introversion, french.extroversion) == (0.0, 1.0)
    assert (german.components, german.largest, german.diameter) == (2, 3, 2)
    assert (english.components, english.largest, english.diameter) == (1, 1, 0)
    assert english.betweenness == 0.5  # of the two ordered pairs without it, deu to fra goes over it
    assert list(distances(found)) == [("deu", "eng", 1), ("deu", "fra", 2), ("eng", "fra", 1), ("fra", "eng", 1)]


def test_sites_with_their_links(db: Path) -> None:
    with closing(open_existing(db)) as connection:
        found = {row.site: row for row in site_links_of(connection, Selection())}
    assert (found["a.one"].links_out, found["a.one"].sites_out, found["a.one"].introversion) == (2, 2, 0.5)
    assert (found["b.two"].links_in, found["b.two"].sites_in, found["b.two"].extroversion) == (2, 2, 1.0)


def test_as_files(graphlang: Call, db: Path) -> None:
    document = json.loads(graphlang("language-graph", db, "--format", "json").stdout)
    assert {one["language"] for one in document["languages"]} == {"deu", "eng", "fra"}
    target = db.parent / "languages.graphml"
    assert graphlang("language-graph", db, "--format", "graphml", "-o", target).exit_code == 0
    graph = nx.read_graphml(target)
    assert graph["ndeu"]["neng"] == {"weight": 1, "share": 0.5}
    assert graphlang("language-graph", db, "--format", "csv", "--what", "sites").stdout.count("\n") == 6
    assert "deu" in graphlang("language-graph", db, "--what", "languages").stdout
    steps = graphlang("language-graph", db, "--what", "distances", "--format", "csv").stdout
    assert "deu,fra,2\n" in steps


def test_no_page_at_all(graphlang: Call, make_collection: Call) -> None:
    db = make_collection([])
    assert graphlang("language-graph", db).exit_code == 0
    assert json.loads(graphlang("language-graph", db, "--format", "json").stdout)["languages"] == []
