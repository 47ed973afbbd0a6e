"""What verbs say on standard error: lines for people, or JSON lines for programs; nothing where it is to be quiet."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from graphlang.printing.as_json import json_text
from graphlang.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable

_QUIET, _FORMAT = "graphlang.quiet", "graphlang.log"


class Log(NamedTuple):
    """How the verb at hand was asked to speak."""

    quiet: bool
    json: bool


def _remember(key: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        del param
        ctx.meta[key] = value

    return callback


def logs(function: Callable[..., None]) -> Callable[..., None]:
    """The options of verbs that take their time."""
    function = click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        expose_value=False,
        is_eager=True,  # errors in other options are told in it
        callback=_remember(_FORMAT),
        help="Progress, summary and errors on standard error: text for people, or one JSON object a line.",
    )(function)
    return click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=_remember(_QUIET),
        help="Print nothing but errors.",
    )(function)


def log() -> Log:
    """How the verb at hand was asked to speak; to people, if it has no such options."""
    ctx = click.get_current_context(silent=True)
    if ctx is None:
        return Log(quiet=False, json=False)
    return Log(quiet=bool(ctx.meta.get(_QUIET)), json=ctx.meta.get(_FORMAT) == "json")


def say(words: str, event: str = "message", **facts: Any) -> None:
    """Say something on standard error, unless it is to be quiet.

    Args:
        words: for people.
        event: what it is, in a word; for programs.
        facts: the same in fields; for programs, who have no words then.
    """
    how = log()
    if not how.quiet:
        put(words, event, facts, as_json=how.json)


_before: list[Callable[[], None]] = []


def before_words(function: Callable[[], None] | None) -> None:
    """What is to be done before any words: making room, where something is drawn.

    Args:
        function: it; None: nothing more.
    """
    _before[:] = [] if function is None else [function]


def put(words: str, event: str, facts: dict[str, Any], *, as_json: bool) -> None:
    """Write a line to standard error.

    Args:
        words: for people.
        event: what it is, in a word.
        facts: its fields.
        as_json: whether for programs.
    """
    if as_json:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        words = json_text({"time": now, "event": event, **(facts or {"message": words})})
    for function in _before:
        function()
    click.echo(visible(words), err=True)
