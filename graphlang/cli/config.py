"""Options of a project: environment variables, and tables in graphlang.toml or pyproject.toml.

A file is named, or found in the working folder. Options get their values as text, so that each is checked as on the
command line. A file that was found may have come with archives of other people: it must not choose where to write, run
the code of other packages, or change verbs that remove or publish.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphlang.files import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OWN = Path("graphlang.toml")
PROJECT = Path("pyproject.toml")
_LARGEST = 1 << 20  #: bytes of a file
#: Options that only a file of --config may set, by the names of their parameters.
NAMED_ONLY = frozenset({"output", "plugins", "report"})
#: Verbs whose options only such a file may set.
VERBS_NAMED_ONLY = frozenset({"correct", "remove", "serve"})


def defaults(command: click.Group, verb: str | None, named: Path | None) -> dict[str, Any] | None:
    """Return the defaults of a verb as `click.Context.default_map` has them; None where there is no file."""
    config = _read_config(named)
    if config is None:
        return None
    path, tables = config
    for name in tables:
        if name not in command.commands:
            raise click.UsageError(f"{path}: [{name}] is not a verb")
        if name in VERBS_NAMED_ONLY and named is None:
            raise click.UsageError(f"{path}: [{name}] is allowed only in a file that --config names")
    if verb is None or verb not in tables:
        return {}
    return {verb: _options(command.commands[verb], tables[verb], f"{path}: [{verb}]", named=named is not None)}


def name_variables(command: click.Command, verb: str) -> None:
    """Give each option of a verb its environment variable: ``GRAPHLANG_VERB_OPTION``."""
    if isinstance(command, click.Group):
        for name in command.commands:
            name_variables(command.commands[name], f"{verb}-{name}")
        return
    for name, option in _options_of(command):
        if option.envvar is None:
            option.envvar = f"GRAPHLANG_{verb}_{name}".replace("-", "_").upper()


def _read_config(named: Path | None) -> tuple[Path, Mapping[str, Any]] | None:
    if named is not None:
        content = _parsed(named)
        return named, (_tool(content, named) if named.name == PROJECT.name else content)
    if _is_there(OWN):
        return OWN, _parsed(OWN)
    if _is_there(PROJECT) and b"graphlang" in _read(PROJECT):  # errors in files for other programs do not matter
        return PROJECT, _tool(_parsed(PROJECT), PROJECT)
    return None


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the user may not enter the working folder
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
    table = tools.get("graphlang", {}) if isinstance(tools, dict) else None
    if not isinstance(table, dict):
        raise click.UsageError(f"{path}: [tool.graphlang] is not a table")
    return table


def _options(command: click.Command, table: Any, where: str, *, named: bool) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise click.UsageError(f"{where} is not a table")
    if isinstance(command, click.Group):
        unknown = next((name for name in table if name not in command.commands), None)
        if unknown is not None:
            raise click.UsageError(f"{where}: {unknown} is not a verb")
        return {
            name: _options(command.commands[name], below, f"{where} [{name}]", named=named)
            for name, below in table.items()
        }
    options = dict(_options_of(command))
    values = {}
    for name, value in table.items():
        option = options.get(name.replace("_", "-"))
        if option is None:
            raise click.UsageError(f"{where}: {name} is not an option of this verb")
        if option.name in NAMED_ONLY and not named:
            raise click.UsageError(f"{where}: {name} is allowed only in a file that --config names")
        values[str(option.name)] = _value(option, value, f"{where}: {name}")
    return values


def _options_of(command: click.Command) -> Iterator[tuple[str, click.Option]]:
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
    items = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not option.multiple:
        raise click.UsageError(f"{where} takes one value")
    if not all(isinstance(item, (str, int, float)) and not isinstance(item, bool) for item in items):
        raise click.UsageError(f"{where} must be a text or a number{', or a list of them' if option.multiple else ''}")
    texts = [str(item) for item in items]
    return texts if option.multiple else texts[0]
