"""``python -m graphlang`` is the command line."""

from graphlang.cli import main

main()
