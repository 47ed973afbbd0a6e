"""The documents agree with the code: every verb, every option, every example."""

import re
import runpy
from pathlib import Path

import click
import pytest

from graphlang.cli import cli

ROOT = Path(__file__).parents[2]


def test_the_page_of_commands_is_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "commands.py"))
    assert script["COMMANDS"].read_text(encoding="utf-8") == script["commands"](), "run: make docs"


def options(verb: str) -> set[str]:
    return {
        option for parameter in cli.commands[verb].params for option in (*parameter.opts, *parameter.secondary_opts)
    }


def calls(text: str) -> list[tuple[str, set[str]]]:
    """Every line of ``text`` that calls the command line: its verb and its long options."""
    found = re.findall(r"^(?: *[^\n]*\| *| {4,}|\.venv/bin/| {2})graphlang ([a-z-]+)(.*)$", text, re.MULTILINE)
    return [(verb, set(re.findall(r"(?<=\s)--[a-z0-9-]+", re.split(r"\s{3,}", rest)[0]))) for verb, rest in found]


@pytest.mark.parametrize("name", list(cli.commands))
def test_every_verb_has_words_examples_and_help_for_every_option(name: str) -> None:
    command = cli.commands[name]
    assert command.help
    assert "Example" in command.help, "the help of a verb ends with examples, as that of 'problems' does"
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
    examples = calls(command.help)
    assert name in [verb for verb, _ in examples]
    for verb, used in examples:
        assert used <= options(verb), verb


@pytest.mark.parametrize("document", ["README.md", "examples/README.md"])
def test_documents_name_only_verbs_and_options_that_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    found = calls(re.sub(r"^graphlang", "    graphlang", "\n".join(_code(text)), flags=re.MULTILINE))
    assert found
    for verb, used in found:
        assert verb in cli.commands, verb
        assert used <= options(verb) | {"--help"}, (verb, used)


def _code(text: str) -> list[str]:
    """Lines of code blocks, fenced or indented."""
    lines, fenced = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            lines.append(line)
    return lines


def test_the_readme_links_to_files_that_exist() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target
