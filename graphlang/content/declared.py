"""Find the declared language of a page: a baseline (Chew, Mikami & Nagano 2011, section 1.1), and a signal.

The paper counts only the `lang` attribute: of its 1,660 pages 698 had one, and 72.49 % of those were right. It sets no
precedence among other places. Here it is that of the HTML standard, which prefers places nearer to the text: the `lang`
attribute of the root element; its `xml:lang`; `<meta http-equiv="content-language">`; the HTTP header Content-Language.
A place without a usable value (no known code, `und`, several languages) is ignored; the standard ignores lists too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphlang.codes import languages

if TYPE_CHECKING:
    from collections.abc import Iterable


#: Sources of declarations, the most trusted first.
DECLARATION_SOURCES = ("html-lang", "xml-lang", "meta-content-language", "http-content-language")
_NOTHING = frozenset((languages.UND, languages.ZXX))


class Declared(NamedTuple):
    """A usable declaration."""

    label: str
    source: str  #: one of `DECLARATION_SOURCES`


def find_declared(declarations: Iterable[tuple[str, str]]) -> Declared | None:
    """Find the declared language of a page, None without a usable one; `declarations` are pairs of source and value.

    >>> find_declared([("http-content-language", "en"), ("html-lang", "sr-Latn")])
    Declared(label='srp_Latn', source='html-lang')
    >>> find_declared([("html-lang", "x-default"), ("meta-content-language", "de, en")]) is None
    True
    """
    rows = list(declarations)
    for source in DECLARATION_SOURCES:
        for place, value in rows:
            if place == source:
                label = languages.label(value.strip())
                if label is not None and languages.split_label(label)[0] not in _NOTHING:
                    return Declared(label, source)
    return None
