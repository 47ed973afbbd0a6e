"""A verb brings its own machinery, and no other's."""

import subprocess
import sys

import click
import pytest

from graphlang.cli import cli

HEAVY = {"numpy", "scipy", "langcodes", "networkx", "rich", "sqlite_utils", "publicsuffixlist"}
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


def test_the_list_of_verbs_says_the_first_words_of_their_help() -> None:
    for name, command in cli.commands.items():
        assert command.name == name
        first = " ".join((command.help or "").split("\n\n")[0].split()).split(". ")[0].rstrip(".") + "."
        assert cli.words(name) == first  # type: ignore[attr-defined]


def test_a_verb_that_is_none() -> None:
    context = click.Context(cli)
    assert cli.get_command(context, "nonsense") is None
