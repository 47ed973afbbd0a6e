"""The same short text on several pages of a host is the template's: it says little of the page."""

import numpy as np
import pytest

from graphlang.graph.data import Evidence, Graph, Signal
from graphlang.graph.propagation import likelihoods
from graphlang.graph.propagation.inference import propagate

CODES = ("deu", "eng", "fra")
DEU, ENG, FRA = range(3)


def test_the_likelihood_of_a_repeated_text_and_of_a_page_without_links_by_hand() -> None:
    scores = np.array([[0.1, 0.8, 0.1], [0.1, 0.8, 0.1], [0.8, 0.1, 0.1], [0.8, 0.1, 0.1]], np.float32)
    foreign, rarer = likelihoods.estimate_foreign_text(CODES, np.arange(3, dtype=np.int16))
    length, linked = np.zeros(4, np.int32), np.array([True, True, True, False])
    repeated = np.array([False, True, True, False])
    found = np.exp(
        likelihoods.compute_text_likelihood(scores, length, foreign, rarer, linked=linked, repeated=repeated)
    )
    rest = likelihoods.FLOOR / likelihoods.SHARED
    shares = (scores + rest) / (1 + 3 * rest)
    foreigners = shares @ np.array([1, 28, 1]) / 30  # nine tenths English, the rest shared out evenly
    rate = likelihoods.OUTLIERS[0]
    rates = (rate, likelihoods.REPEATED, likelihoods.REPEATED, likelihoods.UNLINKED * rate)
    for row, chance in enumerate(rates):
        for language in range(3):
            own = chance * (likelihoods.ENGLISH_PAGES if language == ENG else 1)
            assert found[row, language] == pytest.approx(
                (1 - own) * shares[row, language] + own * foreigners[row], rel=1e-4
            )
    english, german, _ = found[1:]
    assert english[ENG] / english[DEU] < 2  # English words on a German page: nearly as likely
    assert german[DEU] / german[FRA] > 1.5  # nobody has German words for a template of French pages


def web(*, copies: bool) -> tuple[Graph, Evidence]:
    """Ten German and ten English pages that link among themselves, and page 20, "Search results", among the German."""
    n = 21
    links = [(a, b) for half in (range(10), range(10, 20)) for a in half for b in half if a != b] + [(0, 20)]
    source, target = (np.array(ends, np.int32) for ends in zip(*links, strict=True))
    graph = Graph(n, source, target, np.full(len(links), 7, np.uint8), np.full(len(links), -1, np.int16))
    languages = np.array([[DEU]] * 10 + [[ENG]] * 11, np.int16)
    chances = np.array([[0.99]] * 20 + [[0.97]], np.float32)
    length = np.array([1000] * 20 + [60], np.int32)
    twins = np.array([1] * 20 + [5], np.int32) if copies else None
    return graph, Evidence(CODES, languages, chances, length, np.zeros(n, np.int32), copies=twins)


def test_a_page_of_template_text_listens_to_its_neighbours() -> None:
    alone, repeated = propagate(*web(copies=False)), propagate(*web(copies=True))
    assert repeated.language[20] == DEU
    chance = [
        dict(zip(a.languages[20].tolist(), a.probabilities[20].tolist(), strict=True))[DEU] for a in (alone, repeated)
    ]
    assert chance[1] > chance[0]
    with pytest.raises(ValueError, match="copies has shape"):
        Evidence(
            CODES,
            *(np.zeros((1, 1), t) for t in (np.int16, np.float32)),
            *np.zeros((2, 1), np.int32),
            copies=np.zeros(2, np.int32),
        )


def test_nothing_said_is_und_however_the_url_sounds() -> None:
    # a page without text and links, whose opaque name sounds a little like one language or other
    codes = tuple(f"q{a}{b}" for a in "abcdefgh" for b in "abcd")
    n = len(codes)
    empty = Graph(n + 2, *np.zeros((2, 0), np.int32), np.zeros(0, np.uint8), np.zeros(0, np.int16))
    languages = np.append(np.arange(n), [-1, -1]).astype(np.int16)[:, None]
    length = np.where(languages[:, 0] >= 0, 1000, 0).astype(np.int32)
    sounds = np.full((n + 2, 2), -1, np.int16)
    sounds[n:] = [[3, 4], [3, 4]]
    chances = np.zeros((n + 2, 2), np.float32)
    chances[n:] = [[0.1, 0.05], [0.98, 0.01]]
    signal = Signal(sounds, chances)
    given = Evidence(
        codes, languages, (languages >= 0) * np.float32(0.99), length, np.zeros(n + 2, np.int32), None, {"url": signal}
    )
    assert propagate(empty, given).language[n:].tolist() == [-1, 3]
