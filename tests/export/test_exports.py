"""Exports of a collection whose rows are written by hand, read back by the programs that they are for."""

import csv
import gzip
import json
import zlib
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from graphlang.db import open_existing
from graphlang.export import tables
from graphlang.export.cdxj import make_sort_key, measure_records, write_cdxj
from graphlang.export.common_crawl import write_vertices_and_edges
from graphlang.export.graph_files import Schema, write_gexf, write_graphml
from graphlang.export.tables import Table
from graphlang.maps.selection import Selection

Call = Callable[..., Any]
HOSTILE = '=HYPERLINK("http://evil.example") <script>alert(1)</script> \u202e \x1b[2J & "quoted"\ttab'


@pytest.fixture
def db(make_collection: Call, written: Any) -> Path:
    return make_collection(
        [
            written(
                "http://a.example/",
                "deu",
                0.9,
                "nld",
                0.25,
                title=HOSTILE,
                text="Guten Tag. Menü",
                main=10,
                links=(1, 3),
            ),
            written("http://a.example/2?a=<b>&c=\u202e", "deu", 0.8, links=(0, 2)),
            written("https://b.example/", "srp_Latn", 0.95, text="Dobar dan", links=(0,)),
            written("http://c.other/", "eng", 0.6, fetched=False),
            written("http://c.other/gone", "eng", 1.0, status=404),
        ]
    )


def export(graphlang: Call, db: Path, what: str, name: str, *more: object) -> Path:
    target = db.parent / name
    result = graphlang("export", db, "--what", what, "-o", target, *more)
    assert result.exit_code == 0, result.output
    return target


def test_pages_as_jsonl_and_parquet_have_the_columns_of_the_view(graphlang: Call, db: Path) -> None:
    with closing(open_existing(db)) as connection:
        cursor = connection.execute("SELECT * FROM page_languages")
        columns = [name for name, *_ in cursor.description]
        expected = [dict(zip(columns, row, strict=True)) for row in cursor]
    for one in expected:  # each is in one language
        one.update(languages=one["language"], shares="1.00", guess=None)
    lines = export(graphlang, db, "pages", "pages.jsonl", "--all").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == expected
    for one in expected:
        one.update(languages=[one["language"]], shares=[1.0])
    pq = pytest.importorskip("pyarrow.parquet")
    assert pq.read_table(export(graphlang, db, "pages", "pages.parquet", "--all")).to_pylist() == expected


@pytest.mark.parametrize(("rows", "size"), [(1, 1 << 20), (3, 1 << 20), (100, 1), (100, 1 << 20)])
def test_parquet_is_the_same_however_it_is_cut(monkeypatch: pytest.MonkeyPatch, rows: int, size: int) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(tables, "_GROUP_ROWS", rows)
    monkeypatch.setattr(tables, "_GROUP_BYTES", size)
    given = [(n, None if n % 3 else n / 8, None if n % 4 == 1 else "é\x00" * n) for n in range(9)]
    out = BytesIO()
    assert tables.write_parquet(Table(("page", "confidence", "url"), iter(given)), out) == 9
    read = pq.ParquetFile(BytesIO(out.getvalue()))
    assert [tuple(row.values()) for row in read.read().to_pylist()] == given
    assert [str(kind) for kind in read.schema_arrow.types] == ["int64", "double", "string"]
    # Blocks of 1, 2, 4 and 2 rows, for nobody knows beforehand how large rows are; none is cut.
    assert read.metadata.num_row_groups == {1: 4, 3: 3}.get(rows, 4 if size == 1 else 1)


@pytest.mark.parametrize("what", ["sites", "hosts", "domains"])
def test_tables_of_sites_begin_with_the_site(graphlang: Call, db: Path, what: str) -> None:
    lines = export(graphlang, db, what, f"{what}.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t")[0] == what.removesuffix("s")
    assert {line.split("\t")[0] for line in lines[1:]} == {"a.example", "b.example"}


@pytest.mark.parametrize("format_", ["gexf", "graphml"])
@pytest.mark.parametrize("what", ["pages", "hosts", "domains", "languages"])
def test_graphs_are_read_back(graphlang: Call, db: Path, what: str, format_: str) -> None:
    path = export(graphlang, db, what, f"{what}.{format_}", "--all")
    graph = nx.read_gexf(path) if format_ == "gexf" else nx.read_graphml(path)
    by_label = {data["label"]: (node, data) for node, data in graph.nodes(data=True)}
    labels = {
        "pages": {"http://a.example/", "http://a.example/2?a=<b>&c=\u202e", "https://b.example/", "http://c.other/"}
        | {"http://c.other/gone"},
        "hosts": {"a.example", "b.example", "c.other"},
        "domains": {"a.example", "b.example", "c.other"},
        "languages": {"German", "Serbian", "English"},
    }[what]
    assert set(by_label) == labels
    first = {"pages": "http://a.example/", "languages": "German"}.get(what, "a.example")
    assert by_label[first][1]["language"] == "deu"
    assert by_label[first][1]["size"] == {"pages": 15}.get(what, 2)
    if what != "languages":
        assert by_label[first][1]["confidence"] == pytest.approx(0.9 if what == "pages" else 0.85)
    if format_ == "gexf":  # in each disc of a language the first node is in the middle, and the first disc at 0
        drawn = [(data["language"], data["viz"]) for _, data in graph.nodes(data=True)]
        assert {(language, *viz["color"].values()) for language, viz in drawn} >= {("deu", 230, 159, 0, 1.0)}
        assert drawn[0][1]["position"] == {"x": 0.0, "y": 0.0, "z": 0.0}
        places = [(viz["position"]["x"], viz["position"]["y"]) for _, viz in drawn]
        assert len(set(places)) == len(places)
        assert min(viz["size"] for _, viz in drawn) >= 6
    if what in ("hosts", "domains"):
        edges = {
            (graph.nodes[a]["label"], graph.nodes[b]["label"]): int(data["weight"])
            for a, b, data in graph.edges(data=True)
        }
        assert edges == {("a.example", "b.example"): 1, ("a.example", "c.other"): 1, ("b.example", "a.example"): 1}


def test_igraph_reads_graphml(graphlang: Call, db: Path) -> None:
    igraph = pytest.importorskip("igraph", reason="igraph is not installed")
    graph = igraph.Graph.Read_GraphML(str(export(graphlang, db, "hosts", "hosts.graphml", "--all")))
    assert graph.is_directed()
    assert dict(zip(graph.vs["label"], graph.vs["language"], strict=True)) == {
        "a.example": "deu",
        "b.example": "srp",
        "c.other": "eng",
    }


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_whatever_the_labels_are_the_files_are_read_back(labels: list[str]) -> None:
    schema = Schema({"language": "string"}, {"weight": "int"})
    for write, read in ((write_gexf, nx.read_gexf), (write_graphml, nx.read_graphml)):
        out = BytesIO()
        write(schema, [(n, label, (label,)) for n, label in enumerate(labels)], [(0, 0, (1,))], out)
        graph = read(BytesIO(out.getvalue()))
        found = [data["label"] for _, data in graph.nodes(data=True)]
        for one, other in zip(found, labels, strict=True):
            if all(" " <= character < "\ud800" for character in other):
                assert (one or "") == other


def test_sites_links_and_languages_are_tables(graphlang: Call, db: Path) -> None:
    links = list(csv.DictReader(export(graphlang, db, "links", "links.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["source"], row["target"], row["source_language"], row["target_language"]) for row in links] == [
        ("1", "2", "deu", "deu"),
        ("1", "4", "deu", "eng"),
        ("2", "1", "deu", "deu"),
        ("2", "3", "deu", "srp"),
        ("3", "1", "srp", "deu"),
    ]
    hosts = list(csv.DictReader(export(graphlang, db, "hosts", "hosts.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["host"], row["language"], row["pages"], row["unfetched"]) for row in hosts] == [
        ("a.example", "deu", "2", "0"),
        ("b.example", "srp", "1", "0"),
    ]


def test_texts_have_main_content_and_all_apart(graphlang: Call, db: Path) -> None:
    result = graphlang("texts", db, "--language", "de", "--min-confidence", "0.85")
    (row,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert (row["main"], row["text"]) == ("Guten Tag.", "Guten Tag. Menü")
    assert (row["url"], row["source"], row["offset"], row["confidence"], row["method"]) == (
        "http://a.example/",
        "crawl.warc.gz",
        100,
        0.9,
        "bp",
    )
    assert row["title"] == HOSTILE
    assert graphlang("texts", db, "--language", "sr-Latn", "--format", "txt").stdout == "Dobar dan\n\n"
    assert graphlang("texts", db, "--language", "sr-Cyrl", "--format", "txt").stdout == ""
    assert graphlang("texts", db, "--format", "parquet").exit_code == 2


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_texts_are_those_of_the_export_in_each_format(graphlang: Call, db: Path, tmp_path: Path, form: str) -> None:
    target = tmp_path / f"texts.{form}"
    assert graphlang("texts", db, "-o", target).exit_code == 0
    assert target.read_text(encoding="utf-8") == export(graphlang, db, "texts", f"all.{form}").read_text(
        encoding="utf-8"
    )
    if form == "csv":
        rows = list(csv.DictReader(target.read_text(encoding="utf-8-sig").splitlines(keepends=True)))
        assert "Guten Tag. Menü" in [row["text"] for row in rows]


def records(path: Path) -> list[tuple[Any, ...]]:
    with path.open("rb") as file:
        return [
            (
                record.rec_type,
                record.rec_headers.get_header("WARC-Target-URI"),
                record.rec_headers.get_header("WARC-Identified-Content-Language"),
                record.content_stream().read().decode(),
            )
            for record in ArchiveIterator(file)
        ]


def test_a_sidecar_of_metadata_records(graphlang: Call, db: Path) -> None:
    found = records(export(graphlang, db, "warc-metadata", "languages.warc.gz"))
    assert [one[0] for one in found] == ["warcinfo", "metadata", "metadata", "metadata"]
    assert found[1][1:3] == ("http://a.example/", "deu,nld")
    assert "confidence: 0.9\r\n" in found[1][3]
    assert "language: srp\r\nscript: Latn\r\n" in found[3][3]


@pytest.mark.parametrize(("what", "ending"), [("wet", ".wet"), ("wet", ".WARC"), ("warc-metadata", ".warc")])
def test_an_archive_is_compressed_unless_its_name_says_no(graphlang: Call, db: Path, what: str, ending: str) -> None:
    plain = export(graphlang, db, what, f"plain{ending}").read_bytes()
    packed = export(graphlang, db, what, f"packed{ending}.gz").read_bytes()
    assert plain.startswith(b"WARC/1.1\r\nWARC-")
    assert gzip.decompress(packed) == plain
    assert b"WARC-Filename" not in plain  # it said languages.warc whatever the file was called
    assert records(db.parent / f"plain{ending}")[1:] == records(db.parent / f"packed{ending}.gz")[1:]


def test_wet_is_read_by_graphlang_itself(graphlang: Call, db: Path) -> None:
    path = export(graphlang, db, "wet", "crawl.wet.gz")
    assert records(path)[3][:3] == ("conversion", "https://b.example/", "srp")
    again = db.parent / "again.db"
    assert graphlang("ingest", again, path, "--workers", 1).exit_code == 0
    with closing(open_existing(again)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM texts WHERE text LIKE '%Dobar dan%'").fetchone() == (1,)


def test_the_same_collection_gives_the_same_bytes(graphlang: Call, db: Path) -> None:
    for what in ("warc-metadata", "wet", "cdxj", "pages"):
        assert export(graphlang, db, what, "one").read_bytes() == export(graphlang, db, what, "other").read_bytes(), (
            what
        )


def test_vertices_are_in_order_of_reversed_names(db: Path) -> None:
    vertices, edges = BytesIO(), BytesIO()
    with closing(open_existing(db)) as connection:
        assert write_vertices_and_edges(connection, "host", Selection(), vertices, edges) == 3
    assert gzip.decompress(vertices.getvalue()) == b"0\texample.a\n1\texample.b\n2\tother.c\n"
    assert gzip.decompress(edges.getvalue()) == b"0\t1\n0\t2\n1\t0\n"


def test_vertices_of_domains_count_their_hosts(graphlang: Call, db: Path) -> None:
    folder = export(graphlang, db, "vertices-edges", "graph", "--by", "domain")
    assert gzip.decompress((folder / "vertices.txt.gz").read_bytes()).splitlines()[0] == b"0\texample.a\t1"
    assert graphlang("export", db, "--what", "vertices-edges", "-o", db).exit_code != 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("pages", "--by", "domain"), "--by is not supported by pages; it is for vertices-edges"),
        (("cdxj", "--main"), "--main is not supported by cdxj; it is for texts and wet"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    graphlang: Call, db: Path, tmp_path: Path, given: tuple[str, ...], words: str
) -> None:
    target = tmp_path / "out"
    result = graphlang("export", db, "--what", *given, "-o", target)
    assert (result.exit_code, result.stderr.splitlines()[-1], target.exists()) == (2, f"Error: {words}", False)


@pytest.mark.parametrize(("what", "name"), [("vertices-edges", "edges.txt.gz"), ("web-languages", "srp.md")])
def test_no_file_in_a_folder_takes_the_place_of_the_database(graphlang: Call, db: Path, what: str, name: str) -> None:
    folder = db.parent / "out"
    folder.mkdir()
    (folder / name).symlink_to(db)
    before = db.read_bytes()
    result = graphlang("export", db, "--what", what, "-o", folder)
    assert (result.exit_code, result.stderr) == (2, f"Error: cannot write to {folder / name}: it is the database\n")
    assert db.read_bytes() == before


def test_a_file_that_cannot_be_made_is_named_as_the_user_did(graphlang: Call, db: Path) -> None:
    target = db.parent / "nowhere" / "pages.csv"
    result = graphlang("export", db, "--what", "pages", "-o", target)
    assert (result.exit_code, result.stderr) == (2, f"Error: {target}: No such file or directory\n")


def test_site_lists(graphlang: Call, db: Path) -> None:
    folder = export(graphlang, db, "web-languages", "lists")
    assert sorted(path.name for path in folder.iterdir()) == ["deu.md", "srp.md"]
    page = (folder / "srp.md").read_text(encoding="utf-8")
    assert page.startswith("# Web Language: Serbian\n")
    assert "- https://b.example/ (1 page, 0.95)\n" in page
    assert "- ISO-639-3 code: srp\n" in page


def test_cdxj_is_sorted_and_has_languages(db: Path) -> None:
    out = BytesIO()
    with closing(open_existing(db)) as connection:
        made = write_cdxj(connection, db, Selection(everything=True), out)
    lines = out.getvalue().splitlines()
    assert lines == sorted(lines)
    assert (made.lines, made.without_length, made.missing) == (4, 4, ["crawl.warc.gz"])
    fields = [(line.split(b" ", 2)[0].decode(), json.loads(line.split(b" ", 2)[2])) for line in lines]
    assert fields[0][0] == "example,a)/"
    assert fields[0][1]["languages"] == "deu,nld"
    assert fields[0][1]["offset"] == "100"
    assert [one[1].get("languages") for one in fields] == ["deu,nld", "deu", "srp", "eng"]


@pytest.mark.parametrize(
    ("date", "stamp"),
    [
        ("2012-06-01T10:20:30.5Z", "20120601102030"),
        ("2012-06", "20120601000000"),
        ("2012", "20120101000000"),
        ("", "00000000000000"),
    ],
)
def test_dates_of_the_index_have_fourteen_digits(make_collection: Call, written: Any, date: str, stamp: str) -> None:
    path = make_collection([written("http://a.example/", "deu", date=date)], "dated.db")
    out = BytesIO()
    with closing(open_existing(path)) as connection:
        write_cdxj(connection, path, Selection(everything=True), out)
    assert out.getvalue().split(b" ")[1].decode() == stamp


def test_lengths_of_records_are_those_of_their_members(museum: Path, graphlang: Call, tmp_path: Path) -> None:
    data = museum.read_bytes()
    offsets, at = [], 0
    while at < len(data):
        offsets.append(at)
        member = zlib.decompressobj(wbits=31)
        member.decompress(data[at:])
        at = len(data) - len(member.unused_data)
    expected = [end - begin for begin, end in zip(offsets, [*offsets[1:], len(data)], strict=True)]
    assert [length for _, length in measure_records(museum, offsets)] == expected
    plain = tmp_path / "plain.warc"
    graphlang("convert", museum, plain)
    text = plain.read_bytes()
    starts = [at for at in range(len(text)) if text.startswith(b"WARC/1.0\r\n", at)]
    ends = [*starts[1:], len(text)]
    assert [length for _, length in measure_records(plain, starts)] == [
        b - a for a, b in zip(starts, ends, strict=True)
    ]
    assert list(measure_records(museum, [1])) == [(1, None)]


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.example.com/", "com,example)/"),
        ("https://example.com:443/A/B/", "com,example)/a/b"),
        ("http://example.com:8080/?b=2&a=1", "com,example:8080)/?a=1&b=2"),
        # What the package surt 0.3.1 says, by which pywb 2.10 looks captures up.
        ("http://192.0.2.1/x", "1,2,0,192)/x"),
        ("http://[2001:db8::1]:8080/x", "2001:db8::1:8080)/x"),
        ("http://www1.www.example.org/a/./b/../c", "org,example,www)/a/c"),
        ("http://www.p.example./x", "example,p)/x"),
        ("http://user:pw@d.example/", "example,d)/"),
        ("http://f.example/?x=1&sid=0123456789abcdef0123456789abcdef", "example,f)/?&x=1"),
        ("http://f.example/?phpsessid=0123456789abcdef0123456789abcdef&x=1", "example,f)/?x=1"),
        ("http://n.example/(S(4hqa0555fwsecu455xqckv45))/x.aspx", "example,n)/x.aspx"),
        ("http://h.example/a%252Fb", "example,h)/a/b"),
        ("http://o.example/a%00b%0Ac", "example,o)/a%00b%0ac"),
        ("http://i.example/?b&a&&c", "example,i)/?&a&b&c"),
        ("http://example.com/%E4%BD%A0", "com,example)/%e4%bd%a0"),
    ],
)
def test_sort_keys(url: str, key: str) -> None:
    assert make_sort_key(url) == key


def test_sort_keys_are_those_of_pywb() -> None:
    surt = pytest.importorskip("surt", reason="pywb's own sort keys are not installed")
    for url in ("http://www2.a.example/x//y/?Q=B&a", "https://b.example/a?", "http://c.example/ä b/%7Eq#f"):
        assert make_sort_key(url) == surt.surt(url)


@pytest.mark.parametrize("what", ["pages", "hosts", "cdxj", "wet", "warc-metadata", "texts", "languages"])
def test_nothing_replaces_no_file(graphlang: Call, make_collection: Call, what: str) -> None:
    empty = make_collection([], "empty.db")
    target = empty.parent / "kept"
    target.write_text("before", encoding="utf-8")
    for form in {"pages": ["csv", "gexf", "parquet"], "hosts": ["graphml"]}.get(what, [None]):
        result = graphlang("export", empty, "--what", what, "-o", target, *(["--format", form] if form else []))
        assert result.exit_code == 1, (what, form)
        assert "left as it is" in result.stderr
        assert target.read_text(encoding="utf-8") == "before"


def test_wrong_usage(graphlang: Call, db: Path) -> None:
    assert graphlang("export", db, "--what", "cdxj", "--format", "csv", "-o", db.parent / "x").exit_code == 2
    assert graphlang("export", db, "--what", "pages", "-o", db.parent).exit_code == 2
    assert graphlang("export", db, "--what", "pages", "-o", db).exit_code == 2
    assert graphlang("export", db, "--what", "cdxj", "-o", f"{db}-wal").exit_code == 2


def test_standard_output_is_no_file_called_minus(graphlang: Call, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(db.parent)
    for what, form in (("languages", "csv"), ("pages", "jsonl"), ("hosts", "gexf"), ("texts", "txt")):
        told = graphlang("export", db, "--what", what, "--format", form, "-o", "-")
        assert told.exit_code == 0
        assert told.stdout_bytes == export(graphlang, db, what, f"{what}.out", "--format", form).read_bytes()
    wet = graphlang("export", db, "--what", "wet", "-o", "-").stdout_bytes
    assert wet[:2] == export(graphlang, db, "wet", "a.out").read_bytes()[:2]
    for what, form in (("pages", "parquet"), ("vertices-edges", None), ("web-languages", None)):
        more = ["--format", form] if form else []
        assert graphlang("export", db, "--what", what, *more, "-o", "-").exit_code == 2
    assert not (db.parent / "-").exists()
