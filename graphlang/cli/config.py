"""The options of a project: variables of the environment, and tables in a file of ours or in pyproject.toml.

A file is found in the working folder, or named. Values are handed to the options as words, so that each is checked as
on the command line. A file that was found, and not named, may have come with somebody else's archives: it may not say
where to write, nor have the code of other packages run, nor take part where something is removed or shown to others.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphlang.regular_file import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OWN = Path("graphlang.toml")
PROJECT = Path("pyproject.toml")
_LARGEST = 1 << 20  #: bytes of a file
#: Options that may only stand in a file that was named, by the names of their parameters.
NAMED_ONLY = frozenset({"output", "plugins", "report"})
#: Verbs whose options may.
VERBS_NAMED_ONLY = frozenset({"correct", "remove", "serve"})


def defaults(command: click.Group, verb: str | None, named: Path | None) -> dict[str, Any] | None:
    """The defaults of the options of a verb, as `click.Context.default_map` has them; None where there is no file.

    Args:
        command: the group of all verbs.
        verb: the one that is called.
        named: the file that the user names; None to look for one in the working folder.

    Raises:
        click.UsageError: the file cannot be read, is no TOML, or has a verb, an option or a value that does not exist.
    """
    found = _found(named)
    if found is None:
        return None
    path, tables = found
    for name in tables:
        if name not in command.commands:
            raise click.UsageError(f"{path}: [{name}] is no verb")
        if name in VERBS_NAMED_ONLY and named is None:
            raise click.UsageError(f"{path}: [{name}] may only stand in a file that --config names")
    if verb is None or verb not in tables:
        return {}
    return {verb: _options(command.commands[verb], tables[verb], f"{path}: [{verb}]", named=named is not None)}


def name_variables(command: click.Command, verb: str) -> None:
    """Let each option of a verb have its variable of the environment: ``GRAPHLANG_VERB_OPTION``.

    Args:
        command: the verb.
        verb: its name; of a verb below another, both.
    """
    if isinstance(command, click.Group):
        for name in command.commands:
            name_variables(command.commands[name], f"{verb}-{name}")
        return
    for name, option in _known(command):
        if option.envvar is None:
            option.envvar = f"GRAPHLANG_{verb}_{name}".replace("-", "_").upper()


def _found(named: Path | None) -> tuple[Path, Mapping[str, Any]] | None:
    if named is not None:
        content = _parsed(named)
        return named, (_tool(content, named) if named.name == PROJECT.name else content)
    if _is_there(OWN):
        return OWN, _parsed(OWN)
    if _is_there(PROJECT) and b"graphlang" in _read(PROJECT):  # nobody else's file is read, and found wanting
        return PROJECT, _tool(_parsed(PROJECT), PROJECT)
    return None


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # no file of this working folder can be reached, as where another user was taken on in it
        return False


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, most=_LARGEST)
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _parsed(path: Path) -> Mapping[str, Any]:
    import tomllib  # noqa: PLC0415 - most folders have no such file

    try:
        return tomllib.loads(_read(path).decode())
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{path} is not TOML: {str(error) or 'nested too deep'}") from error


def _tool(content: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    tools = content.get("tool", {})
    own = tools.get("graphlang", {}) if isinstance(tools, dict) else None
    if not isinstance(own, dict):
        raise click.UsageError(f"{path}: [tool.graphlang] is no table")
    return own


def _options(command: click.Command, table: Any, where: str, *, named: bool) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise click.UsageError(f"{where} is no table")
    if isinstance(command, click.Group):
        unknown = next((name for name in table if name not in command.commands), None)
        if unknown is not None:
            raise click.UsageError(f"{where}: {unknown} is no verb")
        return {
            name: _options(command.commands[name], own, f"{where} [{name}]", named=named) for name, own in table.items()
        }
    known = dict(_known(command))
    made = {}
    for name, value in table.items():
        option = known.get(name.replace("_", "-"))
        if option is None:
            raise click.UsageError(f"{where}: {name} is no option of this verb")
        if option.name in NAMED_ONLY and not named:
            raise click.UsageError(f"{where}: {name} may only stand in a file that --config names")
        made[str(option.name)] = _value(option, value, f"{where}: {name}")
    return made


def _known(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    """Options by their long names, without the dashes."""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from ((name.removeprefix("--"), parameter) for name in parameter.opts if name.startswith("--"))


def _value(option: click.Option, value: Any, where: str) -> Any:
    """A value as click takes it from the command line."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise click.UsageError(f"{where} must be true or false")
        return value
    several = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not option.multiple:
        raise click.UsageError(f"{where} takes one value")
    if not all(isinstance(one, (str, int, float)) and not isinstance(one, bool) for one in several):
        raise click.UsageError(f"{where} must be a text or a number{', or a list of them' if option.multiple else ''}")
    words = [str(one) for one in several]
    return words if option.multiple else words[0]
