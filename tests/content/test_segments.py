"""Several languages in one text: units, the way through them, spans, shares."""

from __future__ import annotations

import json
from itertools import pairwise, product
from math import log
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.segments import decode, find, units
from graphlang.native.kernels import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.testing import Result
    from numpy.typing import NDArray

WELSH = "Mae'r tywydd yn braf heddiw ac mae'r plant yn chwarae yn yr ardd. "
ENGLISH = "The weather is fine today and the children are playing in the garden. "


class Capitals:
    """Says that capitals are one language and small letters another; nothing of what has neither."""

    name, hash, labels = "capitals", "", ("hig", "low")

    def describe(self) -> dict[str, object]:
        return {}

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [[0.999, 0.001] if text.isupper() else [0.001, 0.999] if text.islower() else [0, 0] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(-1, 2)


@given(st.text(alphabet=st.sampled_from("ab .\n?。\u0000é漢"), max_size=300), st.integers(1, 60))
def test_units_are_all_of_the_text(text: str, size: int) -> None:
    cut = units.cut(text, size)
    assert "".join(text[unit.begin : unit.end] for unit in cut) == text
    assert all(unit.begin < unit.end for unit in cut)
    assert all(left.end == right.begin for left, right in pairwise(cut))


def test_units_end_where_sentences_and_lines_do() -> None:
    text = "Ja. Nein!\n漢字。And here is a sentence that is longer than a unit"
    found = [(text[unit.begin : unit.end], unit.border) for unit in units.cut(text, 24)]
    assert found == [
        ("Ja. ", True),
        ("Nein!\n", True),
        ("漢字。", True),
        ("And here is a sentence that ", True),
        ("is longer than a unit", False),
    ]


def test_a_huge_text_has_no_more_units_than_others() -> None:
    cut = units.cut("word " * 200_000)
    assert len(cut) <= units.MOST
    assert cut[-1].end == 1_000_000


def log_likelihoods(chances: NDArray[np.float32]) -> list[list[float]]:
    """From that of the floor on; nothing is said of a unit with a row of 0."""
    return [[max(log(max(float(chance), decode.FLOOR)) - log(decode.FLOOR), 0) for chance in row] for row in chances]


def best_way(logs: list[list[float]], states: list[int], costs: list[float]) -> tuple[float, list[int]]:
    """The greatest sum of any way through the states, and the labels on it."""
    value = [logs[0][state] for state in states]
    came = []
    for row, cost in zip(logs[1:], costs[1:], strict=True):
        best = value.index(max(value))
        jump = value[best] - cost
        came.append([state if stay >= jump else best for state, stay in enumerate(value)])
        value = [max(stay, jump) + row[state] for stay, state in zip(value, states, strict=True)]
    way = [value.index(max(value))]
    for before in reversed(came):
        way.append(before[way[-1]])
    return max(value), [states[state] for state in reversed(way)]


def labels(chances: NDArray[np.float32], border: Sequence[bool]) -> list[int]:
    """What the kernel does to one text, as it is told in `decode`."""
    logs = log_likelihoods(chances)
    costs = [decode.BORDER if natural else decode.INSIDE for natural in border]
    sums = [0.0] * chances.shape[1]
    for row in logs:
        sums = [total + one for total, one in zip(sums, row, strict=True)]
    states = [sums.index(max(sums))]
    path, reached = states * len(logs), max(sums)
    if sum(max(row) for row in logs) - reached <= decode.LEAST_GAIN:
        return path
    while len(states) < 5:
        gain = [0.0] * len(sums)
        for row, now in zip(logs, path, strict=True):
            gain = [total + max(one - row[now], 0) for total, one in zip(gain, row, strict=True)]
        tried = [one for one in range(len(gain)) if one not in states and gain[one] > decode.LANGUAGE]
        tried = sorted(tried, key=lambda one: (-gain[one], one))[:4]
        ways = [(*best_way(logs, [*states, one], costs), one) for one in tried]
        if not ways:
            break
        total, way, one = max(ways, key=lambda item: (item[0], -tried.index(item[2])))
        if total - reached < decode.LANGUAGE:
            break
        states.append(one)
        path, reached = way, total
    return path


def made_up(random: np.random.Generator, units: int, width: int) -> NDArray[np.float32]:
    """Probabilities of units: sure of a few labels, in doubt, or silent."""
    chances = random.dirichlet(np.full(width, random.choice([0.02, 0.1, 1.0])), units)
    chances[random.random(units) < 0.1] = 0
    return chances.astype(np.float32)


@settings(deadline=None)
@given(st.lists(st.integers(0, 30), max_size=5), st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_the_kernel_does_what_its_definition_says(lengths: list[int], width: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    offsets = np.cumsum([0, *lengths])
    chances, border = made_up(random, int(offsets[-1]), width), random.random(int(offsets[-1])) < 0.5
    path, missed = decode.paths(chances, offsets, border)
    for text, (begin, end) in enumerate(pairwise(offsets.tolist())):
        if begin == end:
            assert missed[text] == 0
            continue
        logs = log_likelihoods(chances[begin:end])
        assert path[begin:end].tolist() == labels(chances[begin:end], border[begin:end].tolist())
        totals = [sum(column) for column in zip(*logs, strict=True)]
        assert missed[text] == pytest.approx(sum(map(max, logs)) - max(totals), abs=1e-9)


def every_way(logs: list[list[float]], costs: list[float]) -> float:
    """The likelihood of the best of all ways, each of them tried."""
    return max(likelihood(logs, costs, way) for way in product(range(len(logs[0])), repeat=len(logs)))


def likelihood(logs: list[list[float]], costs: list[float], way: Sequence[int]) -> float:
    changes = sum(costs[unit] for unit in range(1, len(way)) if way[unit] != way[unit - 1])
    return sum(logs[unit][state] for unit, state in enumerate(way)) - changes


@settings(deadline=None)
@given(st.integers(4, 9), st.integers(0, 2**32 - 1))
def test_the_way_through_two_languages_is_the_best_of_all(length: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    chances, border = made_up(random, length, 2), random.random(length) < 0.5
    path, _ = decode.paths(chances, np.array([0, length]), border)
    if len(set(path.tolist())) == 2:
        logs = log_likelihoods(chances)
        costs = [decode.BORDER if natural else decode.INSIDE for natural in border.tolist()]
        assert likelihood(logs, costs, path.tolist()) == pytest.approx(every_way(logs, costs), abs=1e-6)


def test_with_nothing_to_gain_no_text_is_in_two_languages() -> None:
    chances = np.array([[0.99, 0.01], [0.01, 0.99]], dtype=np.float32)[[0, 0, 0, 0, 1, 1, 1, 1]]
    ends, border = np.array([0, 8]), np.ones(8, dtype=np.bool_)
    path, missed = decode.paths(chances, ends, border, least=np.inf)
    assert path.tolist() == [0] * 8
    assert missed.tolist() == [pytest.approx(4 * (log(np.float32(0.99)) - log(np.float32(0.01))))]
    assert decode.paths(chances, ends, border)[0].tolist() == [0] * 4 + [1] * 4


def test_units_that_are_not_there_are_refused() -> None:
    with pytest.raises(KernelError, match=r"offsets\[1\] = 3 is outside 0..2"):
        decode.paths(np.ones((2, 1), dtype=np.float32), np.array([0, 3]), np.ones(2, dtype=np.bool_))


def test_a_language_changes_at_a_border_rather_than_elsewhere() -> None:
    sure = np.array([[0.99, 0.01], [0.01, 0.99], [0.5, 0.5]], dtype=np.float32)
    chances = sure[[0, 0, 0, 2, 2, 1, 1, 1]]
    for place in (3, 4, 5):
        border = np.zeros(8, dtype=np.bool_)
        border[place] = True
        path, _ = decode.paths(chances, np.array([0, 8]), border)
        assert path.tolist() == [0] * place + [1] * (8 - place)


def test_spans_and_shares_by_hand() -> None:
    text = "AAAA BBBB CCCC DDDD. " * 6 + "\n1234 5678.\n" + "aaaa bbbb cccc dddd. " * 3
    [found] = find.spans(Capitals(), [text])
    # What has no letters belongs to what stands before it.
    first = text.index("aaaa")
    assert [(span.begin, span.end, span.label, span.letters) for span in found] == [
        (0, first, "hig", 96),
        (first, len(text), "low", 48),
    ]
    assert [span.confidence for span in found] == pytest.approx([0.999, 0.999])
    assert find.shares(found) == [("hig", pytest.approx(2 / 3)), ("low", pytest.approx(1 / 3))]
    assert find.of_pages(Capitals(), [text])[0][0].label == 0


def test_texts_without_letters_have_no_language() -> None:
    assert find.spans(Capitals(), ["", "42 + 1", "\n\n"]) == [[], [], []]
    assert find.of_pages(Capitals(), ["", "42 + 1", "\n\n"]) == [[], [], []]
    assert (find.spans(Capitals(), []), find.of_pages(Capitals(), []), find.shares([])) == ([], [], [])


def test_small_shares_are_left_out_and_labels_of_a_language_are_one() -> None:
    own = [find.Span(0, 1, label, 1.0, letters) for label, letters in (("zho_Hans", 50), ("zho_Hant", 48), ("deu", 2))]
    assert find.shares(own) == [("zho", 0.98)]
    many = [find.Span(0, 1, label, 1.0, 10) for label in ("deu", "fra", "spa", "ita", "por", "nld", "swe")]
    assert [language for language, _ in find.shares(many)] == ["deu", "fra", "ita", "nld", "por"]


@given(st.lists(st.text(alphabet="aA.\n 1", max_size=90), max_size=5))
def test_texts_are_answered_alone(texts: list[str]) -> None:
    together = find.spans(Capitals(), texts)
    assert together == [find.spans(Capitals(), [text])[0] for text in texts]
    for text, own in zip(texts, together, strict=True):
        assert all(0 <= span.begin < span.end <= len(text) for span in own)
        assert all(left.end == right.begin and left.label != right.label for left, right in pairwise(own))
        said = Capitals().probabilities([text[unit.begin : unit.end] for unit in units.cut(text)])
        assert sum(span.letters for span in own) == sum(map(str.isalpha, text)) * said.any()


def test_half_welsh_and_half_english() -> None:
    identifier = registry.load("nfc")
    text = WELSH * 3 + "\n" + ENGLISH * 3
    [found] = find.spans(identifier, [text])
    assert [(text[span.begin : span.end].strip(), span.label) for span in found] == [
        ((WELSH * 3).strip(), "cym"),
        ((ENGLISH * 3).strip(), "eng"),
    ]
    parts = {identifier.labels[label]: share for label, share in find.of_pages(identifier, [text])[0]}
    assert parts == pytest.approx({"cym": 0.5, "eng": 0.5}, abs=0.06)
    assert find.of_pages(identifier, [WELSH * 9]) == [[(identifier.labels.index("cym"), 1.0)]]


def test_the_command(graphlang: Callable[..., Result]) -> None:
    text = (WELSH * 3 + ENGLISH * 3).strip()
    result = graphlang("identify", "--shares", "--spans", input_=text.encode())
    [line] = result.stdout.splitlines()
    found = json.loads(line)
    assert [one["language"] for one in found["shares"]] == ["eng", "cym"]
    assert sum(one["share"] for one in found["shares"]) == pytest.approx(1, abs=1e-3)
    assert [(one["begin"], one["end"], one["language"], one["script"]) for one in found["spans"]] == [
        (0, 3 * len(WELSH), "cym", "Latn"),
        (3 * len(WELSH), len(text), "eng", "Latn"),
    ]
    both = graphlang("identify", "--shares", "--lines", input_=b"\n" + ENGLISH.encode())
    assert [json.loads(line)["shares"] for line in both.stdout.splitlines()] == [
        [],
        [{"language": "eng", "share": 1.0}],
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--spans", "--method", "url"), "reads URLs"), (("--shares", "--format", "csv"), "written as jsonl")],
)
def test_wrong_wishes(graphlang: Callable[..., Result], arguments: tuple[str, ...], message: str) -> None:
    result = graphlang("identify", *arguments, input_=b"x")
    assert result.exit_code == 2
    assert message in result.stderr
