"""The one SQLite file that holds a collection: pages, texts, links, runs and what they answered.

``records`` is what readers hand over, ``connection`` opens a file and says clearly what is wrong with it, ``lock``
lets one process write at a time, ``schema`` holds the tables, the views and the meaning of every column, ``write`` adds
pages in bulk, ``collection`` reads texts and links back as batches and arrays, and ``runs`` keeps what was computed and
how.
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
    # Processes that only parse need the records, and neither SQLite nor numpy.
    if name in ("create", "open_existing"):
        from graphlang.db import connection  # noqa: PLC0415

        return getattr(connection, name)
    raise AttributeError(name)
