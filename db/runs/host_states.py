"""Digest the content that a run read of each host; if it is the same, a later run copies the answers.

An answer depends on the page and on the template lines of its host, and both on the captures of the host's pages.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphlang.db import statements, values
from graphlang.db.collection import count_hosts, count_pages
from graphlang.db.runs.lifecycle import check_owner
from graphlang.db.statements import transaction

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

    from graphlang.db.runs.run import Run

_BATCH: Final = 100_000
#: The text of a revisit is that of its original.
_CAPTURES: Final = """
SELECT
    host, captures.page, captures.source, captures.offset, captures.reading,
    INSTR('both text links joined', captures.parts),
    COALESCE(captures.original, 0), COALESCE(other.source, 0), COALESCE(other.offset, 0), COALESCE(other.reading, 0)
FROM captures JOIN pages ON pages.id = captures.page LEFT JOIN captures AS other ON other.page = captures.original
ORDER BY captures.page
"""


class HostStates(NamedTuple):
    """The captures of h hosts with p pages that were read."""

    pages: NDArray[np.int64]  #: ids, ascending, shape (p,)
    host: NDArray[np.int64]  #: id of the host of each page, shape (p,)
    hosts: NDArray[np.int64]  #: ids, ascending, shape (h,)
    digests: NDArray[np.int64]  #: of the captures of each host, shape (h,)


def read_host_states(connection: sqlite3.Connection) -> HostStates:
    """Read which captures the pages of each host have."""
    cursor = connection.execute(_CAPTURES)
    parts = [np.zeros((0, 10), dtype=np.int64)]
    while rows := cursor.fetchmany(_BATCH):
        with values.translate_errors("captures"):
            parts.append(np.array(rows, dtype=np.int64))
    host, table = np.split(np.concatenate(parts), [1], axis=1)
    host = host[:, 0]
    values.check_range("captures.page", table[:, 0], 1, count_pages(connection))
    values.check_range("pages.host", host, 1, count_hosts(connection))
    order = np.argsort(host, kind="stable")
    table, starts = table[order], np.flatnonzero(np.diff(host[order], prepend=-1))
    hosts = host[order][starts]
    # Without a capture there is no start, and still an end.
    digests = np.array(
        [_digest_captures(table[begin:end]) for begin, end in zip(starts, [*starts[1:], len(table)], strict=False)],
        dtype=np.int64,
    )
    by_page = np.argsort(table[:, 0])
    return HostStates(table[by_page, 0], host, hosts, digests)


def _digest_captures(rows: NDArray[np.int64]) -> int:
    """Return a digest of 64 bits, as SQLite stores integers: a host is only compared with itself at another time."""
    return int.from_bytes(hashlib.blake2b(rows.tobytes(), digest_size=8).digest(), "little", signed=True)


def write_host_states(connection: sqlite3.Connection, run: int, states: HostStates) -> None:
    """Store the digests of the hosts that an unfinished run of this connection read."""
    with transaction(connection):
        check_owner(connection, run)
        connection.execute("DELETE FROM run_hosts WHERE run = ?", (run,))
        columns = ([run] * len(states.hosts), states.hosts.tolist(), states.digests.tolist())
        statements.insert_columns(connection, "INSERT INTO run_hosts", columns)


def find_unchanged_pages(connection: sqlite3.Connection, run: Run, states: HostStates) -> NDArray[np.bool_]:
    """Return whether each page is on a host of which a finished run read the same; shape (p,)."""
    rows = connection.execute("SELECT host, captures FROM run_hosts WHERE run = ? ORDER BY host", (run.id,)).fetchall()
    with values.translate_errors("run_hosts"):
        earlier = np.array(rows, dtype=np.int64).reshape(-1, 2)
    place = np.searchsorted(earlier[:, 0], states.hosts)
    inside = np.minimum(place, max(len(earlier) - 1, 0))
    same = np.zeros(len(states.hosts), dtype=np.bool_)
    if len(earlier):
        same = (earlier[inside, 0] == states.hosts) & (earlier[inside, 1] == states.digests)
    return np.isin(states.host, states.hosts[same])
