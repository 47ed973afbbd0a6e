"""Options of a project or a user: environment variables, and tables in graphlang.toml or pyproject.toml.

A file is named with --config; or there is one in the user's configuration folder, one in the working folder, or both.
Options get their values as text, so that each is checked as on the command line. The file of the working folder may
have come with archives of other people: it sets how results are shown and thresholds, and nothing else.
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
#: Parameters of options that the file of a working folder may set: display, filters of lists, and thresholds. Such a
#: file must not choose what is read or written, raise a limit on memory or time, run code, or send data elsewhere.
FOLDER_OPTIONS = frozenset({
    # display
    "all_known", "all_runs", "at", "by", "by_language", "captures", "confusion", "count", "csv_safe", "encodings",
    "everything", "format_", "lines", "log_format", "quiet", "scripts", "shares", "sort", "spans", "verbose", "wide",
    # filters of lists
    "below", "declared_unlike", "fetched", "host", "kind", "language", "limit", "max_length", "mime", "min_confidence",
    "min_length", "status",
    # thresholds and weights of the methods
    "calibration", "cctld", "certain", "certain_length", "clamp_length", "declared", "degree", "directory", "doubtful",
    "hreflang", "link_order", "max_links", "min_bytes", "min_ref_length", "neighbours", "rounds", "site", "text_limit",
    "tolerance", "url", "workers",
})  # fmt: skip
#: Verbs whose options the file of a working folder cannot set.
VERBS_NOT_IN_FOLDER = frozenset({"correct", "remove", "serve"})
_OWN_FILES = "allowed only in a file that --config names, or in your own ({})"


def find_user_file() -> Path:
    """Return the path of the user's own configuration."""
    return Path(click.get_app_dir("graphlang")) / OWN.name


def read_defaults(command: click.Group, verb: str | None, named: Path | None) -> dict[str, Any] | None:
    """Return the defaults of a verb in the form of `click.Context.default_map`; None if there is no file.

    The file of the working folder overrides the user's own.
    """
    files = [(named, _read_tables(named))] if named is not None else list(_read_files())
    options: dict[str, Any] = {}
    for path, tables in files:
        trusted = path in {named, find_user_file()}
        for name in tables:
            if name not in command.commands:
                raise click.UsageError(f"{path}: [{name}] is not a verb")
            if name in VERBS_NOT_IN_FOLDER and not trusted:
                raise click.UsageError(f"{path}: [{name}] is {_OWN_FILES.format(find_user_file())}")
        if verb is not None and verb in tables:
            added = _parse_options(command.commands[verb], tables[verb], f"{path}: [{verb}]", trusted=trusted)
            for name, value in added.items():  # the options of a group's verb are a table of their own
                options[name] = {**options.get(name, {}), **value} if isinstance(value, dict) else value
    if not files:
        return None
    return {verb: options} if verb is not None and options else {}


def name_variables(command: click.Command, verb: str) -> None:
    """Give each option of a verb its environment variable: ``GRAPHLANG_VERB_OPTION``."""
    if isinstance(command, click.Group):
        for name in command.commands:
            name_variables(command.commands[name], f"{verb}-{name}")
        return
    for name, option in _list_options(command):
        if option.envvar is None:
            option.envvar = f"GRAPHLANG_{verb}_{name}".replace("-", "_").upper()


def _read_files() -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the user's file and that of the working folder, where they exist, with their tables."""
    if _is_there(find_user_file()):
        yield find_user_file(), _read_tables(find_user_file())
    if _is_there(OWN):
        yield OWN, _read_tables(OWN)
    elif _is_there(PROJECT) and b"graphlang" in _read(PROJECT):  # errors in files for other programs do not matter
        yield PROJECT, _read_tables(PROJECT)


def _read_tables(path: Path) -> Mapping[str, Any]:
    content = _parse(path)
    return _find_tool_table(content, path) if path.name == PROJECT.name else content


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the user may not enter the working folder
        return False


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, max_bytes=_LARGEST)
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _parse(path: Path) -> Mapping[str, Any]:
    import tomllib  # noqa: PLC0415 - most folders have no such file

    try:
        return tomllib.loads(_read(path).decode())
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{path} is not TOML: {str(error) or 'nested too deep'}") from error


def _find_tool_table(content: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    tools = content.get("tool", {})
    table = tools.get("graphlang", {}) if isinstance(tools, dict) else None
    if not isinstance(table, dict):
        raise click.UsageError(f"{path}: [tool.graphlang] is not a table")
    return table


def _parse_options(command: click.Command, table: Any, where: str, *, trusted: bool) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise click.UsageError(f"{where} is not a table")
    if isinstance(command, click.Group):
        unknown = next((name for name in table if name not in command.commands), None)
        if unknown is not None:
            raise click.UsageError(f"{where}: {unknown} is not a verb")
        return {
            name: _parse_options(command.commands[name], below, f"{where} [{name}]", trusted=trusted)
            for name, below in table.items()
        }
    options = dict(_list_options(command))
    values = {}
    for name, value in table.items():
        option = options.get(name.replace("_", "-"))
        if option is None:
            raise click.UsageError(f"{where}: {name} is not an option of this verb")
        if option.name not in FOLDER_OPTIONS and not trusted:
            raise click.UsageError(f"{where}: {name} is {_OWN_FILES.format(find_user_file())}")
        values[str(option.name)] = _convert_value(option, value, f"{where}: {name}")
    return values


def _list_options(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    """Options by their long names, without the dashes."""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from ((name.removeprefix("--"), parameter) for name in parameter.opts if name.startswith("--"))


def _convert_value(option: click.Option, value: Any, where: str) -> Any:
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
