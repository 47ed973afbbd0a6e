"""Databases that no graphlang wrote: some two hundred ways in which a stranger may alter one.

Each takes the path of a sound collection and alters it in place. The tests of the suite and ``make altered`` run verbs
over all of them.
"""

from __future__ import annotations

import gzip
import sqlite3
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from graphlang.cli import cli

sys.path.append(str(Path(__file__).parent))  # benchmarks and doctests import this module from another folder
from altered_files import ENDLESS, damage_files

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Alteration = Callable[[Path], None]

TABLES = (
    *("sources", "hosts", "pages", "captures", "texts", "declarations", "link_kinds", "links", "problems", "labels"),
    *("runs", "predictions", "scores", "chosen", "visible_bytes", "anchor_texts", "removed", "linked_answers"),
    *("corrections", "history", "history_links", "history_declarations", "page_shares", "run_hosts", "url_evidence"),
)
VIEWS = (
    "capture_languages",
    "history_captures",
    "page_languages",
    "site_languages",
    "link_details",
    "page_scores",
    "linked_predictions",
    "language_shares",
)
#: By table, columns that hold whole numbers, real ones, text, bytes.
WHOLE = {
    "sources": ("bytes", "position", "finished"),
    "pages": ("host",),
    "captures": ("source", "offset", "status", "length", "size", "captures", "original"),
    "texts": ("main",),
    "links": ("target", "kind", "nofollow", "place"),
    "problems": ("source", "offset"),
    "runs": ("pages", "rounds", "converged", "linked"),
    "predictions": ("page", "label", "runner_up", "characters", "read"),
    "scores": ("page", "rank", "label"),
    "page_shares": ("page", "rank", "label"),
    "run_hosts": ("host", "captures"),
    "chosen": ("run",),
    "linked_answers": ("block",),
    "corrections": ("label", "former"),
}
#: Any number will do.
NOWHERE = {"bytes", "offset", "size", "status", "read", "rounds", "converged", "finished", "captures"}
REAL = {"predictions": ("confidence", "runner_up_confidence"), "scores": ("score",), "page_shares": ("share",)}
TEXT = {
    "sources": ("name", "sha256", "keep"),
    "hosts": ("host", "domain", "suffix", "tld"),
    "pages": ("url",),
    "captures": ("date", "mime", "charset", "charset_from", "digest", "revisit_of", "parts"),
    "texts": ("title", "text"),
    "declarations": ("source", "value"),
    "links": ("hreflang",),
    "problems": ("url", "kind", "reason"),
    "labels": ("label", "language", "script"),
    "runs": ("kind", "method", "parameters", "seeds", "collection", "inputs"),
    "predictions": ("encoding",),
    "anchor_texts": ("text",),
    "removed": ("digest", "kind"),
    "corrections": ("url", "corrected_by", "corrected"),
}
LARGE = 1 << 40
#: Table -> column -> values that no graphlang writes, separated by blanks.
SINGLE: dict[str, dict[str, str]] = {
    "pages": {"url": "NULL '' X'00FF' 5", "host": "NULL -1 999"},
    "texts": {"text": "NULL X'00FF'", "main": "-7 NULL"},
    "visible_bytes": {"bytes": "'text' NULL"},
    "captures": {"length": "-7", "source": "99", "captures": "-3", "status": "X'FF'", "original": "page"},
    "links": {"kind": "99 -1 NULL", "nofollow": "7", "place": "-9", "target": "-3 0 9999 4294967298 1.5"},
    "labels": {"language": "NULL 5", "label": "X'FF'"},
    "predictions": {"label": "9999 -1 NULL", "runner_up": "9999", "characters": "-9", "page": "9999 -1"},
    "scores": {"rank": "0 -1 1000000", "label": "9999 -5", "page": "9999"},
    "page_shares": {"label": "9999", "page": "9999", "share": "-3"},
    "chosen": {"run": "99 NULL"},
    "sources": {"position": "-9", "keep": "'other'", "sha256": "5"},
    "declarations": {"value": "NULL"},
    "removed": {"kind": "'other'", "since": "5"},
    "problems": {"source": "99"},
    "corrections": {"label": "9999 NULL"},
    "hosts": {"tld": "NULL", "host": "5"},
}
#: In the schema of a table, what keeps values to their types.
STRICTNESS = (" STRICT, WITHOUT ROWID", " WITHOUT ROWID"), (" STRICT", ""), (" NOT NULL", ""), (" CHECK (id = 1)", "")


GERMAN = (
    "Das Museum der Gezeiten liegt am Hafen und zeigt alte Boote, Netze und Karten. Jeden Morgen öffnet eine Frau die"
    " schwere Tür, und die ersten Gäste warten schon im Regen. Am Nachmittag gibt es Kuchen und heißen Tee."
)
SITE = "http://museum.example/"


def archive(path: Path, *, more: bool = False) -> Path:
    """Write an archive of a few pages, or another one of one page more."""

    def page(text: str, *links: str) -> bytes:
        anchors = "".join(f'<a href="{link}">zu {link}</a>' for link in links)
        return f'<html lang="de"><title>Gezeiten</title><p>{text}</p>{anchors}</html>'.encode()

    pages = {
        "": page(GERMAN, "/karten.html", "/anna.html", "/nie-geholt.html"),
        "karten.html": page(f"{GERMAN} Die Karten.", "/anna.html", "/", "/auch-nicht.html"),
        "anna.html": page("Anna", "/", "http://musee.example/"),
        "luc.html": page("12 34 56", "/anna.html"),
    }
    if more:
        pages = {"neu.html": page(f"{GERMAN} Neu.", "/")}
    with path.open("wb") as file:
        for name, body in pages.items():
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {SITE}{name}\r\n"
                "WARC-Date: 2026-11-21T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(http)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + http + b"\r\n\r\n", mtime=0))
    return path


def make(archive: Path, path: Path) -> Path:
    """A sound collection with something in every table, from an `archive`."""
    for words in (
        f"ingest {path} {archive} --workers 1 --bytes --anchor-texts -q",
        f"remove {path} --url http://museum.example/gone.html -q",
        f"run {archive} --db {path} --workers 1 --bytes --anchor-texts -q",
        f"sites {path}",
    ):
        result = CliRunner().invoke(cli, words.split())
        assert result.exit_code == 0, result.output
    sql(
        path,
        "INSERT INTO problems (source, url, kind, reason) VALUES (1, 'http://museum.example/x', 'truncated', 'cut')",
        "UPDATE links SET hreflang = 'de' WHERE target = 2",
        "INSERT OR IGNORE INTO anchor_texts VALUES (2, 1, 'Karten')",
        "INSERT OR IGNORE INTO visible_bytes VALUES (1, X'414243')",
        "INSERT OR IGNORE INTO declarations VALUES (1, 'html-lang', 'de')",
        "INSERT INTO corrections (url, label, corrected_by, note, corrected) SELECT 'http://museum.example/anna.html',"
        " MIN(id), 'nobody', 'a note', '2026-11-22T00:00:00Z' FROM labels",
        "INSERT INTO history SELECT NULL, page, source, offset, '2020', status, mime, charset, charset_from, length,"
        " size, 'A', parts, 1, 1, 'T', 'ein Text', 8, NULL, NULL FROM captures WHERE page = 1",
        "INSERT INTO history_links SELECT 1, target, kind, nofollow, hreflang, place FROM links WHERE source = 1",
        "INSERT INTO history_declarations VALUES (1, 'html-lang', 'de')",
        "INSERT INTO page_shares SELECT run, page, rank, label, 0.5 FROM scores WHERE (run, page) IN ("
        "SELECT run, page FROM scores WHERE rank = 2 AND run = 1 LIMIT 1) AND rank < 3",
        "PRAGMA wal_checkpoint(TRUNCATE)",
    )
    with closing(sqlite3.connect(path)) as connection:
        for table in TABLES:
            assert connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0], table
    return path


def sql(path: Path, *statements: str) -> None:
    """Do what SQLite allows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def loosely(path: Path, *statements: str) -> None:
    """Do what the types of the columns forbid, and leave the schema as it was."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        made = dict(
            connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'")
        )
        connection.execute("PRAGMA writable_schema=ON")
        for name, statement in made.items():
            loose = statement
            for tight, wide in STRICTNESS:
                loose = loose.replace(tight, wide)
            connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (loose, name))
        _renew(connection)
    sql(path, *statements)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        for name, statement in made.items():
            connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (statement, name))
        _renew(connection)


def _renew(connection: sqlite3.Connection) -> None:
    (number,) = connection.execute("PRAGMA schema_version").fetchone()
    connection.execute(f"PRAGMA schema_version={number + 1}")


def schema(path: Path, statement: str) -> None:
    """Write to the schema itself."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute(statement)
        _renew(connection)


def _set_value(table: str, column: str, value: str) -> Alteration:
    """Another value in the last row of a table."""
    where = {
        "links": "(source, target) = (SELECT source, target FROM links ORDER BY 1, 2 LIMIT 1)",
        "declarations": "(page, source) = (SELECT page, source FROM declarations LIMIT 1)",
        "anchor_texts": "(target, source) = (SELECT target, source FROM anchor_texts LIMIT 1)",
        "predictions": "(run, page) = (SELECT run, page FROM predictions ORDER BY 1, 2 LIMIT 1)",
        "scores": "(run, page, rank) = (SELECT run, page, rank FROM scores ORDER BY 1, 2, 3 LIMIT 1)",
        "page_shares": "(run, page, rank) = (SELECT run, page, rank FROM page_shares ORDER BY 1, 2, 3 LIMIT 1)",
        "linked_answers": "(run, block) = (SELECT run, block FROM linked_answers LIMIT 1)",
        "run_hosts": "(run, host) = (SELECT run, host FROM run_hosts LIMIT 1)",
        "removed": "digest = (SELECT digest FROM removed LIMIT 1)",
    }.get(table, f"rowid = (SELECT MIN(rowid) FROM {table})")
    return partial(_loose, statement=f"UPDATE {table} SET {column} = {value} WHERE {where}")


def _loose(path: Path, statement: str) -> None:
    loosely(path, statement)


def _plain(statement: str, *more: str) -> Alteration:
    return lambda path: sql(path, statement, *more)


def _wild(statement: str, *more: str) -> Alteration:
    return lambda path: loosely(path, statement, *more)


def _schema(name: str, change: str) -> Alteration:
    return partial(schema, statement=f"UPDATE sqlite_schema SET {change} WHERE name = '{name}'")


def _view(name: str, body: str) -> Alteration:
    return _plain(f"DROP VIEW {name}", f"CREATE VIEW {name} AS {body}")


def _schemas() -> dict[str, Alteration]:
    columns = "1 AS page, '' AS url, '' AS host, '' AS domain, '' AS suffix, '' AS tld, 'deu' AS language"
    found: dict[str, Alteration] = {f"no table {name}": _plain(f"DROP TABLE {name}") for name in TABLES[::3]}
    found |= {f"no view {name}": _plain(f"DROP VIEW {name}") for name in VIEWS[::2]}
    found |= {
        f"not strict {name}": (
            lambda path, name=name: schema(
                path,
                f"UPDATE sqlite_schema SET sql = REPLACE(REPLACE(sql, ') STRICT, WITHOUT',"
                f" ') WITHOUT'), ') STRICT', ')') WHERE name = '{name}'",
            )
        )
        for name in ("pages", "links", "predictions")
    }
    found |= {
        "endless view page_languages": _view("page_languages", f"{ENDLESS} SELECT i AS page, {columns} FROM n"),
        "endless view linked_predictions": _view("linked_predictions", f"{ENDLESS} SELECT i AS run, i AS page FROM n"),
        "endless view site_languages": _view("site_languages", f"{ENDLESS} SELECT i AS host FROM n"),
        "a view of itself": _schema("link_details", "sql = 'CREATE VIEW link_details AS SELECT * FROM link_details'"),
        "a view of a product": _view(
            "page_languages", f"SELECT {columns} FROM links a, links b, links c, links d, links e"
        ),
        "a view of large blobs": _view("page_languages", "SELECT RANDOMBLOB(900000000) AS url FROM pages"),
        "a foreign endless view": _plain(f"CREATE VIEW foreign_view AS {ENDLESS} SELECT i FROM n"),
        "a foreign table": _plain("CREATE TABLE notes (id INTEGER PRIMARY KEY, words TEXT)"),
        "a foreign table with a hostile name": _plain('CREATE TABLE "a\x1b[2J\nb" (id)'),
        "a thousand foreign tables": lambda path: sql(path, *(f"CREATE TABLE t{n} (a)" for n in range(1000))),
        "a foreign view for json_each": _plain("CREATE VIEW Json_Each AS SELECT 1 AS value"),
        "a foreign table that is a trigger": partial(
            schema,
            statement="INSERT INTO sqlite_schema VALUES ('table', 'notes', 'notes', 0, "
            "'CREATE TRIGGER notes AFTER INSERT ON pages BEGIN DELETE FROM links; END')",
        ),
        "a foreign view for a function": _plain(f"CREATE VIEW pragma_page_count AS {ENDLESS} SELECT i FROM n"),
        "a foreign table that computes": _plain(
            "CREATE TABLE notes (id, more AS (HEX(ZEROBLOB(100000000))), CHECK (LENGTH(more) > 0))",
            "PRAGMA ignore_check_constraints=ON",
            "INSERT INTO notes (id) VALUES (1)",
        ),
        "a virtual table": _plain("CREATE VIRTUAL TABLE words USING fts5 (title)"),
        "a virtual table over another": _plain("CREATE VIRTUAL TABLE tree USING rtree (id, a, b)"),
        "a virtual table of no module": partial(
            schema,
            statement="INSERT INTO sqlite_schema VALUES ('table', 'v', 'v', 0, "
            "'CREATE VIRTUAL TABLE v USING nothing (a)')",
        ),
        "a foreign index": _plain("CREATE INDEX by_kind ON links (kind)"),
        "an index that computes": _plain("CREATE INDEX by_blob ON pages (LENGTH(ZEROBLOB(id * 1000000)))"),
        "a partial index of URLs": _plain(
            "DROP INDEX pages_url", "CREATE UNIQUE INDEX pages_url ON pages (url) WHERE id > 3"
        ),
        "no index of URLs": _plain("DROP INDEX pages_url"),
        "lying statistics": _plain(
            "CREATE TABLE filler (a)", "ANALYZE", "DROP TABLE filler", "UPDATE sqlite_stat1 SET stat = '1 1 1'"
        ),
        "a computed column": _plain("ALTER TABLE pages ADD COLUMN more TEXT AS (HEX(ZEROBLOB(100000000)))"),
        "a further column": _plain("ALTER TABLE texts ADD COLUMN more TEXT"),
        "a column less": _plain(*(f"DROP VIEW {name}" for name in VIEWS), "ALTER TABLE captures DROP COLUMN mime"),
        "columns in another order": _plain(
            "CREATE TABLE anew (host TEXT, id INTEGER PRIMARY KEY, domain, suffix, tld)",
            "INSERT INTO anew SELECT host, id, domain, suffix, tld FROM hosts",
            *(f"DROP VIEW {name}" for name in VIEWS),
            "DROP TABLE hosts",
            "ALTER TABLE anew RENAME TO hosts",
        ),
        "a check that takes long": _schema(
            "pages",
            "sql = REPLACE(sql, 'url TEXT NOT NULL', 'url TEXT NOT NULL CHECK (LENGTH(HEX(ZEROBLOB(200000000))) > 0)')",
        ),
        "a default that takes memory": _schema(
            "sources", "sql = REPLACE(sql, 'DEFAULT ''best''', 'DEFAULT (HEX(ZEROBLOB(400000000)))')"
        ),
        "two tables in one place": _schema(
            "anchor_texts", "rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'links')"
        ),
        "a table beyond the file": _schema("texts", "rootpage = 1000000"),
        "a table at page one": _schema("texts", "rootpage = 1"),
        "a view as a table": _schema("page_languages", "type = 'table'"),
        "a table without words": _schema("texts", "sql = NULL"),
        "a table with other words": _schema("texts", "sql = 'no SQL at all'"),
        "a table in bytes": _schema("texts", "sql = X'FFFEFD'"),
        "a schema of a megabyte": _schema("texts", "sql = sql || ' -- ' || HEX(ZEROBLOB(1000000))"),
    }
    fill = "INSERT INTO links SELECT a.source + 1000 * b.source, a.target, 7, 0, NULL, 0 FROM links a, links b, links c"
    for event, table in (
        *(("INSERT", name) for name in ("pages", "links", "predictions", "runs")),
        ("UPDATE", "sources"),
        ("UPDATE", "runs"),
        ("DELETE", "links"),
    ):
        found[f"a trigger on {event} of {table}"] = _plain(
            f"CREATE TRIGGER fills AFTER {event} ON {table} BEGIN {fill.replace('INSERT', 'INSERT OR IGNORE')}; END"
        )
    found["a trigger in place of a view"] = _plain(
        "CREATE TRIGGER views INSTEAD OF INSERT ON page_languages BEGIN DELETE FROM pages; END"
    )
    return found


def _ids() -> dict[str, Alteration]:
    found: dict[str, Alteration] = {}
    for table, them in (
        ("pages", (0, -1, 1 << 24, LARGE, (1 << 63) - 1)),
        ("hosts", (-1, 1 << 24, LARGE)),
        ("labels", (0, 1 << 24, LARGE)),
        ("runs", (-1, LARGE)),
        ("sources", (0, (1 << 63) - 1)),
    ):
        for value in them:
            found[f"id {value} in {table}"] = _plain(
                f"UPDATE {table} SET id = {value} WHERE id = (SELECT MAX(id) FROM {table})"
            )
    for table, name in (("captures", "page"), ("texts", "page"), ("problems", "id")):
        for value in (-5, LARGE):
            found[f"id {value} in {table}"] = _plain(
                f"UPDATE {table} SET {name} = {value} WHERE {name} = (SELECT MAX({name}) FROM {table})"
            )
    for value in (-5, 1 << 24, LARGE):
        found[f"source {value} in links"] = _plain(f"UPDATE OR IGNORE links SET source = {value} WHERE source = 1")
        found[f"run {value} in predictions"] = _plain(f"UPDATE predictions SET run = {value} WHERE run = 1")
    found |= {
        f"{value} ids given out": _wild(f"UPDATE sqlite_sequence SET seq = {value} WHERE name = 'pages'")
        for value in ("-1", "16777216", str(LARGE), str((1 << 63) - 1), "'many'", "NULL", "X'00'")
    }
    found |= {
        "ids given out of runs": _plain(f"UPDATE sqlite_sequence SET seq = {(1 << 63) - 1} WHERE name = 'runs'"),
        "ids given out twice": _plain("INSERT INTO sqlite_sequence VALUES ('pages', 5)"),
        "ids given out of nothing": _plain("INSERT INTO sqlite_sequence VALUES ('nothing', 5)"),
        "no ids given out": _plain("DELETE FROM sqlite_sequence"),
        "a page less": _plain("DELETE FROM pages WHERE id = 2"),
        "the last page less": _plain("DELETE FROM pages WHERE id = (SELECT MAX(id) FROM pages)"),
        "a host less": _plain("DELETE FROM hosts WHERE id = 1"),
        "all hosts less": _plain("DELETE FROM hosts"),
        "all pages less": _plain("DELETE FROM pages"),
        "a label less": _plain("DELETE FROM labels WHERE id = (SELECT label FROM predictions LIMIT 1)"),
        "all labels less": _plain("DELETE FROM labels"),
        "all sources less": _plain("DELETE FROM sources"),
        "all runs less": _plain("DELETE FROM runs"),
        "the content run less": _plain("DELETE FROM runs WHERE kind = 'content'"),
        "the scores less": _plain("DELETE FROM scores"),
        "the answers less": _plain("DELETE FROM predictions"),
        "a URL twice": _plain(
            "DROP INDEX pages_url", "UPDATE pages SET url = (SELECT url FROM pages WHERE id = 1) WHERE id = 2"
        ),
        "another kind of link": _plain("INSERT INTO link_kinds VALUES (99, 'other')"),
        "no kinds of links": _plain("DELETE FROM link_kinds"),
        "kinds of links renamed": _plain("UPDATE link_kinds SET name = name || 'x'"),
    }
    return found


def _columns(of: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    return [(table, column) for table, columns in of.items() for column in columns]


def _values() -> dict[str, Alteration]:
    numbers = [*_columns(WHOLE), *_columns(REAL)]
    found = {f"{table}.{column} is text": _set_value(table, column, "'abc'") for table, column in numbers}
    found |= {
        f"{table}.{column} is 2^40": _set_value(table, column, str(LARGE))
        for table, column in _columns(WHOLE)
        if column not in NOWHERE
    }
    for name, value in (("none", "NULL"), ("infinite", "9e999"), ("negative", "-1")):
        found |= {f"{table}.{column} is {name}": _set_value(table, column, value) for table, column in _columns(REAL)}
    found |= {
        f"{table}.{column} is no UTF-8": _set_value(table, column, "CAST(X'FFC0AF0A1B5B' AS TEXT)")
        for table, column in _columns(TEXT)
    }
    for table, columns in SINGLE.items():
        for column, values in columns.items():
            found |= {f"{table}.{column} is {value}": _set_value(table, column, value) for value in values.split()}
    long = "HEX(ZEROBLOB(35000000))"
    for table, column in (("texts", "text"), ("pages", "url"), ("runs", "parameters"), ("hosts", "host")):
        found[f"{table}.{column} of 70 MB"] = _set_value(table, column, long)
    found["links.hreflang of 1 MB"] = _set_value("links", "hreflang", "HEX(ZEROBLOB(500000))")
    found["texts.text of 70 MB of zeros"] = _set_value("texts", "text", "CAST(ZEROBLOB(70000000) AS TEXT)")
    found["visible_bytes.bytes of 70 MB"] = _set_value("visible_bytes", "bytes", "ZEROBLOB(70000000)")
    found["predictions.page twice"] = _wild(
        "INSERT INTO predictions SELECT run, page + 0.5, label, confidence, runner_up,"
        " runner_up_confidence, characters, encoding, read FROM predictions LIMIT 1"
    )
    return found


def _runs() -> dict[str, Alteration]:
    found: dict[str, Alteration] = {}
    deep = "[" * 100_000
    for seeds in (
        *("[3]", "[2]", "[1, 1]", "[99]", "[]", "{}", "5", "null", "[null]", '["x"]', "[[1]]", "[1e400]"),
        *("", "[-1]"),
    ):
        for run in (2, 3) if seeds in ("[3]", "[]") else (3,):
            found[f"run {run} from {seeds or 'nothing'}"] = _plain(
                f"UPDATE runs SET seeds = '{seeds}' WHERE id = {run}"
            )
    for words in (
        *("[]", "null", "{", '{"signals": 5}', '{"signals": {"url": "x"}}', '{"signals": {"url": -1}}', '{"other": 1}'),
        *('{"rounds": "x"}', '{"rounds": 1e9, "tolerance": 0}', '{"degree": NaN}', '{"neighbours": 1e300}'),
        *('{"max_links": "x"}', "{}"),
    ):
        for run in (2,) if "max_links" in words else (2, 3) if words == "{}" else (3,):
            found[f"run {run} with {words}"] = _plain(
                f"UPDATE runs SET parameters = '{words}', linked = 0 WHERE id = {run}"
            )
    found |= {
        "seeds nested deep": _plain(f"UPDATE runs SET seeds = '{deep}' WHERE id = 3"),
        "parameters nested deep": _plain(f"UPDATE runs SET parameters = '{deep}' WHERE id = 3"),
        "another kind of run": _plain("UPDATE runs SET kind = 'other', linked = 0 WHERE id = 3"),
        "another method": _plain("UPDATE runs SET method = 'other', linked = 0 WHERE id = 3"),
        "a method of a path": _plain("UPDATE runs SET method = '/dev/zero' WHERE id = 1"),
        "a vote as content": _plain("UPDATE runs SET kind = 'content' WHERE id = 2"),
        "a URL run from itself": _plain(
            "UPDATE runs SET kind = 'url', method = 'tld', seeds = '[1]', collection = 'x' WHERE id = 1"
        ),
        "no run finished": _plain("UPDATE runs SET finished = NULL"),
        "the chosen run not finished": _plain("UPDATE runs SET finished = NULL WHERE id = 3"),
        "a run of somebody": _plain("UPDATE runs SET finished = NULL, owner = 'x 1 1 ff' WHERE id = 3"),
        "a run answered of nothing": _plain(
            "UPDATE runs SET linked = 1 WHERE id IN (2, 3)", "DELETE FROM linked_answers"
        ),
        "a negative count of pages": _plain("UPDATE runs SET pages = -5"),
        "a run with five linked": _plain("UPDATE runs SET linked = 5"),
        "another collection": _plain("UPDATE runs SET collection = 'other', linked = 0"),
    }
    cells = {
        "short cells": "X'0101'",
        "no cells": "X''",
        "cells of 513 bytes": "ZEROBLOB(513)",
        "long cells": "ZEROBLOB(100000)",
        "cells of text": "'abc'",
        "cells of 255": "X'" + "FF" * 512 + "'",
        "cells of 127": "X'" + "7F" * 512 + "'",
        "cells of labels that are none": "X'" + "4001017F01010101" * 64 + "'",
        "half a label": "X'" + "0100000000000000" * 64 + "'",
    }
    found |= {name: _set_value("linked_answers", "cells", value) for name, value in cells.items()}
    evidence = {
        "URL evidence of 20 bytes": "ZEROBLOB(20)",
        "URL evidence of text": "'abc'",
        "URL evidence of page 0": "ZEROBLOB(38)",
        "URL evidence of 255": "X'" + "FF" * 38 + "'",
    }
    found |= {name: _set_value("url_evidence", "cells", value) for name, value in evidence.items()}
    found |= {f"block {value}": _plain(f"UPDATE linked_answers SET block = {value}") for value in (-1, 5, LARGE)}
    return found


#: All alterations by name.
ALTERATIONS: dict[str, Alteration] = {**_schemas(), **_ids(), **_values(), **_runs(), **damage_files()}
