"""What other packages add to graphlang by entry points: readers of archives, and methods that identify languages.

It is code of others, so that it is loaded only where the user asks for it: by the option ``--plugins``, by
``GRAPHLANG_PLUGINS=1`` in the environment, or by `use_plugins`. Without that nobody looks for it, and nothing of it is
imported.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: Functions that take the beginning of a file and give what reads it, see `graphlang.ingest.formats.detect`.
READERS = "graphlang.readers"
#: Functions without arguments that give a content method, see `graphlang.content.classifier`.
METHODS = "graphlang.methods"
#: The variable that allows all of them, in this process and in those that it starts.
VARIABLE = "GRAPHLANG_PLUGINS"
#: What other people's code may raise where it fails: some end the program, as they do when they are one themselves.
FAILURES = (Exception, SystemExit)


class PluginError(Exception):
    """What another package adds cannot be loaded; the words are for the user, in one line."""


def use_plugins() -> None:
    """Load readers and methods that other packages add, from now on, in this process and in those that it starts."""
    os.environ[VARIABLE] = "1"


def allowed() -> bool:
    """Whether the user asked for what other packages add."""
    return os.environ.get(VARIABLE, "").lower() in {"1", "true", "yes", "on"}


def found(group: str) -> dict[str, EntryPoint]:
    """What other packages add to a group, by name and sorted by it; nothing where the user did not ask.

    Args:
        group: `READERS` or `METHODS`.

    Raises:
        PluginError: two packages add something under one name.
    """
    return _found(group) if allowed() else {}


def load(entry: EntryPoint) -> Any:
    """What an entry point names.

    Args:
        entry: from `found`.

    Raises:
        PluginError: it cannot be imported.
    """
    try:
        return entry.load()
    except FAILURES as error:
        raise PluginError(f"{told(entry)} cannot be loaded: {type(error).__name__}: {error}") from error


def told(entry: EntryPoint) -> str:
    """An entry point in words: its name, package and version."""
    kind = entry.group.partition(".")[2].removesuffix("s")
    return f"the {kind} {entry.name} of {' '.join(package(entry))}"


def package(entry: EntryPoint) -> tuple[str, str]:
    """Name and version of the package that adds it."""
    return (entry.dist.name, entry.dist.version) if entry.dist is not None else ("an unknown package", "")


@cache
def _found(group: str) -> dict[str, EntryPoint]:
    # It brings a parser of e-mail headers along, which a process that parses pages does without.
    from importlib.metadata import entry_points  # noqa: PLC0415

    by_name: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
        if entry.name in by_name:
            raise PluginError(f"{told(by_name[entry.name])} and {told(entry)} have one name: uninstall one of them")
        by_name[entry.name] = entry
    return by_name
