"""The command line: a function for each verb, which parses, calls the method of the same name, and prints.

In: the words of a command line. Out: text on standard output, one line for an error, an exit code. Open `main` for
the list of verbs; `start`, `manage`, `infer`, `look`, `link_graphs`, `by_hand`, `publish`, `measure`, `models` or
`on_spark` for a verb and its options; `shared/` for what several verbs have; `config` for the options of a project;
`failures` for errors and exit codes.
"""

from __future__ import annotations

from graphlang.cli.main import cli, main

__all__ = ["cli", "main"]
