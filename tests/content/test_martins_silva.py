"""Lin's similarity by hand, and the heuristics of Chew et al. 2011, section 2.1."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.ngrams.vocabulary import pack_ngrams
from graphlang.content.page_input import Marked
from graphlang.modelfile import Model, ModelError
from graphlang.papers import martins_silva
from graphlang.papers.martins_silva import MartinsSilva, remove_stock_phrases
from graphlang.training.train import train

if TYPE_CHECKING:
    from pathlib import Path


def by_hand(features: int = 3) -> MartinsSilva:
    """Language x has a (P 1/4) and b (P 1/2), once each; y has b three times and c (P 1/4) once."""
    model = Model(
        "martins-silva",
        ("x", "y"),
        {"limit": 1_000, "closed": False, "features": features},
        {
            "ngrams": pack_ngrams(["a", "b", "c"]),
            "information": -np.log(np.array([1 / 4, 1 / 2, 1 / 4], np.float32)),
            "owners": np.array([0, 0, 1, 1], np.int32),
            "grams": np.array([0, 1, 1, 2], np.int32),
            "counts": np.array([1, 1, 3, 1], np.uint32),
            "sharpness": np.zeros(7, np.float32),
        },
    )
    return MartinsSilva(model, "", "by hand")


def test_lins_similarity_by_hand() -> None:
    # "ab": commonest three n-grams a, b and "ab"; each a third; "ab" is in no profile and as rare as the rarest.
    two = math.log(2)
    a, b, c = 2 * two, two, 2 * two
    own = (a + b + c) / 3
    shared_x = (1 / 3 + 1 / 2) * a + (1 / 3 + 1 / 2) * b
    shared_y = (1 / 3 + 3 / 4) * b
    described_x, described_y = (a + b) / 2, (3 * b + c) / 4
    scores, lengths = by_hand().similarities(["ab"])
    assert lengths.tolist() == [2]
    assert scores == pytest.approx(np.array([[shared_x / (own + described_x), shared_y / (own + described_y)]]))


@pytest.mark.parametrize("features", [0, -1, 2**63, True])
def test_a_size_of_profiles_that_no_training_makes_is_refused(features: int) -> None:
    with pytest.raises(ModelError, match="by hand: its profiles do not fit together"):
        by_hand(features)


def test_a_profile_is_wholly_like_itself() -> None:
    # "ba" cut to its two commonest n-grams is x's profile: Lin's similarity is 1.
    model = by_hand()
    model._size = 2
    assert model.similarities(["ab"])[0][0, 0] == pytest.approx(1)


@pytest.fixture(scope="session")
def trained(corpus_folder: Path) -> MartinsSilva:
    made = train(corpus_folder, method="martins-silva", minimum=10)
    return registry._METHODS["martins-silva"].loader(made, "", "tiny")  # type: ignore[return-value]


LONG_ENGLISH = "where is the house of the dog and the cat that sat on the mat"
LONG_GERMAN = "wo ist das haus und der hund und die katze auf der matte"


def test_trained_model(trained: MartinsSilva) -> None:
    assert trained.labels == ("deu", "ell", "eng", "und")
    chances = trained.probabilities([LONG_ENGLISH, LONG_GERMAN, "short", "", "12"])
    assert [trained.labels[i] for i in chances.argmax(axis=1)[:3]] == ["eng", "deu", "und"]
    assert chances[2].tolist() == [0, 0, 0, 1]
    assert chances.sum(axis=1) == pytest.approx([1, 1, 1, 0, 0])


def test_under_forty_characters_is_unknown(trained: MartinsSilva) -> None:
    words = ["the cat is on the mat in the house today", "the cat is on the mat in the house toda"]
    chances = trained.probabilities(words)  # a space after the last word counts, as between words
    assert [len(text) for text in words] == [40, 39]
    assert chances[0, -1] == 0
    assert trained.probabilities([words[1][:-1]])[0, -1] == 1


def test_the_title_counts_more_than_the_body_and_that_more_than_metadata(trained: MartinsSilva) -> None:
    english = trained.labels.index("eng")
    german = trained.labels.index("deu")
    pages = [
        Marked(title=LONG_ENGLISH, blocks=(LONG_GERMAN,)),
        Marked(title=LONG_GERMAN, blocks=(LONG_ENGLISH,)),
        Marked(blocks=(LONG_ENGLISH,), metadata=LONG_GERMAN),
        Marked(blocks=(LONG_GERMAN,), metadata=LONG_ENGLISH),
    ]
    chances = trained.identify(pages)
    assert (chances[:, english] > chances[:, german]).tolist() == [True, False, True, False]


def test_where_in_doubt_the_largest_block_decides(trained: MartinsSilva, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = (LONG_GERMAN, LONG_ENGLISH[:50])
    page = [Marked(blocks=blocks)]
    german, english = trained.labels.index("deu"), trained.labels.index("eng")
    monkeypatch.setattr("graphlang.papers.martins_silva.DOUBT", 0.0)
    sure = trained.identify(page)[0]
    monkeypatch.setattr("graphlang.papers.martins_silva.DOUBT", 1.0)
    doubting = trained.identify(page)[0]
    assert doubting[german] - doubting[english] > sure[german] - sure[english]


def test_boilerplate_is_no_evidence(trained: MartinsSilva) -> None:
    text = "This page uses frames, but your browser doesn't support them. " + LONG_GERMAN
    assert trained.labels[trained.probabilities([text])[0].argmax()] == "deu"
    assert "frames" not in remove_stock_phrases(text)
    assert trained.probabilities(["Your browser does not support inline frames"]).sum() == 0
    assert remove_stock_phrases("underconstruction clicks here") == "underconstruction clicks here"
    assert remove_stock_phrases("Index of /pub, copyright \u00a92004 Anna") == " pub,  2004 Anna"


@given(
    st.lists(
        st.builds(
            Marked, st.text(max_size=20), st.lists(st.text(max_size=60), max_size=3).map(tuple), st.text(max_size=9)
        ),
        max_size=5,
    )
)
def test_any_pages(trained: MartinsSilva, pages: list[Marked]) -> None:
    chances = trained.identify(pages)
    assert np.allclose(trained.identify(pages[::-1]), chances[::-1], atol=1e-6)
    sums = chances.sum(axis=1)
    assert np.all((np.abs(sums - 1) < 1e-5) | (sums == 0))


def test_thousands_of_blocks_are_bounded(trained: MartinsSilva) -> None:
    chances = trained.identify([Marked(blocks=(LONG_ENGLISH,) * 5_000)])
    assert trained.labels[chances[0].argmax()] == "eng"


def test_information_is_that_of_the_mean_share(corpus_folder: Path) -> None:
    made = train(corpus_folder, method="martins-silva", minimum=10, held_out=10**9, features=20)
    grams = made.arrays["ngrams"].tobytes().decode().split("\n")
    shares = []
    for code in ("de", "el", "en"):
        text = (corpus_folder / code / "text.txt").read_text(encoding="utf-8")
        text = " ".join(dict.fromkeys(text.splitlines())) + " "
        counts = Counter(text)
        shares.append(counts["e"] / (5 * len(text)))
    assert made.arrays["information"][grams.index("e")] == pytest.approx(-math.log(sum(shares) / 3), rel=1e-4)


def test_of_39_characters_nothing_is_known(trained: MartinsSilva) -> None:
    text = "the cat sat on the mat and then it sleeps"
    chances = trained.identify([Marked(blocks=(text[:39],)), Marked(blocks=(text[:40],))])
    assert [len(text[:size].strip()) for size in (39, 40)] == [39, 40]
    assert chances[:, -1].tolist() == [1, 0]
    # A title of 19 and a block of 20: the space that follows each in the count is no character of theirs.
    parts = Marked(title=text[:19], blocks=(text[20:40],))
    assert trained.identify([parts])[0, -1] == 1


def test_the_largest_block_is_no_title(monkeypatch: pytest.MonkeyPatch) -> None:
    model, parts = by_hand(), [("bbbb", 4), ("cccc", 1), ("ab", 2), ("c", 2)]
    monkeypatch.setattr(martins_silva, "DOUBT", 1.0)
    doubted = model._score_pages([parts])[0]
    monkeypatch.setattr(martins_silva, "DOUBT", -1.0)
    assert doubted.tolist() == model._score_pages([[("bbbb", 4), ("cccc", 1), ("ab", 6), ("c", 2)]])[0].tolist()
