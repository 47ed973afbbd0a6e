"""What Spark counts in tables is what SQLite counts in the database of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import graphlang as gl

pytest.importorskip("pyarrow")

from graphlang import cluster
from graphlang.cluster import load as loading
from graphlang.cluster.maps import Tables
from graphlang.db import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

CRAWL = Path(__file__).parents[2] / "examples" / "crawl.warc.gz"
VERBS = (
    ("sites", "--by", "year,country,path", "--scripts", "--min-confidence", "0.8", "--all"),
    ("languages", "--by", "year", "--below", "0.9", "--min-length", "3", "--limit", "5"),
    ("language-graph", "--what", "sites", "--by", "host", "--below", "0.99"),
)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Tables of the example crawl, which has pages in two languages, and their database."""
    folder = tmp_path_factory.mktemp("example")
    gl.open(folder / "crawl.db").run(CRAWL)
    loading.export_database(folder / "crawl.db", folder / "tables")
    return folder / "tables", folder / "crawl.db"


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_the_example_crawl_is_counted_alike(
    verb: tuple[str, ...], spark: Any, example: tuple[Path, Path], graphlang: Callable[..., Result]
) -> None:
    del spark  # which the verb takes
    tables, database = example
    name, *options = verb
    found = graphlang("cluster", name, tables, *options, "--format", "csv")
    wanted = graphlang(name, database, *options, "--format", "csv")
    assert (found.exit_code, found.stdout) == (0, wanted.stdout), found.stderr
    assert wanted.stdout.count("\n") > 2


@pytest.mark.filterwarnings("default::graphlang.cluster.maps.TooManyLinksWarning")
def test_components_that_are_not_worked_out_are_named(
    spark: Any, example: tuple[Path, Path], graphlang: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    del spark  # which the verb takes
    monkeypatch.setattr("graphlang.cluster.maps.MOST", 34)
    given = ("--what", "languages", "--language", "heb,deu", "--format", "csv")
    found = graphlang("cluster", "language-graph", example[0], *given)
    assert found.stderr == (
        "Warning: no components of deu: more than 34 links lie within each, too many for one task\n"
    )
    _, german, hebrew = found.stdout.splitlines()
    assert german == "deu,German,13,0,1,0.0000,0.0000,0.0000,0,0,0"
    assert hebrew == "heb,Hebrew,12,1,0,0.0000,1.0000,0.0000,4,9,5"


def test_a_folder_without_tables_is_told_in_a_line(
    spark: Any, tmp_path: Path, graphlang: Callable[..., Result]
) -> None:
    told = graphlang("cluster", "sites", tmp_path)
    assert told.exit_code == 2
    assert f"{tmp_path} does not hold what 'graphlang cluster run' writes: there is no table answers" in told.stderr
    with pytest.raises(InputError, match="there is no table answers"):
        cluster.languages(spark, str(tmp_path))
    with pytest.raises(ValueError, match="cannot group links by year; there are domain, host, page"):
        cluster.language_graph(spark, str(tmp_path), by="year")
    with pytest.raises(ValueError, match="by year, or all together, not by month"):
        cluster.languages(spark, str(tmp_path), by="month")


def test_answers_of_other_years_need_a_database(
    spark: Any, archives: Path, tmp_path: Path, rounded: Callable[..., Any]
) -> None:
    crawl = gl.open(tmp_path / "crawl.db")
    crawl.ingest(archives, keep="all")
    crawl.classify()
    crawl.propagate_each_year()
    crawl.propagate()
    loading.export_database(tmp_path / "crawl.db", tmp_path / "tables")
    with pytest.raises(InputError, match="captures of other years have languages of their own here"):
        cluster.sites(spark, str(tmp_path / "tables"), "year")
    found = Tables(spark, str(tmp_path / "tables"))
    assert found.execute("SELECT COUNT(*) FROM history WHERE run IS NOT NULL").fetchone() != (0,)
    assert rounded(cluster.languages(spark, str(tmp_path / "tables"))) == rounded(crawl.languages())
