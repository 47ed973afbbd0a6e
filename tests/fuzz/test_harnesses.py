"""Every kernel is fuzzed: what is built, what the harnesses are about, and what is run by default are the same."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD: dict[str, Any] = runpy.run_path(str(ROOT / "graphlang" / "native" / "build.py"))
PROGRAMS: dict[str, Any] = runpy.run_path(str(HERE / "native" / "programs.py"))


def about(target: str) -> set[str]:
    """The kernels that the harnesses of a target include, by their names in `programs.KERNELS`."""
    sources = [path.read_text(encoding="utf-8") for path in (HERE / "native" / target).glob("*.c")]
    return {name for source in sources for name in re.findall(r"^#include KERNEL_(\w+)", source, re.MULTILINE)}


def test_every_kernel_has_a_harness_that_is_about_it() -> None:
    built = {ROOT / kernel.source for kernel in BUILD["KERNELS"]}
    named = {name: PROGRAMS["kernel"](name) for name in PROGRAMS["KERNELS"]}
    assert built == set(named.values()), "name it in KERNELS of tests/fuzz/native/programs.py"
    included = {name for target in PROGRAMS["TARGETS"] for name in about(target)}
    assert included == set(named), "tests/fuzz/native/TARGET/NAME.c includes KERNEL_NAME"


def test_every_target_is_run_by_default_and_described() -> None:
    folders = {path.name for path in (HERE / "native").iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert folders == set(PROGRAMS["TARGETS"])
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"\nTARGETS ?= {' '.join(PROGRAMS['TARGETS'])}\n" in makefile
    described = re.findall(r"^\| (\w+) \|", (HERE / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert described == ["target", *PROGRAMS["TARGETS"]]
