"""The command line: one function for each verb, which parses, calls and prints.

`failures` says what every error is worth: its line and its exit code.
"""

from __future__ import annotations

from graphlang.cli.main import cli, main

__all__ = ["cli", "main"]
