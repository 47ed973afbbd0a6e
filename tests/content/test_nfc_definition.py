"""The probabilities of `nfc` against the same thing written plainly: one text, one n-gram, one weight at a time.

What becomes of letters, and the keys of n-grams, are held against their definitions in test_kernels.py.
"""

from __future__ import annotations

import re
import unicodedata
from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import calibration
from graphlang.content.nfc import doubt, rubbish
from graphlang.content.nfc.model import Discriminative
from graphlang.content.ngrams.keys import LONGEST, compute_keys
from graphlang.content.text import windows
from graphlang.content.text.normalise import normalise
from graphlang.content.text.other_script import MOST, estimate_latin, find_other_words
from graphlang.content.text.scripts import LATIN, registry
from graphlang.training.train import train

from .test_rubbish import count_drawn, count_mixed, count_plain, is_misread

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from graphlang.modelfile import Model

SMALL: dict[str, Any] = {"minimum": 10, "document": 20, "features": 400, "rounds": 4, "draws": 60, "power": 0.0}
OUTLIERS = 0.008


def features(text: str, keys: dict[int, int], orders: list[int], *, words: bool) -> list[int]:
    grams = [(text[place:] + text * 5)[:order] for place in range(len(text)) for order in orders]
    grams += [f" {word} " for word in text.split() if 3 < len(word) <= LONGEST - 2] if words else []
    return [keys[key] for key in compute_keys(grams).tolist() if key in keys]


#: Characters that stand for the bytes from 80 to BF, and what was encoded twice.
BYTE = "".join(map(chr, range(0x80, 0xC0))) + bytes(range(0x80, 0xA0)).decode("cp1252", "ignore")
TWICE = re.compile(f"[\xc2-\xdf][{BYTE}]|[\xe0-\xef][{BYTE}]{{2}}|[\xf0-\xf4][{BYTE}]{{3}}")


def words_of(text: str) -> list[str]:
    return "".join(one if unicodedata.category(one)[0] in "LM" else " " for one in text).split()


class Plain:
    """A model's arrays, read without any kernel."""

    def __init__(self, model: Model) -> None:
        self.model, self.arrays, self.scripts = model, model.arrays, model.parameters["scripts"]
        self.grams = [gram for gram in self.arrays["ngrams"].tobytes().decode().split("\n") if gram]
        self.keys = {key: number for number, key in enumerate(compute_keys(self.grams).tolist())}
        self.weights = self.unpacked("")
        self.lm_keys: dict[int, int] = {}
        if "spelling_keys" in self.arrays:
            keys = np.cumsum(self.arrays["spelling_keys"], dtype=np.uint32)
            self.lm_keys = {key: number for number, key in enumerate(keys.tolist())}
            self.lm_weights = self.unpacked("spelling_")

    def unpacked(self, prefix: str) -> dict[tuple[int, int], int]:
        """Weights by feature and label."""
        cells = [
            (first + feature, label)
            for first, script, number in zip(
                [0, *np.cumsum(self.arrays[f"{prefix}features"][:, 1])], *self.every(prefix), strict=False
            )
            for feature in range(number)
            for label in np.flatnonzero(self.arrays["script"] == script).tolist()
        ]
        places = np.cumsum(self.arrays[f"{prefix}gaps"].astype(int)) - 1
        values = self.arrays[f"{prefix}values"].tolist()
        return {cells[place]: value for place, value in zip(places.tolist(), values, strict=True) if value}

    def every(self, prefix: str) -> tuple[range, list[int]]:
        return range(len(self.scripts)), self.arrays[f"{prefix}features"][:, 1].tolist()

    def knots(self, name: str, length: int, script: int | None = None) -> float:
        own = self.arrays[name] if script is None else self.arrays[name][script]
        return float(np.interp(np.log2(length), np.log2(calibration.KNOTS), own))

    def scores(self, text: str, script: int, label: int) -> float:
        a, length = {name: array.tolist() for name, array in self.arrays.items() if array.ndim == 1}, len(text)
        orders = sorted({len(gram) for gram in self.grams if len(gram) <= 5})
        found = features(text, self.keys, orders, words=any(len(gram) > 5 for gram in self.grams))
        steps = sum(self.weights.get((feature, label), 0) for feature in found)
        score = steps * a["step"][0] / max(1, sqrt(len(found))) + sqrt(len(found)) * a["base"][label]
        score = (score + a["bias"][label] + a["siblings"][label]) * exp(self.knots("sharpness", length, script))
        score += self.knots("lean", length) * a["prior"][label]
        if self.lm_keys and (gain := self.knots("spelling_gain", length)):
            found = features(text, self.lm_keys, [1, 2, 3, 4, 5], words=True)
            lm = sum(self.lm_weights.get((feature, label), 0) for feature in found) * a["spelling_step"][0]
            lm += length * a["spelling_letter"][label] + len(text.split()) * a["spelling_word"][label]
            score += gain * (lm + a["spelling_text"][label])
        return score

    def unknown(self, text: str, label: int) -> float:
        """How probable it is that a text is in no language, if the best one is this."""
        orders = sorted({len(gram) for gram in self.grams if len(gram) <= 5})
        found = features(text, self.keys, orders, words=any(len(gram) > 5 for gram in self.grams))
        base = float(self.arrays["base"][label])
        steps = sum(self.weights.get((feature, label), 0) for feature in found)
        r = min(max(base + steps * float(self.arrays["step"][0]) / max(1, len(found)), -4), 1)
        b, n = min(max(-base, 1), 7), log(min(max(len(text), 4), 512))
        k = doubt.COEFFICIENTS.tolist()
        return 1 / (
            1
            + exp(-(k[0] + r * k[1] + b * k[2] + n * k[3] + r * n * k[4] + r * b * k[5] + b * n * k[6] + b * b * k[7]))
        )

    def chances(self, given_: str, wanted: int = 0, *, part: bool = False) -> list[float]:
        """Of the letters in the wanted script; those of a part of a text stand for themselves alone."""
        if count_drawn(given_):
            given_ = re.sub(r"([^\W\d_])\1{2,}|\b([^\W\d_])\2\b", r"\1\2", given_, flags=re.IGNORECASE)
            given_ = re.sub(r"([^\W\d_]{2})\1{2,}[^\W\d_]?", r"\1", given_, flags=re.IGNORECASE)
        words = re.findall("[^\0-/:-@\xa0]+", given_.lower())
        if not wanted and len(words) >= 3 * len(set(words)) and words[:1] and words[0] in words[1:3]:
            given_ = " ".join(dict.fromkeys(words))  # a few words said again and again
        scripts = np.array([wanted], dtype=np.uint8)
        closed = self.model.parameters["closed"]
        made = normalise([given_], limit=1000, closed=closed, one_script=True, row_scripts=scripts)
        text = "".join(map(chr, made.symbols.tolist()))
        chances, length = self.by_letters(given_, text, registry.name(int(made.scripts[0]))), len(text)
        if part:
            return chances.tolist()
        if made.second_scripts[0]:
            chances, length = self.weighed(given_, int(made.scripts[0]), int(made.second_scripts[0]), chances, length)
        english = self.model.labels.index("eng")
        quoted = chances[english] * windows.QUOTED * min(1, windows.QUOTED_LENGTH / max(length, 1))
        if quoted > windows.QUOTED / 100:
            before = self.arrays["prior"] * self.arrays["lean"][0]
            hosts = np.exp(before) * (np.arange(len(chances)) != english)
            chances[english] -= quoted
            chances += quoted * hosts / hosts.sum()
        return chances.tolist()

    def by_letters(self, given_: str, text: str, name: str) -> NDArray[np.float64]:
        chances = np.zeros(len(self.model.labels))
        if not text or name not in self.scripts:
            return chances
        number = self.scripts.index(name)
        columns = np.flatnonzero(self.arrays["script"] == number)
        scores = np.array([self.scores(text, number, label) for label in columns.tolist()])
        shares = np.exp(scores - scores.max())
        strange = self.unknown(text, int(columns[scores.argmax()])) if len(columns) > 1 else 0.0
        letters, plain, _ = count_plain(given_)
        mixed = name != "LATIN" and count_mixed(given_) > max(rubbish.FEWEST_MIXED - 1, rubbish.MIXED * letters)
        drawn = mixed or count_drawn(given_) > rubbish.THIRD_LETTERS * len(given_)
        if strange > doubt.MAX_UNKNOWN or drawn:
            return chances
        rest = (1 - strange) * (1 - OUTLIERS)
        marks = sum(character in "{};" for character in given_)
        twice = sum(map(len, TWICE.findall(given_))) * rubbish.GARBLED > len(given_) or is_misread(given_)
        twice &= name == "LATIN"
        if 2 * plain < letters and name == "LATIN":
            rest *= 1 - rubbish.CODES_DOUBT
        elif twice or (marks > 2 and marks > rubbish.CODE * len(given_)):
            rest *= 1 - rubbish.CODE_DOUBT
        chances[columns] = shares / shares.sum() * rest + (1 - rest) / len(columns)
        return chances

    def weighed(
        self, given_: str, script: int, beside: int, chances: NDArray[np.float64], length: int
    ) -> tuple[NDArray[np.float64], int]:
        """Of a text with words in Latin letters and in another script; `other_script` has tests of its own."""
        is_latin, english = script == LATIN, self.model.labels.index("eng")
        if registry.name(beside) not in self.scripts or (is_latin and not chances.any()):
            return chances, length
        words = find_other_words(given_, beside if is_latin else script)
        if is_latin and not words.text:
            return chances, length
        other = np.array(self.chances(words.text, part=True) if is_latin else self.chances(given_, LATIN, part=True))
        if not other.any():
            return chances, length
        first, second = (chances, other) if is_latin else (other, chances)
        latin = estimate_latin(words, first.astype(np.float32), english)
        latin = max(latin, 1 - MOST) if is_latin else latin if second.any() else 1.0
        return latin * first + (1 - latin) * second, words.latin if not is_latin and latin > 0.5 else length


@pytest.fixture(
    scope="module",
    params=[
        {},
        {"orders": (3,)},
        {"orders": (2, 5), "lm_gain": (0.5, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0), "lm_least": 0.0},
        {"table": 40, "lm_inverse_temperature": 1.0},
        {"closed": False},
        {"lm_gain": (0.0,) * 7},
    ],
    ids=str,
)
def both(request: pytest.FixtureRequest, corpus_folder: Path) -> Iterator[tuple[Discriminative, Plain]]:
    model = train(corpus_folder, **{**SMALL, **request.param})
    with pytest.MonkeyPatch.context() as changed:  # what words of strangers add has tests of its own
        changed.setattr(doubt, "FEWEST_LETTERS", 1 << 40)
        yield Discriminative(model, "", ""), Plain(model)


PARTS = st.sampled_from(
    [
        *(
            "the",
            "weather",
            "das",
            "ist",
            "wetter",
            "και",
            "σπίτι",
            "é",
            "e\u0301",
            "жук",
            "и",
            "(да)",
            "中",
            "ß",
            "aaa",
            "hahaha",
            "K1",
            "f(x)",
            "42",
            "}",
            "qzx",
        ),
        "schÃ¶n",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=40),
    st.lists(PARTS, max_size=12).map(" ".join),
    st.builds(
        lambda part, size: (part * 40)[:size], PARTS, st.sampled_from([*range(28, 34), 37, 38, 39, 63, 126, 180])
    ),
)


@given(texts=st.lists(TEXTS, max_size=4))
def test_probabilities_are_those_of_the_definition(both: tuple[Discriminative, Plain], texts: list[str]) -> None:
    kernels, plain = both
    for text, row in zip(texts, kernels.page_probabilities(texts).tolist(), strict=True):
        assert row == pytest.approx(plain.chances(text), abs=3e-5)
