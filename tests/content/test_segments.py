"""Several languages in one text: units, the way through them, spans, shares."""

from __future__ import annotations

import json
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.segments import decode, find, units

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


def every_way(logs: NDArray[np.float32], cost: NDArray[np.float64]) -> float:
    """The likelihood of the best of all ways, each of them tried."""
    return max(
        sum(float(logs[unit, state]) for unit, state in enumerate(way))
        - sum(cost[unit] for unit in range(1, len(way)) if way[unit] != way[unit - 1])
        for way in product(range(logs.shape[1]), repeat=len(logs))
    )


@settings(deadline=None)
@given(st.integers(1, 6), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_the_best_way_is_the_best_of_all(length: int, states: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    logs = random.uniform(-4, 0, (length, states)).astype(np.float32)
    cost = random.uniform(0, 3, length)
    total, way = decode._best_way(logs.tolist(), cost.tolist())
    assert total == pytest.approx(every_way(logs, cost), abs=1e-4)
    told = logs[np.arange(length), way].sum() - sum(cost[i] for i in range(1, length) if way[i] != way[i - 1])
    assert total == pytest.approx(float(told), abs=1e-4)


@settings(deadline=None)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=25), st.floats(0.5, 0.99))
def test_where_nothing_can_be_gained_there_is_one_language(truth: list[int], sure: float) -> None:
    chances = np.full((len(truth), 3), (1 - sure) / 2, dtype=np.float32)
    chances[np.arange(len(truth)), truth] = sure
    logs = decode.likelihoods(chances)
    best, missed = decode.alone(logs, np.array([0, len(truth)]))
    path = decode.labels(logs, np.ones(len(truth), dtype=np.bool_))
    if missed[0] <= decode.LEAST_GAIN:
        assert len(set(path.tolist())) == 1
        assert logs[:, path[0]].sum() == pytest.approx(float(logs[:, best[0]].sum()), abs=1e-3)


def test_a_language_changes_at_a_border_rather_than_elsewhere() -> None:
    sure = np.log(np.array([[0.99, 0.01], [0.01, 0.99], [0.5, 0.5]], dtype=np.float32))
    logs = sure[[0, 0, 0, 2, 2, 1, 1, 1]]
    for place in (3, 4, 5):
        border = np.zeros(8, dtype=np.bool_)
        border[place] = True
        assert decode.labels(logs, border).tolist() == [0] * place + [1] * (8 - place)


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
