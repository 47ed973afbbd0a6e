"""The notebook runs from its first cell to its last, and shows what comes out."""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOK = EXAMPLES / "notebook.ipynb"


def read_outputs(cell: dict[str, Any]) -> tuple[str, int]:
    """What a cell prints, and how many pictures it draws."""
    texts = ["".join(one["text"]) for one in cell["outputs"] if one["output_type"] == "stream"]
    return "".join(texts), sum("image/png" in one.get("data", {}) for one in cell["outputs"])


def code(path: Path) -> list[dict[str, Any]]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_its_cells_run_and_say_what_stands_there(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    for name in ("notebook.ipynb", "crawl.warc.gz", "crawl.gold.tsv"):
        shutil.copy(EXAMPLES / name, tmp_path)
    runner, copy = EXAMPLES / "run_notebook.py", tmp_path / "notebook.ipynb"
    subprocess.run([sys.executable, "-P", runner, copy], check=True, capture_output=True)
    walk = runpy.run_path(str(Path(__file__).with_name("test_walkthrough.py")))
    before, after = code(NOTEBOOK), code(copy)
    assert len(before) == len(after) == 9
    for old, new in zip(before, after, strict=True):
        (expected, pictures), (found, drawn) = read_outputs(old), read_outputs(new)
        assert drawn == pictures
        assert len(expected.split()) == len(found.split()), found
        wrong = [
            (one, other)
            for one, other in zip(expected.split(), found.split(), strict=True)
            if walk["differ"](one, other)
        ]
        assert wrong == [], "run: make docs"
    assert sum(read_outputs(cell)[1] for cell in after) == 3


def test_it_is_small_and_has_every_output() -> None:
    assert NOTEBOOK.stat().st_size < 150_000
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    assert [cell["execution_count"] for cell in code(NOTEBOOK)] == list(range(1, 10))
