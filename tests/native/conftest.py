from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphlang.native.kernels import Kernels

ROOT = Path(__file__).parents[2].resolve()


@pytest.fixture(scope="session")
def built_probe() -> str:
    """Name of the module with the kernels of ``probe.h``."""
    built = ROOT / "build" / "probe"
    made = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", f"--build-lib={built}", f"--build-temp={built}/objects"],
        cwd=ROOT,
        env={**os.environ, "GRAPHLANG_KERNELS": "tests/native/probe.c"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr[-3000:]
    sys.path.append(str(built))
    return "graphlang_tests.native._probe"


@pytest.fixture(scope="session", params=[0, 7], ids=["taken by calls", "written out"])
def probe(built_probe: str, request: pytest.FixtureRequest) -> Kernels:
    """Its kernels, called in both ways that there are."""
    return Kernels(built_probe, few=request.param)
