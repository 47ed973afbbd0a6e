"""Runs as rows of ``runs``: read one, find one, and choose the one that the views show."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from graphlang.db import snapshot, values
from graphlang.db.errors import StoreError
from graphlang.db.write import sources

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

_LAST: Final = 2**63 - 1  #: the greatest integer of SQLite


@dataclass(frozen=True, slots=True, repr=False)
class Run:
    """One row of ``runs``."""

    id: int
    kind: str
    method: str
    model: str | None
    model_hash: str | None
    parameters: dict[str, Any]
    seeds: tuple[int, ...]
    collection: str
    version: str
    started: str
    finished: str | None
    pages: int | None
    rounds: int | None
    converged: bool | None
    inputs: str | None
    linked: bool | None  #: whether unfetched URLs have their answers; None: no answers are kept apart

    @property
    def title(self) -> str:
        """Its kind and method: ``content by nfc``."""
        return self.kind if self.kind == self.method else f"{self.kind} by {self.method}"

    def __repr__(self) -> str:
        return f"<Run {self.id}: {self.title}, {self.pages or 0:,} pages>"

    @property
    def at(self) -> str | None:
        """The moment whose captures it read (`graphlang.db.snapshot`); None: main captures."""
        moment = self.parameters.get("at")
        return None if moment is None else str(moment)


COLUMNS = ", ".join(Run.__slots__)
#: SQL: the moment of a run, see `Run.at`.
AT = "IIF(JSON_VALID(runs.parameters), JSON_EXTRACT(runs.parameters, '$.at'), NULL)"

_TEXTS = {"kind", "method", "collection", "version", "started"}
_OPTIONAL = {"model": str, "model_hash": str, "finished": str, "inputs": str, "pages": int, "rounds": int}


def parse_run(row: Sequence[Any]) -> Run:
    """Return the run in a row with `COLUMNS`, or raise StoreError if no run has such values."""
    fields = dict(zip(Run.__slots__, row, strict=True))
    for name, value in fields.items():
        if (name in _TEXTS and not isinstance(value, str)) or (
            name in _OPTIONAL and not (value is None or isinstance(value, _OPTIONAL[name]))
        ):
            raise values.value_error(f"runs.{name}", value)
    fields["parameters"] = values.parse_json("runs.parameters", fields["parameters"], dict)
    fields["seeds"] = tuple(values.parse_json("runs.seeds", fields["seeds"], list))
    # A run starts from older ones, so that following the seeds ends.
    if not all(type(seed) is int and 0 < seed < fields["id"] for seed in fields["seeds"]):
        raise values.value_error("runs.seeds", row[Run.__slots__.index("seeds")], f"earlier runs than {fields['id']}")
    for name in ("converged", "linked"):
        fields[name] = None if fields[name] is None else bool(fields[name])
    return Run(**fields)


def read_runs(connection: sqlite3.Connection) -> list[Run]:
    """Return all runs, oldest first."""
    return [parse_run(row) for row in connection.execute(f"SELECT {COLUMNS} FROM runs ORDER BY id")]


def get_run(connection: sqlite3.Connection, run: int) -> Run:
    """Return a finished run by its id, or raise StoreError."""
    row = None
    if 0 < run <= _LAST:
        row = connection.execute(f"SELECT {COLUMNS} FROM runs WHERE id = ?", (run,)).fetchone()
    if row is None:
        msg = f"there is no run {run} in this database ('graphlang runs' lists them)"
        raise StoreError(msg)
    parsed = parse_run(row)
    if parsed.finished is None:
        msg = f"run {run} was stopped before its end; repeat its command to finish it"
        raise StoreError(msg)
    return parsed


def find_run(connection: sqlite3.Connection, run: int) -> Run:
    """Return an existing run by its id, finished or not, or raise StoreError if no run has such values."""
    with values.translate_errors("runs"):
        return parse_run(connection.execute(f"SELECT {COLUMNS} FROM runs WHERE id = ?", (run,)).fetchone())


def has_run(connection: sqlite3.Connection, run: int) -> bool:
    """Return True if there is a run with this id."""
    return connection.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone() is not None


def get_origin(connection: sqlite3.Connection, run: Run) -> Run:
    """Return the run that a vote or propagation started from, or raise StoreError if it names none."""
    if not run.seeds:
        raise values.value_error("runs.seeds", "[]", f"the run that run {run.id} started from")
    return get_run(connection, run.seeds[0])


def find_latest_run(connection: sqlite3.Connection, *kinds: str) -> Run | None:
    """Return the newest finished run of some kinds over the main captures, or over those of the snapshot shown."""
    marks = ", ".join("?" * len(kinds))
    moment = snapshot.get_moment(connection)
    return _find_first(connection, f"kind IN ({marks}) AND COALESCE({AT}, ?) IS ?", (*kinds, moment, moment))


def find_run_at(connection: sqlite3.Connection, moment: str) -> Run | None:
    """Return the newest finished run over the captures of a moment: an inference, else a vote, else over texts."""
    return _find_first(connection, f"{AT} = ?", (moment,), order="kind = 'content', kind = 'vote', ")


def find_earlier_run(
    connection: sqlite3.Connection, run: Run, *, inputs: str | None = None, any_time: bool = False
) -> Run | None:
    """Return another newest finished run of the same kind, method, model, parameters and version.

    With ``inputs``, it must have read input with this digest. With ``any_time``, it may have read the captures of
    another moment.
    """
    timeless = "IIF(JSON_VALID(parameters), JSON_REMOVE(parameters, '$.at'), NULL) = JSON_REMOVE(?3, '$.at')"
    same = timeless if any_time else "parameters = ?3"
    return _find_first(
        connection,
        f"(kind, method) = (?1, ?2) AND {same} AND version = ?4 AND model IS ?5 AND model_hash IS ?6 AND id <> ?7"
        " AND (?8 IS NULL OR inputs = ?8)",
        (
            *(run.kind, run.method, json.dumps(run.parameters, sort_keys=True), run.version),
            *(run.model, run.model_hash, run.id, inputs),
        ),
    )


def _find_first(
    connection: sqlite3.Connection, condition: str, parameters: Sequence[Any], *, order: str = ""
) -> Run | None:
    query = f"SELECT {COLUMNS} FROM runs WHERE {condition} AND finished IS NOT NULL ORDER BY {order}id DESC LIMIT 1"
    row = connection.execute(query, parameters).fetchone()
    return None if row is None else parse_run(row)


def choose_run(connection: sqlite3.Connection, run: int) -> None:
    """Let the views show a finished run over the main captures; raise StoreError for any other."""
    if (moment := get_run(connection, run).at) is not None:
        raise StoreError(f"run {run} is of {moment}: the views show the pages' own captures")
    connection.execute("INSERT OR REPLACE INTO chosen VALUES (1, ?)", (run,))


def get_chosen_run(connection: sqlite3.Connection) -> Run | None:
    """Return the run that the views show, if any."""
    row = connection.execute("SELECT run FROM chosen").fetchone()
    if row is None:
        return None
    values.check_type("chosen.run", row, int)
    return get_run(connection, row[0])


def has_changed(connection: sqlite3.Connection, run: Run) -> bool:
    """Return True if files were read, or pages removed, since a run, so that some pages have no answer."""
    return not run.collection.startswith(sources.digest_state(connection))
