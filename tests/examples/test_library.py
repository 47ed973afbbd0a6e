"""The notebook-style script runs from its first cell to its last, and prints the documented results."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LIBRARY = Path(__file__).parents[2] / "examples" / "library.py"


def test_the_cells_run_and_every_step_knows_more_than_the_one_before(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(LIBRARY), str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    content, by_vote, final, weaker = (
        float(found) for found in re.findall(r"^run .* tiny ([0-9.]+)", done.stdout, re.MULTILINE)
    )
    assert content < by_vote <= final
    assert content < weaker
    assert "35 languages, " in done.stdout
    assert (tmp_path / "own.npz").exists()
