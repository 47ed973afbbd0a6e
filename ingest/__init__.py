"""Archive files -> pages, links and problems.

`expand` finds the files, `batches` reads them. Reading never fails for what is in a file: a record that is damaged, too
large or a lie gives a `graphlang.db.records.Problem`, and the rest goes on.

>>> from graphlang.ingest import Limits
>>> Limits().text_limit
10000
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .files import SUFFIXES, expand
    from .limits import Limits
    from .process import WorkerError
    from .reading import Batch, batches
    from .team import Team, small

_MODULES = {
    "Batch": "reading",
    "Limits": "limits",
    "SUFFIXES": "files",
    "Team": "team",
    "WorkerError": "process",
    "batches": "reading",
    "expand": "files",
    "small": "team",
}

__all__ = ["SUFFIXES", "Batch", "Limits", "Team", "WorkerError", "batches", "expand", "small"]


def __getattr__(name: str) -> Any:
    # A worker process imports what it needs, and not what starts and feeds worker processes.
    if name in _MODULES:
        return getattr(import_module(f".{_MODULES[name]}", __name__), name)
    raise AttributeError(name)
