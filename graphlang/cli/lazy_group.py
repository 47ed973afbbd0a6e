"""A group of verbs whose modules are imported when they are called: each brings its own machinery, and no other's."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Commands(MutableMapping[str, click.Command]):
    """Commands by name; one is imported when it is looked at."""

    def __init__(self, packages: Mapping[str, str]) -> None:
        self._packages = dict(packages)
        self._known: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._known:
            own = name.replace("-", "_") + "_" * iskeyword(name)
            self._known[name] = getattr(import_module(f"graphlang.cli.verbs.{self._packages[name]}.{own}"), own)
        return self._known[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._packages[name] = ""
        self._known[name] = command

    def __delitem__(self, name: str) -> None:
        del self._packages[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._packages)

    def __len__(self) -> int:
        return len(self._packages)


class Verbs(click.Group):
    """The group of all verbs, listed by what one does.

    Args:
        groups: By package of `graphlang.cli.verbs` the heading of its verbs, and by verb the first sentence of its
            help, so that a list of verbs imports none of them.
        args: as of `click.Group`.
        others: as of `click.Group`.
    """

    def __init__(self, *args: Any, groups: Mapping[str, tuple[str, Mapping[str, str]]], **others: Any) -> None:
        super().__init__(*args, **others)
        self.commands = _Commands({name: package for package, (_, verbs) in groups.items() for name in verbs})
        self._groups = [(heading, dict(verbs)) for heading, verbs in groups.values()]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Verbs in the order of the work, not of the alphabet."""
        del ctx
        return list(self.commands)

    def words(self, name: str) -> str:
        """The first sentence of a verb's help."""
        return next(verbs[name] for _, verbs in self._groups if name in verbs)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Verbs, or options, that begin so.

        Args:
            ctx: of the group.
            incomplete: what was typed.
        """
        if not incomplete or incomplete[0].isalnum():  # and no verb is imported for it
            return [
                CompletionItem(name, help=self.words(name)) for name in self.commands if name.startswith(incomplete)
            ]
        return super().shell_complete(ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs under their headings, one line each, in columns that are as wide in every group.

        Args:
            ctx: not looked at.
            formatter: what writes the help.
        """
        del ctx
        widest = max(map(len, self.commands))
        for heading, verbs in self._groups:
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), words) for name, words in verbs.items()])
