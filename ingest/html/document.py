"""HTML -> title, visible text, references and declarations, in one pass over the bytes.

Visible is what a reader sees of the page as it loads: not scripts, styles, templates, comments, ``<noscript>`` and
``<noframes>`` (written for other browsers), the fallback inside ``<iframe>``, ``<audio>``, ``<video>``, ``<canvas>``
and ``<object>``, drawings (``<svg>``), nor the contents of form controls (``<textarea>``, ``<option>``,
``<datalist>``): a drop-down of forty language names shows one of them; nor what stands beside a frameset.
Block elements, table cells and ``<br>`` set words apart; inline elements do not. White space is folded, to
a line feed where a line or paragraph ends, else to a space, and soft hyphens are dropped. Cells of tables stand in the
line of their row; of preformatted text an empty line ends a paragraph. Style sheets are not looked at; what the
`style` of an element hides is in the text, but not in the main content. Titles lack templates of client code.
The main content comes first in the text, and what stands around it (see `native/around.h`) behind it.

The pass is made in C (`native/html.c`): tokens as the HTML standard of the WHATWG has them, and of its tree what text
and links depend on. A parser that builds the whole tree, and a walk over it in Python, take several times as long; the
tests hold the one against the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, overload

from graphlang.ingest.html import tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from graphlang.ingest.html.tokenizer import ParsedMarkup
    from graphlang.ingest.limits import Limits

_NO_WORDS: Mapping[str, str] = MappingProxyType({})
_ANCHOR_TEXT = 1_000  # bytes of it that are looked at
_OTHER = 1 << 31
_EMPTY_LINES = re.compile(r"\n[ \t\r]*\n")
_TEMPLATE = re.compile(r"\{\{[^{}\n]{0,200}\}\}")


class Reference(NamedTuple):
    """An element that leads somewhere, as written."""

    tag: str  #: ``a``, ``area``, ``frame``, ``iframe`` or ``link``
    target: str
    rel: str
    hreflang: str | None


@dataclass(frozen=True, slots=True)
class References(Sequence[Reference]):
    r"""References as the kernel leaves them: most are joined by another kernel, and never looked at one by one.

    >>> list(References(b"a\0/b\0me\0+de\0"))
    [Reference(tag='a', target='/b', rel='me', hreflang='de')]
    """

    packed: bytes = b""  #: four strings each, a zero behind each: tag, target, rel, and hreflang behind a plus sign

    def __len__(self) -> int:
        return self.packed.count(0) // 4

    @overload
    def __getitem__(self, place: int) -> Reference: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Reference, ...]: ...
    def __getitem__(self, place: int | slice) -> Reference | tuple[Reference, ...]:
        """Return one reference, or some."""
        return tuple(self)[place]

    def __iter__(self) -> Iterator[Reference]:
        """Yield the references one by one."""
        parts = tokenizer.strings(self.packed)
        for tag, target, rel, hreflang in zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True):
            yield Reference(tag, target, rel, hreflang[1:] or None)


_NO_REFERENCES = References()  # one for all pages that have none


class Document(NamedTuple):
    """What a page says."""

    targets: bytes  #: distinct targets of the ``<a>`` that have neither rel nor hreflang, in UTF-8, a zero behind each
    references: Sequence[Reference]  #: all the others
    title: str = ""
    text: str = ""  #: the whole visible text, white space folded: the main content, then what stands around it
    #: name, http-equiv and content of each ``<meta>`` that may say something of languages, robots or where to go
    metas: Sequence[dict[str, str | None]] = ()
    base: str | None = None  #: of the first ``<base href>``
    lang: str | None = None  #: ``<html lang>``
    xml_lang: str | None = None  #: ``<html xml:lang>``
    flattened: bool = False  #: elements were nested too deep; those beyond count as part of what holds them
    skipped: int = 0  #: references beyond the limit
    main_length: int = 0  #: characters at the start of the text that are main content
    words: Mapping[str, str] = _NO_WORDS  #: anchor texts by target as written, if they are wanted

    @property
    def anchors(self) -> list[str]:
        """The targets, one by one."""
        return tokenizer.strings(self.targets)


def read(markup: str | bytes, limits: Limits) -> Document:
    r"""Read a page.

    Args:
        markup: the page, as characters or in UTF-8.
        limits: ``max_depth``; for the references, four times ``max_links``; ``anchor_texts``.

    >>> from graphlang.ingest.limits import Limits
    >>> page = read("<title>T</title><p>Good <b>m</b>orning<p>all<a href=/x rel=nofollow>!</a>", Limits())
    >>> page.title, page.text, list(page.references)
    ('T', 'Good morning\nall!', [Reference(tag='a', target='/x', rel='nofollow', hreflang=None)])
    """
    if isinstance(markup, str):
        markup = markup.encode("utf-8", "replace")
    most, depth = 4 * limits.max_links, limits.max_depth
    words = _NO_WORDS
    if limits.anchor_texts:
        words = _words(tokenizer.parse(markup, most=most, depth=depth))
    found = tokenizer.parted(markup, most=most, depth=depth)
    told = said(found.strings)
    return Document(
        found.anchors,
        References(found.references) if found.references else _NO_REFERENCES,
        fold(_without_templates(told.title)),
        found.text,
        told.metas,
        told.base,
        told.lang,
        told.xml_lang,
        found.flattened,
        found.skipped,
        found.main_length,
        words,
    )


class Said(NamedTuple):
    """Strings that a page says of itself, as written."""

    title: str
    metas: Sequence[dict[str, str | None]]
    base: str | None
    lang: str | None
    xml_lang: str | None


def said(strings: list[str]) -> Said:
    """Tell apart what the reader wrote down: each string has a letter before it."""
    metas: list[dict[str, str | None]] = []
    single: dict[str, str] = {}
    for one in strings:
        letter, value = one[:1], one[1:]
        if letter == "N":
            metas.append({"name": value})
        elif letter == "E":
            metas[-1]["http-equiv"] = value
        elif letter == "C":
            metas[-1]["content"] = value
        else:
            single.setdefault(letter, value)
    return Said(single.get("T", ""), metas, single.get("B"), single.get("L"), single.get("X"))


def _words(found: ParsedMarkup) -> dict[str, str]:
    """Return the first words that links to each target have, by target as written."""
    words: dict[str, str] = {}
    anchors, references = tokenizer.strings(found.anchors), tokenizer.strings(found.references)
    for link in tokenizer.anchors(found.links):
        if not link.target or link.end <= link.begin:
            continue
        number = (link.target & ~_OTHER) - 1
        target = references[4 * number + 1] if link.target & _OTHER else anchors[number]
        if target not in words:
            text = fold(found.text[link.begin : min(link.end, link.begin + _ANCHOR_TEXT)].decode("utf-8", "ignore"))
            if text:
                words[target] = text
    return words


def _without_templates(title: str) -> str:
    """Leave out what client code should have expanded: browsers show it until they have run that code."""
    return _TEMPLATE.sub(" ", title) if "{{" in title else title


def fold(text: str) -> str:
    r"""Fold runs of white space to one space, and drop soft hyphens.

    >>> fold("  a\n b\u00adc ")
    'a bc'
    """
    if "\xad" in text:
        text = text.replace("\xad", "")
    return " ".join(text.split())


def fold_lines(text: str) -> str:
    r"""Fold white space as `fold` does, but for line feeds between lines that are not empty.

    >>> fold_lines(" a  b\r\n\n \nc ")
    'a b\nc'
    """
    return "\n".join([line for line in map(fold, text.split("\n")) if line])


def fold_paragraphs(text: str) -> str:
    r"""Fold white space as `fold` does, but for a line feed where empty lines part paragraphs.

    >>> fold_paragraphs("one\nline\r\n\r\nand another\n")
    'one line\nand another'
    """
    return "\n".join([part for part in map(fold, _EMPTY_LINES.split(text)) if part])
