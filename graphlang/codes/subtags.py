"""What ISO 639 and ISO 15924 know: language subtags and their codes, and scripts, from ``data/subtags.tsv``.

The table holds what the library langcodes answers for every subtag of two or three letters
(``tests/languages/make_tables.py`` makes it): reading it takes a millisecond, and importing the library fifty.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

_TABLE: Final = Path(__file__).parents[1] / "data" / "subtags.tsv"


class Subtag(NamedTuple):
    """What a language subtag stands for."""

    code: str  #: ISO 639-3
    shortest: str  #: the shortest subtag that means the same, as BCP 47 has it


class _Known(NamedTuple):
    plain: frozenset[str]  # subtags that are their own code and have no shorter form
    others: dict[str, Subtag]
    scripts: frozenset[str]


@cache
def _known() -> _Known:
    lists: dict[str, frozenset[str]] = {}
    others: dict[str, Subtag] = {}
    for line in _TABLE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        kind, *columns = line.split("\t")
        if kind == "subtag":
            subtag, code, shortest = columns
            others[subtag] = Subtag(code, shortest)
        else:
            lists[kind] = frozenset(columns[0].split(" "))
    return _Known(lists["plain"], others, lists["script"])


def language(subtag: str) -> Subtag | None:
    """What a subtag of two or three small letters means; None where there is no such language.

    >>> language("de"), language("ger"), language("aaa"), language("xx")
    (Subtag(code='deu', shortest='de'), Subtag(code='deu', shortest='de'), Subtag(code='aaa', shortest='aaa'), None)
    """
    known = _known()
    return Subtag(subtag, subtag) if subtag in known.plain else known.others.get(subtag)


def is_script(title: str) -> bool:
    """Whether there is such a script.

    Args:
        title: four letters, the first of them large.

    >>> is_script("Cyrl"), is_script("Abcd")
    (True, False)
    """
    return title in _known().scripts
