"""What is left of a text while elements are set apart: the kernel beside its definition in plain Python."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest import Limits
from graphlang.ingest.html.document import read
from graphlang.native.kernels import Kernels

kernels = Kernels("graphlang.ingest.html.native._boilerplate")
TEXT = st.text("ab é日 ", max_size=30).map(lambda text: " ".join(text.split(" ")).encode())
MARKS = st.integers(0, 2**64)


def remaining(text: bytes, gone: bytes, begin: int, end: int) -> str:
    """What was set apart is a space; then white space is folded."""
    kept = bytes(32 if gone[at] else text[at] for at in range(begin, end))
    return " ".join(kept.decode("utf-8", "ignore").split())


def gone_of(text: bytes, marks: int) -> bytearray:
    """Whole characters, chosen by bits."""
    gone = bytearray()
    for number, character in enumerate(text.decode()):
        gone += bytes([marks >> number & 1]) * len(character.encode())
    return gone


def starts(text: bytes) -> list[int]:
    """Where characters begin, and the end."""
    return [at for at in range(len(text) + 1) if at == len(text) or text[at] & 0xC0 != 0x80]


@given(TEXT, MARKS, st.integers(0, 30), st.integers(0, 30), st.integers(0, 40))
def test_what_is_left_is_counted_as_the_definition_says(
    text: bytes, marks: int, one: int, other: int, most: int
) -> None:
    gone, places = gone_of(text, marks), starts(text)
    begin, end = sorted((places[one % len(places)], places[other % len(places)]))
    expected = len(remaining(text, gone, begin, end))
    counted = kernels.boilerplate_left(text, gone, begin, end, most)
    assert counted == expected if expected <= most else counted > most
    whole = remaining(text, gone, 0, len(text))
    assert kernels.boilerplate_letters(text, gone) == len(whole.replace(" ", ""))


@given(
    TEXT,
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(0, 30)), max_size=6),
    st.integers(0, 4),
    st.integers(0, 9),
)
def test_each_is_taken_as_the_definition_says(
    text: bytes, drawn: list[tuple[int, int, int]], most: int, longest: int
) -> None:
    places = starts(text)
    elements = [(flags, *sorted((places[a % len(places)], places[b % len(places)]))) for flags, a, b in drawn]
    expected, gone, taken = bytearray(len(elements)), bytearray(len(text)), bytearray(len(elements))
    marked = bytearray(len(text))
    for number, (flags, begin, end) in enumerate(elements):
        size = len(remaining(text, marked, begin, end))
        if not size:
            continue
        if flags & 2 or sum(expected) == most or size > longest:
            break
        marked[begin:end] = b"\1" * (end - begin)
        expected[number] = 1
    flat, chosen = array("I", [field for one in elements for field in one]), array("I", range(len(elements)))
    kernels.boilerplate_take_each(text, flat, chosen, 2, most, longest, gone, taken)
    assert (gone, taken) == (marked, expected)


@pytest.mark.parametrize(
    ("element", "chosen", "complaint"),
    [
        ((0, 1, 2), 1, r"chosen\[0\] = 1 is outside 0\.\.0"),
        ((0, 0, 9), 0, r"elements\[2\] = 9 is outside 0\.\.4"),
        ((0, 3, 2), 0, r"elements\[1\] = 3 is outside 0\.\.2"),
    ],
)
def test_elements_outside_of_the_text_are_refused(element: tuple[int, int, int], chosen: int, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        kernels.boilerplate_take(array("I", element), array("I", (chosen,)), bytearray(4), bytearray(1))


def test_a_long_text_is_counted_in_pieces() -> None:
    text = b"word " * 2_000
    assert kernels.boilerplate_left(text, bytes(len(text)), 0, len(text), 20_000) == 2_000 * 5 - 1
    assert kernels.boilerplate_left(text, bytes(len(text)), 1, len(text), 20_000) == 2_000 * 5 - 2


def test_tens_of_thousands_of_elements_are_set_apart() -> None:
    page = read("<nav>x<div role=navigation>y</div></nav>" * 16_000 + "<main>text</main>", Limits())
    assert page.text[: page.main_length] == "text"
    assert page.text[page.main_length :] == "\nx\ny" * 16_000
