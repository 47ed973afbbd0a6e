"""A session that starts when something is asked of it that only a session has; no Java is needed here."""

from __future__ import annotations

from typing import Any

import pytest

from graphlang.cluster.spark_session import LateSession


class Session:
    """A substitute for Spark's session."""

    def __init__(self) -> None:
        self.conf, self.stopped, self.read = Conf({"spark.sql.ansi.enabled": "true"}), False, "tables"

    def stop(self) -> None:
        self.stopped = True


class Conf:
    def __init__(self, values: dict[str, str]) -> None:
        self.values = values

    def get(self, name: str) -> str | None:
        return self.values.get(name)

    def set(self, name: str, value: str) -> None:
        self.values[name] = value


class Context:
    """A substitute for Spark's context."""

    stopped = False

    def getConf(self) -> Any:  # noqa: N802 - as Spark calls it
        return Conf({"spark.sql.parquet.compression.codec": "zstd"})

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture
def started() -> list[Session]:
    return []


@pytest.fixture
def late(started: list[Session]) -> LateSession:
    def start() -> Session:
        started.append(Session())
        return started[-1]

    return LateSession(Context(), start)


def test_settings_and_tasks_need_no_session(late: LateSession, started: list[Session]) -> None:
    late.conf.set("spark.sql.shuffle.partitions", "7")
    assert late.conf.get("spark.sql.shuffle.partitions") == "7"
    assert late.conf.get("spark.sql.parquet.compression.codec") == "zstd"
    late.stop()
    assert late.sparkContext.stopped
    assert not started


def test_a_session_starts_once_and_knows_what_was_set(late: LateSession, started: list[Session]) -> None:
    late.conf.set("spark.sql.shuffle.partitions", "7")
    assert (late.read, late.read) == ("tables", "tables")
    (session,) = started
    assert session.conf.get("spark.sql.shuffle.partitions") == "7"
    late.conf.set("spark.sql.shuffle.partitions", "9")
    assert session.conf.get("spark.sql.shuffle.partitions") == "9"
    late.stop()
    assert session.stopped
    assert not late.sparkContext.stopped  # the session stops it


def test_a_setting_that_nobody_made_is_asked_of_the_session(late: LateSession, started: list[Session]) -> None:
    assert late.conf.get("spark.sql.ansi.enabled") == "true"
    assert len(started) == 1
