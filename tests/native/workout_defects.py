"""Kernels with a defect, which a sanitiser must find."""

from __future__ import annotations

import numpy as np


def workout(_: int, defect: str) -> str:
    from graphlang_tests.native import probe as kernels  # noqa: PLC0415  where the harness built it

    if defect == "beyond":
        kernels.probe_beyond(np.zeros(1 << 16, np.uint8))
    elif defect == "race":
        kernels.probe_race(1_000_000)
    return f"no {defect}"
