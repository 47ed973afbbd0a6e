"""The name of a file -> the format that people expect behind it."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

#: Endings that promise a format, ours or not: a file with one of these holds nothing else.
_PROMISES: Final = frozenset(
    {"csv", "tsv", "json", "jsonl", "ndjson", "parquet", "arrow", "feather", "gexf", "graphml", "cdxj", "html", "xml"}
    | {"xls", "xlsx", "ods", "db", "sqlite", "gz", "bz2", "xz", "zip", "zst"}
)


def promised(name: str | PurePath) -> str:
    """The format that a name promises; empty where it promises none.

    >>> promised("pages.CSV"), promised("out/pages.xlsx"), promised("pages.lst"), promised("-")
    ('csv', 'xlsx', '', '')
    """
    ending = PurePath(name).suffix.lower().lstrip(".")
    return ending if ending in _PROMISES else ""
