"""Archive files -> pages, links and problems.

In: paths of the user. Out: batches of ``graphlang.db.Page`` and ``graphlang.db.Problem``: what a file holds never stops
the reading. `read_batches` has the whole way, `page` that of one record. Open `formats/` to add a format, `html/` for
text and markup, `payload/` for charsets, `links/` for URLs, `workers/` for processes, `limits` for bounds.

>>> from graphlang.ingest import Limits
>>> Limits().text_limit
10000
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphlang.ingest.files.discover import Found, Passed, expand, find
    from graphlang.ingest.formats.recognise import SUFFIXES
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.read_batches import Batch, batches
    from graphlang.ingest.workers.prestart import PrestartedWorkers, small
    from graphlang.ingest.workers.process import WorkerError

_MODULES = {
    "Batch": "read_batches",
    "Limits": "limits",
    "Found": "files.discover",
    "Passed": "files.discover",
    "SUFFIXES": "formats.recognise",
    "PrestartedWorkers": "workers.prestart",
    "WorkerError": "workers.process",
    "batches": "read_batches",
    "expand": "files.discover",
    "find": "files.discover",
    "small": "workers.prestart",
}

__all__ = [
    "SUFFIXES",
    "Batch",
    "Found",
    "Limits",
    "Passed",
    "PrestartedWorkers",
    "WorkerError",
    "batches",
    "expand",
    "find",
    "small",
]


def __getattr__(name: str) -> Any:
    # A worker process imports what it needs, and not what starts and feeds worker processes. Without this every verb
    # that only brings URLs into their canonical form would take 0.1 s more (`explain`: 0.52 s instead of 0.42).
    if name in _MODULES:
        return getattr(import_module(f"graphlang.ingest.{_MODULES[name]}"), name)
    raise AttributeError(name)
