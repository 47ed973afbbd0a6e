"""Measured figures of the methods, from the file that ``tests/benchmarks/method_cards.py`` writes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).parent.parent / "data" / "method-figures.json"


@cache
def figures() -> dict[str, Any]:
    """The whole file: command, date, tests, URLs of training, and by method what was measured."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found
