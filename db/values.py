"""Values are what their columns are declared to hold, or the file is refused in a line that names table and value.

SQLite keeps types only where it writes: a file from a stranger may hold anything anywhere.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from graphlang.db.errors import StoreError
from graphlang.db.soundness import MORE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

#: What Python and numpy raise over values of another type, or beyond a range.
_OTHERWISE: Final = (TypeError, ValueError, OverflowError, IndexError, KeyError, AttributeError)
_WORDS: Final = {str: "text", int: "a whole number", bytes: "bytes"}
_SHOWN = 60  # characters of a value


def refused(where: str, value: object, wanted: str = "") -> StoreError:
    """The error for a value that no graphlang wrote.

    Args:
        where: table and column.
        value: what stands there.
        wanted: what should.

    >>> str(refused("links.target", 99, "1 to 7"))
    "links.target is 99 instead of 1 to 7 ('graphlang check' tells more)"
    """
    return StoreError(f"{where} is {ascii(value)[:_SHOWN]}{f' instead of {wanted}' if wanted else ''}{MORE}")


@contextmanager
def reading(table: str) -> Iterator[None]:
    """Tell what goes wrong with values of a table as what it is: the file is unsound.

    Args:
        table: that is read.

    Raises:
        StoreError: in place of what Python or numpy raise over values of another type.
    """
    try:
        yield
    except StoreError:
        raise
    except _OTHERWISE as error:
        words = ascii(str(error).partition("\n")[0])[1:-1][: 2 * _SHOWN]
        raise StoreError(f"{table} holds what no graphlang writes: {words}{MORE}") from error
    except sqlite3.OperationalError as error:
        if "decode to UTF-8" not in str(error):
            raise
        raise StoreError(f"{table} holds text that is no UTF-8{MORE}") from error


def table_of(where: str, rows: Sequence[Sequence[Any]], width: int) -> NDArray[np.float64]:
    """Rows of numbers as an array of shape (rows, width).

    Args:
        where: table, for the error.
        rows: as SQLite gave them.
        width: columns.

    Raises:
        StoreError: one of them is no number.
    """
    import numpy as np  # noqa: PLC0415 - whoever only writes does without it

    try:
        return np.array(rows, dtype=np.float64).reshape(-1, width)
    except (TypeError, ValueError, OverflowError) as error:
        found = (value for row in rows for value in row if not isinstance(value, (int, float)))
        raise refused(where, next(found, None), "a number") from error


def within(where: str, values: NDArray[Any], least: float, most: float) -> None:
    """Refuse values outside a range, and what is no number.

    Args:
        where: table and column, for the error.
        values: of any shape.
        least: of them.
        most: of them.

    Raises:
        StoreError: one of them is outside.

    >>> import numpy as np
    >>> within("scores.score", np.array([0.5, np.nan]), 0, 1)
    Traceback (most recent call last):
    graphlang.db.errors.StoreError: scores.score is nan instead of 0 to 1 ('graphlang check' tells more)
    """
    if values.size and not (values.min() >= least and values.max() <= most):  # no number fails both
        value = values[~((values >= least) & (values <= most))].flat[0]
        shown = f"{least:,.10g} to {most:,.10g}".replace(",", "")
        raise refused(where, value.item(), shown)


def of_type(where: str, values: Sequence[Any], kind: type) -> None:
    """Refuse values of another type.

    Args:
        where: table and column, for the error.
        values: a column as SQLite gave it.
        kind: what each of them must be.

    Raises:
        StoreError: one of them is something else.

    >>> of_type("texts.title", ["a", 5], str)
    Traceback (most recent call last):
    graphlang.db.errors.StoreError: texts.title is 5 instead of text ('graphlang check' tells more)
    """
    if {*map(type, values)} - {kind}:
        raise refused(where, next(value for value in values if type(value) is not kind), _WORDS[kind])


def json_of(where: str, text: Any, kind: type) -> Any:
    """What a text in JSON says.

    Args:
        where: table and column, for the error.
        text: as SQLite gave it.
        kind: dict or list.

    Raises:
        StoreError: it is no JSON, nested beyond reason, or of another kind.
    """
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, kind):
        raise refused(where, text, "a JSON object" if kind is dict else "a JSON array")
    return found
