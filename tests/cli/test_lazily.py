"""A verb brings its own machinery, and no other's."""

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from graphlang.cli import cli

HEAVY = {"numpy", "scipy", "langcodes", "networkx", "sqlite_utils", "publicsuffixlist"}
SCRIPT = "import sys; from graphlang.cli import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"


def imported(*arguments: str) -> set[str]:
    done = subprocess.run([sys.executable, "-P", "-c", SCRIPT, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_help_and_version_import_next_to_nothing(option: str) -> None:
    assert not imported(option) & HEAVY


def test_reading_files_needs_neither_codes_nor_graphs() -> None:
    names = imported("ingest", "--help")
    assert "graphlang.ingest" in names
    assert not names & {"scipy", "langcodes", "networkx", "graphlang.codes.languages", "graphlang.content.registry"}


def test_a_run_needs_no_sparse_matrices_of_scipy_and_no_langcodes(tmp_path: Path) -> None:
    crawl = Path(__file__).parents[2] / "examples" / "crawl.warc.gz"
    names = imported("run", str(crawl), "--db", str(tmp_path / "crawl.db"), "--workers", "1")
    assert "graphlang.graph.propagation.inference" in names
    assert not names & {"scipy.sparse", "langcodes"}
    repeated = imported("run", str(crawl), "--db", str(tmp_path / "crawl.db"), "--workers", "1", "-q")
    assert not repeated & (HEAVY | {"graphlang.ingest.read_batches", "graphlang.analysis.propagate"})


def test_the_list_of_verbs_says_the_first_words_of_their_help() -> None:
    for name, command in cli.commands.items():
        assert command.name == name
        assert cli.summary(name) == (command.help or "").split("\n\n")[0]  # type: ignore[attr-defined]


def test_every_verb_has_a_line_of_its_own_in_80_columns() -> None:
    lines = CliRunner().invoke(cli, ["--help"], terminal_width=80).output.splitlines()
    for name in cli.commands:
        summary = cli.summary(name)  # type: ignore[attr-defined]
        assert f"  {name:<14}  {summary}" in lines
    assert [line for line in lines if len(line) > 80] == []
    headings = ["Start here:", "Find languages step by step:", "Measure and compare:"]
    assert [line for line in lines if line in headings] == headings


def test_a_verb_that_is_none() -> None:
    context = click.Context(cli)
    assert cli.get_command(context, "nonsense") is None
