"""The words of a model of Tesseract, which were taken from pages of the web: read without its programs.

A `traineddata` file is a table of offsets and the parts that these point to. The part `_SYSTEM_DAWG` is a directed
acyclic word graph whose edges have a letter (a number in the part `_LETTERS`), flags, and the edge where the letters
that may follow begin. It has words and no frequencies. But what is common on the web stands there in three forms,
in small letters, with a capital, and in capitals: `common`.
"""

from __future__ import annotations

import math
import struct
from typing import Final

_SYSTEM_DAWG: Final = 19
_LETTERS: Final = 21
_MAGIC: Final = 42
_LAST, _BACKWARD, _END_OF_WORD = 1, 2, 4
_FLAG_BITS: Final = 3
_LONGEST: Final = 40


def parts(content: bytes) -> dict[int, bytes]:
    """The parts of a `traineddata` file by their number."""
    (number,) = struct.unpack_from("<i", content)
    offsets = struct.unpack_from(f"<{number}q", content, 4)
    ends = sorted({*(offset for offset in offsets if offset >= 0), len(content)})
    return {
        part: content[offset : ends[ends.index(offset) + 1]]
        for part, offset in enumerate(offsets)
        if 0 <= offset < len(content)
    }


def words(content: bytes) -> set[str]:
    """All words of a `traineddata` file.

    Raises:
        ValueError: it has no graph of words, or one of another format.
    """
    found = parts(content)
    if _SYSTEM_DAWG not in found or _LETTERS not in found:
        raise ValueError("no graph of words")
    rows = found[_LETTERS].decode().split("\n")
    letters = [row.partition(" ")[0] for row in rows[1 : int(rows[0]) + 1]]
    magic, size, number = struct.unpack_from("<hii", found[_SYSTEM_DAWG])
    if magic != _MAGIC:
        raise ValueError(f"a graph of words of another format ({magic})")
    edges = struct.unpack_from(f"<{number}Q", found[_SYSTEM_DAWG], struct.calcsize("<hii"))
    bits = math.ceil(math.log2(size + 1))
    every: set[str] = set()
    left = [(0, "")]
    while left:
        edge, before = left.pop()
        last = 0
        while not last:
            value = edges[edge]
            flags = value >> bits & (1 << _FLAG_BITS) - 1
            last = flags & _LAST
            edge += 1
            if flags & _BACKWARD:
                continue
            word = before + letters[value & (1 << bits) - 1]
            if flags & _END_OF_WORD:
                every.add(word)
            if (after := value >> bits + _FLAG_BITS) and len(word) < _LONGEST:
                left.append((after, word))
    return every


def common(every: set[str]) -> list[str]:
    """The words of letters alone that stand in the list in small letters, with a capital and in capitals, sorted.

    >>> common({"huis", "Huis", "HUIS", "boom", "Boom", "Piet", "a1", "A1"})
    ['huis']
    """
    return sorted(
        word
        for word in every
        if len(word) > 1
        and word.isalpha()
        and word == word.lower()
        and word.upper() in every
        and word.capitalize() in every
    )
