"""Collections that are too large for one machine: the same work on Spark, with tables as Parquet.

In: archives. Out: a folder of `tables`. `job` runs the stages in their order: `read_archives`, `captures`,
`classify_captures`, then `one_task` or `partitions` for the inference, and `language_tables`. Their tasks (`stages`)
read and write files on a disk that all executors share, or behind an address (`storage`). `frames` has
the steps as functions on DataFrames, `maps` counts from the tables. `import_tables` leads to the database of a smaller
collection, `load` back.

>>> from graphlang import cluster
>>> sorted(cluster.__all__)
['SparkError', 'classify', 'language_graph', 'languages', 'propagate', 'read', 'report', 'session', 'sites']

"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphlang.cluster.frames import classify, propagate, read
    from graphlang.cluster.maps import language_graph, languages, report, sites
    from graphlang.cluster.spark_session import SparkError, session

_MODULES = {
    "SparkError": "spark_session",
    "classify": "frames",
    "language_graph": "maps",
    "languages": "maps",
    "propagate": "frames",
    "read": "frames",
    "report": "maps",
    "session": "spark_session",
    "sites": "maps",
}

__all__ = ["SparkError", "classify", "language_graph", "languages", "propagate", "read", "report", "session", "sites"]


def __getattr__(name: str) -> Any:
    # What needs pyarrow and pyspark, which few install, is imported when it is asked for.
    if name in _MODULES:
        return getattr(import_module(f"graphlang.cluster.{_MODULES[name]}"), name)
    raise AttributeError(name)
