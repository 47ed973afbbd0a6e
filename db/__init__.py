"""The one SQLite file that holds a collection: pages, texts, links, runs and their answers.

In: `records`, from readers. Out: batches and arrays (`collection`), runs and their answers (`runs/`). Open `schema` and
``schema.sql`` for tables and columns, `write/` for how pages are added, `remove` for how they are deleted,
`corrections` for languages set by hand, `connection` for opening a file, `check` for its faults, `lock` for writers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphlang.db.errors import InputError, LockedError, StoreError
from graphlang.db.records import Declaration, Link, LinkKind, Links, Page, Problem

if TYPE_CHECKING:
    from graphlang.db.connection import create, open_existing

__all__ = [
    "Declaration",
    "InputError",
    "Link",
    "LinkKind",
    "Links",
    "LockedError",
    "Page",
    "Problem",
    "StoreError",
    "create",
    "open_existing",
]


def __getattr__(name: str) -> Any:
    # Processes that only parse need the records, and neither SQLite nor numpy: 0.03 s of the 0.1 s in which they start.
    if name in ("create", "open_existing"):
        from graphlang.db import connection  # noqa: PLC0415 - records are read without it

        return getattr(connection, name)
    raise AttributeError(name)
