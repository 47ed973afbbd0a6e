"""graphlang finds the language of every page of a crawled collection by its text and by its links."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str


def __getattr__(name: str) -> str:
    # Looking the version up takes longer than all the rest of what a parsing process has to import.
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415

        return version("graphlang")
    raise AttributeError(name)
