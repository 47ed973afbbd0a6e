"""graphlang finds the language of every page of a crawled collection by its text and by its links."""

from importlib.metadata import version

__version__ = version("graphlang")
