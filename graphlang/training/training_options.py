"""The options of `graphlang train` for `nfc` and `nfc-2004`: defaults and ranges.

Every value is checked before anything is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from graphlang.content.calibration import KNOTS
from graphlang.content.nfc.weight_codec import longest_text
from graphlang.content.ngrams.keys import MAX_ORDER
from graphlang.content.ngrams.vocabulary import MOST_BITS
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Rule(Protocol):
    """The values that an option allows; its string describes them."""

    def allows(self, value: Any) -> bool:
        """Return True if the option allows a value."""


class Range(NamedTuple):
    """The values that an option may have, both ends included."""

    least: float
    most: float
    whole: bool = True

    def allows(self, value: Any) -> bool:
        """Return True if the option allows a value."""
        types = (int,) if self.whole else (int, float)
        # A comparison with NaN is false; true and false are numbers to Python, and no numbers here.
        return type(value) in types and self.least <= value <= self.most

    def __str__(self) -> str:
        return f"a {'whole ' * self.whole}number from {self.least:,} to {self.most:,}"


class Flag(NamedTuple):
    """Either of the two truths."""

    def allows(self, value: Any) -> bool:
        """Return True if the option allows a value."""
        return type(value) is bool

    def __str__(self) -> str:
        return "true or false"


class Numbers(NamedTuple):
    """Some numbers, each of which is in a range; the last `zeros` of them must be 0.

    >>> orders = Numbers(Range(1, 5), 1, 5, rising=True)
    >>> str(orders), orders.allows((1, 3)), orders.allows((3, 3)), orders.allows(())
    ('1 to 5 whole numbers from 1 to 5, each above the one before', True, False, False)
    """

    each: Range
    fewest: int
    most: int
    rising: bool = False
    zeros: int = 0
    note: str = ""

    def allows(self, value: Any) -> bool:
        """Return whether a value is a list or tuple of this many."""
        return (
            isinstance(value, tuple | list)
            and self.fewest <= len(value) <= self.most
            and all(map(self.each.allows, value))
            and not (self.rising and any(a >= b for a, b in pairwise(value)))
            and not any(value[len(value) - self.zeros :])
        )

    def __str__(self) -> str:
        number = f"{self.most}" if self.fewest == self.most else f"{self.fewest} to {self.most}"
        note = self.note or "each above the one before" * self.rising
        whole = "whole " * self.each.whole
        return f"{number} {whole}numbers from {self.each.least:,} to {self.each.most:,}{', ' * bool(note)}{note}"


def check_options(options: Mapping[str, Any], rules: Mapping[str, Rule], *, method: str) -> None:
    """Raise a ModelError for options that a method does not have, and values that it does not allow.

    The message has the valid names or the range.

    >>> check_options({"features": 0}, {"features": Range(1, 1_000)}, method="textcat")
    Traceback (most recent call last):
    graphlang.modelfile.ModelError: features=0: a whole number from 1 to 1,000
    """
    if unknown := sorted(set(options) - set(rules)):
        names = ", ".join(sorted(rules))
        raise ModelError(f"{', '.join(unknown)}: no option of training {method} (it has {names})")
    for name, value in options.items():
        if not rules[name].allows(value):
            raise ModelError(f"{name}={value}: {rules[name]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """How to train. The defaults are those of the shipped `nfc`; `PAPER_OPTIONS` has the published setting.

    Attributes:
        orders: Lengths of n-grams.
        words: Whether longer words are features too (`nfc` only).
        features: Size of the vocabulary.
        turns: A label of size s chooses features in proportion to s ** turns (`nfc` only).
        minimum: Labels with less text (characters) are left out; half as much is enough for a language that CLDR
            lists as official or widely used in some territory.
        maximum: Characters of a label that are used at most.
        document: Characters of a training document (for Fisher).
        documents: Documents of a label at most (for Fisher).
        closed: Whether a space follows the last word before the text wraps round. Where none does, there is no
            character language model either.
        limit: Characters of a text that are looked at when classifying.
        smoothing: Characters of a text of no particular language added to each language's own (`nfc` only).
        rounds: Of refinement (`nfc` only).
        draws: Excerpts that the largest label gives to one round (`nfc` only).
        power: A label of size s gives draws in proportion to s ** power (`nfc` only).
        words_share: Part of the excerpts that are words, for labels with a list (`derived_text`; `nfc` only).
        words_size: Characters of words drawn from a list (`nfc` only).
        close_languages: Factor on the log ratios of words in close languages, beside that of each group
            (`close_languages`; `nfc` only).
        confused: Probability that excerpts of one language have of being in another, above which the one with little
            text leans on the other (`sampling_error`; `nfc` only). 0: none does.
        bare: Characters of lines that are learnt without their diacritics too, per character of a label in Latin
            letters (`derived_text`; `nfc` only).
        bare_least: Least characters of such lines of a label, if it has that much text: of a label with little text a
            small part would be too few to learn from (`nfc` only).
        rate: Step of refinement at its beginning (`nfc` only).
        batch: Texts per step (`nfc` only).
        prior: Exponent of the number of speakers in the prior (`speaker_prior`), for texts of as many letters as the
            knots of calibration (`calibration.KNOTS`; `nfc` only).
        lm_gain: Factor on the log-likelihood of the character language model (`char_lm`), for texts of as many
            letters as the knots of calibration; if all are 0, there is no such model (`nfc` only).
        lm_least: Least contribution of an n-gram or a word to the log-likelihood of a language's words in the
            character language model (`nfc` only).
        lm_text_exponent: Exponent of the amount of training text in the prior of the character language model (`nfc`
            only).
        lm_inverse_temperature: Factor on all scores of texts for which the character language model counts, the prior
            included: it learns from the same text as the vectors and errs with them, so that both together are surer
            than they should be (chosen on kept-out documents and development lines; `nfc` only). Scripts without such
            a model share the prior's part of it, and no more.
        table: Most weights of one script's common n-grams in a dense table (`sparse_weights`; `nfc` only).
        step: Weights are rounded to whole multiples of this (`nfc` only).
        doubt: Factor on the fitted inverse temperature of the longest texts, less of it for shorter ones, none
            for the shortest: below 1 for a corpus of few kinds of text, whose held-out lines resemble training more
            than the web does. Kept-out documents of many kinds ask for more than 1; development lines, for about 1.
        held_out: One line in this number is held out for calibration.
        seed: Of all random draws.
    """

    orders: tuple[int, ...] = (1, 2, 3, 4, 5)
    words: bool = True
    features: int = 1_500_000
    turns: float = 0.65
    minimum: int = 8_000
    maximum: int = 400_000
    document: int = 1_000
    documents: int = 400
    closed: bool = True
    limit: int = 180
    smoothing: float = 1_000.0
    rounds: int = 12
    draws: int = 2_000
    power: float = 0.6
    words_share: float = 0.1
    words_size: int = 150_000
    close_languages: float = 1.0
    confused: float = 0.03
    bare: float = 0.07
    bare_least: int = 15_000
    rate: float = 0.2
    batch: int = 512
    table: int = 24_000_000
    step: float = 0.25
    prior: tuple[float, ...] = (0.4, 0.4, 0.33, 0.24, 0.08, 0.02, 0.0)
    lm_gain: tuple[float, ...] = (0.2, 0.2, 0.15, 0.0, 0.0, 0.0, 0.0)
    lm_least: float = 4.0
    lm_text_exponent: float = 4.0
    lm_inverse_temperature: float = 0.9
    doubt: float = 1.0
    held_out: int = 10
    seed: int = 2004

    @property
    def inverse_temperatures(self) -> tuple[float, ...]:
        """The factor at each knot of calibration.

        >>> TrainingOptions(lm_inverse_temperature=0.5, lm_gain=(0.2, 0.1, 0, 0, 0, 0, 0)).inverse_temperatures
        (0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0)
        """
        return tuple(self.lm_inverse_temperature if gain else 1.0 for gain in self.lm_gain)


# The paper has eleven languages and many pages of each. Given hundreds of languages whose texts are few and much alike,
# formula 0.5 gives nearly all of its 1000 places to those, so only the labels with plenty of text take part.
PAPER_OPTIONS = TrainingOptions(
    orders=(3,), features=1_000, closed=False, limit=10_000, minimum=100_000, documents=100, doubt=1.0
)
NFC_ONLY = (
    *("words", "turns", "smoothing", "rounds", "draws", "power", "words_share", "words_size"),
    *("close_languages", "confused", "bare", "bare_least", "rate", "batch"),
    *("table", "step", "prior", "lm_gain", "lm_least", "lm_text_exponent", "lm_inverse_temperature"),
)
_MOST = 2**31
_WITHOUT_LM = sum(knot >= longest_text(MAX_ORDER, words=True) for knot in KNOTS[1:]) + 1  # it ends at the next knot
_RULES: Final[Mapping[str, Rule]] = {
    "orders": Numbers(Range(1, MAX_ORDER), 1, MAX_ORDER, rising=True),
    "features": Range(1, (1 << MOST_BITS) // 3),  # three slots of the table for each
    "turns": Range(0, 10, whole=False),
    "minimum": Range(0, _MOST),
    "maximum": Range(1, _MOST),
    "document": Range(1, _MOST),
    "documents": Range(1, _MOST),
    "closed": Flag(),
    "limit": Range(1, 1_000_000),
    "smoothing": Range(1e-3, 1e9, whole=False),
    "rounds": Range(0, 100_000),
    "draws": Range(1, 10_000_000),
    "power": Range(0, 10, whole=False),
    "words_share": Range(0, 0.999, whole=False),
    "words_size": Range(1, 100_000_000),
    "close_languages": Range(0, 100, whole=False),
    "confused": Range(0, 1, whole=False),
    "bare": Range(0, 1, whole=False),
    "bare_least": Range(0, _MOST),
    "rate": Range(0, 100, whole=False),
    "batch": Range(1, _MOST),
    "table": Range(0, _MOST),
    "step": Range(1e-3, 100, whole=False),
    "prior": Numbers(
        Range(0, 10, whole=False), len(KNOTS), len(KNOTS), note=f"one for each of so many letters: {KNOTS}"
    ),
    "lm_gain": Numbers(
        Range(0, 10, whole=False),
        len(KNOTS),
        len(KNOTS),
        zeros=_WITHOUT_LM,
        note=f"one for each of so many letters: {KNOTS}, the last {_WITHOUT_LM} of them 0",
    ),
    "lm_least": Range(0, 1e9, whole=False),
    "lm_text_exponent": Range(0, 20, whole=False),
    "lm_inverse_temperature": Range(0.01, 1, whole=False),
    "doubt": Range(0.01, 100, whole=False),
    "held_out": Range(1, _MOST),
    "seed": Range(0, 2**63),
}


def option_rules(method: str) -> dict[str, Rule]:
    """Return the options for training a method, with their rules.

    `words` is missing: lists of words are an argument of that name.

    >>> sorted(option_rules("nfc").keys() - option_rules("nfc-2004").keys())[:4]
    ['bare', 'bare_least', 'batch', 'close_languages']
    """
    if method == "nfc":
        return {**_RULES, "limit": Range(1, longest_text(1, words=False))}
    return {name: values for name, values in _RULES.items() if name not in NFC_ONLY}
