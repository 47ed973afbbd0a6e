"""A group of verbs whose modules are imported when they are called: each brings its own machinery, and no other's."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Commands(MutableMapping[str, click.Command]):
    """Commands by name; one is imported when it is looked at."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = dict(modules)
        self._known: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._known:
            module, _, function = self._modules[name].partition(":")
            self._known[name] = getattr(import_module(f"graphlang.cli.verbs.{module}"), function or name)
        return self._known[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._modules[name] = ""
        self._known[name] = command

    def __delitem__(self, name: str) -> None:
        del self._modules[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class Verbs(click.Group):
    """The group.

    Args:
        verbs: By name the module of `graphlang.cli` that has this command (`module:function` where it is
            called otherwise there), and the first sentence of its help, so that a list of verbs imports none of them.
    """

    def __init__(self, *args: Any, verbs: Mapping[str, tuple[str, str]], **others: Any) -> None:
        super().__init__(*args, **others)
        self.commands = _Commands({name: module for name, (module, _) in verbs.items()})
        self._words = {name: words for name, (_, words) in verbs.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Verbs in the order of the work, not of the alphabet."""
        del ctx
        return list(self.commands)

    def words(self, name: str) -> str:
        """The first sentence of a verb's help."""
        return self._words[name]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs, as click writes it."""
        del ctx
        limit = formatter.width - 6 - max(map(len, self.commands))
        with formatter.section("Commands"):
            stubs = [click.Command(name, help=self._words[name]) for name in self.commands]
            formatter.write_dl([(str(stub.name), stub.get_short_help_str(limit)) for stub in stubs])
