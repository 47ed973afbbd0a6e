"""What Spark costs beside one machine: processor time, memory, bytes shuffled and supersteps, on one archive.

    python tests/benchmarks/cluster_costs.py ARCHIVE [--master local[2]] [--partitions N] [--set NAME=VALUE]
    python tests/benchmarks/cluster_costs.py ARCHIVE --alone

`--alone` runs `graphlang run` on the same archive instead, and then `graphlang export --what pages --format parquet`,
which works out the languages of the URLs that were only linked to: both together answer what `cluster run` does, and
`run` alone what it does with `--no-linked`. Processor time is that of all processes, also of those that
Spark leaves behind. Of each stage: seconds, and processor seconds of the JVM and of Python. Memory: that of the driver
(its Python and its JVM, which is the executor as well where the master is `local[N]`), of the JVMs of executors, and
of all workers of Python together.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

MEGABYTE = 1 << 20
_TICKS = os.sysconf("SC_CLK_TCK")
_SUBREAPER = 36  # of prctl(2): whom a process leaves behind becomes our child


def tree(root: int) -> dict[int, tuple[str, int, float]]:
    """A process and all below it: name, parent, and its own processor seconds."""
    found: dict[int, tuple[str, int, float]] = {}
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        number, parent = int(path.parent.name), int(fields[1])
        found[number] = name, parent, sum(map(int, fields[11:13])) / _TICKS
        children.setdefault(parent, []).append(number)
    wanted, todo = [], [root]
    while todo:
        wanted.append(todo.pop())
        todo += children.get(wanted[-1], [])
    return {number: found[number] for number in wanted if number in found}


def resident(process: int) -> int:
    """Bytes of a process in memory, pages that it shares with others by halves and thirds."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024


def kinds(processes: dict[int, tuple[str, int, float]], root: int) -> dict[str, list[int]]:
    """Processes by what they are."""
    javas = {number for number, (name, _, _) in processes.items() if name == "java"}
    found: dict[str, list[int]] = {"driver": [], "executors": [], "workers": []}
    for number, (name, parent, _) in processes.items():
        above = parent
        while above in processes and above not in javas and above != root:
            above = processes[above][1]
        if number == root:
            found["driver"].append(number)
        elif number in javas:
            found["driver" if above == root else "executors"].append(number)
        elif name.startswith("python"):
            found["workers" if above in javas else "driver"].append(number)
    return found


def watched(command: list[str]) -> tuple[float, float, dict[str, float]]:
    """Seconds, processor seconds, and the most megabytes of a command and all that it starts, by what they are."""
    if ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0):
        sys.exit("cannot count the processes that Spark leaves behind")
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    most: dict[str, float] = {}
    process = subprocess.Popen(command, stdout=sys.stderr)
    seen = Used(process.pid)
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(1.0):
            of = {name: sum(map(resident, some)) for name, some in kinds(tree(process.pid), process.pid).items()}
            of["all"] = sum(of.values())
            for name, size in of.items():
                most[name] = max(most.get(name, 0), size / MEGABYTE)

    thread = threading.Thread(target=watch)
    thread.start()
    status = process.wait()
    seconds = time.perf_counter() - started
    ended.set()
    thread.join()
    while True:  # the JVM outlives the process that started it
        try:
            os.wait()
        except ChildProcessError:
            break
    if status not in {0, 1}:  # 1: with problems, which are told in a table
        sys.exit(f"{command[1:4]} ended with status {status}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, max(used, seen.all()), most


class Used:
    """Processor seconds of this process and all below it, looked at every second.

    Who asks in the end learns nothing of Python's workers that Spark has let go: nobody waits for them.
    """

    def __init__(self, root: int) -> None:
        self._root, self._ended = root, threading.Event()
        self._seen: dict[int, tuple[str, float]] = {}
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(1.0):
            self.by_name()

    def by_name(self) -> tuple[float, float]:
        """Those of Java, and those of all others."""
        of = tree(self._root)
        self._seen |= {number: (name, used) for number, (name, _, used) in of.items()}
        java = sum(used for name, used in self._seen.values() if name == "java")
        return java, sum(used for _, used in self._seen.values()) - java

    def all(self) -> float:
        """All of them; nothing is looked at any more."""
        self._ended.set()
        self._thread.join()
        return sum(used for _, used in self._seen.values())


class Stages:
    """What each stage took."""

    def __init__(self) -> None:
        self._used = Used(os.getpid())
        self.marks = [("start", *self._now())]

    def begin(self, name: str) -> None:
        """A stage begins."""
        self.marks.append((name, *self._now()))

    def told(self) -> dict[str, str]:
        """Seconds, and processor seconds of the JVM and of Python, of each stage."""
        self.begin("end")
        found: dict[str, list[float]] = {}
        for (stage, *one), (_, *other) in pairwise(self.marks):
            name = "supersteps" if stage.startswith("superstep ") else stage
            total = found.setdefault(name, [0.0, 0.0, 0.0])
            found[name] = [was + b - a for was, a, b in zip(total, one, other, strict=True)]
        return {name: "{:.1f} s, JVM {:.1f}, Python {:.1f}".format(*of) for name, of in found.items()}

    def _now(self) -> tuple[float, float, float]:
        return time.perf_counter(), *self._used.by_name()


def shuffled_of(spark: Any) -> tuple[int, int, int]:
    """Bytes written to shuffles, stages that were run, and tasks."""
    store = spark.sparkContext._jsc.sc().statusStore()
    quantiles = spark.sparkContext._gateway.new_array(spark.sparkContext._jvm.double, 0)
    no = False
    listed = store.stageList(None, no, no, quantiles, None)
    stages = [listed.apply(at) for at in range(listed.size())]
    ran = [stage for stage in stages if stage.numCompleteTasks()]
    return sum(one.shuffleWriteBytes() for one in ran), len(ran), sum(one.numCompleteTasks() for one in ran)


def on_spark(
    archive: str, out: str, master: str, partitions: int | None, settings: dict[str, str], *, linked: bool
) -> None:
    """The job in this process; the time of each stage and the bytes shuffled go to standard output."""
    from graphlang.cluster import job, spark_session  # noqa: PLC0415
    from graphlang.cluster.partitions import Sizes  # noqa: PLC0415
    from graphlang.cluster.stages import hide_pandas  # noqa: PLC0415
    from graphlang.content import registry  # noqa: PLC0415

    hide_pandas()  # as the verb does
    stages = Stages()
    spark = spark_session.late_session(master, settings, method=registry.DEFAULT)
    done = job.run(spark, [archive], out, sizes=Sizes(partitions), linked=linked, progress=stages.begin)
    told_of = stages.told()
    shuffled, ran, tasks = shuffled_of(spark)
    shuffled += done.bytes_passed_on
    told = {
        "pages": done.pages,
        "fetched": done.fetched,
        "links": done.links,
        "supersteps": done.supersteps,
        "converged": done.converged,
        "stages": ran,
        "tasks": tasks,
        "shuffled MB": round(shuffled / MEGABYTE, 1),
        "bytes shuffled a link": round(shuffled / max(done.links, 1), 1),
        "of each": told_of,
    }
    spark.stop()
    sys.stdout.write(json.dumps(told, indent=1) + "\n")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="of Spark's settings")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--no-linked", action="store_true", help="leave out the URLs that were only linked to")
    parser.add_argument("--workers", default="1", help="of graphlang run, with --alone")
    parser.add_argument("--inside", metavar="OUT", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        settings = dict(one.split("=", 1) for one in given.set)
        on_spark(given.archive, given.inside, given.master, given.partitions, settings, linked=not given.no_linked)
        return
    with TemporaryDirectory() as folder:
        if given.alone:
            base = [sys.executable, "-P", "-m", "graphlang"]  # what is installed, and not this folder
            run = [*base, "run", given.archive, "--db", f"{folder}/a.db"]
            run += ["--keep", "best", "--workers", given.workers, "-q"]
            print_costs("run alone", *watched(run))
            export = ["export", f"{folder}/a.db", "--what", "pages", "--format", "parquet", "-o", f"{folder}/a.parquet"]
            print_costs("export alone", *watched([*base, *export]))
            return
        command = [sys.executable, __file__, given.archive, "--master", given.master, "--inside", f"{folder}/out"]
        command += ["--partitions", str(given.partitions)] if given.partitions else []
        command += ["--no-linked"] if given.no_linked else []
        command += [word for one in given.set for word in ("--set", one)]
        print_costs(given.master, *watched(command))


def print_costs(name: str, seconds: float, used: float, most: dict[str, float]) -> None:
    """Print what a command took."""
    sizes = ", ".join(f"{kind} {size:.0f}" for kind, size in most.items() if size)
    print(f"{name}: {seconds:.0f} s, {used:.1f} s of processors; MB at most: {sizes}", flush=True)


if __name__ == "__main__":
    main()
