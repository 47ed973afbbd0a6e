"""The page that documents every table, view and column, made from the schema itself."""

from __future__ import annotations

from graphlang.db.schema.column_docs import TABLES

_HEAD = """# The database

One SQLite file is one collection. Open it with any SQLite tool; `page_languages` and `site_languages`
are the views to start from. This page is made from `db/schema/column_docs.py` (`make docs`) and checked by a test.
"""


def markdown() -> str:
    """The whole page as Markdown."""
    parts = [_HEAD]
    for name, table in TABLES.items():
        parts.append(f"\n## {name}\n\n{table.purpose}\n\n| column | meaning |\n|---|---|\n")
        parts.extend(f"| `{column}` | {meaning} |\n" for column, meaning in table.columns.items())
    return "".join(parts)
