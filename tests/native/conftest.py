from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphlang.native.kernels import Kernels

ROOT = Path(__file__).parents[2].resolve()


@pytest.fixture(scope="session")
def probe() -> Kernels:
    """The kernels of ``probe.h``."""
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
    return Kernels("graphlang_tests.native._probe")
