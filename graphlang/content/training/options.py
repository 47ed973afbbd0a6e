"""How to train `nfc` and `nfc-2004`: every choice with its default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from graphlang.content.calibration import KNOTS
from graphlang.content.nfc.weight_codec import longest_text
from graphlang.content.ngrams.keys import MAX_ORDER
from graphlang.content.ngrams.vocabulary import MOST_BITS
from graphlang.content.training.option_checks import Flag, Range, Several
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphlang.content.training.option_checks import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """How to train. The defaults are those of the shipped `nfc`; `PAPER` has the published setting.

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
        words_share: Part of the excerpts that are words of a list, for labels that have one (`word_lists`; `nfc` only).
        words_size: Characters of words drawn from a list (`nfc` only).
        close_languages: Factor on the log ratios of words in close languages, beside that of each group
            (`close_languages`; `nfc` only).
        confused: Probability that excerpts of one language have of being in another, above which the one with little
            text leans on the other (`sampling_error`; `nfc` only). 0: none does.
        bare: Characters of lines that are learnt without their diacritics too, per character of a label in Latin
            letters (`strip_diacritics`; `nfc` only).
        bare_least: Characters of such lines that a label has at least, if it has so many: of a label with little text a
            small part would be too few to learn from (`nfc` only).
        rate: Step of refinement at its beginning (`nfc` only).
        batch: Texts per step (`nfc` only).
        prior: Exponent of the number of speakers in the prior (`speaker_prior`), for texts of as many letters as the
            knots of calibration (`calibration.KNOTS`; `nfc` only).
        lm_gain: What the log-likelihood of the character language model (`char_lm`) counts for, for texts of as many
            letters as the knots of calibration; if all are 0, there is no such model (`nfc` only).
        lm_least: What an n-gram or a word must add to the log-likelihood of a language's words to be kept in the
            character language model (`nfc` only).
        lm_text_exponent: Exponent of the amount of training text in the prior of the character language model (`nfc`
            only).
        lm_inverse_temperature: Factor on all scores of texts for which the character language model counts, the prior
            included: it learns from the same text as the vectors and errs with them, so that both together are surer
            than they should be (measured on development lines; `nfc` only). Scripts without such a model share the
            prior's part of it, and no more.
        table: Weights of one script's common n-grams that may stand in a table (`sparse_weights`; `nfc` only).
        step: Weights are rounded to whole multiples of this (`nfc` only).
        doubt: Factor on the fitted inverse temperature at the longest texts, less and less of it at shorter ones, none
            at the shortest: lines held out resemble their training text more than the web does, and the longer a text,
            the surer that makes the model (measured on development lines).
        held_out: One line in so many is kept from training, for calibration.
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
    rounds: int = 24
    draws: int = 3_500
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
    lm_inverse_temperature: float = 0.83
    doubt: float = 0.85
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
PAPER = TrainingOptions(
    orders=(3,), features=1_000, closed=False, limit=10_000, minimum=100_000, documents=100, doubt=1.0
)
ONLY_REFINED = (
    *("words", "turns", "smoothing", "rounds", "draws", "power", "words_share", "words_size"),
    *("close_languages", "confused", "bare", "bare_least", "rate", "batch"),
    *("table", "step", "prior", "lm_gain", "lm_least", "lm_text_exponent", "lm_inverse_temperature"),
)
#: Former name of an option -> its name; `renamed` takes both.
FORMER: Final[Mapping[str, str]] = {
    "plain": "bare",
    "siblings": "close_languages",
    "spelling": "lm_gain",
    "spelt": "lm_least",
    "temper": "lm_inverse_temperature",
    "written": "lm_text_exponent",
}
_ANY = 2**31
_WITHOUT_LM = sum(knot >= longest_text(MAX_ORDER, words=True) for knot in KNOTS[1:]) + 1  # it ends at the next knot
_RANGES: Final[Mapping[str, Rule]] = {
    "orders": Several(Range(1, MAX_ORDER), 1, MAX_ORDER, rising=True),
    "features": Range(1, (1 << MOST_BITS) // 3),  # three slots of the table for each
    "turns": Range(0, 10, whole=False),
    "minimum": Range(0, _ANY),
    "maximum": Range(1, _ANY),
    "document": Range(1, _ANY),
    "documents": Range(1, _ANY),
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
    "bare_least": Range(0, _ANY),
    "rate": Range(0, 100, whole=False),
    "batch": Range(1, _ANY),
    "table": Range(0, _ANY),
    "step": Range(1e-3, 100, whole=False),
    "prior": Several(
        Range(0, 10, whole=False), len(KNOTS), len(KNOTS), note=f"one for each of so many letters: {KNOTS}"
    ),
    "lm_gain": Several(
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
    "held_out": Range(1, _ANY),
    "seed": Range(0, 2**63),
}


def renamed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with those of a former name under the name that they have now.

    Args:
        options: As they were given.

    Raises:
        ModelError: one is given under both of its names.

    >>> renamed({"temper": 0.5, "seed": 1})
    {'lm_inverse_temperature': 0.5, 'seed': 1}
    """
    for before, now in FORMER.items():
        if before in options and now in options:
            raise ModelError(f"{before} is the former name of {now}: give one of them")
    return {FORMER.get(name, name): value for name, value in options.items()}


def ranges(method: str) -> dict[str, Rule]:
    """What may be given to train a method, and what may be said of it.

    `words` is missing: whoever trains gives lists of words by that name.

    >>> sorted(ranges("nfc").keys() - ranges("nfc-2004").keys())[:4]
    ['bare', 'bare_least', 'batch', 'close_languages']
    """
    if method == "nfc":
        return {**_RANGES, "limit": Range(1, longest_text(1, words=False))}
    return {name: values for name, values in _RANGES.items() if name not in ONLY_REFINED}
