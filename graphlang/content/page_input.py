"""Prepare pages for a method: as texts, as marked parts, or as bytes.

Most methods read a text: the title and the main content, because a menu of forty language names, or the cookie banner
in the visitor's language, must not decide the language of a page. The rest of a page is read if it has no main content.
A page of few words is read with the words of its inlinks, if there are any. A title never outweighs the text below it:
a longer title is cut to the same length. `martins-silva` weighs the parts. The byte methods of Chew et al. and of
Zavarsky et al. read the bytes of pages if these are stored, and name their encoding; they read other pages in UTF-8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

#: Characters of main content below which the words of inlinks are read too.
ENOUGH = 200
#: Characters of a title that are always read (most titles are shorter); more only up to the length of the text.
_TITLE = 100


@dataclass(frozen=True, slots=True)
class Marked:
    """A page whose markup is known: title, blocks of text as the markup separates them, keywords and description."""

    title: str = ""
    blocks: tuple[str, ...] = ()
    metadata: str = ""


class Material(NamedTuple):
    """Some pages, in lists of equal length."""

    titles: Sequence[str]
    texts: Sequence[str]  #: main content first
    mains: Sequence[int]  #: characters of the text that are main content
    visible: Sequence[bytes]  #: visible bytes, not decoded; empty where they are not stored
    anchors: Sequence[str]  #: words of the inlinks, a line each; empty where they are not to be read


class Answers(NamedTuple):
    """The answers of a method."""

    probabilities: NDArray[np.float32]  #: (pages, labels)
    encodings: list[str | None] | None  #: of a method over bytes
    texts: list[str]  #: texts that it read, or would have read without bytes


@runtime_checkable
class ReadsBytes(Protocol):
    """A method over bytes in any encoding."""

    def bytes_probabilities(self, data: Sequence[bytes]) -> tuple[NDArray[np.float32], list[str | None]]:
        """Compute probabilities, (byte strings, labels), and encodings."""


@runtime_checkable
class ReadsPages(Protocol):
    """A method that has other probabilities of pages than of other texts."""

    def page_probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Compute probabilities of pages, (pages, labels)."""


@runtime_checkable
class ReadsMarked(Protocol):
    """A method over marked parts: the method `martins-silva` of `graphlang.papers`."""

    def identify(self, pages: Sequence[Marked]) -> NDArray[np.float32]:
        """Compute probabilities, (pages, labels)."""


def ask(identifier: Identifier, material: Material, *, title: bool = True) -> Answers:
    """Ask a method about pages, with or without their titles."""
    texts = join_parts(material, title=title)
    if isinstance(identifier, ReadsMarked):
        return Answers(identifier.identify(mark_parts(material, title=title)), None, texts)
    compute_probabilities = (
        identifier.page_probabilities if isinstance(identifier, ReadsPages) else identifier.probabilities
    )
    with_bytes = [place for place, data in enumerate(material.visible) if data]
    if not with_bytes or not isinstance(identifier, ReadsBytes):
        return Answers(compute_probabilities(texts), None, texts)
    probabilities = np.zeros((len(texts), len(identifier.labels)), dtype=np.float32)
    encodings: list[str | None] = [None] * len(texts)
    probabilities[with_bytes], names = identifier.bytes_probabilities([material.visible[place] for place in with_bytes])
    for place, encoding in zip(with_bytes, names, strict=True):
        encodings[place] = encoding
    without = sorted(set(range(len(texts))).difference(with_bytes))
    if without:
        probabilities[without] = compute_probabilities([texts[place] for place in without])
    return Answers(probabilities, encodings, texts)


def join_parts(material: Material, *, title: bool = True) -> list[str]:
    r"""Make one text of each page: title, main content (or all its text), and if that is short the words of inlinks.

    >>> join_parts(Material(["T", ""], ["Foto menu", "menu"], [4, 0], [b"", b""], ["link", ""]))
    ['T\nFoto\nlink', 'menu']
    """
    bodies = [
        f"{text[: main or None]}\n{inlink_words}" if inlink_words and main < ENOUGH else text[: main or None]
        for text, main, inlink_words in zip(material.texts, material.mains, material.anchors, strict=True)
    ]
    if not title:
        return bodies
    return [
        f"{head[: max(_TITLE, len(body)) if body else None]}\n{body}" if head else body
        for head, body in zip(material.titles, bodies, strict=True)
    ]


def mark_parts(material: Material, *, title: bool = True) -> list[Marked]:
    """Mark the parts of each page: title; main content and the rest, a block each; words of inlinks as metadata."""
    return [
        Marked(
            title=head if title else "",
            blocks=tuple(block for block in (text[:main], text[main:].strip()) if block),
            metadata=inlink_words.replace("\n", " ") if main < ENOUGH else "",
        )
        for head, text, main, inlink_words in zip(
            material.titles, material.texts, material.mains, material.anchors, strict=True
        )
    ]
