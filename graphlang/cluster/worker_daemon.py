"""The process that is copied for each core of an executor: what all tasks need is loaded before, once.

Spark's own (``pyspark.daemon``) has loaded nothing, so that every copy imports our modules and loads the model: half a
second of a processor and 170 MB for each core. Spark starts this one where `spark_session` names it to it, as
``python -m graphlang.cluster.worker_daemon``. Copies share memory until they write to it.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

#: A variable of the environment: the content method whose model is loaded, if it comes with one.
METHOD: Final = "GRAPHLANG_CLUSTER_METHOD"
_MODULES: Final = (
    "pyspark.worker",  # what each copy does
    *(
        f"graphlang.cluster.{name}"
        for name in ("captures", "classify_captures", "language_tables", "one_task", "read_archives")
    ),
)
_ARCHIVES: Final = ("pyspark", "python", "lib")


def prepare(method: str | None) -> None:
    """Load what tasks need; the model of a method that comes with one, if any."""
    for name in _MODULES:
        import_module(name)
    from graphlang.cluster import classify_captures  # noqa: PLC0415 - with the others
    from graphlang.modelfile import ModelError  # noqa: PLC0415

    if method is not None:
        with suppress(ModelError):  # the task that needs it reports the error
            classify_captures.load_shipped(method)
    gc.collect()
    gc.freeze()  # copies that looked for garbage would write to all of it


def import_installed_spark() -> None:
    """Import Spark from where it is installed.

    Spark names archives in its own folder to workers, with the same modules as source text: each process would compile
    them, half a second of a processor.
    """
    before = list(sys.path)
    # site-packages/pyspark/python/lib/pyspark.zip, and py4j's beside it
    archives = {str(path) for path in map(Path, before) if path.suffix == ".zip" and path.parts[-4:-1] == _ARCHIVES}
    sys.path[:] = [path for path in before if path not in archives or str(Path(path).parents[3]) not in before]
    if not all(map(find_spec, ("pyspark", "py4j"))):
        sys.path[:] = before


def main() -> None:
    """Load, and run Spark's daemon."""
    import_installed_spark()
    from pyspark import daemon  # noqa: PLC0415 - an extra

    prepare(os.environ.get(METHOD))
    daemon.manager()


if __name__ == "__main__":
    main()
