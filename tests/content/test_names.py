"""Names: lists of names are tempered, and doubtful texts are read again without them."""

from __future__ import annotations

import numpy as np
import pytest

from graphlang.content import registry
from graphlang.content.nfc import names
from graphlang.content.nfc.model import Discriminative


@pytest.fixture(scope="module")
def shipped() -> Discriminative:
    identifier = registry.load("nfc")
    assert isinstance(identifier, Discriminative)
    return identifier


@pytest.mark.parametrize(
    ("text", "is_list"),
    [
        ("Anna Müller; Jan de Vries", True),
        ("Rio de Janeiro, São Paulo, Belo Horizonte", True),
        ("Москва Казань Самара", True),
        ("EN DE FR", True),
        ("Caesar Salad with Croutons", False),  # a word of four letters without a capital
        ("Smith Miller", False),  # two names
        ("A Man of the Sea", False),  # three of five words
        ("THE MUSEUM IS CLOSED TODAY", False),
        ("anna Müller Jan Vries", False),
        ("東京 大阪 京都", False),
    ],
)
def test_lists_of_names(text: str, *, is_list: bool) -> None:
    assert names.is_list_of_names(text) == is_list


def test_names_are_tempered_and_favour_many_speakers() -> None:
    answer, prior = np.array([[0.8, 0.2]] * 3 + [[0.3, 0]], np.float32), np.array([-10, 0], np.float32)
    names.doubt_names(answer, ["Alba Bruno Carla", "alba bruno carla", "Alba Bruno", "Alba Bruno Carla"], prior)
    first = 0.8**0.7 * np.exp(-1) / (0.8**0.7 * np.exp(-1) + 0.2**0.7)
    assert answer == pytest.approx(np.array([[first, 1 - first], [0.8, 0.2], [0.8, 0.2], [0.3, 0]]), abs=1e-6)


@pytest.mark.parametrize(
    "text", ["Argentina Bolivia Brazil Chile Colombia", "Anna Müller, Jan de Vries, Piotr Nowak, Maria Rossi"]
)
def test_a_list_of_names_is_in_doubt(shipped: Discriminative, text: str) -> None:
    assert shipped.probabilities([text]).max() < 0.6


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("Oslo and Bergen are in Norway.", "Oslo and are in"),  # the first word may be no name
        ("The town of Oslo", "The town of"),
        ("Anna Karenina is here", "is here"),
        ("(Tom and Mary) went home", "(Tom and went home"),
        ("come to Rome", "come to"),
        ("go to Rome", ""),  # six letters beside the name are needed
        ("Call Anna!", ""),
        ("Come here!", ""),
        ("come here", ""),
        ("", ""),
        ("НЕ КУРИТЬ", ""),
        ("он живет в Москве", "он живет в"),
    ],
)
def test_text_without_names(text: str, others: str) -> None:
    assert names.without_names(text) == others


def test_a_doubtful_text_is_the_mean_of_both_readings(shipped: Discriminative) -> None:
    text = "Reykjavík and Ísafjörður are in Iceland"
    first, second = shipped.part_probabilities([text, names.without_names(text)], pages=False)
    assert 0 < first.max() < names.SURE
    answer = first.reshape(1, -1).copy()
    shipped._read_without_names(answer, [text], np.array([0]))
    assert answer[0] == pytest.approx((first + second) / 2)


def test_a_sure_text_is_read_once(shipped: Discriminative) -> None:
    text = "The museum in Oslo shows paintings and prints of Edvard Munch every day but Monday."
    assert shipped.probabilities([text]).max() > 0.9
    assert shipped.probabilities([text]) == pytest.approx(shipped.part_probabilities([text], pages=False))
