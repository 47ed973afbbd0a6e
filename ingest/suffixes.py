"""The public suffix list: under what names people can register their own.

The list is the one that the publicsuffixlist package carries; nothing is fetched. Its own look-up, and the encoding of
every rule for IDNA, take ten times as long as these, which give the same answers.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

_EXACT, _BELOW, _NOT = 1, 2, 4
#: What a rule is for a name, and how the list writes it: the name itself, all names below it, an exception from that.
MARKS: Final = {_EXACT: "", _BELOW: "*.", _NOT: "!"}


@cache
def rules() -> dict[str, int]:
    """Return by name the kinds of rules that there are for it; names beyond ASCII as they are, and for IDNA."""
    from publicsuffixlist import PSLFILE  # noqa: PLC0415 - only some verbs need it

    lines = re.findall(r"^(?!//)\S+", Path(PSLFILE).read_text(encoding="utf-8").lower(), re.MULTILINE)
    found = dict.fromkeys(lines, _EXACT)  # nearly all are
    for line in [one for one in lines if one[0] in "*!"]:
        del found[line]
        kind = _NOT if line[0] == "!" else _BELOW
        name = line[len(MARKS[kind]) :]
        found[name] = found.get(name, 0) | kind
    # The list is in the form that IDNA asks for: only its letters beyond ASCII have to be spelled.
    for name in [one for one in found if not one.isascii()]:
        labels = (label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in name.split("."))
        encoded = ".".join(labels)
        found[encoded] = found.get(encoded, 0) | found[name]
    return found


def suffix_of(name: str) -> str:
    """Return the public suffix of a name in lower case, of which no label is empty.

    The longest rule decides. A rule for all names below one makes that a suffix, too. A name that no rule is for is one
    under its last label.

    >>> suffix_of("www.city.kobe.jp"), suffix_of("www.other.kobe.jp"), suffix_of("kobe.jp"), suffix_of("a.unknown")
    ('kobe.jp', 'other.kobe.jp', 'kobe.jp', 'unknown')
    """
    known = rules()
    before = at = 0
    while True:
        rest = name[at:]
        kinds = known.get(rest, 0)
        dot = name.find(".", at)
        if kinds & _NOT:
            return name[dot + 1 :]
        if kinds & _BELOW:
            return name[before:]
        if kinds or dot < 0:
            return rest
        before, at = at, dot + 1
