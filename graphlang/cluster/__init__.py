"""Collections that are too large for one machine: the same work on Spark, and its tables as Parquet.

In: archives, as Spark reads them. Out: a folder of `tables`. `frames` has the steps as functions on DataFrames, `job`
all of them one after the other. What runs on executors is plain: batches of Arrow in, batches out. In the
order of the work: `reading/` archives, `choosing/` captures, pages and links, `classifying`, `inference/`, `maps/` of
what tables say. `database/` leads to the one file of a smaller collection, and back.

>>> from graphlang import cluster
>>> sorted(cluster.__all__)
['SparkError', 'classify', 'language_graph', 'languages', 'propagate', 'read', 'report', 'session', 'sites']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphlang.cluster.frames import classify, propagate, read
    from graphlang.cluster.maps.questions import language_graph, languages, report, sites
    from graphlang.cluster.spark_session import SparkError, session

_MODULES = {
    "SparkError": "spark_session",
    "classify": "frames",
    "language_graph": "maps.questions",
    "languages": "maps.questions",
    "propagate": "frames",
    "read": "frames",
    "report": "maps.questions",
    "session": "spark_session",
    "sites": "maps.questions",
}

__all__ = ["SparkError", "classify", "language_graph", "languages", "propagate", "read", "report", "session", "sites"]


def __getattr__(name: str) -> Any:
    # What needs pyarrow and pyspark, which few install, is imported when it is asked for.
    if name in _MODULES:
        return getattr(import_module(f"graphlang.cluster.{_MODULES[name]}"), name)
    raise AttributeError(name)
