"""The options of a project: from a file, from the environment, and in which order they count."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from graphlang.cli import cli
from graphlang.cli.config import FOLDER_OPTIONS, VERBS_NOT_IN_FOLDER, find_user_file, read_defaults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from click.testing import Result

    Call = Callable[..., Result]


@pytest.fixture
def project(
    make_collection: Callable[..., Path],
    written: Callable[..., object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """The working folder, with a database of six pages; one was only linked to."""
    labels = ["deu", "deu", "deu", "fra", "zxx"]
    pages = [written(f"http://museum.example/{number}", label) for number, label in enumerate(labels)]
    make_collection([*pages, written("http://museum.example/5", "deu", fetched=False)])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pages(result: Result) -> int:
    assert result.exit_code == 0, result.stderr
    return len([json.loads(line) for line in result.stdout.splitlines()])


def test_a_file_in_the_working_folder_gives_the_defaults(graphlang: Call, project: Path) -> None:
    (project / "graphlang.toml").write_text('[pages]\nformat = "jsonl"\nlimit = 2\nfetched = true\n')
    assert pages(graphlang("pages", "crawl.db")) == 2
    assert pages(graphlang("pages", "crawl.db", "--limit", 3)) == 3
    assert len(graphlang("--no-config", "pages", "crawl.db").stdout.splitlines()) == 7
    assert graphlang("sites", "crawl.db").exit_code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_working_folder_that_cannot_be_entered_has_no_such_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = project / "closed"
    closed.mkdir(0o700)
    monkeypatch.chdir(closed)
    (closed / "graphlang.toml").write_text("[pages]\nlimit = 2\n")
    assert read_defaults(cli, "pages", None) == {"pages": {"limit": "2"}}
    os.seteuid(65534)
    try:
        assert read_defaults(cli, "pages", None) is None
    finally:
        os.seteuid(0)


def test_pyproject_has_a_table_for_it(graphlang: Call, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.graphlang.pages]\nformat = "jsonl"\nlanguage = ["deu", "fr"]\n')
    assert pages(graphlang("pages", "crawl.db")) == 4
    assert pages(graphlang("pages", "crawl.db", "--language", "fra")) == 1
    (project / "graphlang.toml").write_text('[pages]\nformat = "jsonl"\nlimit = 1\n')
    assert pages(graphlang("pages", "crawl.db")) == 1


@pytest.mark.parametrize("content", ["[project]\nname = 'other'\n", "this is no TOML at all ["])
def test_files_of_other_projects_are_none_of_ours(graphlang: Call, project: Path, content: str) -> None:
    (project / "pyproject.toml").write_text(content)
    assert pages(graphlang("pages", "crawl.db", "--format", "jsonl")) == 5


def test_a_file_that_is_named_counts_alone(graphlang: Call, project: Path, tmp_path: Path) -> None:
    (project / "graphlang.toml").write_text("[pages]\nlimit = 0\n")
    (tmp_path / "other.toml").write_text('[pages]\nformat = "jsonl"\noutput = "pages.jsonl"\n')
    assert graphlang("--config", "other.toml", "pages", "crawl.db").stdout == ""
    assert len((project / "pages.jsonl").read_text().splitlines()) == 5


def test_the_command_line_counts_before_the_environment_and_that_before_the_file(
    graphlang: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "graphlang.toml").write_text('[pages]\nformat = "jsonl"\nlimit = 1\n')
    assert pages(graphlang("pages", "crawl.db")) == 1
    monkeypatch.setenv("GRAPHLANG_PAGES_LIMIT", "2")
    assert pages(graphlang("pages", "crawl.db")) == 2
    assert pages(graphlang("pages", "crawl.db", "--limit", 3)) == 3
    monkeypatch.setenv("GRAPHLANG_PAGES_LANGUAGE", "fra swa")
    assert pages(graphlang("pages", "crawl.db")) == 1
    monkeypatch.setenv("GRAPHLANG_PAGES_FORMAT", "tsv")
    assert graphlang("pages", "crawl.db").stdout.startswith("url\tlanguage")
    monkeypatch.setenv("GRAPHLANG_PAGES_LIMIT", "x")
    assert graphlang("pages", "crawl.db").exit_code == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[page]\n", "graphlang.toml: [page] is not a verb"),
        ("limit = 1\n", "graphlang.toml: [limit] is not a verb"),
        ("pages = 1\n", "graphlang.toml: [pages] is not a table"),
        ("[pages]\nlimits = 1\n", "graphlang.toml: [pages]: limits is not an option of this verb"),
        ("[pages]\nlimit = -1\n", "Invalid value for '--limit': -1 is not in the range x>=0"),
        ("[pages]\nlimit = 'x'\n", "Invalid value for '--limit': 'x' is not a valid whole number"),
        ("[pages]\nlimit = [1]\n", "[pages]: limit takes one value"),
        ("[pages]\nlimit = {a = 1}\n", "[pages]: limit must be a text or a number"),
        ("[pages]\nlimit = 2020-01-01\n", "[pages]: limit must be a text or a number"),
        ("[pages]\nlimit = true\n", "[pages]: limit must be a text or a number"),
        ("[pages]\nfetched = 1\n", "[pages]: fetched must be true or false"),
        ("[pages]\nlanguage = [[1]]\n", "[pages]: language must be a text or a number, or a list of them"),
        ("[pages]\nformat = 'xml'\n", "Invalid value for '--format'"),
        ("[pages\n", "graphlang.toml is not TOML: "),
        ("a = " + "[" * 100_000, "graphlang.toml is not TOML: "),
        ("[pages]\n'a\x1b[2J' = 1\n", ""),
        ("#" * (1 << 20) + "\n", "cannot read graphlang.toml: larger than"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(graphlang: Call, project: Path, content: str, words: str) -> None:
    (project / "graphlang.toml").write_text(content)
    result = graphlang("pages", "crawl.db")
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    line = result.stderr.splitlines()[-1]
    assert line.startswith("Error: ")
    assert words in line


def verbs(group: click.Group, *names: str) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from verbs(command, *names, name)
        else:
            yield (*names, name)


def options_of(path: tuple[str, ...]) -> list[click.Option]:
    command: click.Command = cli
    for name in path:
        assert isinstance(command, click.Group)
        command = command.commands[name]
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


ALLOWED = "allowed only in a file that --config names, or in your own"


@pytest.mark.parametrize("path", [path for path in verbs(cli) if path[0] not in VERBS_NOT_IN_FOLDER], ids=" ".join)
def test_the_file_of_a_folder_sets_display_and_thresholds_only(project: Path, path: tuple[str, ...]) -> None:
    for option in options_of(path):
        long = next((name for name in option.opts if name.startswith("--")), None)
        if long is None or option.name in FOLDER_OPTIONS:
            continue
        (project / "graphlang.toml").write_text(f"[{'.'.join(path)}]\n{long.removeprefix('--')} = true\n")
        with pytest.raises(click.UsageError, match=ALLOWED):
            read_defaults(cli, path[0], None)


def test_what_a_folder_may_set_exists_and_names_no_file() -> None:
    of_name = {option.name: option for path in verbs(cli) for option in options_of(path)}
    assert of_name.keys() >= FOLDER_OPTIONS
    assert not [name for name in FOLDER_OPTIONS if isinstance(of_name[name].type, click.Path)]


@pytest.mark.parametrize("verb", sorted(VERBS_NOT_IN_FOLDER))
def test_the_file_of_a_folder_has_no_part_in_verbs_that_remove_or_publish(
    graphlang: Call, project: Path, verb: str
) -> None:
    (project / "graphlang.toml").write_text(f"[{verb}]\n")
    result = graphlang("pages", "crawl.db")
    assert (result.exit_code, ALLOWED in result.stderr) == (2, True)


def test_spark_settings_of_a_folder_are_refused(graphlang: Call, project: Path) -> None:
    (project / "graphlang.toml").write_text('[cluster.run]\nset = ["spark.python.daemon.module=stranger"]\n')
    result = graphlang("cluster", "run", "crawl.warc.gz", "--output", "out")
    assert (result.exit_code, ALLOWED in result.stderr, (project / "out").exists()) == (2, True, False)


def test_the_users_own_file_sets_everything_and_the_folder_overrides_it(
    graphlang: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project / "config"))
    find_user_file().parent.mkdir(parents=True)
    find_user_file().write_text(
        '[pages]\nformat = "jsonl"\nlimit = 1\noutput = "pages.jsonl"\n[remove]\nvacuum = true\n'
    )
    assert graphlang("pages", "crawl.db").stdout == ""
    assert len((project / "pages.jsonl").read_text().splitlines()) == 1
    (project / "graphlang.toml").write_text("[pages]\nlimit = 2\n")
    assert graphlang("pages", "crawl.db").stdout == ""
    assert len((project / "pages.jsonl").read_text().splitlines()) == 2
    assert len(graphlang("--no-config", "pages", "crawl.db").stdout.splitlines()) == 7


@pytest.mark.parametrize("name", ["GRAPHLANG_VERSION", "GRAPHLANG_HELP"])
def test_variables_that_others_may_have_set_change_nothing(
    graphlang: Call, project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    assert pages(graphlang("pages", "crawl.db", "--format", "jsonl")) == 5
    assert project


def complete(shell: str, **words: str) -> str:
    environment = {"_GRAPHLANG_COMPLETE": shell, **words}
    return CliRunner().invoke(cli, [], env=environment, prog_name="graphlang").stdout


@pytest.mark.parametrize(
    ("shell", "sign"),
    [("bash", "complete -o nosort -F"), ("zsh", "#compdef graphlang"), ("fish", "complete --no-files")],
)
def test_completion_is_made_for_each_shell(shell: str, sign: str) -> None:
    assert sign in complete(f"{shell}_source")


def test_verbs_and_options_are_completed() -> None:
    assert complete("bash_complete", COMP_WORDS="graphlang pa", COMP_CWORD="1").splitlines() == ["plain,pages"]
    found = complete("bash_complete", COMP_WORDS="graphlang pages --be", COMP_CWORD="2")
    assert found.splitlines() == ["plain,--below"]
    for word, codes in (("Swah", {"swa"}), ("deu,swi", {"deu,gsw"})):
        answer = complete("bash_complete", COMP_WORDS=f"graphlang pages a.db --language {word}", COMP_CWORD="4")
        assert {line.removeprefix("plain,") for line in answer.splitlines()} == codes
    assert "run\nFind the language" in complete("zsh_complete", COMP_WORDS="graphlang ", COMP_CWORD="1")
