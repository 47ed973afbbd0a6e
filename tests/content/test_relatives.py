"""Small languages that a model takes for a great relative of them, in long texts."""

from __future__ import annotations

import json
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.codes.languages import split_label
from graphlang.content import registry, relatives
from graphlang.content.segments import spans
from graphlang.content.segments import units as segments

LEAST = relatives.LEAST_UNITS
KNOWN = {0: {1: 0.5, 2: 0.3}}

#: Written for this test. Four sentences are Egyptian, with what people there say and never write in an office; the last
#: one is Standard Arabic, as is the whole of the other text, which says the same.
EGYPTIAN = (
    "الحكومة قالت امبارح إن القطر الجديد هيبدأ يشتغل في أول الشهر اللي جاي، والناس كلها مستنية تشوف هيحصل إيه. "
    "وزير النقل كان في المحطة الصبح وقال إن المشروع ده اتأخر كتير بسبب الفلوس، بس دلوقتي الشغل ماشي كويس. "
    "السكان اللي ساكنين جنب الخط بيقولوا إن الصوت عالي قوي بالليل ومحدش سأل عليهم. "
    "واحد منهم قال إنه عايز يبيع بيته ويمشي من هنا، لكن مفيش حد عايز يشتري. "
    "وردت الشركة بأنها ستبني سورا لتخفيف الضجيج وستزرع أشجارا على طول الطريق. "
    "محدش عارف إمتى الموضوع ده هيخلص، وكل يوم بيقولوا لنا كلام مختلف. "
    "وعلشان كده ناس كتير قررت تستنى لحد ما تشوف بعينيها القطر وهو ماشي."
)
STANDARD = (
    "قالت الحكومة أمس إن القطار الجديد سيبدأ العمل في مطلع الشهر المقبل، وينتظر السكان ما سيحدث. "
    "وكان وزير النقل في المحطة صباحا وقال إن المشروع تأخر كثيرا بسبب نقص الأموال، لكن العمل يسير الآن على نحو جيد. "
    "ويقول السكان الذين يقيمون بجوار الخط إن الضجيج مرتفع جدا في الليل ولم يسألهم أحد عن رأيهم. "
    "وقال أحدهم إنه يريد أن يبيع بيته ويرحل من هنا، غير أن أحدا لا يريد الشراء. "
    "وردت الشركة بأنها ستبني سورا لتخفيف الضجيج وستزرع أشجارا على طول الطريق."
)


def units(*rows: tuple[float, float, float]) -> np.ndarray:
    return np.array(rows, dtype=np.float32)


def of_one_text(rows: np.ndarray, known: dict[int, dict[int, float]]) -> int:
    relative, part = relatives.find_smaller(rows, np.array([0, len(rows)]), np.array([0]), known)
    found: int = relative[0] if part[0] > 0.5 else 0
    return found


def test_what_units_say() -> None:
    said = relatives.measure_support(units((0.1, 0.9, 0), (0.2, 0.001, 0), (0, 0, 0)), 0.01)
    # The second unit says nothing for the second label, and the third one nothing at all: it is left out.
    assert said == pytest.approx(np.array([[log(10), log(90), 0], [log(20), 0, 0]]))
    assert relatives.measure_support(units((0, 0, 0)), 0.01).shape == (0, 3)


def test_a_text_that_says_much_for_a_small_relative_is_in_it() -> None:
    # A unit says log(5) = 1.61 for label 0, log(3) = 1.10 for label 1, .68 of it, and log(2) = .69 for 2, .43.
    rows = units(*[(0.5, 0.3, 0.2)] * LEAST)
    assert of_one_text(rows, KNOWN) == 1  # .18 of it beyond the bound, .13 for the other one
    assert of_one_text(rows, {0: {1: 0.69, 2: 0.42}}) == 2
    assert of_one_text(rows, {0: {1: 0.69, 2: 0.44}}) == 0
    assert of_one_text(rows, {0: {1: 0.5, 2: 0.2}}) == 2  # .23 beyond, more than .18
    assert of_one_text(rows, {}) == 0


def test_few_units_do_not_outweigh_many() -> None:
    # Some say log(4) - .4 log(4) = .832 beyond the bound, the others 0 - .4 log(9) = -.879. Of six and five the mean is
    # .054 and its error .257, of seven and four .210 and .248.
    some, others = [(0.4, 0.4, 0.2)], [(0.9, 0.05, 0.05)]
    assert of_one_text(units(*some * 6, *others * 5), {0: {1: 0.4}}) == 0
    assert of_one_text(units(*some * 7, *others * 4), {0: {1: 0.4}}) == 1


def test_little_text_is_left_as_it_is() -> None:
    rows = units(*[(0.5, 0.3, 0.2)] * (2 * LEAST - 1))
    texts = np.array([0] * (LEAST - 1) + [1] * LEAST)
    assert relatives.relabel_relatives(rows, np.zeros(len(texts), dtype=np.int64), texts, KNOWN).tolist() == (
        [0] * (LEAST - 1) + [1] * LEAST
    )
    offsets, labels = np.array([0, LEAST - 1, len(rows)]), np.array([0, 0])
    assert [own.tolist() for own in relatives.find_smaller(rows, offsets, labels, KNOWN)] == [[0, 1], [0, 1]]
    rows[-1] = 0  # in another script
    assert [own.tolist() for own in relatives.find_smaller(rows, offsets, labels, KNOWN)] == [[0, 0], [0, 0]]


def test_how_well_units_must_agree_can_be_said() -> None:
    # As above: the mean of seven and four is .845 of its error.
    rows = units(*[(0.4, 0.4, 0.2)] * 7, *[(0.9, 0.05, 0.05)] * 4)
    text, path = np.zeros(11, dtype=np.int64), np.zeros(11, dtype=np.int64)
    settled = [relatives.relabel_relatives(rows, path, text, {0: {1: 0.4}}, agree=agree)[0] for agree in (0.84, 0.86)]
    assert settled == [1, 0]


def test_near_the_bound_both_are_as_likely() -> None:
    # As above: the mean of seven and four is .845 of its error, and so .145 above the bound.
    rows = units(*[(0.4, 0.4, 0.2)] * 7, *[(0.9, 0.05, 0.05)] * 4)
    relative, part = relatives.find_smaller(rows, np.array([0, 11]), np.array([0]), {0: {1: 0.4}})
    assert (relative[0], part[0]) == (1, pytest.approx(1 / (1 + exp(-relatives.STEEP * 0.145)), abs=0.002))


def test_a_part_of_a_text_in_a_small_language_is_found() -> None:
    identifier = registry.load("nfc")
    german = (
        "Die Stadt liegt am Fluss und hat einen alten Hafen. Im Winter kommen viele Schiffe dorthin, um Holz zu laden. "
    )
    for part, label in ((EGYPTIAN[:250], "arz"), (STANDARD[:250], "ara")):
        assert len(segments.cut(part)) < LEAST  # fewer than a text must have
        [own] = spans.find_spans(identifier, [f"{german}\n{part}\n{german}"])
        assert [span.label for span in own] == ["deu", label, "deu"]


def test_texts_are_in_doubt_whose_relative_is_near() -> None:
    least = relatives.NEAR * 0.3
    of_texts = units((1, 0, 1.1 * least), (1, 0.9 * least, 0.9 * least), (0.5, 1.7 * least * 0.5, 0), (0.1, 0.9, 0.3))
    assert relatives.find_doubtful(of_texts, KNOWN).tolist() == [0, 2]
    assert relatives.find_doubtful(of_texts, {}).tolist() == []
    assert relatives.find_doubtful(of_texts[:0], KNOWN).tolist() == []


def test_a_long_text_is_divided_between_a_great_language_and_its_relative() -> None:
    identifier = registry.load("nfc")
    great, small = identifier.labels.index("ara"), identifier.labels.index("arz")
    texts = [f"{STANDARD[:400]} {EGYPTIAN[:200]}", STANDARD[:100], EGYPTIAN[:300], "Nebel im Tal. " * 40]
    identifier._long._bounds = {}  # type: ignore[attr-defined]
    before = identifier.probabilities(texts)
    assert [identifier.labels[best] for best in before.argmax(axis=1)][:3] == ["ara", "ara", "arz"]
    identifier._long._bounds = {great: {small: 0.1}}  # type: ignore[attr-defined]
    answer = identifier.probabilities(texts)
    assert before[0].argmax() == great
    assert before[0, [great, small]].sum() == pytest.approx(answer[0, [great, small]].sum())
    assert answer[0, small] > 0.8
    assert np.delete(before[0], [great, small]).tolist() == np.delete(answer[0], [great, small]).tolist()
    assert before[1:].tolist() == answer[1:].tolist()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 12)), max_size=6), st.randoms())
def test_each_text_and_label_is_settled_alone(parts: list[tuple[int, int, int]], random: object) -> None:
    chance = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    parts = sorted(parts)
    texts = np.array([text for text, _, number in parts for _ in range(number)], dtype=np.int64)
    path = np.array([label for _, label, number in parts for _ in range(number)], dtype=np.int64)
    rows = chance.dirichlet(np.full(3, 0.5), len(path)).astype(np.float32).reshape(-1, 3)
    settled = relatives.relabel_relatives(rows, path, texts, KNOWN)
    assert (settled[path != 0] == path[path != 0]).all()
    for text in set(texts.tolist()):
        mine = texts == text
        alone = relatives.relabel_relatives(rows[mine], path[mine], texts[mine], KNOWN)
        assert alone.tolist() == settled[mine].tolist()
        assert len(set(settled[mine & (path == 0)].tolist())) <= 1


def test_the_shares_are_those_of_the_model_that_is_shipped() -> None:
    identifier = registry.load("nfc")
    found = json.loads(relatives.FILE.read_text(encoding="utf-8"))
    assert found["model"] == identifier.hash, "run: python tests/content/make_relatives.py DATA"
    for label, others in found["relatives"].items():
        for relative, bound in others.items():
            assert {label, relative} <= set(identifier.labels)
            assert split_label(label)[1] == split_label(relative)[1]
            assert 0 < bound < 1
    bounds, number = relatives.find_bounds(identifier), identifier.labels.index
    assert bounds[number("ara")][number("arz")] == found["relatives"]["ara"]["arz"]
    assert number("nde") in bounds[number("zul")]  # of Northern Ndebele there are words alone


def test_other_models_have_none() -> None:
    assert relatives.find_bounds(registry.load("nfc-2004")) == {}
