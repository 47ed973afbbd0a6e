"""One session of Spark for all tests of a process; without Java or pyspark they are skipped, and say why.

`make cluster` has two processes, and gives each whole files: what needs the tables of a job is in ``test_run.py``.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

LONG = (
    "Das Museum der Gezeiten liegt am Hafen und zeigt alte Boote, Netze und Karten. Morgens öffnet eine Frau die Tür."
)
#: A gigabyte for Java: with more it collects garbage later, and other tests run beside these.
SETTINGS = {"spark.sql.shuffle.partitions": "2", "spark.default.parallelism": "2", "spark.driver.memory": "1g"}
VAI = "ꕉꕜꕮ ꔔꘋ ꖸ ꔰ ꗋꘋ " * 30


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    from graphlang.cluster.spark_session import SparkError, session  # noqa: PLC0415 - without Spark nothing is imported

    try:
        found = session("local[2]", SETTINGS)
    except SparkError as error:
        pytest.skip(str(error))
    yield found
    found.stop()


def record(
    url: str, body: str, *, kind: str = "response", date: str = "2026-01-01", status: int = 200, **more: str
) -> bytes:
    """One WARC record as a gzip member."""
    http = f"HTTP/1.1 {status} .\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{body}".encode()
    head = {
        "WARC-Type": kind,
        "WARC-Target-URI": url,
        "WARC-Date": f"{date}T00:00:00Z",
        "Content-Type": "application/http; msgtype=response",
        **{name.replace("_", "-"): value for name, value in more.items()},
        "Content-Length": str(len(http)),
    }
    written = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return gzip.compress(f"WARC/1.0\r\n{written}\r\n".encode() + http + b"\r\n\r\n", mtime=0)


@pytest.fixture(scope="session", name="record")
def _record() -> Callable[..., bytes]:
    """For tests with archives of their own."""
    return record


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Captures that compete, a revisit, a redirect, hreflang, the same bytes twice, an archive that is none."""
    folder = tmp_path_factory.mktemp("archives")
    site = "http://museum.example/"
    links = '<a href="/anna.html">.</a><a href="/">.</a><a rel=nofollow href="http://other.example/x?b=1">.</a>'
    first = [
        record(site, f"<html lang=de><title>Museum</title><p>{LONG}{links}"),
        record(f"{site}anna.html", "<p>Anna<a href='/'>.</a><link rel=alternate hreflang=fr href='/fr.html'>"),
        record(f"{site}old.html", "", status=301, Location="x"),
        record(f"{site}twice.html", f"<p>Alt. {LONG}<a href='/only-old.html'>.</a>", date="2024-01-01"),
        record(f"{site}gone.html", f"<p>Noch da. {LONG}", date="2024-01-01"),
    ]
    revisit = {"WARC_Refers_To_Target_URI": site, "WARC_Refers_To_Date": "2026-01-01T00:00:00Z"}
    second = [
        record(f"{site}twice.html", f"<p>Neu. {LONG}<a href='/only-new.html'>.</a>", date="2025-01-01"),
        record(f"{site}gone.html", "<p>Nicht gefunden", date="2025-01-01", status=404),
        record(f"{site}again.html", "", kind="revisit", date="2026-02-01", status=304, **revisit),
        # Encoded twice: "Le musée des marées se trouve près du port".
        record("http://musee.example/", "<p>Le musÃ©e des marÃ©es se trouve prÃ¨s du port et montre de vieux bateaux."),
        # In no language that the method knows: what it is linked with learns nothing through it.
        record("http://other.example/2", f"<p>{VAI}<a href='http://musee.example/'>.</a><a href='/3'>.</a>"),
    ]
    (folder / "a.warc.gz").write_bytes(b"".join(first))
    (folder / "b.warc.gz").write_bytes(b"".join(second))
    (folder / "c.warc.gz").write_bytes(b"".join(second))
    (folder / "d.warc.gz").write_bytes(b"".join(first[:2])[:-40])
    return folder


@pytest.fixture(scope="session")
def sizes() -> Any:
    """How the inference is cut: museum.example has more pages than a host may have, and is cut, too."""
    from graphlang.cluster.partitions import Sizes  # noqa: PLC0415 - needs an extra

    return Sizes(partitions=3, host_pages=4)


@pytest.fixture(scope="session")
def tables(spark: Any, archives: Path, sizes: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a job makes of the archives."""
    from graphlang.cluster import job  # noqa: PLC0415 - needs an extra
    from graphlang.db.write.choose_capture import Keep  # noqa: PLC0415

    out = tmp_path_factory.mktemp("out") / "tables"
    done = job.run(spark, [str(archives)], str(out), keep=Keep.ALL, sizes=sizes)
    assert (done.archives, done.problems) == (3, 1)
    return out


@pytest.fixture(scope="session")
def imported(tables: Path) -> Path:
    """The database of them."""
    from graphlang.cluster.import_tables import to_database  # noqa: PLC0415 - needs an extra

    path = tables.parent / "imported.db"
    to_database(tables, path)
    return path


@pytest.fixture(scope="session")
def rounded() -> Callable[[Iterable[Any]], list[tuple[Any, ...]]]:
    """Rows without the last digits, which depend on the order in which Spark adds numbers up."""
    return lambda rows: [tuple(round(cell, 9) if isinstance(cell, float) else cell for cell in row) for row in rows]
