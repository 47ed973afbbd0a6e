"""What Spark costs beside one machine: processor time, memory, bytes shuffled and supersteps, on one archive.

    python tests/benchmarks/cluster_costs.py ARCHIVE [--master local[2]] [--partitions N] [--alone]

`--alone` runs `graphlang run` on the same archive instead. Processor time is that of all processes that ended.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

MEGABYTE = 1 << 20


def tree(root: int) -> list[int]:
    """A process and all below it."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, todo = [], [root]
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


def resident(process: int) -> int:
    """Bytes of a process in memory, pages that it shares with others by halves and thirds."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024


def watched(command: list[str]) -> tuple[float, float, float]:
    """Seconds, processor seconds and the most megabytes of a command and all that it starts."""
    before, started, most = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter(), [0]
    process = subprocess.Popen(command, stdout=sys.stderr)
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(1.0):
            most[0] = max(most[0], sum(map(resident, tree(process.pid))))

    thread = threading.Thread(target=watch)
    thread.start()
    status = process.wait()
    ended.set()
    thread.join()
    if status:
        sys.exit(f"{command[1:4]} ended with status {status}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - started, used, most[0] / MEGABYTE


def on_spark(archive: str, out: str, master: str, partitions: int | None) -> None:
    """The job in this process; the time of each stage and the bytes shuffled go to standard output."""
    from graphlang.cluster import job, spark_session  # noqa: PLC0415
    from graphlang.cluster.inference.propagate import Sizes  # noqa: PLC0415

    spark = spark_session.session(master, {"spark.sql.shuffle.partitions": "8"})
    stages: list[tuple[str, float]] = []
    done = job.run(
        spark,
        [archive],
        out,
        sizes=Sizes(partitions),
        progress=lambda stage: stages.append((stage, time.perf_counter())),
    )
    ends = [at for _, at in stages[1:]] + [time.perf_counter()]
    store = spark.sparkContext._jsc.sc().statusStore()
    quantiles = spark.sparkContext._gateway.new_array(spark.sparkContext._jvm.double, 0)
    no = False
    listed = store.stageList(None, no, no, quantiles, None)
    shuffled = sum(listed.apply(at).shuffleWriteBytes() for at in range(listed.size()))
    told = {
        "pages": done.pages,
        "fetched": done.fetched,
        "links": done.links,
        "supersteps": done.supersteps,
        "shuffled MB": round(shuffled / MEGABYTE, 1),
        "bytes shuffled a link": round(shuffled / max(done.links, 1), 1),
        "seconds": {name: round(end - at, 1) for (name, at), end in zip(stages, ends, strict=True)},
    }
    spark.stop()
    sys.stdout.write(json.dumps(told, indent=1) + "\n")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("archive")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--inside", metavar="OUT")
    given = parser.parse_args()
    if given.inside:
        on_spark(given.archive, given.inside, given.master, given.partitions)
        return
    with TemporaryDirectory() as folder:
        if given.alone:
            command = [
                sys.executable,
                "-m",
                "graphlang",
                "run",
                given.archive,
                "--db",
                f"{folder}/a.db",
                "--keep",
                "best",
                "-q",
            ]
        else:
            command = [sys.executable, __file__, given.archive, "--master", given.master, "--inside", f"{folder}/out"]
            command += ["--partitions", str(given.partitions)] if given.partitions else []
        seconds, used, most = watched(command)
    name = "alone" if given.alone else given.master
    print(f"{name}: {seconds:.0f} s, {used:.0f} s of processors, {most:.0f} MB at most")


if __name__ == "__main__":
    main()
