"""A job whose executors are killed, and which dies itself, goes on where it was."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow.parquet as pq

from graphlang.cluster import job
from graphlang.db.write.choose_capture import Keep
from graphlang.files import OutputError

sys.path.append(str(Path(__file__).parent))
from lose_an_executor import SIZES


def test_a_job_that_loses_executors_and_dies_goes_on(
    spark: Any, archives: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    script = Path(__file__).with_name("lose_an_executor.py")
    out, tables = tmp_path / "tables", tmp_path_factory.mktemp("undisturbed") / "tables"
    paths = [str(archives / "a.warc.gz"), str(archives / "d.warc.gz")]  # no revisits, so that tasks write all tables
    command = [sys.executable, "-P", str(script), str(out), *paths]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as dying:
        # One waits for executors that begin, and the other works meanwhile.
        job.run(spark, paths, str(tables), keep=Keep.ALL, sizes=SIZES)
        told, complaints = dying.communicate()
    assert (dying.returncode, told) == (-signal.SIGKILL, "killed 2\n"), complaints[-2000:]
    with pytest.raises(
        OutputError, match=r"nothing to resume beside .*tables: no job of the same archives and options"
    ):
        job.run(spark, paths, str(out), keep=Keep.BEST, sizes=SIZES, resume=True)
    assert not out.exists()
    stages: list[str] = []
    job.run(spark, paths, str(out), keep=Keep.ALL, sizes=SIZES, resume=True, progress=stages.append)
    assert not {"read", "pages", "captures", "classify"} & set(stages)
    assert stages.count("superstep 2") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]
    named = ("captures", "languages", "links", "pages", "problems", "sites")
    for name in ("answers/run=1", "answers/run=2", *named):
        found, wanted = (sorted(map(repr, pq.read_table(folder / name).to_pylist())) for folder in (out, tables))
        assert found == wanted, name
