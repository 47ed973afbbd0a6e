"""The tables of a collection on a cluster: their columns, as Arrow has them and as Spark spells them.

Columns have the names of the database's views and tables (db/SCHEMA.md). A page's id is a hash of its URL (`page_ids`).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import pyarrow as pa

from graphlang.codes import languages
from graphlang.db.records import LinkKind

_TEXT, _LONG, _INT, _REAL, _BYTES = pa.string(), pa.int64(), pa.int32(), pa.float64(), pa.binary()
_DECLARED: Final = pa.list_(pa.struct([("source", _TEXT), ("value", _TEXT)]))
_HREFLANGS: Final = pa.list_(pa.struct([("place", _INT), ("value", _TEXT)]))
_SCORES: Final = pa.list_(pa.struct([("label", _TEXT), ("score", _REAL)]))
_SHARES: Final = pa.list_(pa.struct([("label", _TEXT), ("share", _REAL)]))

_HISTORY_LINKS: Final = pa.list_(
    pa.struct([("target", _LONG), ("kind", _TEXT), ("nofollow", _INT), ("hreflang", _TEXT), ("place", _INT)])
)

#: What a capture says, and where it stands.
_CAPTURE: Final = [
    ("page", _LONG),
    ("url", _TEXT),
    ("source", _INT),
    ("file", _TEXT),
    ("offset", _LONG),
    ("date", _TEXT),
    ("status", _INT),
    ("mime", _TEXT),
    ("charset", _TEXT),
    ("charset_from", _TEXT),
    ("length", _LONG),
    ("size", _LONG),
    ("digest", _TEXT),
    ("revisit_of", _TEXT),
    ("revisit_page", _LONG),
    ("revisit_date", _TEXT),
    ("parts", _TEXT),
    ("title", _TEXT),
    ("text", _TEXT),
    ("main", _LONG),
    ("declared", _DECLARED),
    ("visible", _BYTES),
    ("link_urls", _BYTES),
    ("link_ids", pa.list_(_LONG)),
    ("link_kinds", _BYTES),
    ("hreflangs", _HREFLANGS),
]
#: Position of a record in the order of reading, and what was wrong with it; ``kind`` is null for captures.
_READ: Final = [("begin", _LONG), ("place", _LONG), ("kind", _TEXT), ("reason", _TEXT)]
#: One row a capture, a problem, or a byte range that was read (``kind`` is `RANGE`).
RECORDS: Final = pa.schema([*_CAPTURE, *_READ, ("found", _LONG), ("ended", _LONG), ("stop", _LONG)])
RANGE: Final = "range"
#: One row a page that was fetched: the capture that is its own.
CAPTURES: Final = pa.schema([*_CAPTURE, ("captures", _LONG), ("original", _LONG)])
#: The same where other captures are kept beside it: these have ``number`` and ``whole``, null in a page's own.
CHOSEN: Final = pa.schema([*CAPTURES, ("number", _INT), ("whole", _INT)])
#: What is kept of it: all but its links, which have a table of their own.
KEPT_CAPTURES: Final = pa.schema(
    [
        field
        for field in CAPTURES
        if field.name not in {"revisit_page", "link_urls", "link_ids", "link_kinds", "hreflangs"}
    ]
)
#: One row a capture besides the page's own, by ``number`` in their order; columns as in the database's ``history``.
HISTORY: Final = pa.schema(
    [
        *(("page", _LONG), ("number", _INT), ("source", _INT), ("offset", _LONG), ("date", _TEXT), ("status", _INT)),
        *(("mime", _TEXT), ("charset", _TEXT), ("charset_from", _TEXT), ("length", _LONG), ("size", _LONG)),
        *(("digest", _TEXT), ("parts", _TEXT), ("whole", _INT), ("title", _TEXT), ("text", _TEXT), ("main", _LONG)),
        *(("declared", _DECLARED), ("links", _HISTORY_LINKS), ("run", _LONG)),
    ]
)
SOURCES: Final = pa.schema([("source", _INT), ("name", _TEXT), ("sha256", _TEXT), ("bytes", _LONG)])
#: The same as it is kept.
SOURCES_KEPT: Final = pa.schema(
    [
        *SOURCES,
        *(("keep", _TEXT), ("options", _TEXT), ("position", _LONG), ("finished", _INT), ("readings", _INT)),
        ("lacks", _TEXT),
    ]
)
PAGES: Final = pa.schema(
    [("page", _LONG), ("url", _TEXT), ("host", _TEXT), ("domain", _TEXT), ("suffix", _TEXT), ("tld", _TEXT)]
)
LINKS: Final = pa.schema(
    [("source", _LONG), ("target", _LONG), ("kind", _TEXT), ("nofollow", _INT), ("hreflang", _TEXT), ("place", _INT)]
)
#: The answer of a content method, appended to its input.
ANSWER: Final = pa.schema(
    [
        ("label", _TEXT),
        ("confidence", _REAL),
        ("runner_up_label", _TEXT),
        ("runner_up_confidence", _REAL),
        ("characters", _LONG),
        ("encoding", _TEXT),
        ("read", _LONG),
        ("scores", _SCORES),
        ("shares", _SHARES),
    ]
)
#: The answers of a run: one row a page.
ANSWERS: Final = pa.schema([("page", _LONG), *ANSWER])
#: Every computation of languages, with columns of the database.
RUNS: Final = pa.schema(
    [
        ("id", _LONG),
        ("kind", _TEXT),
        ("method", _TEXT),
        ("model", _TEXT),
        ("model_hash", _TEXT),
        ("parameters", _TEXT),
        ("seeds", _TEXT),
        ("version", _TEXT),
        ("started", _TEXT),
        ("finished", _TEXT),
        ("pages", _LONG),
        ("rounds", _LONG),
        ("converged", _INT),
        ("collection", _TEXT),
        ("linked", _INT),
        ("chosen", _INT),
    ]
)
#: What only a database has, and `graphlang cluster load` brings along.
ANCHOR_TEXTS: Final = pa.schema([("target", _LONG), ("source", _LONG), ("text", _TEXT)])
CORRECTIONS: Final = pa.schema(
    [
        *(("url", _TEXT), ("label", _TEXT), ("corrected_by", _TEXT), ("note", _TEXT), ("corrected", _TEXT)),
        *(("former", _TEXT), ("former_confidence", _REAL), ("undone", _TEXT), ("undone_by", _TEXT)),
    ]
)
REMOVED: Final = pa.schema([("digest", _TEXT), ("kind", _TEXT), ("since", _TEXT), ("pages", pa.int64())])
#: Columns of the view ``page_languages``.
LANGUAGES: Final = pa.schema(
    [
        *PAGES,
        ("language", _TEXT),
        ("script", _TEXT),
        ("confidence", _REAL),
        ("runner_up", _TEXT),
        ("runner_up_confidence", _REAL),
        ("method", _TEXT),
        ("run", _INT),
        ("fetched", _INT),
        ("status", _INT),
        ("mime", _TEXT),
        ("charset", _TEXT),
        ("charset_from", _TEXT),
        ("date", _TEXT),
        ("length", _LONG),
        ("characters", _LONG),
        ("encoding", _TEXT),
        ("pending", _INT),
    ]
)
#: Columns of the view ``site_languages``.
SITES: Final = pa.schema(
    [
        ("host", _TEXT),
        ("domain", _TEXT),
        ("suffix", _TEXT),
        ("tld", _TEXT),
        ("language", _TEXT),
        ("pages", _LONG),
        ("unfetched", _LONG),
        ("confidence", _REAL),
        ("length", _LONG),
    ]
)
PROBLEMS: Final = pa.schema([("file", _TEXT), ("offset", _LONG), ("url", _TEXT), ("kind", _TEXT), ("reason", _TEXT)])


@cache
def link_kinds() -> pa.Array:
    """Return the names of the kinds of links in `LINKS`, by their numbers from 1 on.

    Not a constant: the first list that Arrow is handed takes half a second (`stages.hide_pandas`).
    """
    return pa.array([kind.name.lower() for kind in sorted(LinkKind)])


def split_label(label: str) -> tuple[str, str | None]:
    """Return language and script of a label; no script where there is no language.

    >>> split_label("srp_Cyrl"), split_label("und")
    (('srp', 'Cyrl'), ('und', None))
    """
    return (label, None) if label in {languages.UND, languages.ZXX} else languages.split_label(label)


def write_ddl(schema: pa.Schema) -> str:
    """Return columns as Spark spells them.

    >>> write_ddl(LINKS)
    '`source` bigint, `target` bigint, `kind` string, `nofollow` int, `hreflang` string, `place` int'
    """
    return ", ".join(f"`{field.name}` {_spell_type(field.type)}" for field in schema)


def _spell_type(kind: Any) -> str:
    if pa.types.is_list(kind):
        return f"array<{_spell_type(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'{field.name}: {_spell_type(field.type)}' for field in kind)}>"
    spelled = {_TEXT: "string", _LONG: "bigint", _INT: "int", _REAL: "double", _BYTES: "binary", pa.bool_(): "boolean"}
    return spelled[kind]
