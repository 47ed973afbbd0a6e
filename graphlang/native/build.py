"""Which kernels there are and how they are built; `setup.py` runs this file.

How to add a kernel:

1. ``ROOM/native/NAME.h`` declares it, once: ``#include "kernel.h"``, then types, enums and prototypes, all names with
   ``graphlang_`` before them. An array says how many elements it has, ``const`` that it is only read, OPTIONAL that it
   may be None::

       int64_t graphlang_link_rows(uint64_t pages, uint64_t links, const int64_t ids[pages + links],
                                   const int64_t counts[pages], const uint8_t kinds[links],
                                   int64_t rows[links * WIDTH], OPTIONAL float weights[links],
                                   graphlang_fault *fault);

   A memory of its own is an opaque handle: ``typedef struct graphlang_ids graphlang_ids;`` with ``..._new`` (NULL
   without memory) and ``..._free``. A result of several numbers is a struct here, or an array of one (``out[1]``).
2. ``ROOM/native/NAME.c`` includes it, so that the compiler holds one against the other, and writes arrays as pointers
   (``const int64_t *ids``). It returns 0 or more, or one of the errors of ``kernel.h``: every number that it uses as an
   index is checked, ``return GRAPHLANG_REFUSE(fault, "ids", n, ids[n], 0, pages - 1);``.
3. A line in KERNELS below, with the sources of other kernels that it calls; ``ROOM/native/__init__.py``, and its
   package in the list of pyproject.toml; in a room that had none, ``graphlang.native`` among what it may import
   (``tests/test_layout.py``). ``make .venv/installed`` compiles.
4. The call: the build writes a Python module ``NAME`` beside the extension module, from the header (`wrapper`), with a
   function ``link_rows(ids=ids, counts=counts, kinds=kinds, rows=rows, weights=None)``. Sizes (pages, links) and the
   fault are not passed: they come from the arrays, whose types, shapes and writability are checked. A product
   (``links * WIDTH``) takes an array of these dimensions, or a flat one where other arrays give the sizes. A
   KernelError (a ValueError) names the argument that does not fit. Constants lose their ``GRAPHLANG_``;
   ``new_NAME()`` makes a struct; `kernels.copy_bytes` and `kernels.decode_bytes` read what its pointers point to.
5. The test: ``tests/ROOM/workout_NAME.py`` with ``def workout(seed: int) -> str``, and in a test
   ``under_sanitisers(Path(__file__).with_name("workout_NAME.py"))``: it runs under the sanitisers of addresses and
   undefined behaviour, and in two threads under that of threads. And a harness for the fuzzer
   (``tests/fuzz/README.md``), which `tests/fuzz/test_harnesses.py` asks for.

With ``GRAPHLANG_SANITIZE=address,undefined`` (or ``thread``) in the environment the kernels are built for these tests;
``GRAPHLANG_KERNELS`` names the sources to build where it is not all of them.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_ROOT = Path(__file__).resolve().parents[2]
_SHARED = "graphlang/native"
_MODULES = {"db": "graphlang.db", "ingest": "graphlang.ingest", "graphlang": "graphlang", "tests": "graphlang_tests"}


class Kernel(NamedTuple):
    """A file of kernels: an extension module named like it, with an underscore before."""

    source: str  #: from the top folder
    flags: tuple[str, ...] = ()  #: for the compiler, besides those of all
    made_by: str = ""  #: a program that writes headers which are not in the repository, run before
    beside: tuple[str, ...] = ()  #: sources of other kernels that these call, compiled into the same module

    @property
    def module(self) -> str:
        """Full name of the extension module."""
        top, *folders, name = Path(self.source).with_suffix("").parts
        return ".".join((_MODULES[top], *folders, f"_{name}"))


KERNELS = (
    Kernel("db/native/ids.c"),
    Kernel("db/native/link_rows.c"),
    Kernel("graphlang/content/native/letters.c"),
    Kernel("graphlang/content/native/ngrams.c"),
    Kernel("graphlang/content/native/scores.c", ("-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off")),
    Kernel("graphlang/content/native/segments.c", ("-ffp-contract=off",)),
    Kernel("graphlang/content/native/tally.c", ("-ffp-contract=off",)),
    Kernel("graphlang/graph/native/adjacency.c"),
    Kernel("graphlang/graph/native/belief_steps.c", ("-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off")),
    Kernel("graphlang/graph/native/couplings.c", ("-fno-math-errno", "-ffp-contract=off")),
    Kernel("graphlang/graph/native/degree_cap.c"),
    Kernel("graphlang/graph/native/edge_features.c", ("-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off")),
    Kernel("graphlang/graph/native/language_tables.c", ("-fno-trapping-math",)),
    Kernel("graphlang/graph/native/link_order.c"),
    Kernel("graphlang/graph/native/log_messages.c"),
    Kernel("graphlang/graph/native/message_classes.c"),
    Kernel("graphlang/urls/native/url_sums.c", ("-fno-math-errno", "-ffp-contract=off")),
    Kernel("ingest/html/native/html.c", made_by="ingest/html/native/make_entities.py"),
    Kernel("ingest/links/native/join.c"),
    Kernel("ingest/links/native/places.c"),
    Kernel(
        "ingest/native/ordinary_page.c",
        made_by="ingest/html/native/make_entities.py",
        beside=("ingest/html/native/html.c", "ingest/links/native/join.c"),
    ),
    Kernel("ingest/payload/native/fields.c"),
)


def list_headers(*sources: str) -> list[str]:
    """List the project's headers that files include, also indirectly, as paths from the top folder."""
    headers: dict[Path, None] = {}
    tried = [(_ROOT / source).resolve() for source in sources]
    while tried:
        path = tried.pop()
        for name in re.findall(r'^#include "(.+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            near = (path.parent / name).resolve()
            header = near if near.exists() else _ROOT / _SHARED / name
            if header not in headers:
                headers[header] = None
                tried.append(header)
    return sorted(str(path.relative_to(_ROOT)) for path in headers)


def choose_flags(kernel: Kernel) -> dict[str, list[str]]:
    """Return the options of the compiler and the linker."""
    common = [
        "-std=c11",
        "-fvisibility=hidden",
        "-Wextra",
        "-Wno-unused-parameter",
        "-Wno-vla-parameter",
        "-Wno-array-parameter",
    ]
    if sanitisers := os.environ.get("GRAPHLANG_SANITIZE"):
        watched = [f"-fsanitize={sanitisers}", "-g"]
        compiled = [*common, "-O1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all", "-U_FORTIFY_SOURCE"]
        return {"extra_compile_args": [*compiled, *watched, *kernel.flags], "extra_link_args": watched}
    # Debug information holds the folder of the build: the same sources are to give the same bytes anywhere.
    common.append("-g0")
    hardened = ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3"]
    linked = ["-Wl,-z,relro,-z,now"] if sys.platform.startswith("linux") else []
    return {"extra_compile_args": [*common, "-O3", *hardened, *kernel.flags], "extra_link_args": linked}


def find_maker(kernel: Kernel) -> Callable[[], Any]:
    """Return the function that makes the module of a kernel, when cffi asks for it."""

    def make() -> Any:
        from cffi import FFI  # noqa: PLC0415  needed for building alone

        cdef = _load_wrapper()["write_cdef"]
        header = Path(kernel.source).with_suffix(".h")
        ffi = FFI()
        for path in (f"{_SHARED}/kernel.h", header):
            ffi.cdef(cdef((_ROOT / path).read_text(encoding="utf-8")))
        if kernel.made_by:
            runpy.run_path(str(_ROOT / kernel.made_by), run_name="__main__")
        ffi.set_source(
            kernel.module,
            f'#include "{header.name}"',
            sources=[kernel.source, *kernel.beside],
            include_dirs=[_SHARED, str(header.parent)],
            depends=[*list_headers(kernel.source, *kernel.beside), f"{_SHARED}/build.py", f"{_SHARED}/wrapper.py"],
            **choose_flags(kernel),
        )
        return ffi

    return make


def write_wrappers() -> dict[str, str]:
    """Write the Python module of each file of kernels; path in the package -> source."""
    write, sources = _load_wrapper()["write_wrapper"], {}
    for kernel in _CHOSEN or KERNELS:
        header = Path(kernel.source).with_suffix(".h")
        package, _, name = kernel.module.rpartition(".")
        text = (_ROOT / header).read_text(encoding="utf-8")
        sources[f"{package.replace('.', '/')}/{name[1:]}.py"] = write(text, header.as_posix(), kernel.module)
    return sources


def _load_wrapper() -> dict[str, Any]:
    return runpy.run_path(str(Path(__file__).with_name("wrapper.py")))


# cffi takes the name of a variable for each module.
_KNOWN = {kernel.source: kernel for kernel in KERNELS}
_CHOSEN = [_KNOWN.get(source, Kernel(source)) for source in os.environ.get("GRAPHLANG_KERNELS", "").split()]
_VARIABLES = {kernel.module.replace(".", "_"): find_maker(kernel) for kernel in _CHOSEN or KERNELS}
globals().update(_VARIABLES)
CFFI_MODULES = [f"{_SHARED}/build.py:{name}" for name in _VARIABLES]
