"""Lines on standard error: text for people, or JSON lines for programs; none with --quiet."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from graphlang.printing import format_json, visible

if TYPE_CHECKING:
    from collections.abc import Callable

_QUIET, _FORMAT = "graphlang.quiet", "graphlang.log"


class Log(NamedTuple):
    """The form in which the current verb writes to standard error."""

    quiet: bool
    json: bool


def remember(key: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Return a callback that keeps the value of an option for the functions that print."""

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        del param
        ctx.meta[key] = value

    return callback


def logs(function: Callable[..., None]) -> Callable[..., None]:
    """Give a verb that takes long its options of standard error."""
    function = click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        expose_value=False,
        is_eager=True,  # errors in other options are written in it
        callback=remember(_FORMAT),
        help="Progress, summary and errors on standard error: text for people, or one JSON object a line.",
    )(function)
    return click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=remember(_QUIET),
        help="Print nothing but errors.",
    )(function)


def log() -> Log:
    """Return how the current verb writes to standard error; text, if it has no such options."""
    ctx = click.get_current_context(silent=True)
    if ctx is None:
        return Log(quiet=False, json=False)
    return Log(quiet=bool(ctx.meta.get(_QUIET)), json=ctx.meta.get(_FORMAT) == "json")


def say(message: str, event: str = "message", **facts: Any) -> None:
    """Write a line to standard error, unless --quiet; for programs the event and its fields."""
    settings = log()
    if not settings.quiet:
        put(message, event, facts, as_json=settings.json)


_before: list[Callable[[], None]] = []


def call_before_lines(function: Callable[[], None] | None) -> None:
    """Call a function before each line, such as one that clears a progress bar; None: no longer."""
    _before[:] = [] if function is None else [function]


def put(message: str, event: str, facts: dict[str, Any], *, as_json: bool) -> None:
    """Write a line to standard error, also with --quiet."""
    if as_json:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        message = format_json({"time": now, "event": event, **(facts or {"message": message})})
    for function in _before:
        function()
    click.echo(visible(message), err=True)
