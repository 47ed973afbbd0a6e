"""The one SQLite file that holds a collection: pages, texts, links, runs and what they answered.

``records`` is what readers hand over, ``connection`` opens a file and says clearly what is wrong with it, ``schema``
holds the tables, the views and the meaning of every column, ``writer`` adds pages in bulk, ``collection`` reads texts
and links back as batches and arrays, and ``runs`` keeps what was computed and how.
"""

from .connection import StoreError, create, open_existing
from .records import Declaration, Link, LinkKind, Page, Problem

__all__ = [
    "Declaration",
    "Link",
    "LinkKind",
    "Page",
    "Problem",
    "StoreError",
    "create",
    "open_existing",
]
