"""English names of languages, scripts and territories, from ``data/names.tsv``.

The names are those of Unicode's CLDR and of the IANA registry of language subtags, with some others in daily use
(``tests/languages/make_tables.py`` makes the table). Case, hyphens, brackets and commas are ignored; a prefix of a name
does not match.
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
    """Read the sorted lines: kind, code and names, separated by tabs; the first name is the one to display."""
    return [line for line in _TABLE.read_text("utf-8").splitlines() if not line.startswith("#")]


@cache
def _names() -> _Names:
    entries: list[tuple[int, str, str]] = []
    scripts: dict[str, str] = {}
    for kind, code, *names in (line.split("\t") for line in _lines()):
        if kind == "language":
            entries += [(place, code, normalise_name(name)) for place, name in enumerate(names)]
        elif kind == "script":
            scripts |= {normalise_name(name): code for name in names}
    # If languages share a name, the one that has it as first name wins, and then the one with the shorter code.
    entries.sort(key=lambda entry: (entry[0], len(entry[1])), reverse=True)
    return _Names({name: code for _, code, name in entries}, scripts)


def normalise_name(name: str) -> str:
    """Normalise case, hyphens, brackets and commas of a name.

    >>> normalise_name("Chinese (Traditional)"), normalise_name("Min-Nan")
    ('chinese traditional', 'min nan')
    """
    return " ".join(name.casefold().translate(_PLAIN).split())


_SIMILAR: Final = 2  # names that are proposed


def similar_names(name: str) -> list[str]:
    """Return names of languages that are spelled almost like a name, with their codes.

    >>> similar_names("klingonish"), similar_names("Swahilli"), similar_names("xx")
    (['klingon (tlh)'], ['swahili (sw)', 'kiswahili (swh)'], [])
    """
    names = _names().languages
    return [
        f"{near} ({names[near]})"
        for near in difflib.get_close_matches(normalise_name(name), names, _SIMILAR, cutoff=0.8)
    ]


def name_of(kind: Kind, code: str) -> str | None:
    """Return the English name of a BCP 47 tag, ISO 15924 script or ISO 3166-1 territory, or None if it has none.

    >>> name_of("language", "de"), name_of("script", "Cyrl"), name_of("territory", "CH"), name_of("script", "Abcd")
    ('German', 'Cyrillic', 'Switzerland', None)
    """
    # A search among lines: to parse all of them takes as long as reading forty pages, and a map names few of them.
    place = bisect_left(_lines(), f"{kind}\t{code}\t")
    cells = _lines()[place].split("\t") if place < len(_lines()) else []
    return cells[2] if cells[:2] == [kind, code] else None


def tag_of(name: str) -> str | None:
    """Return the BCP 47 tag of an English name, or None; ``language`` or a script in brackets may follow the name.

    >>> tag_of("French"), tag_of("Farsi"), tag_of("Maori language"), tag_of("Serbian (Latin)"), tag_of("Frenchman")
    ('fr', 'fa', 'mi', 'sr-Latn', None)
    """
    names, key = _names(), normalise_name(name)
    tag = names.languages.get(key) or names.languages.get(key.removesuffix(_SUFFIX))
    if tag is None and (with_script := _WITH_SCRIPT.fullmatch(name.strip())):
        language, script = (
            names.languages.get(normalise_name(with_script[1])),
            names.scripts.get(normalise_name(with_script[2])),
        )
        tag = f"{language}-{script}" if language and script else None
    return tag
