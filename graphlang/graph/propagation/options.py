"""Weights and limits of the inference.

`WEIGHTS` are the defaults. ``graphlang tune`` fitted them to the development collections; ``make weights`` writes them.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass, fields
from importlib.resources import files

from graphlang.graph.data import LARGEST

#: Weight by name: of the links and what they say, and of each signal.
WEIGHTS: dict[str, float] = json.loads((files("graphlang") / "data" / "weights.json").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Options:
    """Weights and limits of the inference; a weight of 0 switches its part off.

    Raises:
        ValueError: a number that is negative or not a number, a weight above ``LARGEST``, a limit beyond 63 bits.
    """

    rounds: int = 200  #: cap on rounds
    tolerance: float = 1e-3  #: converged when no probability moves by more in a round
    neighbours: float = WEIGHTS["neighbours"]  #: weight of the links
    site: float = WEIGHTS["site"]  #: power of the languages of the site as the prior
    directory: float = WEIGHTS["directory"]  #: power of the languages of the directory, relative to the site's
    hreflang: float = WEIGHTS["hreflang"]  #: weight of the languages that links announce for their targets
    link_order: float = WEIGHTS["link_order"]  #: weight of the page's positions in the lists that name it
    degree: float = WEIGHTS["degree"]  #: couplings beyond so many share their weight, for each host and in all
    #: a page with this many characters of text is clamped: it keeps its text's language (half is enough if sure) ...
    clamp_length: int = 200
    doubtful: float = 0.8  #: ... unless its text is less sure than this: it uses its sure neighbours then
    calibration: float = WEIGHTS["calibration"]  #: power of a clamped page's probabilities in its answer; 1: none
    certain_length: int = (
        150  #: compatibility, priors and reliability are learned from pages with so many characters ...
    )
    certain: float = 0.5  #: ... whose text is so sure

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0 <= value < math.inf:
                raise ValueError(f"{field.name} is {value}; it must be a number that is not negative")
            if field.name in WEIGHTS and field.name != "degree" and value > LARGEST:
                raise ValueError(f"{field.name} is {value}; no weight can be above {LARGEST:g}")
            if isinstance(value, int) and value > sys.maxsize:  # beyond what arrays and a database hold
                raise ValueError(f"{field.name} is {value}; no limit can be above {sys.maxsize}")
