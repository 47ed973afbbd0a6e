"""The process that is copied for each core of an executor: what all tasks need is loaded before, once.

Spark's own (``pyspark.daemon``) has loaded nothing, so that every copy imports our modules and loads the model: half a
second of a processor and 170 MB for each core. Spark starts this one where `spark_session` names it to it, as
``python -m graphlang.cluster.worker_daemon``. Copies share the memory of what nobody writes to.
"""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from importlib import import_module
from typing import Final

#: A variable of the environment: the content method whose model is loaded, if it comes with one.
METHOD: Final = "GRAPHLANG_CLUSTER_METHOD"
_MODULES: Final = (
    "pyspark.worker",  # what each copy does
    *(f"graphlang.cluster.files.{name}" for name in ("answers", "captures", "languages", "pages", "read")),
    "graphlang.cluster.inference.alone",
)


def prepare(method: str | None) -> None:
    """Load what tasks need.

    Args:
        method: a content method that comes with its model; None: no model is loaded.
    """
    for name in _MODULES:
        import_module(name)
    from graphlang.cluster import classifying  # noqa: PLC0415 - with the others
    from graphlang.modelfile import ModelError  # noqa: PLC0415

    if method is not None:
        with suppress(ModelError):  # the task that needs it tells what is wrong
            classifying.shipped(method)
    gc.collect()
    gc.freeze()  # copies that looked for garbage would write to all of it


def main() -> None:
    """Load, and be Spark's."""
    from pyspark import daemon  # noqa: PLC0415 - an extra

    prepare(os.environ.get(METHOD))
    daemon.manager()


if __name__ == "__main__":
    main()
