"""Write graphlang/COMMANDS.md and db/SCHEMA.md (``make docs``): commands with options, and tables with columns."""

from __future__ import annotations

from pathlib import Path

import click

from graphlang.cli.main import cli
from graphlang.db.schema import format_documentation as schema

ROOT = Path(__file__).parents[1]
COMMANDS = ROOT / "graphlang" / "COMMANDS.md"
SCHEMA = ROOT / "db" / "SCHEMA.md"

_HEAD = """# Commands

The output of `graphlang VERB --help` for every verb. `make docs` writes this page.
"""
_WIDTH = 100


def commands() -> str:
    """Return the help of the group and of every verb as one Markdown page."""
    group = _context(cli, "graphlang", None)
    parts = [_HEAD, _section("graphlang", group)]
    for name, verb in cli.commands.items():
        context = _context(verb, name, group)
        parts.append(_section(f"graphlang {name}", context))
        below = verb.commands.items() if isinstance(verb, click.Group) else ()
        parts += [
            _section(f"graphlang {name} {verb_below}", _context(command, verb_below, context))
            for verb_below, command in below
        ]
    return "\n".join(parts)


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    helps = list(cli.context_settings["help_option_names"])
    return click.Context(
        command, parent, name, terminal_width=_WIDTH, max_content_width=_WIDTH, help_option_names=helps
    )


def _section(title: str, context: click.Context) -> str:
    return f"## {title}\n\n```\n{context.command.get_help(context)}\n```\n"


if __name__ == "__main__":
    COMMANDS.write_text(commands(), encoding="utf-8")
    SCHEMA.write_text(schema(), encoding="utf-8")
