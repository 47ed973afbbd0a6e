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

from graphlang.codes.languages import code
from graphlang.content import registry
from graphlang.content.segments import decode, spans, units
from graphlang.content.segments.page_shares import compute_page_shares
from graphlang.content.text.normalise import join_texts
from graphlang.native.kernels import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.testing import Result
    from numpy.typing import NDArray

WELSH = "Mae'r tywydd yn braf heddiw ac mae'r plant yn chwarae yn yr ardd. "
SERBIAN = "Данас је лепо време и деца се играју у башти поред старе куће. "
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


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        # A word of another script is a unit of its own, one or two letters are not, nor is a name in Latin letters.
        ("Work on documents Русский today", ["Work on documents ", "Русский ", "today"]),
        ("the angles α and β of it", ["the angles α and β of it"]),
        ("It is 東 of it", ["It is ", "東 ", "of it"]),  # a letter of East Asia counts three times
        ("Это теперь работает в Docker и в Helm", ["Это теперь работает в Docker и в Helm"]),
        ("在 Astro 项目中使用 CSS。", ["在 Astro 项目中使用 CSS。"]),
        # A clause in Latin letters is one, where the sentence has more of another script.
        (
            "Он долго смотрел на неё и сказал громко: nobody here can understand what he means",
            ["Он долго смотрел на неё и сказал громко: ", "nobody here can understand what he means"],
        ),
        ("Tiếng Việt là một ngôn ngữ", ["Tiếng Việt là một ngôn ngữ"]),
        ("слово 言葉 слово", ["слово 言葉 слово"]),
    ],
)
def test_units_end_where_the_script_changes(text: str, parts: list[str]) -> None:
    cut = units.cut(text, 40)
    assert [text[unit.begin : unit.end] for unit in cut] == parts


def test_a_quoted_sentence_in_another_script_is_a_span() -> None:
    identifier = registry.load("nfc")
    quoting = "Sie las den Satz Это предложение на русском языке zweimal vor und verstand ihn trotzdem nicht."
    naming = "Вы можете установить пакет ruby-build с помощью GitHub. Это работает в Docker и Kubernetes тоже."
    fragment = "ruby-lang.org は日本語のサイトです"
    quoted, named, fragments = spans.find_spans(identifier, [quoting, naming, fragment])
    assert [(span.label, quoting[span.begin : span.end].strip()) for span in quoted] == [
        ("deu", "Sie las den Satz"),
        ("rus", "Это предложение на русском языке"),
        ("deu", "zweimal vor und verstand ihn trotzdem nicht."),
    ]
    assert [span.label for span in named] == ["rus"]
    assert [span.label for span in fragments] == ["jpn"]


def test_a_huge_text_has_no_more_units_than_others() -> None:
    cut = units.cut("word " * 200_000)
    assert len(cut) <= units.MOST
    assert cut[-1].end == 1_000_000
    words = units.cut("word\n" * 100_000)
    assert (len(words), words[0], words[-1].end) == (20_000, units.Unit(0, 25, border=True), 500_000)
    assert units.cut("word\n" * 20_000)[7] == units.Unit(35, 40, border=True)


COSTS = decode.Costs(floor=0.003, border=2.5, inside=5.0, language=6.0, resemblance=1.0)


def paths(
    chances: NDArray[np.float32], offsets: NDArray[np.int64], border: NDArray[np.bool_], costs: decode.Costs = COSTS
) -> NDArray[np.int64]:
    return decode.find_paths(decode.compute_support(chances, costs), offsets, border, costs, labels=chances.shape[1])


def log_likelihoods(chances: NDArray[np.float32]) -> list[list[float]]:
    """From that of the floor on; nothing is said of a unit with a row of 0."""
    return [[max(log(max(float(chance), COSTS.floor)) - log(COSTS.floor), 0) for chance in row] for row in chances]


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


def against(logs: list[list[float]], states: list[int], way: list[int]) -> float:
    """What units say against a way: for the last state where the way is in another one, and the reverse."""
    return sum(
        max(row[one] for one in states if one in (label, states[-1]) or label == states[-1]) - row[label]
        for row, label in zip(logs, way, strict=True)
    )


def labels(chances: NDArray[np.float32], border: Sequence[bool], costs: decode.Costs) -> list[int]:
    """Label one text as the kernel does, by the description in `decode`."""
    logs = log_likelihoods(chances)
    of_change = [costs.border if natural else costs.inside for natural in border]
    sums = [0.0] * chances.shape[1]
    for row in logs:
        sums = [total + one for total, one in zip(sums, row, strict=True)]
    states = [sums.index(max(sums))]
    path, reached = states * len(logs), max(sums)
    while len(states) < 5:
        gain = [0.0] * len(sums)
        for row, now in zip(logs, path, strict=True):
            gain = [total + max(one - row[now], 0) for total, one in zip(gain, row, strict=True)]
        tried = [one for one in range(len(gain)) if one not in states and gain[one] > costs.language]
        tried = sorted(tried, key=lambda one: (-gain[one], one))[:4]
        found: list[tuple[float, float, list[int], int]] = []
        for one in tried:
            likelihood, way = best_way(logs, [*states, one], of_change)
            price = costs.language + costs.resemblance * against(logs, [*states, one], way)
            found.append((likelihood - price, likelihood, way, one))
        if not found or max(found, key=lambda item: item[0])[0] <= reached:
            break
        _, reached, path, one = max(found, key=lambda item: item[0])  # of equal ones the first
        states.append(one)
    return path


def draw_chances(random: np.random.Generator, units: int, width: int) -> NDArray[np.float32]:
    """Probabilities of units: sure of a few labels, in doubt, or silent."""
    chances = random.dirichlet(np.full(width, random.choice([0.02, 0.1, 1.0])), units)
    chances[random.random(units) < 0.1] = 0
    return chances.astype(np.float32)


@given(
    st.lists(st.integers(0, 30), max_size=5),
    st.integers(1, 7),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(0, 2**32 - 1),
)
def test_the_kernel_does_what_its_definition_says(
    lengths: list[int], width: int, resemblance: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    offsets, costs = np.cumsum([0, *lengths]), COSTS._replace(resemblance=resemblance)
    chances, border = draw_chances(random, int(offsets[-1]), width), random.random(int(offsets[-1])) < 0.5
    path = paths(chances, offsets, border, costs)
    for begin, end in pairwise(offsets.tolist()):
        if begin < end:
            expected = labels(chances[begin:end], border[begin:end].tolist(), costs)
            assert path[begin:end].tolist() == expected


def every_way(logs: list[list[float]], costs: list[float]) -> float:
    """The likelihood of the best of all ways, each of them tried."""
    return max(likelihood(logs, costs, way) for way in product(range(len(logs[0])), repeat=len(logs)))


def likelihood(logs: list[list[float]], costs: list[float], way: Sequence[int]) -> float:
    changes = sum(costs[unit] for unit in range(1, len(way)) if way[unit] != way[unit - 1])
    return sum(logs[unit][state] for unit, state in enumerate(way)) - changes


@given(st.integers(4, 9), st.integers(0, 2**32 - 1))
def test_the_way_through_two_languages_is_the_best_of_all(length: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    chances, border = draw_chances(random, length, 2), random.random(length) < 0.5
    path = paths(chances, np.array([0, length]), border, COSTS._replace(resemblance=0.0))
    if len(set(path.tolist())) == 2:
        logs = log_likelihoods(chances)
        costs = [COSTS.border if natural else COSTS.inside for natural in border.tolist()]
        assert likelihood(logs, costs, path.tolist()) == pytest.approx(every_way(logs, costs), abs=1e-6)


def test_a_close_language_needs_more_evidence() -> None:
    # Units that are now sure of one and now of the other: a text in two languages does not say so in every second one.
    sure = np.array([[0.9, 0.1], [0.1, 0.9]], dtype=np.float32)
    ends = np.array([0, 24])
    border = np.ones(24, dtype=np.bool_)
    turned, wavering = sure[[0] * 12 + [1] * 12], sure[[0] * 12 + [1, 1, 0] * 4]
    generous = COSTS._replace(resemblance=0.0, border=0.5)
    strict = generous._replace(resemblance=1.0)
    assert paths(turned, ends, border, strict).tolist() == [0] * 12 + [1] * 12
    assert set(paths(wavering, ends, border, generous).tolist()) == {0, 1}
    assert set(paths(wavering, ends, border, strict._replace(border=2.5)).tolist()) == {0}


def test_units_that_are_not_there_are_refused() -> None:
    with pytest.raises(KernelError, match=r"offsets\[1\] = 3 is outside 0..2"):
        paths(np.ones((2, 1), dtype=np.float32), np.array([0, 3]), np.ones(2, dtype=np.bool_))
    told = decode.Support(np.array([0]), np.array([2]), np.array([1.0]))
    with pytest.raises(KernelError, match=r"label\[0\] = 2 is outside 0..1"):
        decode.find_paths(told, np.array([0, 1]), np.ones(1, dtype=np.bool_), COSTS, labels=2)


def test_a_language_changes_at_a_border_rather_than_elsewhere() -> None:
    sure = np.array([[0.99, 0.01], [0.01, 0.99], [0.5, 0.5]], dtype=np.float32)
    chances = sure[[0, 0, 0, 2, 2, 1, 1, 1]]
    for place in (3, 4, 5):
        border = np.zeros(8, dtype=np.bool_)
        border[place] = True
        path = paths(chances, np.array([0, 8]), border)
        assert path.tolist() == [0] * place + [1] * (8 - place)


def test_spans_and_shares_by_hand() -> None:
    text = "AAAA BBBB CCCC DDDD. " * 6 + "\n1234 5678.\n" + "aaaa bbbb cccc dddd. " * 3
    [found] = spans.find_spans(Capitals(), [text])
    # What has no letters belongs to what stands before it.
    first = text.index("aaaa")
    assert [(span.begin, span.end, span.label, span.letters) for span in found] == [
        (0, first, "hig", 96),
        (first, len(text), "low", 48),
    ]
    assert [span.confidence for span in found] == pytest.approx([0.999, 0.999])
    assert spans.list_shares(found) == [("hig", pytest.approx(2 / 3)), ("low", pytest.approx(1 / 3))]
    assert compute_page_shares(Capitals(), [text], Capitals().probabilities([text]))[0][0].label == 0


def test_texts_without_letters_have_no_language() -> None:
    assert spans.find_spans(Capitals(), ["", "42 + 1", "\n\n"]) == [[], [], []]
    none = ["", "42 + 1", "\n\n", "1 2 " * 99]
    assert compute_page_shares(Capitals(), none, Capitals().probabilities(none)) == [[], [], [], []]
    assert (spans.find_spans(Capitals(), []), spans.list_shares([])) == ([], [])
    assert compute_page_shares(Capitals(), [], Capitals().probabilities([])) == []


def test_unidentified_letters_are_no_part_of_any_language() -> None:
    # Vai is a script in which no label of the model is written: whoever quotes a line of it writes no English there.
    vai = "ꕉꕜꕮꔔꘋꖸ ꔰꗋꘋ ꕮꕨ ꔔꘋ ꖸ ꕎ ꕉꖸꕊ ꕴꖃ ꕃꔤꘂ ꗱ ꕪꗓ.\n"
    text = vai * 9 + ENGLISH + "\n" + vai * 2
    [found] = spans.find_spans(registry.load("nfc"), [text])
    assert [(text[span.begin : span.end].strip(), span.label) for span in found] == [
        ((vai * 9).strip(), "und"),
        (ENGLISH.strip(), "eng"),
        ((vai * 2).strip(), "und"),
    ]
    assert [span.confidence for span in found if span.label == "und"] == [0, 0]
    [share] = spans.list_shares(found)
    assert share.language == "eng"
    assert share.share == pytest.approx(sum(map(str.isalpha, ENGLISH)) / sum(map(str.isalpha, text)))
    assert spans.find_spans(registry.load("nfc"), [vai * 9]) == [[]]


def test_small_shares_are_left_out_and_labels_of_a_language_are_one() -> None:
    own = [spans.Span(0, 1, label, 1.0, letters) for label, letters in (("zho_Hans", 50), ("zho_Hant", 48), ("deu", 2))]
    assert spans.list_shares(own) == [("zho", 0.98)]
    many = [spans.Span(0, 1, label, 1.0, 10) for label in ("deu", "fra", "spa", "ita", "por", "nld", "swe")]
    assert [language for language, _ in spans.list_shares(many)] == ["deu", "fra", "ita", "nld", "por"]


@given(st.lists(st.text(alphabet="aA.\n 1", max_size=90), max_size=5))
def test_texts_are_answered_alone(texts: list[str]) -> None:
    together = spans.find_spans(Capitals(), texts)
    assert together == [spans.find_spans(Capitals(), [text])[0] for text in texts]
    for text, own in zip(texts, together, strict=True):
        assert all(0 <= span.begin < span.end <= len(text) for span in own)
        assert all(left.end == right.begin and left.label != right.label for left, right in pairwise(own))
        said = Capitals().probabilities([text[unit.begin : unit.end] for unit in units.cut(text)])
        assert sum(span.letters for span in own) == sum(map(str.isalpha, text)) * said.any()


@given(st.lists(st.text(alphabet="aA.\n 1", max_size=300), max_size=5))
def test_pages_are_answered_alone_by_any_method(texts: list[str]) -> None:
    method = Capitals()
    together = compute_page_shares(method, texts, method.probabilities(texts))
    assert together == [compute_page_shares(method, [text], method.probabilities([text]))[0] for text in texts]
    for own in together:
        assert len(own) in {0, 2, 3, 4, 5}
        assert own == sorted(own, key=lambda part: (-part.share, part.label))
        assert sum(part.share for part in own) <= 1 + 1e-9


PAGES = [WELSH, ENGLISH, SERBIAN, "漢字かな交じり文です。", "1 2 3 ", "x = {y: 0};\n", "\u0000", "Ⴀ"]


@settings(max_examples=8)
@given(st.lists(st.lists(st.sampled_from(PAGES), max_size=12).map("".join), max_size=6))
def test_pages_are_answered_alone_by_the_default(texts: list[str]) -> None:
    method = registry.load("nfc")
    together = compute_page_shares(method, texts, method.probabilities(texts))
    assert together == [compute_page_shares(method, [text], method.probabilities([text]))[0] for text in texts]


def test_a_page_of_which_nothing_is_known_is_read_closely() -> None:
    identifier = registry.load("nfc")
    text = WELSH * 4 + ENGLISH * 4
    silent = np.zeros((1, len(identifier.labels)), dtype=np.float32)
    [own] = compute_page_shares(identifier, [text], silent)
    assert sorted(identifier.labels[part.label] for part in own) == ["cym", "eng"]


@given(st.lists(st.text(max_size=40), max_size=6))
def test_letters_are_counted(texts: list[str]) -> None:
    assert units.count_letters(join_texts(texts)).tolist() == [sum(map(str.isalpha, text)) for text in texts]


def test_windows_together_are_what_they_say_in_all() -> None:
    identifier = registry.load("nfc")
    texts = [WELSH[:30], WELSH[30:60], ENGLISH[:40], SERBIAN[:40], ENGLISH[30:64], "12 34"]
    reading = identifier.read(join_texts(texts))
    label = identifier.labels.index
    assert [identifier.labels[best] for best in reading.probabilities()[:5].argmax(axis=1)] == [
        "cym",
        "cym",
        "eng",
        "srp_Cyrl",
        "eng",
    ]
    groups, members = np.array([0, 2, 4, 5, 6]), np.array([0, 1, 2, 4, 3, 5])
    given_labels = np.array([label("bre"), label("sco"), label("rus"), label("rus")])
    found = reading.label_groups(groups, members, given_labels)
    # Those of another script, or without letters, say nothing.
    assert [identifier.labels[one] for one in found] == ["cym", "eng", "srp_Cyrl", "rus"]
    together = identifier.read(join_texts([f"{texts[0]} {texts[1]}", f"{texts[2]} {texts[4]}"])).probabilities()
    assert together.argmax(axis=1).tolist() == found[:2].tolist()


def test_how_well_a_text_fits_a_label() -> None:
    identifier = registry.load("nfc")
    texts = [ENGLISH, WELSH, SERBIAN, "", "12"]
    own, other = (np.full(5, identifier.labels.index(name)) for name in ("eng", "fin"))
    fit, letters = identifier.fit(join_texts(texts), own)
    worse, _ = identifier.fit(join_texts(texts), other)
    assert fit[0] > 0 > max(fit[1], worse[0])
    assert letters.tolist() == [len(ENGLISH) - 1, len(WELSH) - 1, 0, 0, 0]  # a point and a space are a space
    assert fit[2:].tolist() == [0, 0, 0]


def test_half_welsh_and_half_english() -> None:
    identifier = registry.load("nfc")
    text = WELSH * 3 + "\n" + ENGLISH * 3
    [found] = spans.find_spans(identifier, [text])
    assert [(text[span.begin : span.end].strip(), span.label) for span in found] == [
        ((WELSH * 3).strip(), "cym"),
        ((ENGLISH * 3).strip(), "eng"),
    ]
    texts = [text, WELSH * 9, WELSH * 9 + SERBIAN * 2]
    told = [
        {identifier.labels[label]: share for label, share in own}
        for own in compute_page_shares(identifier, texts, identifier.probabilities(texts))
    ]
    assert told == [
        pytest.approx({"cym": 0.5, "eng": 0.5}, abs=0.1),
        {},
        pytest.approx({"cym": 0.82, "srp_Cyrl": 0.18}, abs=0.1),
    ]


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
    ("parts", "languages"),
    [
        (("Der Nebel liegt über dem Tal und der Fluss ist still. ", "Il y a du pain sur la table."), ["deu", "fra"]),
        (("Der Hund bellt im Garten.\n", "Привет мир, как дела?\n", "北京市的天气很好"), ["deu", "rus", "zho"]),
        (("Das ist ein Haus. Maria Rodriguez Gonzalez, Juan Perez. Das Wetter ist heute schön.",), ["deu"]),
        (("Menu\nHome\nKontakt\nImpressum\nÜber uns\nDatenschutz",), ["deu"]),
    ],
)
def test_a_sentence_is_enough_and_names_are_not(parts: tuple[str, ...], languages: list[str]) -> None:
    """A text of two sentences got one language, even if the other sentence was in another script."""
    [found] = spans.find_spans(registry.load("nfc"), ["".join(parts)])
    assert [(span.end - span.begin, code(span.label)) for span in found] == list(
        zip(map(len, parts), languages, strict=True)
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--spans", "--method", "url"), "reads URLs"), (("--shares", "--format", "csv"), "written as jsonl")],
)
def test_wrong_wishes(graphlang: Callable[..., Result], arguments: tuple[str, ...], message: str) -> None:
    result = graphlang("identify", *arguments, input_=b"x")
    assert result.exit_code == 2
    assert message in result.stderr
