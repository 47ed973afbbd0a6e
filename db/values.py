"""Check values read from a collection, and refuse a file in one line that names table and value.

SQLite enforces types only when it writes: a file from elsewhere may hold anything anywhere.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from graphlang.db.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

CHECK: Final = " (see 'graphlang check')"  #: appended to messages about unsound files
MOST: Final = (1 << 31) - 1  #: greatest id of any table
MOST_LABELS: Final = (1 << 15) - 1  #: greatest label id: packed answers have two bytes for it
#: Removed pages leave gaps in ids: at most 4 for each row, and a million more.
_GAPS_EACH, _GAPS_MORE = 4, 1_000_000
#: Exceptions of Python and numpy over values of another type or outside a range.
_VALUE_ERRORS: Final = (TypeError, ValueError, OverflowError, IndexError, KeyError, AttributeError)
_TYPE_NAMES: Final = {str: "text", int: "a whole number", bytes: "bytes"}
_SHOWN = 60  # characters of a value


def get_time() -> str:
    """Return the time in the stored format: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def limit_id(rows: int) -> int:
    """Return the greatest id that a table with this number of rows may have, so that no id can exhaust memory."""
    return min(_GAPS_EACH * rows + _GAPS_MORE, MOST)


def value_error(where: str, value: object, expected: str = "") -> StoreError:
    """Return the error for a value that graphlang never writes.

    >>> str(value_error("links.target", 99, "1 to 7"))
    "links.target is 99 instead of 1 to 7 (see 'graphlang check')"
    """
    return StoreError(f"{where} is {ascii(value)[:_SHOWN]}{f' instead of {expected}' if expected else ''}{CHECK}")


@contextmanager
def translate_errors(table: str) -> Iterator[None]:
    """Turn errors over values of a table into a StoreError: the file is unsound."""
    try:
        yield
    except StoreError:
        raise
    except _VALUE_ERRORS as error:
        message = ascii(str(error).partition("\n")[0])[1:-1][: 2 * _SHOWN]
        raise StoreError(f"{table} has values that graphlang never writes: {message}{CHECK}") from error
    except sqlite3.OperationalError as error:
        if "decode to UTF-8" not in str(error):
            raise
        raise StoreError(f"{table} has text that is not UTF-8{CHECK}") from error


def to_array(where: str, rows: Sequence[Sequence[Any]], width: int) -> NDArray[np.float64]:
    """Return rows of numbers as an array of shape (rows, width), or raise StoreError."""
    import numpy as np  # noqa: PLC0415 - processes that only write do without it

    try:
        return np.array(rows, dtype=np.float64).reshape(-1, width)
    except (TypeError, ValueError, OverflowError) as error:
        wrong = (value for row in rows for value in row if not isinstance(value, (int, float)))
        raise value_error(where, next(wrong, None), "a number") from error


def check_range(where: str, values: NDArray[Any], minimum: float, maximum: float) -> None:
    """Raise StoreError unless all values are numbers in a range.

    >>> import numpy as np
    >>> check_range("scores.score", np.array([0.5, np.nan]), 0, 1)
    Traceback (most recent call last):
    graphlang.db.errors.StoreError: scores.score is nan instead of 0 to 1 (see 'graphlang check')
    """
    if values.size and not (values.min() >= minimum and values.max() <= maximum):  # NaN fails both
        value = values[~((values >= minimum) & (values <= maximum))].flat[0]
        expected = f"{minimum:,.10g} to {maximum:,.10g}".replace(",", "")
        raise value_error(where, value.item(), expected)


def check_type(where: str, values: Sequence[Any], kind: type) -> None:
    """Raise StoreError unless all values have a type.

    >>> check_type("texts.title", ["a", 5], str)
    Traceback (most recent call last):
    graphlang.db.errors.StoreError: texts.title is 5 instead of text (see 'graphlang check')
    """
    if {*map(type, values)} - {kind}:
        raise value_error(where, next(value for value in values if type(value) is not kind), _TYPE_NAMES[kind])


def parse_json(where: str, text: Any, kind: type) -> Any:
    """Parse a JSON object (dict) or array (list), or raise StoreError."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        value = None
    if not isinstance(value, kind):
        raise value_error(where, text, "a JSON object" if kind is dict else "a JSON array")
    return value
