"""English names of languages, scripts and territories, from ``data/names.tsv``.

The names are those of Unicode's CLDR and of the IANA registry of language subtags, with some that are in daily use and
stand in neither (``tests/languages/make_tables.py`` makes the table). A name is found as it is written there, but for
case, hyphens, brackets and commas: a word that only begins like a name is none.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

_TABLE: Final = Path(__file__).parents[1] / "data" / "names.tsv"
_PLAIN: Final = str.maketrans({"’": "'", "-": " ", "(": None, ")": None, ",": None})
_SUFFIX: Final = " language"
_WITH_SCRIPT: Final = re.compile(r"([^()]+)\(([^()]+)\)")

Kind = Literal["language", "script", "territory"]


class _Names(NamedTuple):
    languages: dict[str, str]  # BCP 47 tag by name
    scripts: dict[str, str]  # code by name


@cache
def _lines() -> list[str]:
    """Kind, code and names, the one to show first, with tabs between them; ascending."""
    return [line for line in _TABLE.read_text("utf-8").splitlines() if not line.startswith("#")]


@cache
def _names() -> _Names:
    said: list[tuple[int, str, str]] = []
    scripts: dict[str, str] = {}
    for kind, code, *names in (line.split("\t") for line in _lines()):
        if kind == "language":
            said += [(place, code, plain(name)) for place, name in enumerate(names)]
        elif kind == "script":
            scripts |= {plain(name): code for name in names}
    # Of languages with one name that wins whose first name it is, and then the one with the shorter code.
    said.sort(key=lambda one: (one[0], len(one[1])), reverse=True)
    return _Names({name: code for _, code, name in said}, scripts)


def plain(name: str) -> str:
    """A name without what does not matter: case, hyphens, brackets, commas.

    Args:
        name: as somebody wrote it.

    >>> plain("Chinese (Traditional)"), plain("Min-Nan")
    ('chinese traditional', 'min nan')
    """
    return " ".join(name.casefold().translate(_PLAIN).split())


_SIMILAR: Final = 2  # names that are proposed


def similar_names(name: str) -> list[str]:
    """Return names of languages that are spelled almost like a name, with their codes.

    >>> similar_names("klingonish"), similar_names("Swahilli"), similar_names("xx")
    (['klingon (tlh)'], ['swahili (sw)'], [])
    """
    names = _names().languages
    return [f"{near} ({names[near]})" for near in difflib.get_close_matches(plain(name), names, _SIMILAR, cutoff=0.8)]


def name_of(kind: Kind, code: str) -> str | None:
    """The English name of a code, or None where it has none.

    Args:
        kind: what the code names.
        code: BCP 47 tag of a language (``de``, ``pt-BR``), ISO 15924 of a script, ISO 3166-1 of a territory.

    >>> name_of("language", "de"), name_of("script", "Cyrl"), name_of("territory", "CH"), name_of("script", "Abcd")
    ('German', 'Cyrillic', 'Switzerland', None)
    """
    # A search among lines: to take all of them apart takes as long as reading forty pages, and a map names few of them.
    place = bisect_left(_lines(), f"{kind}\t{code}\t")
    found = _lines()[place].split("\t") if place < len(_lines()) else []
    return found[2] if found[:2] == [kind, code] else None


def tag_of(name: str) -> str | None:
    """The BCP 47 tag of the language that an English name means, or None where none is called that.

    Args:
        name: in any case; ``language``, or a script in brackets, may follow.

    >>> tag_of("French"), tag_of("Farsi"), tag_of("Maori language"), tag_of("Serbian (Latin)"), tag_of("Frenchman")
    ('fr', 'fa', 'mi', 'sr-Latn', None)
    """
    names, wanted = _names(), plain(name)
    found = names.languages.get(wanted) or names.languages.get(wanted.removesuffix(_SUFFIX))
    if found is None and (with_script := _WITH_SCRIPT.fullmatch(name.strip())):
        language, script = names.languages.get(plain(with_script[1])), names.scripts.get(plain(with_script[2]))
        found = f"{language}-{script}" if language and script else None
    return found
