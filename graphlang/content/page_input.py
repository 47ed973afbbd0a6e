"""What is known of pages -> what a method wants to see of them: a text, marked parts, or bytes that nobody decoded.

Most methods read a text: the title and the main content, because a menu of forty language names, or the cookie banner
in the visitor's language, must not name the page's; what is around the content is read where there is no other. A page
of few words is read together with the words of the links that lead to it, if they are given.
A title never outweighs the text that it stands above: of a longer one as much is read.
`martins-silva` weighs the parts. The byte methods of Chew et al. and of Zavarsky et al. read the bytes of pages where
these are kept, and name their encoding; other pages they read in UTF-8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

#: Characters of main content below which the words of links are read as well.
ENOUGH = 200
#: Characters of a title that are read in any case, as most titles are shorter; of more, as many as there are of text.
_OF_TITLE = 100


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
    visible: Sequence[bytes]  #: visible bytes, not decoded; empty where they are not kept
    anchors: Sequence[str]  #: words of the links that lead there, a line each; empty where they are not wanted


class Answers(NamedTuple):
    """What a method answers about some pages."""

    probabilities: NDArray[np.float32]  #: (pages, labels)
    encodings: list[str | None] | None  #: of a method over bytes
    texts: list[str]  #: what it read, or would have read if the bytes had been decoded


@runtime_checkable
class ReadsBytes(Protocol):
    """A method over bytes in any encoding."""

    def bytes_probabilities(self, data: Sequence[bytes]) -> tuple[NDArray[np.float32], list[str | None]]:
        """Probabilities, (byte strings, labels), and encodings."""


@runtime_checkable
class ReadsMarked(Protocol):
    """A method over marked parts: the method `martins-silva`."""

    def identify(self, pages: Sequence[Marked]) -> NDArray[np.float32]:
        """Probabilities, (pages, labels)."""


def ask(identifier: Identifier, material: Material, *, title: bool = True) -> Answers:
    """Ask a method about some pages.

    Args:
        identifier: the method.
        material: the pages.
        title: whether titles are read.
    """
    texts = as_texts(material, title=title)
    if isinstance(identifier, ReadsMarked):
        return Answers(identifier.identify(as_marked(material, title=title)), None, texts)
    kept = [place for place, data in enumerate(material.visible) if data]
    if not kept or not isinstance(identifier, ReadsBytes):
        return Answers(identifier.probabilities(texts), None, texts)
    probabilities = np.zeros((len(texts), len(identifier.labels)), dtype=np.float32)
    encodings: list[str | None] = [None] * len(texts)
    probabilities[kept], found = identifier.bytes_probabilities([material.visible[place] for place in kept])
    for place, encoding in zip(kept, found, strict=True):
        encodings[place] = encoding
    others = sorted(set(range(len(texts))).difference(kept))
    if others:
        probabilities[others] = identifier.probabilities([texts[place] for place in others])
    return Answers(probabilities, encodings, texts)


def as_texts(material: Material, *, title: bool = True) -> list[str]:
    r"""One text a page: its title, its main content (or all there is), and the words of links where that is little.

    Args:
        material: The pages.
        title: Whether titles are read.

    >>> as_texts(Material(["T", ""], ["Foto menu", "menu"], [4, 0], [b"", b""], ["link", ""]))
    ['T\nFoto\nlink', 'menu']
    """
    bodies = [
        f"{text[: main or None]}\n{words}" if words and main < ENOUGH else text[: main or None]
        for text, main, words in zip(material.texts, material.mains, material.anchors, strict=True)
    ]
    if not title:
        return bodies
    return [
        f"{head[: max(_OF_TITLE, len(body)) if body else None]}\n{body}" if head else body
        for head, body in zip(material.titles, bodies, strict=True)
    ]


def as_marked(material: Material, *, title: bool = True) -> list[Marked]:
    """The title; the main content and what stands around it, a block each; the words of links as metadata.

    Args:
        material: The pages.
        title: Whether titles are read.
    """
    return [
        Marked(
            title=head if title else "",
            blocks=tuple(part for part in (text[:main], text[main:].strip()) if part),
            metadata=words.replace("\n", " ") if main < ENOUGH else "",
        )
        for head, text, main, words in zip(
            material.titles, material.texts, material.mains, material.anchors, strict=True
        )
    ]
