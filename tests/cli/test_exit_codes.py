"""One exit code for each way in which a command can end, and one line on standard error."""

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from graphlang.cli import cli, failures
from graphlang.cli.failures import explain_failure
from graphlang.collection import computing, opened_file
from graphlang.content import registry
from graphlang.content.identifier import Identifier
from graphlang.db import InputError, LockedError, StoreError, connection, create, lock, schema
from graphlang.ingest import WorkerError
from graphlang.modelfile import ModelError

Call = Callable[..., Result]
MAIN = "from graphlang.cli import main; main()"
EXAMPLE = Path(__file__).parents[2] / "examples" / "crawl.warc.gz"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("x"), 2),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "x"), 2),
        (PermissionError(errno.EACCES, "Permission denied", "x"), 2),
        (StoreError("x"), 3),
        (ModelError("x"), 3),
        (sqlite3.DatabaseError("database disk image is malformed"), 3),
        (sqlite3.OperationalError("database or disk is full"), 4),
        (sqlite3.OperationalError("disk I/O error"), 4),
        (OSError(errno.ENOSPC, "No space left on device", "x"), 4),
        (MemoryError(), 4),
        (WorkerError("x"), 4),
        (LockedError("x"), 5),
        (sqlite3.OperationalError("database is locked"), 5),
        (KeyboardInterrupt(), 130),
    ],
)
def test_each_error_has_its_code_and_words_for_a_line(error: BaseException, code: int) -> None:
    told = explain_failure(error)
    assert told is not None
    assert told.exit_code == code
    assert told.message
    assert "\n" not in told.message


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("x"), RuntimeError("x")])
def test_a_defect_is_not_told_as_if_the_user_had_caused_it(error: Exception) -> None:
    assert explain_failure(error) is None


def test_0_and_1_and_2_and_3(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db, bad = tmp_path / "crawl.db", tmp_path / "bad.warc"
    bad.write_bytes(b"no archive")
    assert graphlang("ingest", db, museum, "--workers", 1).exit_code == 0
    assert graphlang("ingest", db, bad, "--workers", 1).exit_code == failures.PROBLEMS
    assert graphlang("ingest", db, tmp_path / "none.warc", "--workers", 1).exit_code == failures.USAGE
    assert graphlang("ingest", db, "--no-such-option").exit_code == failures.USAGE
    assert graphlang("pages", db, "-o", tmp_path / "no" / "x.csv").exit_code == failures.USAGE
    assert graphlang("vote", db).exit_code == failures.UNFIT
    assert graphlang("classify", db, "--method", bad).exit_code == failures.UNFIT
    assert graphlang("pages", bad).exit_code == failures.UNFIT


def test_4_where_the_disk_is_full(graphlang: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def small(path: Path, **how: object) -> sqlite3.Connection:
        connection = create(path, **how)  # type: ignore[arg-type]
        connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}")
        return connection

    monkeypatch.setattr(computing, "create", small)
    result = graphlang("ingest", tmp_path / "crawl.db", EXAMPLE, "--workers", 1)
    assert (result.exit_code, "the disk is full" in result.stderr) == (failures.EXHAUSTED, True)


def test_4_where_not_even_the_tables_have_room(
    graphlang: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create_tables(opened: sqlite3.Connection) -> None:
        opened.execute("PRAGMA max_page_count = 3")
        schema.create_tables(opened)

    monkeypatch.setattr(connection, "create_tables", create_tables)
    result = graphlang("ingest", tmp_path / "crawl.db", EXAMPLE, "--workers", 1)
    assert (result.exit_code, "the disk is full" in result.stderr) == (failures.EXHAUSTED, True), result.stderr
    monkeypatch.undo()
    assert graphlang("ingest", tmp_path / "crawl.db", EXAMPLE, "--workers", 1).exit_code == 0


@pytest.mark.parametrize("most", [0, 200_000])
def test_4_where_files_may_not_be_as_large(graphlang: Call, tmp_path: Path, most: int) -> None:
    """Which SQLite takes for a fault of the disk; the signal that goes with it is ignored by Python."""
    db = tmp_path / "crawl.db"
    limited = f"import resource as of; of.setrlimit(of.RLIMIT_FSIZE, ({most}, of.RLIM_INFINITY)); {MAIN}"
    call = [sys.executable, "-P", "-c", limited, "ingest", db, EXAMPLE, "-q"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (failures.EXHAUSTED, 1), done.stderr
    assert graphlang("ingest", db, EXAMPLE, "-q").exit_code == 0
    assert "443" in graphlang("info", db, "--format", "csv").stdout


def test_4_where_memory_is_short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def greedy(*_: object, **__: object) -> sqlite3.Connection:
        raise MemoryError

    monkeypatch.setattr(opened_file, "open_existing", greedy)
    result = CliRunner().invoke(cli, ["vote", str(tmp_path / "a.db")])
    assert (result.exit_code, result.stderr) == (failures.EXHAUSTED, "Error: there is not enough memory\n")


def test_5_where_another_is_writing_and_reading_goes_on(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    graphlang("ingest", db, museum, "--workers", 1)
    with closing(create(db, verb="vote")):
        result = graphlang("classify", db)
        assert (result.exit_code, result.stderr.count("\n")) == (failures.LOCKED, 1)
        assert f"is being written by process {os.getpid()} (vote" in result.stderr
        assert graphlang("info", db).exit_code == 0


def test_130_where_it_is_interrupted(tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    create(db).close()
    with closing(create(db)):
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from graphlang.cli import main; main()", "vote", str(db), "--wait"],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        assert process.stderr.readline().startswith("waiting for process")
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait() == failures.INTERRUPTED
        assert process.stderr.read().startswith("Error: interrupted")
        process.stderr.close()


#: The report is half written, and goes on for a minute.
HALF_WRITTEN = """
import signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests that "nohup" started would hand on that it is ignored
from pathlib import Path
import graphlang.report.page as at
from graphlang.cli import main
from graphlang.files import open_replacement

def write(*_, **__):
    with open_replacement(Path(sys.argv[-1])) as file:
        file.write(b"half")
        print("begun", flush=True)
        time.sleep(60)

at.write_report = write
main()
"""


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_is_half_written_goes_when_the_program_is_asked_to_stop(
    run_museum: Callable[[Path], Path], tmp_path: Path, asked: signal.Signals
) -> None:
    db, target = run_museum(tmp_path / "crawl.db"), tmp_path / "out" / "report.html"
    target.parent.mkdir()
    call = [sys.executable, "-P", "-c", HALF_WRITTEN, "report", db, "-o", target]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        assert len(list(target.parent.iterdir())) == 1
        process.send_signal(asked)
        _, told = process.communicate(timeout=30)
    assert told == "Error: interrupted; run the same command again to resume\n"
    assert process.returncode == (failures.INTERRUPTED if asked == signal.SIGINT else -asked)
    assert not list(target.parent.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_is_ignored_stays_ignored(tmp_path: Path, number: signal.Signals) -> None:
    program = (
        f"import signal; signal.signal({int(number)}, signal.SIG_IGN)\nfrom graphlang.interrupts import watch_signals\n"
    )
    program += f"watch_signals(); signal.raise_signal({int(number)}); print('on')"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "on\n")


@pytest.mark.parametrize("ignored", [False, True])
def test_ctrl_c_while_modules_are_imported_is_no_traceback(*, ignored: bool) -> None:
    """Click alone takes as long to import as a key to be pressed; ``nohup`` goes on to ignore it."""
    program = (
        "import signal, sys\n"
        f"signal.signal(signal.SIGINT, signal.{'SIG_IGN' if ignored else 'default_int_handler'})\n"
        "class Stops:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'click':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Stops())\n"
        "from graphlang.__main__ import begin\n"
        "begin()"
    )
    call = [sys.executable, "-P", "-c", program, "--version"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0 if ignored else -signal.SIGINT, "")
    assert done.stdout.startswith("graphlang, version") is ignored


#: Ctrl-C falls into a function that SQLite calls: one of SQL, or the one that counts its steps.
STOPPED_WITHIN = {
    "function": "import graphlang.maps.sites as at; at._find_country = lambda *_: stop()",
    "steps": "import graphlang.db.connection as at; at._COUNTED = 1000; at._measure_size = lambda _: stop()",
}


@pytest.mark.parametrize(
    ("where", "verb"),
    [
        ("function", ("sites", "--by", "country")),
        ("steps", ("languages",)),
        ("steps", ("check",)),
    ],
)
def test_130_where_sqlite_takes_the_interrupt_for_its_own(
    graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path, where: str, verb: tuple[str, ...]
) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    stop = "import signal; stop = lambda: signal.raise_signal(signal.SIGINT)"
    program = f"{stop}; {STOPPED_WITHIN[where]}; from graphlang.cli import main; main()"
    name, *options = verb
    call = [sys.executable, "-P", "-c", program, name, str(db), *options]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (failures.INTERRUPTED, "")
    assert done.stderr.startswith("Error: interrupted")
    assert graphlang("check", db).exit_code == 0


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_stream_that_the_shell_closed_is_none_that_is_written_to(
    graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path, closed: str
) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    listed = graphlang("pages", db, "--format", "tsv").stdout
    call = f'"{sys.executable}" -P -c "from graphlang.cli import main; main()" pages "{db}" --format tsv {closed}'
    done = subprocess.run(["/bin/sh", "-c", call], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("" if closed.startswith(">") else listed)
    assert graphlang("check", db).exit_code == 0


@pytest.mark.parametrize("verb", [("--help",), ("--version",), ("pages", "--help")])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_help_that_cannot_be_written_is_told_in_a_line(verb: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        program = "from graphlang.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-P", "-c", program, *verb], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (4, "Error: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_work_whose_messages_cannot_be_written_is_done_all_the_same(graphlang: Call, museum: Path) -> None:
    def list_pages(db: Path) -> str:
        return graphlang("pages", db, "--format", "csv").stdout

    whole = museum.with_name("whole.db")
    assert graphlang("run", museum, "--db", whole).exit_code == 0
    reader, writer = os.pipe()
    os.close(reader)
    with Path("/dev/full").open("wb") as full, os.fdopen(writer, "wb") as gone:
        for errors in (full, gone):
            db = museum.with_name(f"{errors.fileno()}.db")
            call = [sys.executable, "-P", "-c", MAIN, "run", museum, "--db", db]
            assert subprocess.run(call, stdout=subprocess.DEVNULL, stderr=errors, check=False).returncode == 0
            assert list_pages(db) == list_pages(whole) != ""


@pytest.mark.parametrize(("of", "code"), [("--nothing", 2), ("pages", 2), (f"pages {EXAMPLE}", 3)])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_an_error_that_nobody_hears_keeps_its_code(of: str, code: int) -> None:
    with Path("/dev/full").open("wb") as full:
        call = [sys.executable, "-P", "-c", MAIN, *of.split()]
        assert subprocess.run(call, stderr=full, check=False).returncode == code


def test_a_working_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    call = f'rmdir ../gone; "{sys.executable}" -P -c "{MAIN}" run "{EXAMPLE}" --db a.db'
    done = subprocess.run(["bash", "-c", call], cwd=tmp_path / "gone", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "Error: the working folder does not exist any more\n")


def test_all_codes_are_in_the_help(graphlang: Call) -> None:
    words = click.unstyle(graphlang("--help").stdout)
    for code in (0, 1, 2, 3, 4, 5, 130):
        assert f"{code} " in words[words.index("Exit codes") :]


def test_run_has_the_database_before_it_loads_anything(
    graphlang: Call, museum: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, load = tmp_path / "crawl.db", registry.load
    asked: list[str] = []

    def slow(method: str) -> Identifier:
        with pytest.raises(LockedError, match=r"being written by process \d+ \(run, "):
            lock.acquire(db)
        assert not db.exists()
        asked.append(method)
        return load(method)

    monkeypatch.setattr(registry, "load", slow)
    assert graphlang("run", museum, "--db", db, "--workers", 1, "--quiet").exit_code == 0
    assert asked == ["nfc"]
    lock.acquire(db).release()
    assert graphlang("run", museum, "--db", tmp_path / "no" / "crawl.db").exit_code == failures.UNFIT


def test_a_run_that_fails_gives_the_database_back_and_leaves_none(
    graphlang: Call, museum: Path, tmp_path: Path
) -> None:
    assert graphlang("run", museum, "--db", tmp_path / "crawl.db", "--method", "none").exit_code == failures.UNFIT
    assert sorted(tmp_path.iterdir()) == [museum]


@pytest.mark.parametrize(("written", "code"), [("9" * 20, 2), ("", 0), ("-1", 0)])
def test_a_time_of_reproducible_builds_that_is_none_is_told(tmp_path: Path, written: str, code: int) -> None:
    db, page = tmp_path / "a.db", tmp_path / "a.html"
    create(db).close()
    # numpy, where scipy is imported, takes it for a whole number: in a process of its own, for ours has imported both.
    done = subprocess.run(
        [sys.executable, "-P", "-m", "graphlang", "report", str(db), "-o", str(page)],
        env={**os.environ, "SOURCE_DATE_EPOCH": written},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert page.exists() == (code == 0)
    if code:
        told = f"SOURCE_DATE_EPOCH is '{written}', which is not a time in seconds since 1970"
        assert done.stderr.splitlines()[-1] == f"Error: {told}"
