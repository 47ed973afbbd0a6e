"""Word graphs of Tesseract are read as its format says: a small one is written here, edge by edge."""

from __future__ import annotations

import struct

import pytest
from package_words import word_graph

LAST, BACKWARD, END = 1, 2, 4
BITS = 3  # for the five letters


def edge(letter: int, flags: int, following: int = 0) -> int:
    return letter | flags << BITS | following << BITS + 3


def file(*, magic: int = 42) -> bytes:
    letters = b"5\nNULL 0\na 3 x\nb 3 x\nc 3 x\n| 0\n"
    edges = [
        edge(1, 0, 3),  # a...
        edge(2, END | BACKWARD, 3),  # the way back, which says nothing of words
        edge(2, END | LAST, 5),  # b, and b...
        edge(2, END),  # ab
        edge(3, LAST, 5),  # ac...
        edge(1, END | LAST),  # aca, ba
    ]
    graph = struct.pack("<hii", magic, 5, len(edges)) + struct.pack(f"<{len(edges)}Q", *edges)
    offsets = [-1] * 24
    offsets[19] = 4 + 8 * 24
    offsets[21] = offsets[19] + len(graph)
    return struct.pack("<i24q", 24, *offsets) + graph + letters


def test_words_of_a_graph() -> None:
    assert word_graph.words(file()) == {"b", "ab", "aca", "ba"}


def test_other_formats_are_refused() -> None:
    with pytest.raises(ValueError, match="another format"):
        word_graph.words(file(magic=7))
    with pytest.raises(ValueError, match="no graph"):
        word_graph.words(struct.pack("<i3q", 3, -1, -1, -1))
