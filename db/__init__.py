"""The one SQLite file that holds a collection: pages, texts, links, runs and what they answered.

``records`` is what readers hand over, ``connection`` opens a file and says clearly what is wrong with it, ``schema``
holds the tables, the views and the meaning of every column, ``writer`` adds pages in bulk, ``collection`` reads texts
and links back as batches and arrays, and ``runs`` keeps what was computed and how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .records import Declaration, Link, LinkKind, Links, Page, Problem

if TYPE_CHECKING:
    from .connection import StoreError, create, open_existing

__all__ = [
    "Declaration",
    "Link",
    "LinkKind",
    "Links",
    "Page",
    "Problem",
    "StoreError",
    "create",
    "open_existing",
]


def __getattr__(name: str) -> Any:
    # Processes that only parse need the records, and neither SQLite nor numpy.
    if name in ("StoreError", "create", "open_existing"):
        from . import connection  # noqa: PLC0415

        return getattr(connection, name)
    raise AttributeError(name)
