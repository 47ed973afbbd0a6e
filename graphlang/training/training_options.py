"""Defaults and ranges of the options of `graphlang train` for `nfc` and `nfc-2004`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from graphlang.content.calibration import KNOTS
from graphlang.content.nfc.weight_codec import compute_longest_text
from graphlang.content.ngrams.keys import MAX_ORDER
from graphlang.content.ngrams.vocabulary import MOST_BITS
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Rule(Protocol):
    """The values that an option allows; its string describes them in errors."""

    def allows(self, value: Any) -> bool:
        """Return True if the option allows the value."""


class Range(NamedTuple):
    """A number from `minimum` to `maximum`."""

    minimum: float
    maximum: float
    whole: bool = True

    def allows(self, value: Any) -> bool:
        """Return True if the option allows the value."""
        types = (int,) if self.whole else (int, float)  # not bool, which Python counts as int
        return type(value) in types and self.minimum <= value <= self.maximum

    def __str__(self) -> str:
        return f"a {'whole ' * self.whole}number from {self.minimum:,} to {self.maximum:,}"


class Flag(NamedTuple):
    """True or false."""

    def allows(self, value: Any) -> bool:
        """Return True if the option allows the value."""
        return type(value) is bool

    def __str__(self) -> str:
        return "true or false"


class Numbers(NamedTuple):
    """A list of numbers in a range; the last `zeros` of them must be 0.

    >>> orders = Numbers(Range(1, 5), 1, 5, rising=True)
    >>> str(orders), orders.allows((1, 3)), orders.allows((3, 3)), orders.allows(())
    ('1 to 5 whole numbers from 1 to 5, each above the one before', True, False, False)
    """

    range: Range
    min_length: int
    max_length: int
    rising: bool = False
    zeros: int = 0
    note: str = ""

    def allows(self, value: Any) -> bool:
        """Return True if the option allows the value."""
        return (
            isinstance(value, tuple | list)
            and self.min_length <= len(value) <= self.max_length
            and all(map(self.range.allows, value))
            and not (self.rising and any(a >= b for a, b in pairwise(value)))
            and not any(value[len(value) - self.zeros :])
        )

    def __str__(self) -> str:
        number = f"{self.min_length} to {self.max_length}" if self.min_length < self.max_length else self.max_length
        note = self.note or "each above the one before" * self.rising
        limits = f"from {self.range.minimum:,} to {self.range.maximum:,}"
        return f"{number} {'whole ' * self.range.whole}numbers {limits}{', ' * bool(note)}{note}"


def check_options(options: Mapping[str, Any], rules: Mapping[str, Rule], *, method: str) -> None:
    """Raise a ModelError, with the valid names or values, for an option that a method lacks or a value it rejects.

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
    """Options of training, those in `NFC_ONLY` for `nfc` alone.

    The defaults are those of the shipped `nfc`; `PAPER_OPTIONS` has the published setting. `prior` and `lm_gain` are
    for texts of as many letters as the knots of calibration (`calibration.KNOTS`).
    """

    orders: tuple[int, ...] = (1, 2, 3, 4, 5)  #: lengths of n-grams
    words: bool = True  #: whether words longer than any n-gram are features too
    features: int = 1_500_000  #: size of the vocabulary
    turns: float = 0.65  #: a label of size s chooses features in proportion to s ** turns
    minimum: int = 8_000  #: characters of a label; half is enough if CLDR lists it as official or widely used somewhere
    maximum: int = 400_000  #: characters of a label that are used
    document: int = 1_000  #: characters of a document of Fisher's discriminant
    documents: int = 400  #: documents of a label
    closed: bool = True  #: whether a space follows the last word before the text wraps round; `lm_gain` needs it
    limit: int = 180  #: characters of a text that identification reads
    smoothing: float = 1_000.0  #: characters of text of no particular language that are added to each language
    rounds: int = 12  #: of refinement
    draws: int = 2_000  #: excerpts of the largest label in a round
    power: float = 0.6  #: a label of size s has draws in proportion to s ** power
    words_share: float = 0.1  #: share of the excerpts that are words, for labels with a list (`derived_text`)
    words_size: int = 150_000  #: characters of words drawn from a list
    close_languages: float = 1.0  #: factor on the log ratios of words in close languages, times that of the group
    #: Probability of one language for excerpts of another, above which the one with little text leans on the other
    #: (`sampling_error`); with 0 none does.
    confused: float = 0.03
    bare: float = 0.07  #: share of the text of a label in Latin letters that is also read without its diacritics
    bare_least: int = 15_000  #: characters of such text, if a label has as much: a share of little text is too little
    rate: float = 0.2  #: first step of refinement
    batch: int = 512  #: texts per step
    table: int = 24_000_000  #: weights of a script's common n-grams in a dense table (`sparse_weights`)
    step: float = 0.25  #: weights are rounded to multiples of this
    prior: tuple[float, ...] = (0.4, 0.4, 0.33, 0.24, 0.08, 0.02, 0.0)  #: exponent of the number of speakers
    #: Factor on the log-likelihood of the character language model (`char_lm`); if all are 0, there is no such model.
    lm_gain: tuple[float, ...] = (0.2, 0.2, 0.15, 0.0, 0.0, 0.0, 0.0)
    lm_least: float = 4.0  #: contribution to the log-likelihood that an n-gram or word of this model needs
    lm_text_exponent: float = 4.0  #: exponent of the size of the training text in the prior of this model
    #: Factor on all scores, prior included, of texts that this model reads: it learns from the same text as the vectors
    #: and makes the same errors, so both together are too certain. Chosen on held-out documents and development lines.
    lm_inverse_temperature: float = 0.9
    #: Factor on the fitted inverse temperature of the longest texts, weaker for shorter ones, none for the shortest.
    #: Below 1 for a corpus of few genres, whose held-out lines are easier than the web. Held-out documents of many
    #: genres suggest more than 1, development lines about 1.
    doubt: float = 1.0
    held_out: int = 10  #: one line in this number is held out for calibration
    seed: int = 2004  #: of all random draws

    @property
    def inverse_temperatures(self) -> tuple[float, ...]:
        """The factor at each knot of calibration.

        >>> TrainingOptions(lm_inverse_temperature=0.5, lm_gain=(0.2, 0.1, 0, 0, 0, 0, 0)).inverse_temperatures
        (0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0)
        """
        return tuple(self.lm_inverse_temperature if gain else 1.0 for gain in self.lm_gain)


# The paper has eleven languages with many pages each. Of hundreds of languages with little and uniform text, formula
# 0.5 would choose nearly all of its 1000 n-grams from these, so only labels with plenty of text are trained.
PAPER_OPTIONS = TrainingOptions(
    orders=(3,), features=1_000, closed=False, limit=10_000, minimum=100_000, documents=100, doubt=1.0
)
NFC_ONLY = (
    *("words", "turns", "smoothing", "rounds", "draws", "power", "words_share", "words_size"),
    *("close_languages", "confused", "bare", "bare_least", "rate", "batch"),
    *("table", "step", "prior", "lm_gain", "lm_least", "lm_text_exponent", "lm_inverse_temperature"),
)
_MOST = 2**31
_WITHOUT_LM = (
    sum(knot >= compute_longest_text(MAX_ORDER, words=True) for knot in KNOTS[1:]) + 1
)  # knots that must have 0
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
    "prior": Numbers(Range(0, 10, whole=False), len(KNOTS), len(KNOTS), note=f"for texts of {KNOTS} letters"),
    "lm_gain": Numbers(
        Range(0, 10, whole=False),
        len(KNOTS),
        len(KNOTS),
        zeros=_WITHOUT_LM,
        note=f"for texts of {KNOTS} letters, the last {_WITHOUT_LM} of them 0",
    ),
    "lm_least": Range(0, 1e9, whole=False),
    "lm_text_exponent": Range(0, 20, whole=False),
    "lm_inverse_temperature": Range(0.01, 1, whole=False),
    "doubt": Range(0.01, 100, whole=False),
    "held_out": Range(1, _MOST),
    "seed": Range(0, 2**63),
}


def list_option_rules(method: str) -> dict[str, Rule]:
    """List the options for training a method, with their rules; `words`, an argument of `train`, is not one.

    >>> sorted(list_option_rules("nfc").keys() - list_option_rules("nfc-2004").keys())[:4]
    ['bare', 'bare_least', 'batch', 'close_languages']
    """
    if method == "nfc":
        return {**_RULES, "limit": Range(1, compute_longest_text(1, words=False))}
    return {name: values for name, values in _RULES.items() if name not in NFC_ONLY}
