"""Weights and limits of the inference, and limits of the vote; importing them loads no arrays.

`WEIGHTS` has the default weights. ``graphlang tune`` fitted them to the development collections; ``make weights``
writes the file.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass, fields
from importlib.resources import files

#: Limits of the vote (Hayati 2004).
MIN_LENGTH = 50  #: pages with more characters keep the answer of their text; the paper measures below 25 and below 50
MIN_REF_LENGTH = 150  #: least number of characters of a voter, from the paper
MAX_INLINKS = 10  #: from the paper

LARGEST = 100.0  #: largest weight of the inference

#: Default weights by name: of links, of their evidence, and of each signal.
WEIGHTS: dict[str, float] = json.loads((files("graphlang") / "data" / "weights.json").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Options:
    """Weights and limits of the inference; a weight of 0 disables its part.

    Raises:
        ValueError: a number that is negative or not a number, a weight above ``LARGEST``, a limit beyond 63 bits.
    """

    rounds: int = 200  #: cap on rounds
    tolerance: float = 1e-3  #: converged when no probability changes by more than this in a round
    neighbours: float = WEIGHTS["neighbours"]  #: weight of the links
    site: float = WEIGHTS["site"]  #: exponent of the site's language distribution in the prior
    directory: float = WEIGHTS["directory"]  #: exponent of the directory's distribution, relative to the site's
    hreflang: float = WEIGHTS["hreflang"]  #: weight of hreflang
    link_order: float = WEIGHTS["link_order"]  #: weight of the position in lists of links
    degree: float = WEIGHTS["degree"]  #: sum of couplings that counts in full, per host and over all hosts
    #: pages with this many characters are clamped to the language of their text (with half as many if it is firm) ...
    clamp_length: int = 200
    doubtful: float = 0.8  #: ... unless its probability is below this: then they use their clamped neighbours too
    calibration: float = WEIGHTS["calibration"]  #: exponent of a clamped page's probabilities in its answer; 1: none
    #: compatibility, priors and reliability are learned from pages with this many characters ...
    certain_length: int = 150
    certain: float = 0.5  #: ... and at least this probability

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0 <= value < math.inf:
                raise ValueError(f"{field.name} is {value}; it must be a number that is not negative")
            if field.name in WEIGHTS and field.name != "degree" and value > LARGEST:
                raise ValueError(f"{field.name} is {value}; no weight can be above {LARGEST:g}")
            if isinstance(value, int) and value > sys.maxsize:  # arrays and databases hold 63 bits
                raise ValueError(f"{field.name} is {value}; no limit can be above {sys.maxsize}")
