"""Archive files -> pages, links and problems.

`expand` finds the files, `batches` reads them. Reading never fails for what is in a file: a record that is damaged, too
large or a lie gives a `graphlang.db.records.Problem`, and the rest goes on.

>>> from graphlang.ingest import Limits
>>> Limits().text_limit
10000
"""

from __future__ import annotations

from .batches import Batch, batches
from .files import SUFFIXES, expand
from .limits import Limits
from .pool import WorkerError

__all__ = ["SUFFIXES", "Batch", "Limits", "WorkerError", "batches", "expand"]
