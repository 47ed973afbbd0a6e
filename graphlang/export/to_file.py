"""Write lists of a collection for other programs to a file, each in each of its formats, and copies without texts."""

from __future__ import annotations

import functools
import io
import re
import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from graphlang import files
from graphlang.db.check import name_user_items
from graphlang.db.connection import is_same_file, list_database_files
from graphlang.db.values import value_error
from graphlang.export import tables
from graphlang.export.texts import TextCounts, read_texts, write_txt
from graphlang.maps.pages import describe_missing_answers, needs_other_captures
from graphlang.maps.selection import Selection
from graphlang.printing import quantity, write_csv, write_jsonl, write_tsv

if TYPE_CHECKING:
    from collections.abc import Callable

_ROWS: Final = ("csv", "tsv", "jsonl", "parquet")
_GRAPHS: Final = ("gexf", "graphml")
#: Exports and their formats; the first one is the default.
WHAT: Final = {
    "pages": _ROWS + _GRAPHS,
    "sites": _ROWS,
    "links": _ROWS,
    "hosts": _ROWS + _GRAPHS,
    "domains": _ROWS + _GRAPHS,
    "languages": _ROWS + _GRAPHS,
    "texts": ("jsonl", "parquet", "csv", "tsv", "txt"),
    "translations": _ROWS,
    "cdxj": ("cdxj",),
    "warc-metadata": ("warc",),
    "wet": ("wet",),
    "vertices-edges": ("tsv",),
    "web-languages": ("md",),
    "share": ("db",),
}
FORMATS: Final = (*_ROWS, *_GRAPHS, "txt", "cdxj", "warc", "wet", "md", "db")
#: Exports of all captures, unless filters choose some.
_OF_ALL: Final = ("links", "cdxj")
#: Exports with a text, which can be limited to the main content.
OF_TEXTS: Final = ("texts", "wet")
_UNITS: Final = ("host", "domain")
_PLAIN: Final = (".warc", ".wet")  # endings of archives that are not compressed
FOLDERS: Final = ("vertices-edges", "web-languages")
LANGUAGE: Final = "{language}"  #: in the name of a file: texts are written to a file for each language
#: Exports that can have captures other than the main ones.
OF_CAPTURES: Final = ("pages", "texts", "cdxj", "warc-metadata", "wet")


def choose_format(what: str, name: str | None, output: Path) -> str:
    """Return the format of an export: the named one, else that of the file name, else the first possible one."""
    if what not in WHAT:
        raise ValueError(f"cannot export {what}; there are {', '.join(WHAT)}")
    if name is None:
        ending = files.remove_compression(output).suffix.lower().lstrip(".")
        if ending not in files.COMPRESSIBLE:
            ending = output.suffix.lower().lstrip(".")
        if len(WHAT[what]) > 1 and ending not in WHAT[what] and files.find_promised_format(output):
            raise ValueError(f"{output.name}: {what} comes as {', '.join(WHAT[what])}")
        return ending if ending in WHAT[what] else WHAT[what][0]
    if name not in WHAT[what]:
        raise ValueError(f"{what} comes as {', '.join(WHAT[what])}")
    return name


def check_braces(output: Path) -> None:
    """Refuse a misspelt `LANGUAGE` in a file name, such as ``{lang}``."""
    if braces := re.search(r"\{\w*\}", output.name.replace(LANGUAGE, "")):
        raise ValueError(f"{braces[0]} in a file name has no meaning; {LANGUAGE} makes a file for each language")


def check_target(what: str, output: Path) -> None:
    """Refuse a folder where a file is written, and a file where a folder is."""
    if what in FOLDERS and output.exists() and not output.is_dir():
        raise ValueError(f"{output} is a file; {what} writes a folder")
    if what not in FOLDERS and output.is_dir():
        raise ValueError(f"{output} is a folder")
    if what == "texts":
        check_braces(output)
    if LANGUAGE in output.name and what != "texts":
        raise ValueError(f"{LANGUAGE} in a file name is for texts, and not for {what}")


def export(
    connection: sqlite3.Connection,
    what: str,
    output: Path,
    *,
    database: Path,
    format_: str | None = None,
    by: str = "host",
    selection: Selection | None = None,
    safe: bool | None = None,
    main: bool = False,
    unique: bool = False,
    near: float | None = None,
    quality: bool = False,
    paragraphs: bool = False,
    on_written: Callable[[int], object] | None = None,
) -> list[str]:
    """Write an export of a collection, row by row; return sentences about missing parts.

    Texts get a file for each language if the name of ``output`` has `LANGUAGE` in it.
    """
    format_ = choose_format(what, format_, output)
    check_target(what, output)
    if what == "share" and (selection or Selection()) != Selection():
        raise ValueError("a share has all pages: --language and other filters are not for it")
    selection = _check_options(connection, what, format_, by, selection or Selection())
    notes: list[str] = []
    counts = TextCounts()
    order = "language" if LANGUAGE in output.name else "page"
    options = {"whole": not main, "unique": unique, "near": near, "quality": quality}
    table = functools.partial(
        _read_table,
        connection,
        what,
        selection,
        counts=counts,
        paragraphs=paragraphs,
        by_language=order == "language",
        **options,
    )
    safe = output.suffix.lower() == ".csv" if safe is None else safe
    if what in FOLDERS:
        written = _write_folder(connection, what, by, selection, _Folder(output, database))
    elif order == "language":
        written = _write_each_language(table(), format_, _Folder(output.parent, database), output.name, safe=safe)
    else:
        with files.open_packed(output) if format_ in files.COMPRESSIBLE else files.open_replacement(output) as file:
            if format_ in ("csv", "tsv", "jsonl"):
                written = _write_rows(table(), format_, file, safe=safe)
            elif what == "share":
                written = write_share(connection, output.absolute().parent, file)
            elif what == "cdxj":
                written = _write_index(connection, database, selection, file, notes)
            else:
                written = _make_writer(connection, what, format_, selection, table, output=output)(file)
            if not written:
                files.refuse_empty(output)
    if on_written is not None:
        on_written(written)
    return notes + counts.describe() + describe_missing_answers(connection, selection)


def _check_options(connection: sqlite3.Connection, what: str, format_: str, by: str, selection: Selection) -> Selection:
    """Refuse an unknown grouping, or captures that the format cannot have; return the pages that count."""
    if by not in _UNITS:
        raise ValueError(f"cannot group {what} by {by}; there are {', '.join(_UNITS)}")
    if needs_other_captures(connection, selection) and (what not in OF_CAPTURES or format_ in _GRAPHS):
        target = "a graph" if what in OF_CAPTURES else what
        raise ValueError(f"captures of other times come as {', '.join(OF_CAPTURES)}, and not as {target}")
    if what in _OF_ALL:
        return selection.include_all_kinds()
    if what == "pages" and selection.fetched is None and not selection.everything:
        return replace(selection, fetched=True)
    return selection


def _read_table(
    connection: sqlite3.Connection,
    what: str,
    selection: Selection,
    *,
    paragraphs: bool,
    by_language: bool,
    **options: Any,
) -> tables.Table:
    """Read the rows of an export; the options are those of `texts`."""
    if paragraphs:
        from graphlang.content.registry import load  # noqa: PLC0415
        from graphlang.export.corpora import sort_by_language, split_paragraphs  # noqa: PLC0415

        table = split_paragraphs(read_texts(connection, selection, **options), load("nfc"))
        return sort_by_language(table) if by_language else table
    if what in OF_TEXTS:
        return read_texts(connection, selection, codes=what == "wet", by_language=by_language, **options)
    read: Callable[..., tables.Table] = getattr(tables, what)
    return read(connection, selection)


def _write_rows(table: tables.Table, format_: str, file: IO[bytes], *, safe: bool) -> int:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    write: dict[str, Callable[..., int]] = {
        "csv": functools.partial(write_csv, safe=safe),
        "tsv": write_tsv,
        "jsonl": write_jsonl,
    }
    written = write[format_](table.columns, table.rows, text)
    text.detach()
    return written


def _make_writer(
    connection: sqlite3.Connection,
    what: str,
    format_: str,
    selection: Selection,
    table: Callable[[], tables.Table],
    *,
    output: Path,
) -> Callable[[IO[bytes]], int]:
    """Return the function that writes the export to a file and counts the rows."""
    if format_ in _GRAPHS:
        return functools.partial(_write_graph, connection, what, format_, selection)
    if format_ in ("parquet", "txt"):
        return functools.partial(_write_table, table(), format_, safe=False)
    from graphlang.export import warc  # noqa: PLC0415

    compressed = output.suffix.lower() not in _PLAIN
    if what == "wet":
        return functools.partial(warc.write_wet, table(), compressed=compressed)
    return functools.partial(warc.write_metadata, connection, selection, compressed=compressed)


def _write_graph(connection: sqlite3.Connection, what: str, format_: str, selection: Selection, file: IO[bytes]) -> int:
    from graphlang.export.graph_files import WEB, WRITERS  # noqa: PLC0415
    from graphlang.maps.colours import choose_colours  # noqa: PLC0415
    from graphlang.maps.facts import count_pages_by_language  # noqa: PLC0415
    from graphlang.maps.web_graph import read_web_graph  # noqa: PLC0415

    if what == "languages":
        from graphlang.export.graph_files import write_language_graph  # noqa: PLC0415
        from graphlang.maps.language_graph import read_language_graph  # noqa: PLC0415

        return write_language_graph(read_language_graph(connection, selection), format_, file)
    graph = read_web_graph(connection, what.removesuffix("s"), selection)
    nodes = ((node.id, node.label, (node.language, node.confidence, node.size, node.share)) for node in graph.nodes)
    edges = ((edge.source, edge.target, (edge.weight,)) for edge in graph.edges)
    schema = WEB._replace(colours=choose_colours(count_pages_by_language(connection)))
    return WRITERS[format_](schema, nodes, edges, file)


def _write_index(
    connection: sqlite3.Connection, database: Path, selection: Selection, file: IO[bytes], notes: list[str]
) -> int:
    from graphlang.export.cdxj import write_cdxj  # noqa: PLC0415

    index = write_cdxj(connection, database, selection, file)
    notes += [f"{name} is not where it was: its records have no length in the index" for name in index.missing]
    if index.without_length and not index.missing:
        notes.append(f"{quantity(index.without_length, 'record')} without a length in the index: it is unknown")
    return index.lines


def _write_each_language(table: tables.Table, format_: str, folder: _Folder, name: str, *, safe: bool) -> int:
    """Write a file for each language of a table that is in order of languages."""
    written = 0
    place = table.columns.index("language")
    for language, rows in groupby(table.rows, key=itemgetter(place)):
        with files.open_packed(folder.make_path(name.replace(LANGUAGE, language))) as file:
            written += _write_table(tables.Table(table.columns, rows), format_, file, safe=safe)
    return written


def _write_table(table: tables.Table, format_: str, file: IO[bytes], *, safe: bool) -> int:
    if format_ == "parquet":
        from graphlang.export.tables import write_parquet  # noqa: PLC0415

        return write_parquet(table, file)
    return write_txt(table, file) if format_ == "txt" else _write_rows(table, format_, file, safe=safe)


class _Folder:
    """A folder for the files of an export, which never replace files of the database."""

    def __init__(self, path: Path, database: Path) -> None:
        path.mkdir(exist_ok=True)
        self._path, self._database_files = path, list(list_database_files(database))

    def make_path(self, name: str) -> Path:
        target = self._path / name
        if target.name != name:  # the database may be hostile
            raise value_error("labels.language", name, "a language code")
        for path, purpose in self._database_files:
            if is_same_file(target, path):
                raise files.OutputError(f"cannot write to {target}: it is {purpose}")
        return target


def _write_folder(connection: sqlite3.Connection, what: str, by: str, selection: Selection, folder: _Folder) -> int:
    from graphlang.export import common_crawl  # noqa: PLC0415

    if what == "vertices-edges":
        vertices, edges = folder.make_path("vertices.txt.gz"), folder.make_path("edges.txt.gz")
        with files.open_replacement(vertices) as vertex_file, files.open_replacement(edges) as edge_file:
            written = common_crawl.write_vertices_and_edges(connection, by, selection, vertex_file, edge_file)
            if not written:
                files.refuse_empty(vertices)
        return written
    written = 0
    for language, page in common_crawl.list_sites_by_language(connection, selection):
        with files.open_replacement(folder.make_path(f"{language}.md")) as file:
            file.write(page.encode())
        written += 1
    return written


_NAMED: Final = 5  # tables in an error
#: Removed: texts, titles and anchor texts; authors and notes of corrections; folders of this machine.
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
    """Write the copy to a file, by a temporary one in the folder; return its pages.

    Raise a ValueError if the database has tables of the user, which may hold texts.
    """
    if items := name_user_items(connection):
        raise ValueError(f"tables of your own may hold texts: drop {', '.join(items[:_NAMED])} from a copy first")
    with tempfile.TemporaryDirectory(prefix=".graphlang-", dir=folder) as temporary:
        path = Path(temporary) / "share.db"
        connection.execute("VACUUM INTO ?", (str(path),))
        with closing(sqlite3.connect(path, isolation_level=None)) as copy:
            copy.create_function("file_name", 1, _find_file_name, deterministic=True)
            for statement in _STATEMENTS:
                copy.execute(statement)
            copy.execute("VACUUM")  # erases the texts in unused parts of the file
            pages: int = copy.execute("SELECT COUNT(*) FROM pages").fetchone()[0]
        with path.open("rb") as source:
            shutil.copyfileobj(source, file, 1 << 20)
    return pages


def _find_file_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or path
