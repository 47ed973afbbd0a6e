"""The weights of the inference, if none are given: what ``graphlang tune`` made of the development collections.

``make weights`` writes the file anew; ``inference.Options`` says what each one weighs.
"""

from __future__ import annotations

import json
from importlib.resources import files

#: Weight by name: of the links and what they say, and of each signal.
WEIGHTS: dict[str, float] = json.loads((files("graphlang") / "data" / "weights.json").read_text(encoding="utf-8"))
