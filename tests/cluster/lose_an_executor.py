"""Reads some archives on two executors and kills one of them halfway: ``python lose_an_executor.py OUT ARCHIVES``."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from graphlang.cluster import job
from graphlang.cluster.inference.propagate import Sizes
from graphlang.cluster.spark_session import session

STAGES = ("read", "superstep 1")  #: as these begin


def executors(application: str) -> list[int]:
    """The processes of the executors of an application."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if application in words and "org.apache.spark.executor.CoarseGrainedExecutorBackend" in words:
            found.append(int(path.parent.name))
    return sorted(found)


def one_executor(application: str) -> int:
    """Wait for an executor: Spark starts them beside the job, and anew where one was lost."""
    for _ in range(600):
        if found := executors(application):
            return found[0]
        time.sleep(0.1)
    msg = "no executor has begun within a minute"
    raise RuntimeError(msg)


def main(out: str, archives: list[str]) -> None:
    """Run the job."""
    spark = session("local-cluster[2,1,1024]", {"spark.sql.shuffle.partitions": "2", "spark.executor.memory": "1g"})
    killed: list[int] = []

    def begun(stage: str) -> None:
        if stage in STAGES:
            killed.append(one_executor(spark.sparkContext.applicationId))
            os.kill(killed[-1], signal.SIGKILL)

    job.run(spark, archives, out, sizes=Sizes(partitions=3, host_pages=4), progress=begun)
    spark.stop()
    sys.stdout.write(f"killed {len(set(killed))}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
