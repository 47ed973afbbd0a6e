"""Spark as far as a job needs it: tasks at once, and what tables of its own need when they are first asked for.

The part of Spark that plans work on tables costs Java some three seconds of a processor as it starts, and a job whose
tasks write the tables themselves needs none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class LateSession:
    """What stands for a ``pyspark.sql.SparkSession``, which starts when anything but the context and settings is used.

    Args:
        context: the ``pyspark.SparkContext``.
        start: starts the session on it.
    """

    def __init__(self, context: Any, start: Callable[[], Any]) -> None:
        self.sparkContext = context  # as a session calls it
        self._start = start
        self._session: Any = None
        self._settings = Settings(context.getConf(), self._started)

    @property
    def conf(self) -> Any:
        """The settings, as a session has them."""
        return self._settings if self._session is None else self._session.conf

    def stop(self) -> None:
        """Stop Spark."""
        (self.sparkContext if self._session is None else self._session).stop()

    def __getattr__(self, name: str) -> Any:
        # Only what is not found above comes here: what only a session has.
        return getattr(self._started(), name)

    def _started(self) -> Any:
        if self._session is None:
            self._session = self._start()
            for name, value in self._settings.given.items():
                self._session.conf.set(name, value)
        return self._session


class Settings:
    """Settings of a session that has not started.

    Args:
        of_context: what the context was started with, a ``pyspark.SparkConf``.
        started: starts the session, which knows Spark's own defaults.
    """

    def __init__(self, of_context: Any, started: Callable[[], Any]) -> None:
        self._of_context, self._started = of_context, started
        self.given: dict[str, str] = {}  #: what was set since

    def get(self, name: str) -> Any:
        """A setting.

        Args:
            name: as Spark spells it.
        """
        found = self.given.get(name, self._of_context.get(name))
        return self._started().conf.get(name) if found is None else found

    def set(self, name: str, value: str) -> None:
        """Set it.

        Args:
            name: as Spark spells it.
            value: of it.
        """
        self.given[name] = value
