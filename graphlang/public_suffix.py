"""The public suffix list: under which names people can register their own, and which domain they registered.

The list has two sections. The ICANN section lists what registries offer: ``co.uk``, ``com``. The private section lists
what companies offer below their own names: ``github.io``, ``blogspot.com``. The caller chooses if it counts
(``private``):

* A page's site and its row in the database: it counts, since ``alice.github.io`` is a site of its own.
* URLs that are grouped for training and tests, because they are not independent of each other: it does not count
  (Baykan et al. 2008, footnote 12), since the pages of one host share their template and its words.

The list comes from the publicsuffixlist package; nothing is fetched. These functions give the same answers as that
package in a tenth of the time, because they do not encode every rule for IDNA.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

_EXACT, _BELOW, _NOT = 1, 2, 4
#: What a rule is for a name, and how the list writes it: the name itself, all names below it, an exception from that.
MARKS: Final = {_EXACT: "", _BELOW: "*.", _NOT: "!"}
_PRIVATE: Final = "// ===BEGIN PRIVATE DOMAINS==="
_ADDRESS: Final = re.compile(r"\[.*\]|\d{1,3}(?:\.\d{1,3}){3}")


@cache
def read_rules(*, private: bool = True) -> dict[str, int]:
    """Return the rules of the list: for each name the kinds of its rules, as a sum of the keys of `MARKS`.

    Names beyond ASCII are listed as they are and encoded for IDNA. Without `private`, the private section is left out.
    """
    from publicsuffixlist import PSLFILE  # noqa: PLC0415 - only some verbs need it

    text = Path(PSLFILE).read_text(encoding="utf-8")
    if not private:
        text = text.partition(_PRIVATE)[0]
    lines = re.findall(r"^(?!//)\S+", text.lower(), re.MULTILINE)
    kinds = dict.fromkeys(lines, _EXACT)  # most of them
    for line in [line for line in lines if line[0] in "*!"]:
        del kinds[line]
        kind = _NOT if line[0] == "!" else _BELOW
        name = line[len(MARKS[kind]) :]
        kinds[name] = kinds.get(name, 0) | kind
    # The list is in the form that IDNA requires: only its letters beyond ASCII have to be encoded.
    for name in [name for name in kinds if not name.isascii()]:
        labels = (label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in name.split("."))
        encoded = ".".join(labels)
        kinds[encoded] = kinds.get(encoded, 0) | kinds[name]
    return kinds


def find_suffix(name: str, *, private: bool = True) -> str:
    """Return the public suffix of a name in lower case without empty labels.

    The longest rule decides. A wildcard rule for names below one makes that one a suffix, too. A name without a rule
    is registered under its last label. Without `private`, the private section of the list does not count.

    >>> [find_suffix(name) for name in ("www.city.kobe.jp", "www.other.kobe.jp", "kobe.jp", "a.unknown")]
    ['kobe.jp', 'other.kobe.jp', 'kobe.jp', 'unknown']
    >>> find_suffix("alice.github.io"), find_suffix("alice.github.io", private=False)
    ('github.io', 'io')
    """
    suffix_rules = read_rules(private=private)
    before = at = 0
    while True:
        rest = name[at:]
        kinds = suffix_rules.get(rest, 0)
        dot = name.find(".", at)
        if kinds & _NOT:
            return name[dot + 1 :]
        if kinds & _BELOW:
            return name[before:]
        if kinds or dot < 0:
            return rest
        before, at = at, dot + 1


def has_suffix_of_parent(label: str, parent: str) -> bool:
    """Return True if `label` before `parent` has the public suffix of `parent`, which is not a public suffix itself.

    >>> has_suffix_of_parent("www", "bbc.co.uk"), has_suffix_of_parent("city", "kobe.jp")
    (True, False)
    """
    suffix_rules = read_rules()
    return not suffix_rules.get(parent, 0) & _BELOW and f"{label}.{parent}" not in suffix_rules


def find_domain(name: str, suffix: str) -> str | None:
    """Return the domain that was registered under the public suffix of a name; None if the name is the suffix.

    >>> find_domain("www.bbc.co.uk", "co.uk"), find_domain("co.uk", "co.uk")
    ('bbc.co.uk', None)
    """
    before = name[: -len(suffix) - 1]
    return f"{before.rpartition('.')[2]}.{suffix}" if before else None


def parse_domain_name(host: str) -> str | None:
    """Return the host in lower case without a final dot, if it is a domain name of two labels or more.

    >>> [parse_domain_name(host) for host in ("WWW.Example.", "192.0.2.1", "localhost", "[::1]")]
    ['www.example', None, None, None]
    """
    name = host.rstrip(".").lower()
    if "." not in name or _ADDRESS.fullmatch(name) or name.startswith(".") or ".." in name:
        return None
    return name


def find_registered_domain(host: str, *, private: bool = True) -> str | None:
    """Return the domain of a host that was registered under a public suffix.

    None for addresses, suffixes and single labels. With `private` every ``*.github.io`` is a site of its own.

    >>> find_registered_domain("www.bbc.co.uk"), find_registered_domain("192.0.2.1"), find_registered_domain("co.uk")
    ('bbc.co.uk', None, None)
    >>> find_registered_domain("www.alice.github.io"), find_registered_domain("www.alice.github.io", private=False)
    ('alice.github.io', 'github.io')
    """
    name = parse_domain_name(host)
    return find_domain(name, find_suffix(name, private=private)) if name else None
