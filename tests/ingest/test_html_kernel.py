"""The kernel of markup: what its binding promises, the table of references, and sanitisers."""

from __future__ import annotations

import re
from html.entities import html5
from pathlib import Path
from typing import TYPE_CHECKING

import markup_kernel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest import Limits
from graphlang.ingest.html import tokenizer
from graphlang.ingest.html.document import fold, read_document

if TYPE_CHECKING:
    from collections.abc import Callable

FUZZ = Path(__file__).parents[1] / "fuzz"


def test_no_sanitiser_complains_of_markup(under_sanitisers: Callable[..., str]) -> None:
    answer = under_sanitisers(Path(__file__).with_name("workout_html.py"), str(FUZZ))
    assert answer.startswith("went through ")


def test_a_page_keeps_its_own_text_when_the_next_one_is_parsed() -> None:
    first = tokenizer.parse_markup(b"<nav>A</nav><p>of a <a href=/a rel=me>link", limit=9, depth=99)
    second = tokenizer.parse_markup(b"<p>B" + b"<a href=/b>b</a>" * 9, limit=9, depth=99)
    assert (first.text, first.references) == (b"\nA\nof a link", b"a\0/a\0me\0\0")
    assert [one[1:] for one in markup_kernel.read_elements(first.records)] == [(1, 3)]
    assert [one[:2] for one in tokenizer.read_anchors(first.links)] == [(8, 12)]
    assert (second.text, second.anchors) == (b"\nB" + b"b" * 9, b"/b\0")


def test_every_named_reference_is_what_the_standard_says() -> None:
    for name, characters in html5.items():
        end = "" if name.endswith(";") else " "
        assert read_document(f"<p>x&{name}{end}y", Limits()).text == fold(f"x{characters}{end}y"), name


def parted(text: bytes, spans: list[tuple[int, int]]) -> tuple[bytes, int]:
    """The definition: a byte belongs to the last span that holds it; gaps are line feeds; blanks are folded."""
    owners = [
        max((n + 1 for n, (begin, end) in enumerate(spans) if begin <= at < end), default=0) for at in range(len(text))
    ]
    parts = []
    for owner in range(len(spans) + 1):
        kept = "".join(chr(byte) if owners[at] == owner else "\n" for at, byte in enumerate(text))
        folded = re.sub(r"[ \n]+", lambda blanks: "\n" if "\n" in blanks[0] else " ", kept)
        parts.append(folded.strip().encode("latin-1"))
    return b"\n".join(part for part in parts if part), len(parts[0])


@given(st.text("ab \n", max_size=20), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=8))
def test_a_text_is_parted_as_the_definition_says(written: str, pairs: list[tuple[int, int]]) -> None:
    text = re.sub(r"[ \n]+", lambda blanks: blanks[0][0], written).encode()
    spans = sorted((min(pair), min(max(pair), len(text))) for pair in pairs if min(pair) < min(max(pair), len(text)))
    assert markup_kernel.move_spans(text, spans) == parted(text, spans)


@pytest.mark.parametrize(
    ("spans", "complaint"),
    [
        ([(0, 5)], r"ends\[0\] = 5 is outside 0\.\.4"),
        ([(2, 2)], r"begins\[0\] = 2 is outside 0\.\.1"),
        ([(2, 3), (1, 4)], r"begins\[1\] = 1 is outside 2\.\.4"),
    ],
)
def test_spans_that_are_none_are_refused(spans: list[tuple[int, int]], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        markup_kernel.move_spans(b"text", spans)


def looked_at(markup: bytes) -> int:
    """How often an open element is compared with a tag while a page is parsed."""
    tokenizer.parse_markup(markup, limit=9, depth=512)
    return int(tokenizer._parser.page.looked_at)


def test_an_end_tag_of_what_is_not_open_looks_at_nothing() -> None:
    for opened in (b"<svg>" + b"<g>" * 490, b"<math>" + b"<mi>" * 490, b"<xyz>" * 490, b"<div>" * 490):
        before = looked_at(opened)
        assert looked_at(opened + b"</q>" * 1_000 + b"</article>" * 1_000) == before, opened[:6]


def test_an_end_tag_looks_once_through_a_drawing() -> None:
    # <q> is open twice, of HTML and of a drawing, and can be reached from the inner drawing in neither way: the first
    # look ends at the <object>, after 486 elements; the second begins and ends there, the drawing being one step.
    opened = b"<q><svg><q><desc><object><svg>" + b"<g>" * 485
    assert looked_at(opened + b"</q>" * 1_000) == looked_at(opened) + 1_000 * (486 + 2)


def test_an_end_tag_finds_what_is_open_through_a_drawing() -> None:
    # </i> ends the <i> around the drawing, as browsers do; what comes then is no more hidden.
    assert tokenizer.parse_markup(b"<i><svg><g><g>x</i>y", limit=9, depth=99).text == b"y"
    # ... but not where the drawing stands in an object, which ends the scope.
    assert tokenizer.parse_markup(b"<i><object><svg><g>x</i>y", limit=9, depth=99).text == b" "


LETTERS = st.text(
    st.sampled_from(
        "ab\x01\x1b\x7f~{ \t\n\x1c\u0085\u00a0\u00ad\u00e9\u00c2\u0434"
        "\u0e01\u1680\u1681\u2003\u2010\u2028\u3000\u3001\u65e5\U0001f600"
    ),
    max_size=40,
)


@given(LETTERS, st.integers(0, 9))
def test_white_space_is_folded_wherever_it_stands_among_eight_bytes(written: str, before: int) -> None:
    expected = fold("x" * before + written)
    assert read_document(("x" * before + written).encode(), Limits()).text == expected


@given(LETTERS | st.text("ab~{\0\x1b", max_size=200), st.integers(0, 130))
def test_bytes_that_can_be_text_in_ascii_alone(written: str, before: int) -> None:
    data = b"a" * before + written.encode()
    escaped = b"\x1b" in data or b"~{" in data
    assert tokenizer.holds_escapes(data) == escaped
    assert tokenizer.is_plain(data) == (data.isascii() and b"\0" not in data and not escaped)
