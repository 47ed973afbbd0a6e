"""Processes of executors on this machine are copies of one that has loaded what all tasks need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from graphlang.cluster import worker_daemon
from graphlang.cluster.spark_session import merge_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULE, METHOD = "spark.python.daemon.module", f"spark.executorEnv.{worker_daemon.METHOD}"
PROGRAM = """
import json, sys
from graphlang.cluster import classify_captures, worker_daemon
worker_daemon.prepare(sys.argv[1] or None)
names = ("graphlang.cluster.captures", "graphlang.graph.propagation.inference", "pandas")
print(json.dumps([[name in sys.modules for name in names], classify_captures.load_shipped.cache_info().currsize]))
"""


@pytest.mark.parametrize(("method", "models"), [("", 0), ("nfc", 1), ("of-nobody", 0)])
def test_what_tasks_need_is_loaded_before(method: str, models: int) -> None:
    """All but pandas, which no task needs; an unknown method is reported by the task that loads it."""
    done = subprocess.run([sys.executable, "-P", "-c", PROGRAM, method], capture_output=True, text=True, check=False)
    assert not done.stderr
    assert json.loads(done.stdout) == [[True, True, False], models]


def test_spark_copies_it(spark: Any) -> None:
    def told(_: Iterator[int]) -> Iterator[tuple[int, bool]]:
        import os  # noqa: PLC0415 - on an executor
        import sys  # noqa: PLC0415 - as above

        yield os.getppid(), "graphlang.cluster.captures" in sys.modules, sys.modules["pyspark"].__file__

    ((parent, loaded, spark_from),) = spark.sparkContext.parallelize([0], 1).mapPartitions(told).collect()
    assert loaded
    import pyspark  # noqa: PLC0415 - beside Spark only

    assert spark_from == pyspark.__file__, "as it is installed, and not from an archive of source text"
    words = Path(f"/proc/{parent}/cmdline")
    assert not words.exists() or worker_daemon.__name__ in words.read_text().split("\0")


def test_only_where_executors_have_this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    for master in ("local[2]", "local-cluster[2,1,1024]"):
        made = merge_settings(master, {}, "nfc")
        assert (made[MODULE], made[METHOD]) == (worker_daemon.__name__, "nfc")
    assert METHOD not in merge_settings("local[2]", {}, "a-method-of-another-program")
    for master in ("yarn", None):
        assert not {MODULE, METHOD} & merge_settings(master, {}, "nfc").keys()
    monkeypatch.setenv("PYSPARK_PYTHON", "/of/others/python3")
    assert not {MODULE, METHOD} & merge_settings("local[2]", {}, "nfc").keys()


def test_what_the_user_sets_holds() -> None:
    given = {MODULE: "pyspark.daemon", "spark.executorEnv.MIMALLOC_PURGE_DELAY": "10", "spark.driver.memory": "3g"}
    made = merge_settings("local[2]", given)
    assert {name: made[name] for name in given} == given
