"""What a method is shown of a page: main content, marked parts, or bytes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from graphlang.content.page_input import ENOUGH, Marked, Material, ask, join_parts, mark_parts

MENU = " Deutsch English Español"
PAGE = "a" * ENOUGH


class Counting:
    """Says how long what it reads is, in the first label for texts and in the second for bytes."""

    name, labels, hash = "counting", ("text", "bytes"), ""

    def describe(self) -> dict[str, Any]:
        return {}

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[len(text), 0] for text in texts], dtype=np.float32)


class CountingBytes(Counting):
    def bytes_probabilities(self, data: Sequence[bytes]) -> tuple[NDArray[np.float32], list[str | None]]:
        return np.array([[0, len(one)] for one in data], dtype=np.float32), [f"x-{len(one)}" for one in data]


@pytest.mark.parametrize(
    ("text", "main", "shown"), [(PAGE + MENU, ENOUGH, PAGE), ("Foto" + MENU, 4, "Foto"), (MENU, 0, MENU)]
)
def test_a_menu_is_read_only_where_there_is_nothing_else(text: str, main: int, shown: str) -> None:
    assert join_parts(Material(["T"], [text], [main], [b""], [""])) == [f"T\n{shown}"]
    assert join_parts(Material(["T"], [text], [main], [b""], [""]), title=False) == [shown]


@pytest.mark.parametrize(("text", "read"), [(2_000, 1_000), (130, 130), (10, 100), (0, 1_000)])
def test_a_title_does_not_outweigh_the_text(text: int, read: int) -> None:
    """One of 1,000 characters made a page of 130 its own; a page without text has nothing else."""
    shown = join_parts(Material(["T" * 1_000], ["x" * text], [text], [b""], [""]))
    assert [(one.count("T"), one.count("x")) for one in shown] == [(read, text)]


def test_parts_that_are_marked() -> None:
    material = Material(["T", ""], ["main rest", ""], [4, 0], [b"", b""], ["", ""])
    assert mark_parts(material) == [Marked(title="T", blocks=("main", "rest")), Marked()]


def test_bytes_are_read_where_they_are_kept_and_the_method_reads_any() -> None:
    material = Material(["", "", ""], ["four", "five5", "sixsix"], [4, 5, 6], [b"", b"12", b""], [""] * 3)
    said = ask(CountingBytes(), material)
    assert said.probabilities.tolist() == [[4, 0], [0, 2], [6, 0]]
    assert said.encodings == [None, "x-2", None]
    assert ask(Counting(), material).probabilities.tolist() == [[4, 0], [5, 0], [6, 0]]
    assert ask(Counting(), material).encodings is None
    assert ask(CountingBytes(), material._replace(visible=[b""] * 3)).encodings is None


def test_words_of_links_are_read_where_the_page_has_little_to_say() -> None:
    material = Material(["", ""], [PAGE, "42"], [ENOUGH, 2], [b"", b""], ["Opening hours\nVisit us"] * 2)
    assert join_parts(material) == [PAGE, "42\nOpening hours\nVisit us"]
    assert [one.metadata for one in mark_parts(material)] == ["", "Opening hours Visit us"]
