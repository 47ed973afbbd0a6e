from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2].resolve()


@pytest.fixture(scope="session")
def probe() -> ModuleType:
    """The module that calls the kernels of ``probe.h``."""
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
    return import_module("graphlang_tests.native.probe")
