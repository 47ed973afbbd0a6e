"""A copy of a collection without texts, to give away: URLs, links, languages and runs, but nothing that pages say."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import IO, Final

from graphlang.db.check import name_user_items

_NAMED: Final = 5  # tables in an error
#: What is left out: texts, titles and words of links; who corrected a page, and why; folders of this machine.
_STATEMENTS: Final = (
    "DELETE FROM texts",
    "DELETE FROM visible_bytes",
    "DELETE FROM anchor_texts",
    "UPDATE history SET title = '', text = '', main = 0, rest = NULL WHERE whole",
    "UPDATE corrections SET corrected_by = 'withheld', note = '', undone_by = IIF(undone_by IS NULL, NULL, 'withheld')",
    "UPDATE sources SET name = file_name(name)",
    "UPDATE runs SET model = file_name(model) WHERE model IS NOT NULL",
)


def write_share(connection: sqlite3.Connection, folder: Path, file: IO[bytes]) -> int:
    """Write the copy to a file, by way of one in the folder; return its pages.

    Raise a ValueError if the database has tables of the user, which may hold texts.
    """
    if own := name_user_items(connection):
        raise ValueError(f"tables of your own may hold texts: drop {', '.join(own[:_NAMED])} from a copy first")
    with tempfile.TemporaryDirectory(prefix=".graphlang-", dir=folder) as temporary:
        path = Path(temporary) / "share.db"
        connection.execute("VACUUM INTO ?", (str(path),))
        with closing(sqlite3.connect(path, isolation_level=None)) as copy:
            copy.create_function("file_name", 1, _file_name, deterministic=True)
            for statement in _STATEMENTS:
                copy.execute(statement)
            copy.execute("VACUUM")  # or the texts would still be in unused parts of the file
            pages: int = copy.execute("SELECT COUNT(*) FROM pages").fetchone()[0]
        with path.open("rb") as source:
            shutil.copyfileobj(source, file, 1 << 20)
    return pages


def _file_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or path
