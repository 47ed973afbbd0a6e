"""The command line: one function for each verb, which parses, calls and prints.

Exit codes: 0 done; 1 done but with problems, or an error told in one line; 2 wrong usage.
"""

from __future__ import annotations

from graphlang.cli.main import cli, main

__all__ = ["cli", "main"]
