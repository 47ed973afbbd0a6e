"""Where the kernels are, and how their harnesses are compiled.

A folder beside this file is a target: its sources together are one program. Each includes the kernel that it is about
under a name such as ``KERNEL_GRAPH_ADJACENCY``, so that the one list of places is here.
"""

from __future__ import annotations

import hashlib
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[2]
TARGETS: Final = ("html", "join", "places", "page", "fields", "ngrams", "segments", "urls", "db", "graph")

#: Name in the harnesses -> folder, and the file's name there or below, with or without an underscore before it.
KERNELS: Final = {
    "HTML": ("ingest", "html"),
    "JOIN": ("ingest", "join"),
    "PLACES": ("ingest", "places"),
    "ORDINARY_PAGE": ("ingest", "ordinary_page"),
    "FIELDS": ("ingest", "fields"),
    "DB_IDS": ("db", "ids"),
    "DB_LINK_ROWS": ("db", "link_rows"),
    "LETTERS": ("graphlang/content", "letters"),
    "NGRAMS": ("graphlang/content", "ngrams"),
    "SCORES": ("graphlang/content", "scores"),
    "TALLY": ("graphlang/content", "tally"),
    "SEGMENTS": ("graphlang/content", "segments"),
    "URL_SUMS": ("graphlang/urls", "url_sums"),
    "GRAPH_ADJACENCY": ("graphlang/graph", "adjacency"),
    "GRAPH_BELIEF_STEPS": ("graphlang/graph", "belief_steps"),
    "GRAPH_COUPLINGS": ("graphlang/graph", "couplings"),
    "GRAPH_DEGREE_CAP": ("graphlang/graph", "degree_cap"),
    "GRAPH_EDGE_FEATURES": ("graphlang/graph", "edge_features"),
    "GRAPH_LANGUAGE_TABLES": ("graphlang/graph", "language_tables"),
    "GRAPH_LINK_ORDER": ("graphlang/graph", "link_order"),
    "GRAPH_LOG_MESSAGES": ("graphlang/graph", "log_messages"),
    "GRAPH_MESSAGE_CLASSES": ("graphlang/graph", "message_classes"),
}

_FLAGS: Final = ("-std=gnu11", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wno-unused-function")
_CHECKED: Final = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-U_FORTIFY_SOURCE")


class BuildError(Exception):
    """A harness was not built."""


def kernel(name: str) -> Path:
    """Return the source of a kernel.

    Raises:
        BuildError: there is none of its name, or there are several.
    """
    folder, stem = KERNELS[name]
    found = [path for path in sorted((ROOT / folder).rglob("*.c")) if path.stem.lstrip("_") == stem]
    if len(found) != 1:
        raise BuildError(f"{len(found)} files are called {stem}.c in {folder}: tests/fuzz/native/build.py names them")
    return found[0]


def build(target: str, folder: Path, *, compiler: str = "clang", fuzzer: bool = True) -> Path:
    """Compile a target with the sanitisers of addresses and of undefined behaviour.

    Args:
        target: One of `TARGETS`.
        folder: Where the program goes.
        compiler: Its name; clang where a fuzzer is wanted.
        fuzzer: With libFuzzer; else a program that runs the files it is given, once.

    Raises:
        BuildError: the compiler is missing, or refuses.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program, told = folder / target, folder / f"{target}.made-of"
    how = ("-O1", "-fsanitize=fuzzer") if fuzzer else ("-O0", str(HERE / "replay.c"))
    command = [*_command(compiler, target), *_CHECKED, *how, "-lm", "-o", str(program)]
    made_of = _digest(command, _run([*_command(compiler, target), "-MM"], target))
    if not (program.exists() and told.exists() and told.read_text(encoding="ascii") == made_of):
        _run(command, target)
        told.write_text(made_of, encoding="ascii")
    return program


def check(target: str, *, compiler: str) -> None:
    """Raise BuildError unless the harnesses of a target fit the kernels as they are."""
    strict = ("-fsyntax-only", "-Werror=incompatible-pointer-types", "-Werror=int-conversion")
    _run([*_command(compiler, target), *strict], target)


def _digest(command: list[str], dependencies: str) -> str:
    """What a program is made of: how, and the files that the compiler lists."""
    found = hashlib.sha256("\0".join(command).encode())
    for path in sorted({part for part in dependencies.replace("\\\n", " ").split() if not part.endswith(":")}):
        found.update(Path(path).read_bytes())
    return found.hexdigest()


def _command(compiler: str, target: str) -> list[str]:
    path = shutil.which(compiler)
    if path is None:
        raise BuildError(f"{compiler} is not installed")
    sources = [HERE / "harness.c", *sorted((HERE / target).glob("*.c"))]
    kernels = {name: kernel(name) for name in KERNELS}
    for maker in sorted({maker for source in kernels.values() for maker in source.parent.glob("make_*.py")}):
        runpy.run_path(str(maker), run_name="__main__")  # of headers that are not in the repository
    places = [f'-DKERNEL_{name}="{source}"' for name, source in kernels.items()]
    return [path, *_FLAGS, f"-I{ROOT / 'graphlang' / 'native'}", *places, *map(str, sources)]


def _run(command: list[str], target: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{command[0]} does not build {target}:\n{done.stderr[-4000:]}")
    return done.stdout
