"""Language subtags of ISO 639 with their codes, and scripts of ISO 15924, from ``data/subtags.tsv``.

The table has the answers of the library langcodes for all subtags of two or three letters
(``tests/languages/make_tables.py`` makes it): it is read in a millisecond, and the library is imported in fifty.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

_TABLE: Final = Path(__file__).parents[1] / "data" / "subtags.tsv"


class Subtag(NamedTuple):
    """The codes of a language subtag."""

    code: str  #: ISO 639-3
    shortest: str  #: the shortest equivalent subtag of BCP 47


class _Tables(NamedTuple):
    plain: frozenset[str]  # subtags that are their own code and have no shorter form
    by_subtag: dict[str, Subtag]
    scripts: frozenset[str]


@cache
def _tables() -> _Tables:
    lists: dict[str, frozenset[str]] = {}
    by_subtag: dict[str, Subtag] = {}
    for line in _TABLE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        kind, *columns = line.split("\t")
        if kind == "subtag":
            subtag, code, shortest = columns
            by_subtag[subtag] = Subtag(code, shortest)
        else:
            lists[kind] = frozenset(columns[0].split(" "))
    return _Tables(lists["plain"], by_subtag, lists["script"])


def language(subtag: str) -> Subtag | None:
    """Return the codes of a subtag of two or three small letters; None if there is no such language.

    >>> language("de"), language("ger"), language("aaa"), language("xx")
    (Subtag(code='deu', shortest='de'), Subtag(code='deu', shortest='de'), Subtag(code='aaa', shortest='aaa'), None)
    """
    tables = _tables()
    return Subtag(subtag, subtag) if subtag in tables.plain else tables.by_subtag.get(subtag)


def is_script(title: str) -> bool:
    """Return True if a script of this title (``Cyrl``) exists.

    >>> is_script("Cyrl"), is_script("Abcd")
    (True, False)
    """
    return title in _tables().scripts
