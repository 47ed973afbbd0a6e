"""What other programs read, written to a file: each thing in each of its formats."""

from __future__ import annotations

import functools
import io
from typing import IO, TYPE_CHECKING, Final

from graphlang.db.connection import own_files, same_file
from graphlang.export import tables
from graphlang.export.texts import Told, texts
from graphlang.files import OutputError, promised, refuse_empty, replacing
from graphlang.maps import captures
from graphlang.maps.selection import Selection
from graphlang.printing.as_csv import write_csv
from graphlang.printing.as_json import write_jsonl
from graphlang.printing.as_tsv import write_tsv
from graphlang.visible import quantity

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path

_ROWS: Final = ("csv", "tsv", "jsonl", "parquet")
_GRAPHS: Final = ("gexf", "graphml")
#: What there is, and in which formats; the first is the default.
WHAT: Final = {
    "pages": _ROWS + _GRAPHS,
    "sites": _ROWS,
    "links": _ROWS,
    "hosts": _ROWS + _GRAPHS,
    "domains": _ROWS + _GRAPHS,
    "languages": _ROWS + _GRAPHS,
    "texts": ("jsonl", "parquet", "csv", "tsv", "txt"),
    "cdxj": ("cdxj",),
    "warc-metadata": ("warc",),
    "wet": ("wet",),
    "vertices-edges": ("tsv",),
    "web-languages": ("md",),
}
FORMATS: Final = (*_ROWS, *_GRAPHS, "txt", "cdxj", "warc", "wet", "md")
#: These take every capture, unless a filter says which.
_OF_ALL: Final = ("pages", "links", "cdxj")
#: These have a text, of which the main content alone can be asked for.
OF_TEXTS: Final = ("texts", "wet")
_UNITS: Final = ("host", "domain")
_PLAIN: Final = (".warc", ".wet")  # endings of archives that are not compressed
FOLDERS: Final = ("vertices-edges", "web-languages")
#: These can have captures besides the pages' own.
OF_CAPTURES: Final = ("pages", "texts", "cdxj", "warc-metadata", "wet")


def format_of(what: str, wanted: str | None, output: Path) -> str:
    """The format of an export.

    Args:
        what: of `WHAT`.
        wanted: one of its formats; None for that of the file's name, or the first where that promises none.
        output: the file.

    Raises:
        ValueError: there is no such export, or not in that format.
    """
    if what not in WHAT:
        raise ValueError(f"cannot export {what}; there are {', '.join(WHAT)}")
    if wanted is None:
        ending = output.suffix.lower().lstrip(".")
        if len(WHAT[what]) > 1 and ending not in WHAT[what] and promised(output):
            raise ValueError(f"{output.name}: {what} comes as {', '.join(WHAT[what])}")
        return ending if ending in WHAT[what] else WHAT[what][0]
    if wanted not in WHAT[what]:
        raise ValueError(f"{what} comes as {', '.join(WHAT[what])}")
    return wanted


def check_target(what: str, output: Path) -> None:
    """Refuse a folder where a file is written, and a file where a folder is.

    Args:
        what: of `WHAT`.
        output: where the export goes.

    Raises:
        ValueError: it is the other of the two.
    """
    if what in FOLDERS and output.exists() and not output.is_dir():
        raise ValueError(f"{output} is a file; {what} writes a folder")
    if what not in FOLDERS and output.is_dir():
        raise ValueError(f"{output} is a folder")


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
) -> list[str]:
    """Write one thing of a collection; rows one by one, so that memory does not grow with the collection.

    Args:
        connection: a collection, with all answers of the run that counts; where it shows a moment
            (`graphlang.db.snapshot.at`), of each page the capture nearest to it counts.
        what: of `WHAT`.
        output: the file, which is replaced when all is written, and never by an empty one; a folder for
            ``vertices-edges`` and ``web-languages``.
        database: the collection's file.
        format_: see `format_of`.
        by: ``host`` or ``domain``, for ``vertices-edges``.
        selection: which pages count.
        safe: whether CSV is safe for spreadsheets; None: where the file is named ``.csv``.
        main: of ``texts`` and ``wet`` the main content alone.

    Returns:
        Sentences about what could not be told, such as archives that are not where they were.

    Raises:
        ValueError: there is no such export, or not in that format, by that, or of captures; see `check_target`.
        NothingToWriteError: there is nothing to put into the place of a file.
        OutputError: a file in the folder is one that the database is made of.
        MissingExtraError: the format needs a package that is not installed.
    """
    format_ = format_of(what, format_, output)
    check_target(what, output)
    if by not in _UNITS:
        raise ValueError(f"cannot group {what} by {by}; there are {', '.join(_UNITS)}")
    selection = selection or Selection()
    if captures.others_count(connection, selection) and (what not in OF_CAPTURES or format_ in _GRAPHS):
        asked = "a graph" if what in OF_CAPTURES else what
        raise ValueError(f"captures of other times come as {', '.join(OF_CAPTURES)}, and not as {asked}")
    if what in _OF_ALL:
        selection = selection.of_everything()
    if what in FOLDERS:
        _folder(connection, what, by, selection, _Folder(output, database))
        return []
    said: list[str] = []
    told = Told()
    made = functools.partial(_table, connection, what, selection, main=main, told=told)
    with replacing(output) as file:
        if format_ in ("csv", "tsv", "jsonl"):
            safe = output.suffix.lower() == ".csv" if safe is None else safe
            written = _rows(made(), format_, file, safe=safe)
        elif what == "cdxj":
            written = _cdxj(connection, database, selection, file, said)
        else:
            written = _writer(connection, what, format_, selection, made, output=output)(file)
        if not written:
            refuse_empty(output)
    return said + told.words() + captures.lacking(connection, selection)


def _table(connection: sqlite3.Connection, what: str, selection: Selection, *, main: bool, told: Told) -> tables.Table:
    if what in OF_TEXTS:
        return texts(connection, selection, whole=not main, told=told, codes=what == "wet")
    made: Callable[..., tables.Table] = getattr(tables, what)
    return made(connection, selection)


def _rows(table: tables.Table, format_: str, file: IO[bytes], *, safe: bool) -> int:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    write: dict[str, Callable[..., int]] = {
        "csv": functools.partial(write_csv, safe=safe),
        "tsv": write_tsv,
        "jsonl": write_jsonl,
    }
    written = write[format_](table.columns, table.rows, text)
    text.detach()
    return written


def _writer(
    connection: sqlite3.Connection,
    what: str,
    format_: str,
    selection: Selection,
    made: Callable[[], tables.Table],
    *,
    output: Path,
) -> Callable[[IO[bytes]], int]:
    """What writes the export to a file and returns how much it wrote."""
    if format_ in _GRAPHS:
        return functools.partial(_graph, connection, what, format_, selection)
    if format_ == "parquet":
        from graphlang.export.parquet import write_parquet  # noqa: PLC0415

        return functools.partial(write_parquet, made())
    if format_ == "txt":
        from graphlang.export.texts import write_txt  # noqa: PLC0415

        return functools.partial(write_txt, made())
    from graphlang.export import warc  # noqa: PLC0415

    compressed = output.suffix.lower() not in _PLAIN
    if what == "wet":
        return functools.partial(warc.write_wet, made(), compressed=compressed)
    return functools.partial(warc.write_metadata, connection, selection, compressed=compressed)


def _graph(connection: sqlite3.Connection, what: str, format_: str, selection: Selection, file: IO[bytes]) -> int:
    from graphlang.export.graph_files import WEB, WRITERS  # noqa: PLC0415
    from graphlang.maps.web_graph import web_graph  # noqa: PLC0415

    if what == "languages":
        from graphlang.export.graph_files import write_language_graph  # noqa: PLC0415
        from graphlang.maps.language_graph import language_graph  # noqa: PLC0415

        return write_language_graph(language_graph(connection, selection), format_, file)
    graph = web_graph(connection, what.removesuffix("s"), selection)
    nodes = ((node.id, node.label, (node.language, node.confidence, node.size, node.share)) for node in graph.nodes)
    edges = ((edge.source, edge.target, (edge.weight,)) for edge in graph.edges)
    return WRITERS[format_](WEB, nodes, edges, file)


def _cdxj(
    connection: sqlite3.Connection, database: Path, selection: Selection, file: IO[bytes], said: list[str]
) -> int:
    from graphlang.export.cdxj import write_cdxj  # noqa: PLC0415

    made = write_cdxj(connection, database, selection, file)
    said += [f"{name} is not where it was: its records have no length in the index" for name in made.missing]
    if made.without_length and not made.missing:
        said.append(f"{quantity(made.without_length, 'record')} without a length in the index: it is unknown")
    return made.lines


class _Folder:
    """A folder that an export writes files to, and none in the place of what the database is made of."""

    def __init__(self, path: Path, database: Path) -> None:
        path.mkdir(exist_ok=True)
        self._path, self._own = path, list(own_files(database))

    def file(self, name: str) -> Path:
        target = self._path / name
        for path, words in self._own:
            if same_file(target, path):
                raise OutputError(f"cannot write to {target}: it is {words}")
        return target


def _folder(connection: sqlite3.Connection, what: str, by: str, selection: Selection, folder: _Folder) -> None:
    from graphlang.export import common_crawl  # noqa: PLC0415

    if what == "vertices-edges":
        vertices, edges = folder.file("vertices.txt.gz"), folder.file("edges.txt.gz")
        with replacing(vertices) as one, replacing(edges) as other:
            if not common_crawl.vertices_and_edges(connection, by, selection, one, other):
                refuse_empty(vertices)
        return
    for language, page in common_crawl.site_lists(connection, selection):
        with replacing(folder.file(f"{language}.md")) as file:
            file.write(page.encode())
