"""What can be told of any file in a moment: whether it is ours, whole in its outlines, and of numbers that can be.

Whoever opens a collection asks this first. It reads no table through, so that it costs the same whatever the size of
the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from graphlang.db.records import LinkKind
from graphlang.db.schema import shape
from graphlang.db.schema.migrations import APPLICATION_ID, VERSION
from graphlang.db.schema.steps import STEPS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

#: Ids may have gaps, where pages were removed: of so many for each that there is, and so many more.
GAPS_EACH: Final = 4
GAPS_MORE: Final = 1_000_000
#: Bytes that a page or host takes in the file, at least.
_LEAST_BYTES: Final = 20
#: Numbers of labels have two bytes where answers are kept.
MOST_LABELS: Final = (1 << 15) - 1
MOST: Final = (1 << 31) - 1  #: of any other id
LARGEST: Final = (1 << 63) - 1  #: of any number
MORE: Final = " ('graphlang check' tells more)"
#: By table the column of its key that comes first, and in which table its ids are; None: in itself.
_KEYS: Final = (
    *((table, "id", None) for table in ("sources", "hosts", "pages", "labels", "runs", "problems", "corrections")),
    ("history", "id", None),
    ("history", "page", "pages"),
    ("history_links", "capture", "history"),
    ("history_declarations", "capture", "history"),
    *((table, "page", "pages") for table in ("captures", "texts", "visible_bytes", "declarations")),
    ("links", "source", "pages"),
    ("anchor_texts", "target", "pages"),
    *((table, "run", "runs") for table in ("predictions", "scores", "page_shares", "linked_answers", "chosen")),
)


def fault(connection: sqlite3.Connection) -> str | None:
    """What is wrong with a file, in words for a line; None where nothing can be seen to be.

    Args:
        connection: to a file that may be any.
    """
    return next(faults(connection), None)


def faults(connection: sqlite3.Connection) -> Iterator[str]:
    """All that `fault` may name. What makes the rest impossible to tell comes last.

    Args:
        connection: to a file that may be any.
    """
    stranger = another(connection)
    if stranger is not None:
        yield stranger
        return
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    steps = shape.steps_taken(connection)
    taken = steps or []
    if taken != list(STEPS)[: len(taken)] or not 0 <= version <= len(taken):
        yield f"says that its schema is {version}, which its list of {len(taken)} migrations does not bear out"
        return
    broken = False
    for difference in shape.differences(connection, None if steps is None else len(steps)):
        broken = True
        yield f"{difference.words}{MORE}"
    if taken and not broken:
        yield from _of_roots(connection)
        yield from _of_numbers(connection, len(taken))


def another(connection: sqlite3.Connection) -> str | None:
    """Of whom a file is, in words, where it is another program's, or a newer version's, and so not ours to judge.

    Args:
        connection: to a file that may be any.
    """
    (found,) = connection.execute("PRAGMA application_id").fetchone()
    if found != APPLICATION_ID:
        return "is not a graphlang database (it is a SQLite file of something else)"
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    taken = shape.steps_taken(connection) or ()
    if version > VERSION or len(taken) > VERSION:
        return f"was made by a newer graphlang (schema {version}; this one knows {VERSION}): please upgrade"
    for theirs, ours in zip(taken, STEPS, strict=False):
        if theirs not in STEPS:
            return f"was made by another graphlang, whose schema has {theirs!a} where this one has {ours}"
    return None


def most_ids(rows: int) -> int:
    """The greatest id that so many pages or hosts may have: nothing may be made to take memory by a number in a file.

    Args:
        rows: how many there are.
    """
    return min(GAPS_EACH * rows + GAPS_MORE, MOST)


def _of_roots(connection: sqlite3.Connection) -> Iterator[str]:
    roots = connection.execute(
        "SELECT COUNT(rootpage), COUNT(DISTINCT rootpage) FROM sqlite_schema WHERE type <> 'view'"
    )
    stored, distinct = roots.fetchone()
    if stored != distinct:
        yield f"keeps two tables in one place{MORE}"


def _of_numbers(connection: sqlite3.Connection, steps: int) -> Iterator[str]:
    """Ids that are none, or so great that whoever makes room for them would take memory for nothing."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    (size,) = connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
    fits = most_ids(size // _LEAST_BYTES)
    most = {"pages": fits, "hosts": fits, "labels": MOST_LABELS}
    given: dict[str, int] = {}
    if "sqlite_sequence" in tables:
        theirs = {item.name for item in shape.of_users(connection, steps)}
        ours = {name: most.get(name, MOST) for name in shape.counted(steps)}
        yield from _of_sequence(connection, ours, theirs, given)
    for table, column, of in _KEYS:
        if table not in tables:
            continue
        ends = connection.execute(
            f"SELECT (SELECT MIN({column}) FROM {table}), (SELECT MAX({column}) FROM {table})"
        ).fetchone()
        bound = most.get(table, MOST) if of is None else given.get(of, 0)
        strange = [value for value in ends if value is not None and not _is_id(value, bound)]
        if strange:
            yield f"has {_shown(strange[0])} in {table}.{column}, where it can have 1 to {bound}{MORE}"
        elif of is None:
            given[table] = max(given.get(table, 0), ends[1] or 0)
    kinds = connection.execute("SELECT id, name FROM link_kinds ORDER BY id LIMIT ?", (2 * len(LinkKind),)).fetchall()
    if kinds != [(kind.value, kind.name.lower()) for kind in LinkKind]:
        yield f"has other link_kinds than graphlang{MORE}"


def _of_sequence(
    connection: sqlite3.Connection, most: Mapping[str, int], theirs: AbstractSet[str], given: dict[str, int]
) -> Iterator[str]:
    """What is wrong with the greatest ids that were given out in our tables, which are put into ``given``."""
    rows = connection.execute("SELECT name, seq FROM sqlite_sequence LIMIT ?", (2 * (len(most) + len(theirs)),))
    for name, seq in rows:
        if name in theirs:
            continue
        if name not in most or name in given:
            yield f"has {_shown(name)} in sqlite_sequence twice, or where no numbers are given out{MORE}"
        elif not _is_id(seq, most[name], least=0):
            yield f"says that {name} has had {_shown(seq)} ids, which the file cannot hold{MORE}"
        else:
            given[name] = seq


def _is_id(value: Any, most: int, *, least: int = 1) -> bool:
    return isinstance(value, int) and least <= value <= most


def _shown(value: object) -> str:
    return ascii(value)[:60]
