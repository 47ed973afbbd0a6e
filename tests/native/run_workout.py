"""Runs a workout on kernels that were built with a sanitiser, in some threads at once.

python run_workout.py BUILT THREADS WORKOUT [ARGUMENT ...]

BUILT is the folder of the extension modules, WORKOUT a file with ``def workout(seed: int, *arguments: str) -> str``.
All threads do the same work, so what they answer must be the same; it is printed once.
"""

from __future__ import annotations

import runpy
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

SEED = 2004


class Built(MetaPathFinder):
    """Finds the extension modules of a folder before those that are installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        for suffix in EXTENSION_SUFFIXES:
            file = self.folder.joinpath(*fullname.split(".")).with_suffix(suffix)
            if file.exists():
                return spec_from_file_location(fullname, file)
        return None


def main(built: str, threads: str, program: str, *arguments: str) -> None:
    sys.meta_path.insert(0, Built(Path(built)))
    sys.path.append(built)  # where kernels lie that are nowhere else
    workout: Any = runpy.run_path(program)["workout"]
    count = int(threads)
    together = threading.Barrier(count)

    def work(_: int) -> str:
        together.wait()
        return str(workout(SEED, *arguments))

    with ThreadPoolExecutor(count) as pool:
        found = list(pool.map(work, range(count)))
    used = [name for name, module in sys.modules.items() if getattr(module, "__file__", None) and _is_in(module, built)]
    assert used, "the workout uses no kernel"
    assert len(set(found)) == 1, f"threads that did the same answered differently: {found}"
    print(found[0])  # noqa: T201


def _is_in(module: Any, built: str) -> bool:
    return Path(module.__file__).is_relative_to(built)


if __name__ == "__main__":
    sys.setswitchinterval(1e-5)
    main(*sys.argv[1:])
