"""The verbs as a program that ``spark-submit`` starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

pyspark = pytest.importorskip("pyspark")


def test_spark_submit_starts_the_job(spark: Any, archives: Path, tmp_path: Path) -> None:
    """Options of `spark-submit` apply, and the output, problems and exit code of the program are passed on."""
    del spark  # without Java this is skipped
    import graphlang.cluster.__main__ as program  # noqa: PLC0415 - beside Spark only

    out = tmp_path / "tables"
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    java = "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC"
    settings = ["--master", "local[1]", "--driver-memory", "1g", "--driver-java-options", java]
    words = ["run", str(archives / "a.warc.gz"), str(archives / "d.warc.gz"), "-o", str(out), "--no-linked"]
    done = subprocess.run(
        [str(submit), *settings, str(program.__file__), *words],
        env=os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr[-2000:]  # one of them is cut short
    assert f"tables: {out}" in done.stdout
    found = pq.read_table(out / "languages", columns=["url", "language"]).to_pylist()
    assert {row["url"]: row["language"] for row in found}["http://museum.example/"] == "deu"
