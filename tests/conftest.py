"""What many tests need: a small archive made on the spot, and the command line in this process."""

from __future__ import annotations

import fcntl
import gzip
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import uuid
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Sequence

# 'python -m pytest' puts the checkout before the installed package, and graphlang.db is only in the latter.
_CHECKOUT = Path(__file__).parents[1].resolve()
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != _CHECKOUT]

# Bytecode of programs that tests start is written once: to compile graphlang takes a process a second.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A database waits for the disk at each commit, but not in memory.
_IN_MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes its own folder there, which nobody else may read
if os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free > 8 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_IN_MEMORY))

# What is kept of models for later starts: in one place for all tests, and not where the user has it.
os.environ.setdefault("GRAPHLANG_CACHE", str(_CHECKOUT / "build" / "cache"))

# A shell without job control starts background jobs with Ctrl-C ignored, and their children would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes depends on what else the machine does. The examples are the same each time: a change
# elsewhere must not fail a test. 'make explore' tries others, and CI more of the same.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
settings.register_profile("untimed", UNTIMED, derandomize=True, database=None, max_examples=50)
settings.register_profile("more", UNTIMED, derandomize=True, database=None, max_examples=150)
settings.register_profile("explore", UNTIMED, max_examples=1000, print_blob=True)
settings.load_profile("untimed")

#: Files whose tests take longest, in this order: they begin first, so that no core waits for one of them in the end.
LONGEST = (
    "cluster/test_run.py",
    "cluster/test_lost_executors.py",
    "content/test_kernels_sanitised.py",
    "docs/test_pages.py",
    "ingest/test_ingest_pool.py",
    "test_altered_models.py",
    "graph/test_partitioned_driver.py",
    "report/test_report.py",
    "cli/test_stop_and_go_on.py",
    "db/test_altered.py",
    "graph/test_graph_kernel_refusals.py",
    "examples/test_walkthrough.py",
    "db/test_history.py",
    "ingest/test_ingest_byte_ranges.py",
    "library/test_collection.py",
    "cli/test_several_years.py",
    "test_layout.py",
    "urls/test_url_model.py",
)


def pytest_configure() -> None:
    """Refuse to test an installation that lacks modules of the checkout: tests would fail for no reason of theirs."""
    found = find_spec("graphlang")
    installed = Path(found.origin if found and found.origin else "").parent
    for folder, place in (("graphlang", installed), ("db", installed / "db"), ("ingest", installed / "ingest")):
        for path in sorted((_CHECKOUT / folder).rglob("*.py")):
            if not (place / path.relative_to(_CHECKOUT / folder)).exists():
                lacking = path.relative_to(_CHECKOUT)
                raise pytest.UsageError(
                    f"{lacking} is not installed; run: make .venv/installed (of Spark: .venv/spark)"
                )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the longest files first."""
    order = {Path(__file__).parent / name: place for place, name in enumerate(LONGEST)}
    if gone := [str(path) for path in order if not path.exists()]:
        raise pytest.UsageError(f"{gone[0]} is among the longest files of tests/conftest.py, and is not there")
    items.sort(key=lambda item: order.get(item.path, len(order)))


GERMAN = (
    "Das Museum der Gezeiten liegt am Hafen und zeigt alte Boote, Netze und Karten. Jeden Morgen öffnet eine Frau die"
    " schwere Tür, und die ersten Gäste warten schon im Regen. Am Nachmittag gibt es Kuchen und heißen Tee."
)
FRENCH = (
    "Le musée des marées se trouve près du port et montre de vieux bateaux, des filets et des cartes. Chaque matin une"
    " femme ouvre la lourde porte, et les premiers visiteurs attendent déjà sous la pluie. Ensuite il y a du gâteau."
)


def html(text: str, *links: str, head: str = "") -> bytes:
    anchors = "".join(f'<a href="{link}">.</a>' for link in links)
    return f"<!doctype html><html><head>{head}</head><body><p>{text}</p>{anchors}</body></html>".encode()


def _write_warc(path: Path, pages: Iterable[tuple[str, bytes]]) -> Path:
    """One gzip member a record, as crawlers write them."""
    with path.open("wb") as file:
        for url, body in pages:
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
            record = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-21T00:00:00Z\r\n"
                f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            )
            file.write(gzip.compress(record.encode() + http + b"\r\n\r\n", mtime=0))
    return path


@pytest.fixture(autouse=True, scope="session")
def unhurried() -> Iterator[None]:
    """No lines of progress: whether a verb takes so long that it has some depends on the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphlang.cli.shared.progress._EVERY", 3600.0)
        yield


@pytest.fixture
def write_warc() -> Callable[[Path, Iterable[tuple[str, bytes]]], Path]:
    """Write an archive of (URL, HTML) pages."""
    return _write_warc


def _write_museum(folder: Path) -> Path:
    site = "http://museum.example/"
    return _write_warc(
        folder / "museum.warc.gz",
        [
            (site, html(GERMAN, "/karten.html", "/anna.html", "/nie-geholt.html")),
            (site + "karten.html", html(GERMAN + " Die Karten hängen im zweiten Stock.", "/anna.html", "/")),
            (site + "anna.html", html("Anna", "/")),
            ("http://musee.example/", html(FRENCH, "/luc.html")),
            ("http://musee.example/luc.html", html("12 34 56")),
        ],
    )


@pytest.fixture
def museum(tmp_path: Path) -> Path:
    """Two long German pages and a French one; German pages link to a page whose only text is a name, and further."""
    return _write_museum(tmp_path)


@pytest.fixture(scope="session")
def _museum_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from graphlang.cli import cli  # noqa: PLC0415 - tests of other parts need no command line

    folder = tmp_path_factory.mktemp("museum")
    call = ["run", str(_write_museum(folder)), "--db", str(folder / "crawl.db"), "--workers", "1", "--quiet"]
    assert CliRunner().invoke(cli, call).exit_code == 0
    return folder / "crawl.db"


@pytest.fixture
def run_museum(_museum_template: Path) -> Callable[[Path], Path]:
    """Make the database of a finished ``run`` over the museum at a path: a copy, for tests of what comes after."""
    return lambda path: Path(shutil.copyfile(_museum_template, path))


@pytest.fixture
def graphlang() -> Callable[..., Result]:
    """Run the command line in this process: ``graphlang("pages", db)`` gives exit_code, stdout and stderr."""
    from graphlang.cli import cli  # noqa: PLC0415 - tests of other parts need no command line

    def call(*arguments: object, input_: bytes | None = None) -> Result:
        result = CliRunner().invoke(cli, [str(argument) for argument in arguments], input=input_)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return call


@dataclass
class Written:
    """A page of a collection that is written row by row; see `make_collection`."""

    url: str
    language: str | None = None  #: label of the chosen run: ``deu``, ``srp_Latn``; None: no answer
    confidence: float = 1.0
    runner_up: str | None = None
    runner_up_confidence: float | None = None
    own: str | None = None  #: label of the content run
    own_confidence: float = 1.0
    fetched: bool = True
    text: str = "a text of more than fifty letters, which is enough for all of them"
    main: int | None = None
    title: str = ""
    status: int | None = 200
    mime: str = "text/html"
    charset: str | None = "utf-8"
    date: str = "2012-06-01T00:00:00Z"
    links: tuple[int, ...] = ()  #: numbers of pages, from 0
    shares: tuple[tuple[str, float], ...] = ()  #: of the content run: label and share, the greatest first


def _make_collection(path: Path, pages: Sequence[Written]) -> Path:
    from graphlang.codes import languages  # noqa: PLC0415 - tests of other parts do without
    from graphlang.db import create  # noqa: PLC0415
    from graphlang.db.runs.answers import enter_labels  # noqa: PLC0415
    from graphlang.db.runs.lifecycle import finish_run, start_run  # noqa: PLC0415

    connection = create(path)
    connection.execute("INSERT INTO sources (name, sha256, bytes, finished) VALUES ('crawl.warc.gz', 'ab', 1, 1)")
    hosts: dict[str, int] = {}
    for number, page in enumerate(pages, 1):
        host = page.url.partition("://")[2].partition("/")[0]
        if host not in hosts:
            hosts[host] = len(hosts) + 1
            parts = host.split(".")
            row = (hosts[host], host, ".".join(parts[-2:]), parts[-1], parts[-1])
            connection.execute("INSERT INTO hosts VALUES (?, ?, ?, ?, ?)", row)
        connection.execute("INSERT INTO pages VALUES (?, ?, ?)", (number, page.url, hosts[host]))
        if page.fetched:
            connection.execute(
                "INSERT INTO captures (page, source, offset, date, status, mime, charset, charset_from, length, size,"
                " digest) VALUES (?, 1, ?, ?, ?, ?, ?, 'http', ?, 9, 'D')",
                (number, number * 100, page.date, page.status, page.mime, page.charset, len(page.text)),
            )
            main = len(page.text) if page.main is None else page.main
            connection.execute(
                "INSERT INTO texts (page, title, text, main) VALUES (?, ?, ?, ?)",
                (number, page.title, page.text, main),
            )
    for number, page in enumerate(pages, 1):
        for place, target in enumerate(page.links):
            connection.execute("INSERT INTO links VALUES (?, ?, 7, 0, NULL, ?)", (number, target + 1, place))
    said = {name for page in pages for name in (page.language, page.runner_up, page.own) if name}
    said |= {name for page in pages for name, _ in page.shares}
    given = sorted(said)
    ids = dict(
        zip(
            given,
            enter_labels(
                connection,
                [
                    (name, name[:3], None if name in ("und", "zxx") else languages.split_label(name)[1])
                    for name in given
                ],
            ),
            strict=True,
        )
    )
    own = start_run(connection, kind="content", method="nfc", parameters={}, version="1")
    _answer(connection, own.id, [(n, p.own, p.own_confidence, None, None, p) for n, p in enumerate(pages, 1)], ids)
    for number, page in enumerate(pages, 1):
        for rank, (label, share) in enumerate(page.shares, 1):
            connection.execute(
                "INSERT INTO page_shares VALUES (?, ?, ?, ?, ?)", (own.id, number, rank, ids[label], share)
            )
    finish_run(connection, own.id, pages=len(pages))
    final = start_run(connection, kind="propagation", method="bp", parameters={}, version="1", seeds=[own.id])
    _answer(
        connection,
        final.id,
        [(n, p.language, p.confidence, p.runner_up, p.runner_up_confidence, p) for n, p in enumerate(pages, 1)],
        ids,
    )
    finish_run(connection, final.id, pages=len(pages))
    connection.execute("CREATE UNIQUE INDEX IF NOT EXISTS pages_url ON pages (url)")
    connection.close()
    return path


def _answer(
    connection: sqlite3.Connection,
    run: int,
    rows: Iterable[tuple[int, str | None, float, str | None, float | None, Written]],
    ids: dict[str, int],
) -> None:
    for number, label, confidence, runner_up, second, page in rows:
        if label is not None:
            connection.execute(
                "INSERT INTO predictions (run, page, label, confidence, runner_up, runner_up_confidence, characters)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (run, number, ids[label], confidence, ids.get(runner_up or ""), second, len(page.text)),
            )


@pytest.fixture
def make_collection(tmp_path: Path) -> Callable[..., Path]:
    """Write a collection row by row: ``make_collection([Written("http://a.example/", "deu")])`` gives its path."""

    def make(pages: Sequence[Written], name: str = "crawl.db") -> Path:
        return _make_collection(tmp_path / name, pages)

    return make


@pytest.fixture
def written() -> type[Written]:
    """The type of a page for `make_collection`."""
    return Written


#: Sanitisers, and the library that must be loaded before Python.
_LIBRARIES = {"address,undefined": "libasan.so", "thread": "libtsan.so"}
_QUIET = {
    "ASAN_OPTIONS": "detect_leaks=0",
    "TSAN_OPTIONS": "halt_on_error=1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


@cache
def _sanitised(sanitisers: str, kernels: str) -> tuple[Path, str]:
    """Build kernels with some sanitisers; their folder, and the library that must be loaded before Python."""
    compiler = os.environ.get("CC", sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        pytest.skip("no C compiler")
    with TemporaryDirectory() as folder:
        tried = [
            compiler,
            f"-fsanitize={sanitisers}",
            "-shared",
            "-fPIC",
            "-xc",
            os.devnull,
            "-o",
            f"{folder}/empty.so",
        ]
        made = subprocess.run(tried, capture_output=True, check=False)
    named = [compiler, f"-print-file-name={_LIBRARIES[sanitisers]}"]
    library = subprocess.run(named, capture_output=True, text=True, check=False).stdout.strip()
    if made.returncode or not Path(library).is_absolute():
        pytest.skip(f"{compiler} has no sanitisers of {sanitisers} that can be loaded before Python")
    built = _CHECKOUT / "build" / "sanitised" / (sanitisers.replace(",", "-") + "-some" * bool(kernels))
    built.mkdir(parents=True, exist_ok=True)
    with (built / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests on another core want the same ones, and find them made
        made = subprocess.run(
            [sys.executable, "setup.py", "-q", "build_ext", f"--build-lib={built}", f"--build-temp={built}/objects"],
            cwd=_CHECKOUT,
            env={**os.environ, "GRAPHLANG_SANITIZE": sanitisers, "GRAPHLANG_KERNELS": kernels},
            capture_output=True,
            check=False,
        )
    assert made.returncode == 0, made.stderr.decode(errors="replace")[-3000:]
    return built, library


@pytest.fixture
def sanitiser(tmp_path: Path) -> Callable[..., Callable[..., str]]:
    """Make what runs a workout under sanitisers: ``sanitiser("thread")(workout, *arguments)`.

    ``kernels`` names the sources, separated by blanks, if not all kernels are to be built.
    """

    def make(sanitisers: str, *, kernels: str = "") -> Callable[..., str]:
        built, library = _sanitised(sanitisers, kernels)
        threads = "2" if sanitisers == "thread" else "1"

        def run(workout: Path, *arguments: str) -> str:
            harness = Path(__file__).parent / "native" / "run_workout.py"
            called = [sys.executable, "-P", str(harness), str(built), threads, str(workout), *arguments]
            # The sanitiser of threads wants its own layout of memory.
            fixed = ["setarch", "-R"] if sanitisers == "thread" and shutil.which("setarch") else []
            done = subprocess.run(
                [*fixed, *called],
                env={**os.environ, **_QUIET, "LD_PRELOAD": library},
                capture_output=True,
                text=True,
                check=False,
                cwd=tmp_path,
            )
            assert done.returncode == 0, done.stderr[-5000:]
            return done.stdout

        return run

    return make


@pytest.fixture(params=["address,undefined", "thread"])
def under_sanitisers(
    request: pytest.FixtureRequest, sanitiser: Callable[..., Callable[..., str]]
) -> Callable[..., str]:
    """Run a workout under the sanitisers, and return what it answered; see `run_workout`.

    >>> under_sanitisers(Path(__file__).with_name("workout_ids.py"), "argument")  # doctest: +SKIP
    """
    return sanitiser(request.param)
