"""Tables of a collection as streams of rows: pages, links, sites, hosts, domains, languages, translations.

Translations are pairs of pages, for parallel corpora. A page names its versions in other languages by links with
``hreflang``. Other sites link from a page to its version, and only the name of the language differs in the two URLs:
``/de/museum`` and ``/en/museum``. By the chosen run, both pages must be in the language that is named. The texts are
not compared.

Parquet needs pyarrow, an extra. It is written in row groups, so that memory does not grow with the table.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.codes.languages import code as language_code
from graphlang.db import collection
from graphlang.maps import languages as language_lists
from graphlang.maps import shares
from graphlang.maps.pages import GUESS, needs_other_captures, write_captures_sql
from graphlang.maps.selection import COLUMNS
from graphlang.maps.sites import Site, list_sites, read_site_map

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.maps.selection import Selection


class Table(NamedTuple):
    """A table that is read once."""

    columns: tuple[str, ...]
    rows: Iterable[tuple[Any, ...]]


#: Columns of integers and of floats; the others are text.
_WHOLE: Final = frozenset(
    "page run fetched status length characters target nofollow place pages unfetched short resolved also low high"  # noqa: SIM905
    " sites offset cut pending mutual source_length target_length paragraph is_main filler".split()
)
_REAL: Final = frozenset(
    (
        *("confidence", "runner_up_confidence", "share", "expected", "certainty", "by_text_confidence"),
        *("letters", "repeated"),
    )
)


def find_column_types(columns: tuple[str, ...]) -> dict[str, str]:
    """Return the type of each column by its name: ``int``, ``double`` or ``string``.

    >>> find_column_types(("source", "target", "hreflang")), find_column_types(("source", "confidence"))
    ({'source': 'int', 'target': 'int', 'hreflang': 'string'}, {'source': 'string', 'confidence': 'double'})
    """
    types = {name: "int" if name in _WHOLE else "double" if name in _REAL else "string" for name in columns}
    if "target" in types:  # the source of a link is a page, that of a text a file
        types["source"] = "int"
    return types


def pages(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read pages with the columns of ``page_languages``, in order of their ids, and their languages.

    ``languages`` are up to three ISO 639-3 codes, the page's answer first, then the others by share, as in Common
    Crawl's index; ``shares`` the part of the page's letters that each has. Both are empty without a language.

    If captures of other times count, a row is a capture, with the offset of its record and its digest.
    """
    if needs_other_captures(connection, selection):
        source, values = write_captures_sql(connection, selection)
        share_columns, bound = shares.write_share_columns(connection, run="pages.text_run")
        names = (*COLUMNS, "offset", "digest")
        query = f"SELECT {', '.join(names)}, {share_columns} FROM {source} AS pages ORDER BY page, date, capture"
        return Table((*names, "languages", "shares"), connection.execute(query, bound | values))
    source, values = selection.write_source(
        table="(SELECT *, language AS answer FROM page_languages)", columns=(*COLUMNS, "answer")
    )
    share_columns, bound = shares.write_share_columns(connection)
    columns = ", ".join(f"pages.{name}" for name in COLUMNS)
    query = f"SELECT {columns}, {share_columns}, {GUESS} FROM {source} AS pages ORDER BY page"
    return Table((*COLUMNS, "languages", "shares", "guess"), connection.execute(query, values | bound))


def links(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read links between pages that count, with the languages of both."""
    source, values = selection.write_source()
    codes: list[str] = []
    numbers: dict[str, int] = {}
    chosen = np.full(collection.count_pages(connection) + 1, -1, dtype=np.int16)
    for page, language in connection.execute(f"SELECT page, language FROM {source}", values):
        if language not in numbers:
            numbers[language] = len(codes)
            codes.append(language)
        chosen[page] = numbers[language]
    columns = ("source", "target", "source_url", "target_url", "kind", "nofollow", "hreflang", "place")

    def iterate_rows() -> Iterator[tuple[Any, ...]]:
        for row in connection.execute(f"SELECT {', '.join(columns)} FROM link_details ORDER BY source, target"):
            source_code, target_code = chosen[row[0]], chosen[row[1]]
            if source_code >= 0 and target_code >= 0:
                yield (*row, codes[source_code], codes[target_code])

    return Table((*columns, "source_language", "target_language"), iterate_rows())


def sites(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read the language map by host."""
    table = read_site_map(connection, ["host"], selection)
    return Table(table.columns, table.rows)


def hosts(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read one row for each host."""
    return Table(("host", *Site._fields[1:]), list_sites(connection, "host", selection))


def domains(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read one row for each registered domain."""
    return Table(("domain", *Site._fields[1:]), list_sites(connection, "domain", selection))


def translations(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read pairs of pages that are probably translations of each other."""
    return Table(TranslationRow._fields, find_translations(connection, selection))


def languages(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read one row for each language."""
    return Table(language_lists.LanguageRow._fields, language_lists.list_languages(connection, selection))


_LINKS: Final = 100_000  # of a block
_SIGNS: Final = re.compile(r"[/._?=&:-]+")
_NO_LANGUAGE: Final = ("und", "zxx")


class TranslationRow(NamedTuple):
    """Two pages that are probably translations of each other."""

    source_url: str  #: of one of them
    target_url: str  #: of the other
    source_language: str  #: ISO 639-3
    target_language: str  #: ISO 639-3
    by: str  #: ``hreflang``: a link names the other's language; ``url``: only the language differs in the URLs
    mutual: int  #: 1 where each of the two links to the other
    confidence: float  #: probability that both languages are right, not that the texts agree
    source_length: int  #: characters of visible text
    target_length: int  #: characters of visible text


class _CountedPages(NamedTuple):
    """The pages that count; index 0 and pages that do not count have the language -1."""

    language: NDArray[np.int16]  #: number of the language, shape (pages + 1,)
    domain: NDArray[np.int32]
    confidence: NDArray[np.float32]
    length: NDArray[np.int32]
    codes: list[str]


def find_translations(connection: sqlite3.Connection, selection: Selection) -> Iterator[tuple[Any, ...]]:
    """Yield pairs as tuples of the fields of `TranslationRow`, in order of page ids; 200 bytes of memory a pair."""
    pages = _read_pages(connection, selection)
    flags: dict[tuple[int, int], int] = {}  # pair -> 1 and 2: links up and down with hreflang, 4 and 8: others
    for source, target, hreflang in _read_links_between_languages(connection, pages):
        if hreflang and _code(hreflang) != pages.codes[pages.language[target]]:
            continue  # the page is not in the language of the hreflang
        if hreflang or pages.domain[source] == pages.domain[target]:
            pair = (source, target) if source < target else (target, source)
            flags[pair] = flags.get(pair, 0) | (1 if source < target else 2) << (0 if hreflang else 2)
    find = connection.cursor()

    def read_url(page: int) -> str:
        return str(find.execute("SELECT url FROM pages WHERE id = ?", (page,)).fetchone()[0])

    for (first, second), links in sorted(flags.items()):
        codes = [pages.codes[pages.language[page]] for page in (first, second)]
        urls = [read_url(page) for page in (first, second)]
        if not links & 3 and not _differ_in_language(urls, codes):
            continue
        directions = links | links >> 2
        yield (
            *(*urls, *codes, "hreflang" if links & 3 else "url", int(directions & 3 == 3)),  # noqa: PLR2004 - both directions
            round(float(pages.confidence[first]) * float(pages.confidence[second]), 4),
            *(int(pages.length[first]), int(pages.length[second])),
        )


def _read_pages(connection: sqlite3.Connection, selection: Selection) -> _CountedPages:
    count = collection.count_pages(connection) + 1
    language, domain = np.full(count, -1, dtype=np.int16), np.zeros(count, dtype=np.int32)
    confidence, length = np.zeros(count, dtype=np.float32), np.zeros(count, dtype=np.int32)
    codes: dict[str, int] = {}
    domains: dict[str, int] = {}
    source, values = selection.write_source()
    query = f"SELECT page, language, domain, confidence, length FROM {source} WHERE fetched AND length"
    for page, code, name, sure, size in connection.execute(query, values):
        if code not in _NO_LANGUAGE:
            language[page], domain[page] = codes.setdefault(code, len(codes)), domains.setdefault(name, len(domains))
            confidence[page], length[page] = sure or 0, min(size, 1 << 30)
    return _CountedPages(language, domain, confidence, length, list(codes))


def _read_links_between_languages(
    connection: sqlite3.Connection, pages: _CountedPages
) -> Iterator[tuple[int, int, str | None]]:
    """Yield source, target and hreflang of the links between pages that count and have different languages."""
    cursor = connection.execute("SELECT source, target, hreflang FROM links")
    while block := cursor.fetchmany(_LINKS):
        ends = np.array([row[:2] for row in block], dtype=np.int64)
        source, target = pages.language[ends[:, 0]], pages.language[ends[:, 1]]
        for place in np.flatnonzero((source >= 0) & (target >= 0) & (source != target)).tolist():
            yield block[place]


@lru_cache(4096)
def _code(tag: str) -> str | None:
    return language_code(tag)


def _differ_in_language(urls: list[str], codes: list[str]) -> bool:
    """Return whether two URLs are the same but for parts that name the languages of their pages.

    >>> _differ_in_language(["http://a.example/de/x", "http://a.example/en/x"], ["deu", "eng"])
    True
    >>> _differ_in_language(["http://a.example/x", "http://a.example/x?lang=fr"], ["deu", "fra"])
    False
    >>> _differ_in_language(["http://a.example/x.html", "http://a.example/x.fr.html"], ["deu", "fra"])
    True
    """
    parts = [_SIGNS.split(url.lower()) for url in urls]
    remaining = [[word for word in words if _code(word) != code] for words, code in zip(parts, codes, strict=True)]
    return remaining[0] == remaining[1] and remaining != parts


#: Rows or bytes of a row group: readers prefer large groups, and one group is in memory.
_GROUP_ROWS: Final = 50_000
_GROUP_BYTES: Final = 4 << 20
#: Rows that are Python objects at a time: these take many times the memory of columns.
_ROWS: Final = 1_000
#: Columns with commas between values of this type.
_LISTS: Final = {"languages": "string", "shares": "double"}
#: Columns of long, mostly distinct values.
_ONCE: Final = ("main", "text")
_BLOCK_BYTES: Final = 1 << 18  #: and fewer where they have more bytes than these


class MissingExtraError(RuntimeError):
    """A package that only some users need is not installed; the message has the command that installs it."""


def _import_pyarrow() -> Any:
    try:
        import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtraError("Parquet needs pyarrow: pip install 'graphlang[parquet]'") from error
    return import_module("pyarrow")


def write_parquet(table: Table, file: IO[bytes]) -> int:
    """Write a table; return the number of rows.

    Columns are int64, double or string, as `graphlang.export.tables` defines by their names, or lists of these
    (`_LISTS`); missing values are null.
    """
    arrow = _import_pyarrow()
    types = {"int": arrow.int64(), "double": arrow.float64(), "string": arrow.string()}
    named = [(name, types[_LISTS.get(name, kind)]) for name, kind in find_column_types(table.columns).items()]
    schema = arrow.schema([(name, arrow.list_(kind) if name in _LISTS else kind) for name, kind in named])
    written = 0
    repeated = [name for name in table.columns if name not in _ONCE]
    with arrow.parquet.ParquetWriter(
        file, schema, compression="zstd", use_dictionary=repeated, write_statistics=repeated
    ) as writer:
        for group in _make_groups(arrow, table, schema):
            writer.write_table(group)
            written += group.num_rows
    return written


def _make_groups(arrow: Any, table: Table, schema: Any) -> Iterator[Any]:
    """Split the table into row groups, each a table of Arrow."""
    rows, count = iter(table.rows), 1
    batches: list[Any] = []
    pending = size = 0
    while block := list(islice(rows, count)):
        pairs = zip(zip(*block, strict=True), schema, strict=True)
        batches.append(arrow.record_batch([_make_column(arrow, values, field.type) for values, field in pairs], schema))
        pending, size = pending + len(block), size + batches[-1].nbytes
        count = min(_ROWS, 2 * count, max(1, _BLOCK_BYTES * len(block) // batches[-1].nbytes))
        del block, pairs
        if pending + count > _GROUP_ROWS or size >= _GROUP_BYTES:
            yield arrow.Table.from_batches(batches, schema)
            batches.clear()
            pending = size = 0
    if batches:
        yield arrow.Table.from_batches(batches, schema)


def _make_column(arrow: Any, values: Sequence[Any], kind: Any) -> Any:
    """Make a column of Arrow from its buffers: ``pyarrow.array`` would load pandas, with 50 MB."""
    if arrow.types.is_list(kind):
        parts = [value.split(",") if value else [] for value in values]
        ends = np.concatenate(([0], np.cumsum(list(map(len, parts))))).astype(np.int32)
        flat = [item if kind.value_type == arrow.string() else float(item) for row in parts for item in row]
        return arrow.ListArray.from_arrays(
            arrow.Array.from_buffers(arrow.int32(), len(ends), [None, arrow.py_buffer(ends)]),
            _make_column(arrow, flat, kind.value_type),
        )
    valid = None
    if None in values:
        valid = arrow.py_buffer(np.packbits([value is not None for value in values], bitorder="little"))
    if kind != arrow.string():
        numbers = np.array([value or 0 for value in values], dtype=np.int64 if kind == arrow.int64() else np.float64)
        return arrow.Array.from_buffers(kind, len(values), [valid, arrow.py_buffer(numbers)])
    text = "".join(filter(None, values))
    if text.isascii():
        data, lengths = text.encode(), [len(value or "") for value in values]
    else:
        parts = [(value or "").encode("utf-8", "replace") for value in values]
        data, lengths = b"".join(parts), list(map(len, parts))
    ends = np.zeros(len(values) + 1, dtype=np.int32)
    np.cumsum(lengths, out=ends[1:])
    return arrow.Array.from_buffers(kind, len(values), [valid, arrow.py_buffer(ends), arrow.py_buffer(data)])
