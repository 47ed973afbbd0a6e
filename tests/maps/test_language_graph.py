"""The language graph of a collection whose links are written by hand."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from graphlang.db import open_existing
from graphlang.maps.language_graph import list_distances, read_language_graph
from graphlang.maps.selection import Selection
from graphlang.maps.site_graph import list_site_distances, list_site_pairs, read_site_graph

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
        found = read_language_graph(connection, Selection())
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
    assert list(list_distances(found)) == [("deu", "eng", 1), ("deu", "fra", 2), ("eng", "fra", 1), ("fra", "eng", 1)]


def test_sites_with_their_links(db: Path) -> None:
    with closing(open_existing(db)) as connection:
        graph = read_site_graph(connection, Selection())
    found = {row.site: row for row in graph.sites}
    assert list(found) == ["a.one", "b.two", "c.three", "d.four", "e.five"]  # the most pages first
    assert (found["a.one"].links_out, found["a.one"].sites_out, found["a.one"].introversion) == (2, 2, 0.5)
    assert (found["b.two"].links_in, found["b.two"].sites_in, found["b.two"].extroversion) == (2, 2, 1.0)
    # a.one is a circle of three pages; the others have one page each.
    assert found["a.one"][10:] == (1, 3, 2)
    assert found["b.two"][10:] == (1, 1, 0)
    # a -> b <-> c; a -> d -> e -> a. Of the twelve ordered pairs without a: d and e go over it to b and c, e to d.
    # Over b: a, d, e to c. Over d: a to e. Over e: d to a, b, c. b and c lead nowhere else.
    between = [round(12 * row.betweenness, 9) for row in graph.sites]
    assert (between, graph.followed) == ([5, 3, 0, 1, 3], 5)


def test_links_and_distances_between_sites(db: Path) -> None:
    with closing(open_existing(db)) as connection:
        graph = read_site_graph(connection, Selection(), measures=False)
    assert list(list_site_pairs(graph)) == [
        ("a.one", "b.two", 1, 0.5, "deu", "eng"),
        ("a.one", "d.four", 1, 0.5, "deu", "deu"),
        ("b.two", "c.three", 1, 1.0, "eng", "fra"),
        ("c.three", "b.two", 1, 1.0, "fra", "eng"),
        ("d.four", "e.five", 1, 1.0, "deu", "und"),
        ("e.five", "a.one", 1, 1.0, "und", "deu"),
    ]
    steps = {(one[0], other[0]): count for one, other, count in list_site_distances(graph)}
    assert steps == {
        ("a", "b"): 1,
        ("a", "c"): 2,
        ("a", "d"): 1,
        ("a", "e"): 2,
        ("b", "c"): 1,
        ("c", "b"): 1,
        ("d", "a"): 2,
        ("d", "b"): 3,
        ("d", "c"): 4,
        ("d", "e"): 1,
        ("e", "a"): 1,
        ("e", "b"): 2,
        ("e", "c"): 3,
        ("e", "d"): 2,
    }


def test_the_graph_of_sites_as_files(graphlang: Call, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ("language-graph", db, "--what", "sites", "--format")
    document = json.loads(graphlang(*given, "json").stdout)
    assert [len(document[name]) for name in ("sites", "links", "distances")] == [5, 6, 14]
    assert document["sites"][0]["diameter"] == 2
    target = db.parent / "sites"
    assert graphlang(*given, "graphml", "-o", target).exit_code == 0
    graph = nx.read_graphml(target)
    assert graph.nodes["na.one"]["sites_out"] == 2
    assert graph["na.one"]["nb.two"] == {"weight": 1, "share": 0.5}
    assert graphlang(*given, "gexf", "-o", target).exit_code == 0
    assert nx.read_gexf(target).nodes["c.three"]["language"] == "fra"
    assert "c.three,b.two,1,1.0000,fra,eng\n" in graphlang(*given[:3], "site-links", "--format", "csv").stdout
    monkeypatch.setattr("graphlang.maps.site_graph.NEAR", 2)
    monkeypatch.setattr("graphlang.cli.link_graphs.NEAR", 2)
    few = graphlang(*given[:3], "site-distances", "--format", "csv")
    assert few.stdout == "source,target,steps\na.one,b.two,1\n"
    assert few.stderr == "distances are those between the 2 of 5 sites with the most pages\n"


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


def test_urls_that_were_only_linked_to_are_left_out_if_asked(
    graphlang: Call, make_collection: Call, written: Any
) -> None:
    read = written("http://a.one/", "deu", links=(1, 2))
    unread = written("http://c.three/", "fra", fetched=False)
    db = make_collection([read, written("http://b.two/", "eng"), unread])
    every = graphlang("language-graph", db, "--format", "csv").stdout.split()
    assert every[1:] == ["deu,eng,1,0.5000", "deu,fra,1,0.5000"]
    assert graphlang("language-graph", db, "--format", "csv", "--fetched").stdout.split()[1:] == ["deu,eng,1,1.0000"]
    sites = graphlang("language-graph", db, "--format", "csv", "--fetched", "--what", "sites").stdout.split()
    assert [line.split(",")[0] for line in sites[1:]] == ["a.one", "b.two"]


def test_why_there_are_no_links_is_said(graphlang: Call, make_collection: Call, written: Any) -> None:
    db = make_collection([written("http://x.one/1", "deu", links=(1,)), written("http://x.one/2", "eng", links=(0,))])
    within = graphlang("language-graph", db, "--format", "csv")
    assert within.stdout == "source,target,links,share\n"
    assert within.stderr == "no link leads from one domain to another; those within a domain do not count\nno rows\n"


def test_no_page_at_all(graphlang: Call, make_collection: Call) -> None:
    db = make_collection([])
    assert graphlang("language-graph", db).exit_code == 0
    assert json.loads(graphlang("language-graph", db, "--format", "json").stdout)["languages"] == []
    empty = {"sites": [], "links": [], "distances": []}
    assert json.loads(graphlang("language-graph", db, "--what", "sites", "--format", "json").stdout) == empty
