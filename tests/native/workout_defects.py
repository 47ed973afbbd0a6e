"""Kernels with a defect, which a sanitiser must find."""

from __future__ import annotations

import numpy as np

from graphlang.native.kernels import Kernels


def workout(_: int, defect: str) -> str:
    kernels = Kernels("graphlang_tests.native._probe")
    if defect == "beyond":
        kernels.probe_beyond(np.zeros(1 << 16, np.uint8))
    elif defect == "race":
        kernels.probe_race(1_000_000)
    return f"no {defect}"
