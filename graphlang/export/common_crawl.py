"""Vertices and edges as Common Crawl publishes its host and domain graphs, and site lists as in its web-languages."""

from __future__ import annotations

import gzip
import re
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np

from graphlang.codes import languages
from graphlang.maps.sites import by_site, site_map
from graphlang.maps.web_graph import selected, site_links, site_numbers
from graphlang.visible import quantity

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from graphlang.maps.selection import Selection

_LEVEL: Final = 6
_ADDRESS: Final = re.compile(r"[\d.]+|\[.*\]")


def reversed_name(name: str) -> str:
    """A host name with its labels in reverse, as Common Crawl sorts them; an IP address is as it is.

    >>> reversed_name("www.example.co.uk"), reversed_name("192.0.2.7")
    ('uk.co.example.www', '192.0.2.7')
    """
    return name if _ADDRESS.fullmatch(name) else ".".join(reversed(name.split(".")))


def vertices_and_edges(
    connection: sqlite3.Connection, unit: str, selection: Selection, vertices: IO[bytes], edges: IO[bytes]
) -> int:
    r"""Write ``vertices.txt.gz`` and ``edges.txt.gz``, which cc-webgraph and WebGraph read.

    A line of the vertices is an id, a tab, and the name with its labels in reverse, in order of these names (of
    domains a third column counts their hosts); one of the edges two ids, in order. Ids are from 0.

    Args:
        connection: a collection.
        unit: ``host`` or ``domain``.
        selection: which pages count.
        vertices: file for the vertices.
        edges: file for the edges.

    Returns:
        The number of vertices.
    """
    numbers, names = site_numbers(connection, unit)
    counted = selected(connection, selection)
    used = np.unique(numbers[counted])
    order = sorted(used.tolist(), key=lambda number: reversed_name(names[number]))
    rank = np.full(len(names) + 1, -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    hosts = dict(connection.execute("SELECT domain, COUNT(*) FROM hosts GROUP BY 1")) if unit == "domain" else {}
    with gzip.GzipFile(fileobj=vertices, mode="wb", compresslevel=_LEVEL, mtime=0) as out:
        for place, number in enumerate(order):
            more = f"\t{hosts[names[number]]}" if hosts else ""
            out.write(f"{place}\t{_line(reversed_name(names[number]))}{more}\n".encode("utf-8", "replace"))
    pairs = sorted((rank[one], rank[other]) for one, other, _ in site_links(connection, numbers, counted))
    with gzip.GzipFile(fileobj=edges, mode="wb", compresslevel=_LEVEL, mtime=0) as out:
        out.writelines(f"{one}\t{other}\n".encode() for one, other in pairs)
    return len(order)


def _line(name: str) -> str:
    return re.sub(r"[\x00-\x20\x7f]", "_", name)


def site_lists(connection: sqlite3.Connection, selection: Selection) -> Iterator[tuple[str, str]]:
    """For each language a page in the form of Common Crawl's web-languages: its code, and the page in Markdown.

    Listed are the hosts with pages in the language that count, the most pages first, with the mean confidence; folders
    of hosts where the language is a part.

    Args:
        connection: a collection.
        selection: which pages count.
    """
    hosts = {site.site: site for site in by_site(connection, "host", selection)}
    secure = {
        host
        for (host,) in connection.execute(
            "SELECT DISTINCT hosts.host FROM captures JOIN pages ON pages.id = captures.page"
            " JOIN hosts ON hosts.id = pages.host WHERE pages.url LIKE 'https:%'"
        )
    }
    found: dict[str, list[tuple[int, float, str]]] = {}
    for row in site_map(connection, ["path"], selection).rows:
        folder, language, pages, confidence = str(row[0]), row[1], row[3], row[6]
        if language in (languages.UND, languages.ZXX) or not pages:
            continue
        host = folder.partition("/")[0]
        its = hosts.get(host)
        whole = its is not None and its.language == language and its.share >= _MOST
        address = f"{'https' if host in secure else 'http'}://{host + '/' if whole else folder}"
        found.setdefault(language, []).append((pages, confidence, address))
    for language in sorted(found):
        yield language, _page(language, found[language])


_MOST: Final = 0.8  # of a host's pages: then the host is the site, else its folders are


def _page(language: str, rows: list[tuple[int, float, str]]) -> str:
    sites: dict[str, list[Any]] = {}
    for pages, confidence, site in rows:
        its = sites.setdefault(site, [0, 0.0])
        its[0] += pages
        its[1] += pages * confidence
    listed = sorted(sites.items(), key=lambda item: (-item[1][0], item[0]))
    lines = [f"# Web Language: {languages.name(language)}", "", "Other:"]
    lines += [f"- {_line(site)} ({quantity(pages, 'page')}, {total / pages:.2f})" for site, (pages, total) in listed]
    lines += ["", "Additional Information:", f"- ISO-639-3 code: {languages.split(language)[0]}", ""]
    return "\n".join(lines)
