"""Inputs that a fuzzer found, or might have, run through its harnesses with the C compiler that is here."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HARNESSES = Path(__file__).parent / "native"
PROGRAMS: dict[str, Any] = runpy.run_path(str(HARNESSES / "programs.py"))
PAGES = (
    b"<a href=x>1</a><a href=x>2</a>",
    b"<a href=x>1</a><a href=" + b"y" * 600 + b">2</a><a href=" + b"y" * 600 + b">3</a><a href=x rel=z>",
    b"".join(b"<li><a href=%d>%d</a>" % (number, number) for number in range(140)),
    b"<a href=x><frameset><frame src=a><frame src=a><a href=y>"
    + b"<svg><title></svg><select><option><input>" * 20
    + b"</",
    b"<title>" + b"&lt;" * 200 + b"</title><meta name=robots content=none><p>" + b"text " * 200,
)


@pytest.fixture(scope="module")
def compiler() -> str:
    found = shutil.which(os.environ.get("CC", "cc"))
    if found is None:
        pytest.skip("no C compiler")
    return found


@pytest.mark.parametrize("target", PROGRAMS["TARGETS"])
def test_the_harnesses_fit_the_kernels(compiler: str, target: str) -> None:
    PROGRAMS["check"](target, compiler=compiler)


def test_a_reader_of_markup_without_memory_says_so_or_is_right(compiler: str, tmp_path: Path) -> None:
    try:
        program = PROGRAMS["build"]("html", tmp_path, compiler=compiler, fuzzer=False)
    except PROGRAMS["BuildError"] as error:
        if "sanit" not in str(error) and "asan" not in str(error):
            raise
        pytest.skip("the compiler has no sanitisers")
    inputs = []
    for number, page in enumerate(PAGES):
        for plan in range(1, 64):  # the allocation that fails, and whether those after it fail as well
            path = tmp_path / f"page-{number}-{plan}"
            path.write_bytes(bytes((0, 0, 0, plan, 0, 255)) + page)
            inputs.append(path)
    done = subprocess.run([program, *inputs], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == [str(path) for path in inputs]
