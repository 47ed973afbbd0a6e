"""The walk-through of the examples is run as it stands, and what it shows is what comes out.

``python tests/examples/test_walkthrough.py`` runs it and writes the outputs into the page again (``make docs`` does).
"""

from __future__ import annotations

import difflib
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = EXAMPLES / "README.md"
FILES = ("crawl.warc.gz", "crawl.gold.tsv")
BLOCK = re.compile(
    r"```sh\n(?P<commands>.*?)```\n\n(?P<mark><!-- output -->\n)(?:\n```text\n(?P<output>.*?)```\n)?", re.DOTALL
)
#: Lines of an output that the page shows; longer ones end in a line that says how many follow.
SHOWN = 40
#: Numbers may differ so far from machine to machine.
ROOM = 0.02


def run(commands: str, folder: Path) -> str:
    """What a block of commands prints, on standard output and standard error, without what changes from run to run."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "120"}
    done = subprocess.run(
        ["bash", "-euc", commands],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{commands}{done.stdout}"
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ(?= )", "2026-11-21T00:00:00Z", done.stdout)
    text = re.sub(r"in [\d.]+ s \([\d,]+ captures/s\)", "in 0.9 s (500 captures/s)", text)
    # Which stages are named depends on the machine, too: those that take no time are left out.
    text = re.sub(r"(?m)^stages: .*", "stages: ingest 0.3 s  classify 0.3 s  vote 0.3 s  propagate 0.3 s", text)
    text = re.sub(r"\b[0-9a-f]{12}\b", "0123456789ab", text)
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    if len(lines) > SHOWN:
        lines[SHOWN:] = [f"... and {len(lines) - SHOWN} more lines"]
    return "\n".join(lines) + "\n"


def words(text: str) -> list[str]:
    """Words of an output; rules of tables are as long as their columns, which is of no interest."""
    return re.sub("─+", "─", text).split()


def differ(expected: str, found: str) -> bool:
    """Whether two words differ by more than numbers may from machine to machine."""
    if expected == found:
        return False
    numbers = [re.split(r"([+-]?\d+\.\d+|\d+(?=%))", word) for word in (expected, found)]
    if len(numbers[0]) != len(numbers[1]):
        return True
    for one, other in zip(*numbers, strict=True):
        try:
            room = ROOM * 100 if float(one) == int(float(one)) and "." not in one else ROOM * max(1, abs(float(one)))
            if not math.isclose(float(one), float(other), abs_tol=room):
                return True
        except ValueError:
            if one != other:
                return True
    return False


def outputs(text: str) -> list[tuple[re.Match[str], str]]:
    """Every block of the page with what its commands print now, run in order in one folder."""
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            shutil.copy(EXAMPLES / name, folder)
        return [(block, run(block["commands"], Path(folder))) for block in BLOCK.finditer(text)]


def test_the_page_shows_what_comes_out() -> None:
    text = PAGE.read_text(encoding="utf-8")
    results = outputs(text)
    assert len(results) >= 15
    for block, found in results:
        assert block["output"], f"no output yet for {block['commands']}: run make docs"
        told = f"{block['commands']}prints something else; where it is meant, run: make docs\n"
        expected = words(block["output"])
        lines = difflib.unified_diff(block["output"].splitlines(), found.splitlines(), PAGE.name, "today", lineterm="")
        assert len(expected) == len(words(found)), told + "\n".join(lines)
        wrong = [(one, other) for one, other in zip(expected, words(found), strict=True) if differ(one, other)]
        assert not wrong, f"{told}{wrong}"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    for match, printed in reversed(outputs(page)):
        shown = f"```sh\n{match['commands']}```\n\n{match['mark']}\n```text\n{printed}```\n"
        page = page[: match.start()] + shown + page[match.end() :]
    PAGE.write_text(page, encoding="utf-8")
