"""A session of Spark: start it, or refuse in one line.

A `LateSession` starts tasks at once, and the part of Spark that plans work on tables only when it is used: that costs
Java three seconds of a processor, and most jobs need none of it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from graphlang.cluster import worker_daemon
from graphlang.cluster.page_ids import CollisionError
from graphlang.content import registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class LateSession:
    """A ``pyspark.sql.SparkSession`` that starts when anything but its context and settings is used."""

    def __init__(self, context: Any, start: Callable[[], Any]) -> None:
        self.sparkContext = context  # as a session calls it
        self._start_session = start
        self._session: Any = None
        self._settings = Settings(context.getConf(), self._start)

    @property
    def conf(self) -> Any:
        """The settings, as a session has them."""
        return self._settings if self._session is None else self._session.conf

    def stop(self) -> None:
        """Stop Spark."""
        (self.sparkContext if self._session is None else self._session).stop()

    def __getattr__(self, name: str) -> Any:
        # Only what is not found above comes here: what only a session has.
        return getattr(self._start(), name)

    def _start(self) -> Any:
        if self._session is None:
            self._session = self._start_session()
            for name, value in self._settings.given.items():
                self._session.conf.set(name, value)
        return self._session


class Settings:
    """Settings of a session that has not started."""

    def __init__(self, of_context: Any, started: Callable[[], Any]) -> None:
        self._of_context, self._start = of_context, started
        self.given: dict[str, str] = {}  #: what was set since

    def get(self, name: str) -> Any:
        """Return a setting."""
        value = self.given.get(name, self._of_context.get(name))
        return self._start().conf.get(name) if value is None else value

    def set(self, name: str, value: str) -> None:
        """Set it for the session that starts."""
        self.given[name] = value


LEAST_JAVA: Final = 17
_SECONDS: Final = 60  # for Java to say its version
#: What is set unless the user sets it.
_SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "FATAL",  # errors of tasks are printed on one line in the end
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1024",
    "spark.sql.execution.arrow.maxBytesPerBatch": "32m",
    "spark.sql.execution.arrow.maxBytesPerOutputBatch": "32m",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.adaptive.enabled": "true",
    # Python of an executor would look for modules in the folder that the job was started in, before what is installed.
    "spark.executorEnv.PYTHONSAFEPATH": "1",
    # Arrow's memory goes back to the system after ten seconds, and not after a hundredth of one: a task takes as much
    # again at once, and the system fills every page with zeros first, which was a tenth of a worker's time.
    "spark.executorEnv.MIMALLOC_PURGE_DELAY": "10000",
}
#: If all processes are on this machine, nothing outside may reach them. Java works for minutes at most on its own
#: tasks, which is too short for its second compiler, and for a concurrent garbage collector. With one compiler it has
#: room for 48 MB of code, and compiles nothing more once some hundred supersteps have filled it.
_JAVA: Final = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseParallelGC"
_LOCAL: Final = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": _JAVA,
    "spark.executor.extraJavaOptions": _JAVA,
}
#: Where executors have this very Python, their processes are copies of one that has loaded what all tasks need.
_DAEMON: Final = {"spark.python.daemon.module": worker_daemon.__name__}
_COLLISION: Final = f"{CollisionError.__module__}.{CollisionError.__name__}: "
_GONE: Final = "Java ended in the middle of the work, as it does where memory is short; see spark.driver.memory"
_MEMORY_VARIABLE: Final = "SPARK_DRIVER_MEMORY"  # which Spark reads
#: What py4j says of an error of Java that it can ask nothing about any more.
_NO_WORDS: Final = re.compile(r"An error occurred while calling \S+")
_OURS: Final = re.compile(r"^graphlang\.[\w.]+: ")  # the class of a graphlang error
_MASTERS: Final = re.compile(r"yarn|local|spark://|k8s://")
_SHUFFLES: Final = "spark.sql.shuffle.partitions"
_SHUFFLED: Final = 32 << 20  # bytes of archives for each partition of a shuffle
_MOST_SHUFFLES: Final = 20_000


class SparkError(RuntimeError):
    """Spark cannot be used; the message is for the user, in one line."""


class JobError(RuntimeError):
    """Spark gave up a job; the message is for the user, in one line."""


def session(master: str | None = None, settings: Mapping[str, str] | None = None) -> Any:
    """Start Spark, or take the session that there is.

    Executors run the Python of this process, unless ``PYSPARK_PYTHON`` names another.

    Args:
        master: as Spark spells it, such as ``local[2]``, ``yarn`` or ``spark://host:7077``; None: what ``spark-submit``
            or Spark's configuration says, else ``local[*]``.
        settings: of Spark, by name.

    Returns:
        A ``pyspark.sql.SparkSession``.

    Raises:
        SparkError: pyspark is not installed; there is no such master; there is no Java, or one that Spark does not run
            on; Spark does not start.
    """
    builder = _import_pyspark().SparkSession.builder
    options = _check_settings(master, settings)
    for name, value in options.items():
        builder = builder.config(name, value)
    with _explain_start_failure():
        return builder.getOrCreate()


def late_session(
    master: str | None = None, settings: Mapping[str, str] | None = None, *, method: str | None = None
) -> Any:
    """Start Spark, or take the existing session; a new session starts only when it is needed (`LateSession`).

    Until then it can run tasks. If the content `method` is known and the master is local, processes of an executor
    share the model that comes with the program. Arguments and errors are as for `session`.
    """
    if is_there():
        return session(master, settings)
    options = _check_settings(master, settings, method)
    spark = import_module("pyspark")
    with _explain_start_failure():
        context = spark.SparkContext.getOrCreate(spark.SparkConf().setAll(list(options.items())))
    return LateSession(context, _import_pyspark().SparkSession.builder.getOrCreate)


def _check_settings(
    master: str | None, settings: Mapping[str, str] | None, method: str | None = None
) -> dict[str, str]:
    """Return all settings, where there is a Java that Spark runs on."""
    if master is not None and not _MASTERS.match(master):
        raise SparkError(f"there is no master {master}: Spark takes local[CORES], yarn, spark://HOST:PORT or k8s://URL")
    _check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return merge_settings(master, settings or {}, method)


def merge_settings(master: str | None, user_settings: Mapping[str, str], method: str | None = None) -> dict[str, str]:
    """Return all settings of a session; those of the user override ours."""
    all_settings = _SETTINGS | {"spark.app.name": "graphlang"}
    if master is not None:
        all_settings["spark.master"] = master
        if master.startswith("local"):
            all_settings |= _LOCAL
            if os.environ.get("PYSPARK_PYTHON") == sys.executable:
                all_settings |= _DAEMON
                if method == registry.DEFAULT:  # programs of others may not like to be copied
                    all_settings[f"spark.executorEnv.{worker_daemon.METHOD}"] = method
            if _MEMORY_VARIABLE not in os.environ:
                all_settings["spark.driver.memory"] = choose_heap(
                    os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
                )
    return all_settings | dict(user_settings)


@contextmanager
def _explain_start_failure() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # Py4J's and Spark's errors have no base of their own
        raise SparkError(f"Spark does not start: {first_line(error)}") from error


def choose_heap(memory: int) -> str:
    """Return the memory for Java where all work is done on this machine: a quarter, where Spark's default is 1 GB.

    >>> choose_heap(16 << 30), choose_heap(2 << 30)
    ('4096m', '1024m')
    """
    return f"{max(memory // 4, 1 << 30) >> 20}m"


def stop(spark: Any) -> None:
    """Stop a session; one whose Java is gone needs nothing."""
    try:
        spark.stop()
    except Exception as error:
        if not isinstance(error, ConnectionError) and type(error).__module__.partition(".")[0] != "py4j":
            raise


def is_there() -> bool:
    """True if there is a session already, which `session` would take."""
    return _import_pyspark().SparkSession.getActiveSession() is not None


def fit_shuffles(spark: Any, size: int) -> None:
    """Cut shuffles into as many pieces as archives of this size need, unless the user set a number.

    Spark's own 200 cost a small collection more than its work.
    """
    context = spark.sparkContext
    if not context.getConf().contains(_SHUFFLES):
        spark.conf.set(_SHUFFLES, str(min(max(context.defaultParallelism, -(-size // _SHUFFLED)), _MOST_SHUFFLES)))


def _import_pyspark() -> Any:
    try:
        return import_module("pyspark.sql")
    except ImportError as error:
        raise SparkError("Spark needs pyspark: pip install 'graphlang[spark]'") from error


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home, "bin", "java")) if home else shutil.which("java")
    need = f"Spark needs Java {LEAST_JAVA} or newer"
    if program is None:
        raise SparkError(f"{need}, and there is no java on the PATH; install one, or set JAVA_HOME")
    try:
        printed = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603 - the user's own
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SparkError(f"{need}, and {program} cannot be run: {first_line(error)}") from error
    version = parse_java_version(printed.stderr + printed.stdout)
    if version is None or version < LEAST_JAVA:
        is_there = "has no version" if version is None else f"is Java {version}"
        raise SparkError(f"{need}, and {program} {is_there}; set JAVA_HOME to another")


def parse_java_version(printed: str) -> int | None:
    """Return the major version that ``java -version`` printed.

    >>> parse_java_version('openjdk version "17.0.15" 2025'), parse_java_version('java version "1.8.0_392"')
    (17, 8)
    """
    version = re.search(r'version "(?:1\.)?(\d+)', printed)
    return int(version[1]) if version else None


@contextmanager
def errors_in_one_line(advice: str = "") -> Iterator[None]:
    """Raise what fails in Spark or on an executor as one graphlang error, with advice."""
    try:
        yield
    except Exception as error:
        ours = type(error).__module__.partition(".")[0] not in {"pyspark", "py4j"}
        if ours and not isinstance(error, ConnectionError):
            raise
        message = read_message(error)
        cause = _find_cause(message)
        if cause.startswith(_COLLISION):
            raise CollisionError(cause.removeprefix(_COLLISION)) from error
        raise JobError(f"Spark gave up: {_OURS.sub('', cause) or first_line(message)}{advice}") from error


def _find_cause(message: str) -> str:
    """Return the error in the last line of a Python traceback, else the last cause that Java names."""
    _, _, traceback = message.partition("Traceback (most recent call last):")
    lines = re.findall(r"^[\w.]+(?:Error|Exception|Interrupt): .*$", traceback, re.MULTILINE)
    lines = lines or re.findall(r"^(?:Caused by)?: (.+)$", message, re.MULTILINE)
    advice = "; see spark.driver.memory and spark.executor.memory" if lines and "OutOfMemoryError" in lines[-1] else ""
    return str(lines[-1][:500]) + advice if lines else ""


def read_message(error: BaseException) -> str:
    """Return the message of an error; that of Java's errors is asked of Java, which may be gone."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - of py4j or of the connection: no session is left to ask
        return _GONE
    gone = isinstance(error, ConnectionError) or _NO_WORDS.fullmatch(message.strip())
    return _GONE if gone else message or type(error).__name__


def first_line(error: BaseException | str) -> str:
    """Return the first line of a message that is not empty; Java's have pages."""
    lines = [line.strip() for line in (error if isinstance(error, str) else read_message(error)).splitlines()]
    return next((line for line in lines if line), "an error without words")[:500]
