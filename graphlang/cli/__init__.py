"""The command line: one function for each verb, which parses, calls and prints.

In: the words of a command line. Out: text on standard output, one line for an error, an exit code. Open `verbs/` for a
command and its options, `shared/` for what several have, `config` for the options of a project, `failures` and
`unsound` for errors and exit codes, `main` and `lazy_group` for the group itself, `reference` for the pages of
reference that are made from it.
"""

from __future__ import annotations

from graphlang.cli.main import cli, main

__all__ = ["cli", "main"]
