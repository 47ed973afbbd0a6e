"""The kernels over texts under the sanitisers, fed with anything, and nonsense."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def test_no_sanitiser_complains(under_sanitisers: Callable[..., str], tiny_model_path: Path) -> None:
    workout = Path(__file__).with_name("workout_kernels.py")
    assert under_sanitisers(workout, str(tiny_model_path)) == "went through True True True\n"
