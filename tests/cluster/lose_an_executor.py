"""A job that loses executors, and dies itself in the end: ``python lose_an_executor.py OUT ARCHIVES``."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from graphlang.cluster import job
from graphlang.cluster.partitions import Sizes
from graphlang.cluster.spark_session import late_session
from graphlang.db.write.choose_capture import Keep

STAGES = ("read", "superstep 1")  #: an executor is killed as these begin
LAST = "superstep 2"  #: as this begins the job is killed
SIZES = Sizes(partitions=3, host_pages=4, supersteps=3)  #: more supersteps would be like these


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


def wait_for_executor(application: str) -> int:
    """Wait for an executor: Spark starts them beside the job, and anew where one was lost."""
    for _ in range(600):
        if found := executors(application):
            return found[0]
        time.sleep(0.1)
    msg = "no executor has begun within a minute"
    raise RuntimeError(msg)


def main(out: str, archives: list[str]) -> None:
    """Run the job."""
    spark = late_session(
        "local-cluster[2,1,1024]",
        {"spark.sql.shuffle.partitions": "2", "spark.driver.memory": "1g", "spark.executor.memory": "1g"},
    )
    killed: list[int] = []

    def begun(stage: str) -> None:
        if stage in STAGES:
            killed.append(wait_for_executor(spark.sparkContext.applicationId))
            os.kill(killed[-1], signal.SIGKILL)
        if stage == LAST:
            sys.stdout.write(f"killed {len(set(killed))}\n")
            sys.stdout.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    job.run(spark, archives, out, keep=Keep.ALL, sizes=SIZES, progress=begun)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
