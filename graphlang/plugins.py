"""Entry points of other packages: readers of archives, and methods that identify languages.

Their code is loaded only on request: by the option ``--plugins``, by ``GRAPHLANG_PLUGINS=1`` in the environment, or by
`use_plugins`. Otherwise nothing is searched or imported.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: Functions that take the beginning of a file and return its reader, see `graphlang.ingest.formats.detect`.
READERS = "graphlang.readers"
#: Functions without arguments that return a content method, see `graphlang.content.classifier`.
METHODS = "graphlang.methods"
#: The environment variable that enables plug-ins, in this process and its children.
VARIABLE = "GRAPHLANG_PLUGINS"
#: Exceptions of plug-ins that fail: some call `sys.exit`, as programs do.
FAILURES = (Exception, SystemExit)


class PluginError(Exception):
    """A plug-in cannot be loaded; the message is one line for the user."""


def use_plugins() -> None:
    """Load the readers and methods of other packages, in this process and its children."""
    os.environ[VARIABLE] = "1"


def are_enabled() -> bool:
    """Return True if plug-ins are enabled."""
    return os.environ.get(VARIABLE, "").lower() in {"1", "true", "yes", "on"}


def list_plugins(group: str) -> dict[str, EntryPoint]:
    """List the plug-ins of a group (`READERS` or `METHODS`) by name; none unless they are enabled.

    Raises:
        PluginError: two packages use the same name.
    """
    return _search_plugins(group) if are_enabled() else {}


def load_plugin(entry: EntryPoint) -> Any:
    """Import the object of an entry point.

    Raises:
        PluginError: it cannot be imported.
    """
    try:
        return entry.load()
    except FAILURES as error:
        raise PluginError(f"{describe_plugin(entry)} cannot be loaded: {type(error).__name__}: {error}") from error


def describe_plugin(entry: EntryPoint) -> str:
    """Return kind, name, package and version of an entry point."""
    kind = entry.group.partition(".")[2].removesuffix("s")
    return f"the {kind} {entry.name} of {' '.join(find_package(entry))}"


def find_package(entry: EntryPoint) -> tuple[str, str]:
    """Return name and version of the package of an entry point."""
    return (entry.dist.name, entry.dist.version) if entry.dist is not None else ("an unknown package", "")


@cache
def _search_plugins(group: str) -> dict[str, EntryPoint]:
    # It imports a parser of e-mail headers, which a process that parses pages does not need.
    from importlib.metadata import entry_points  # noqa: PLC0415

    by_name: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, find_package(entry))):
        if entry.name in by_name:
            both = f"{describe_plugin(by_name[entry.name])} and {describe_plugin(entry)}"
            raise PluginError(f"{both} have one name: uninstall one of them")
        by_name[entry.name] = entry
    return by_name
