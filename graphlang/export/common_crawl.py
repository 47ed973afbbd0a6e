"""Vertices and edges as Common Crawl publishes its host and domain graphs, and site lists as in its web-languages."""

from __future__ import annotations

import gzip
import re
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np

from graphlang.codes import languages
from graphlang.maps.sites import SiteRow, list_sites, read_site_map
from graphlang.maps.web_graph import count_site_links, find_selected_pages, number_sites
from graphlang.printing import quantity

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from graphlang.maps.selection import Selection

_LEVEL: Final = 6
_ADDRESS: Final = re.compile(r"[\d.]+|\[.*\]")


def reverse_name(name: str) -> str:
    """Reverse the labels of a host name, as Common Crawl sorts them; return an IP address unchanged.

    >>> reverse_name("www.example.co.uk"), reverse_name("192.0.2.7")
    ('uk.co.example.www', '192.0.2.7')
    """
    return name if _ADDRESS.fullmatch(name) else ".".join(reversed(name.split(".")))


def write_vertices_and_edges(
    connection: sqlite3.Connection, unit: str, selection: Selection, vertices: IO[bytes], edges: IO[bytes]
) -> int:
    r"""Write ``vertices.txt.gz`` and ``edges.txt.gz``, which cc-webgraph and WebGraph read.

    A line of the vertices is an id, a tab, and the name with its labels in reverse, in order of these names (of
    domains a third column counts their hosts); one of the edges two ids, in order. Ids are from 0.
    """
    numbers, names = number_sites(connection, unit)
    counted = find_selected_pages(connection, selection)
    used = np.unique(numbers[counted])
    order = sorted(used.tolist(), key=lambda number: reverse_name(names[number]))
    rank = np.full(len(names) + 1, -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    hosts = dict(connection.execute("SELECT domain, COUNT(*) FROM hosts GROUP BY 1")) if unit == "domain" else {}
    with gzip.GzipFile(fileobj=vertices, mode="wb", compresslevel=_LEVEL, mtime=0) as out:
        for place, number in enumerate(order):
            host_count = f"\t{hosts[names[number]]}" if hosts else ""
            out.write(f"{place}\t{_clean_line(reverse_name(names[number]))}{host_count}\n".encode("utf-8", "replace"))
    pairs = sorted((rank[source], rank[target]) for source, target, _ in count_site_links(connection, numbers, counted))
    with gzip.GzipFile(fileobj=edges, mode="wb", compresslevel=_LEVEL, mtime=0) as out:
        out.writelines(f"{source}\t{target}\n".encode() for source, target in pairs)
    return len(order)


def _clean_line(name: str) -> str:
    return re.sub(r"[\x00-\x20\x7f]", "_", name)


def list_sites_by_language(connection: sqlite3.Connection, selection: Selection) -> Iterator[tuple[str, str]]:
    """Yield for each language its code and a page in the form of Common Crawl's web-languages.

    The page lists hosts with pages in the language, the most pages first, with their mean confidence; if only a part of
    a host is in the language, it lists the folders.
    """
    hosts = {site.site: site for site in list_sites(connection, "host", selection)}
    secure = {
        host
        for (host,) in connection.execute(
            "SELECT DISTINCT hosts.host FROM captures JOIN pages ON pages.id = captures.page"
            " JOIN hosts ON hosts.id = pages.host WHERE pages.url LIKE 'https:%'"
        )
    }
    listed: dict[str, list[tuple[int, float, str]]] = {}
    for row in map(SiteRow._make, read_site_map(connection, ["path"], selection).rows):
        folder, language, pages, confidence = str(row.site), row.language, row.pages, row.confidence
        if language in (languages.UND, languages.ZXX) or not pages:
            continue
        host = folder.partition("/")[0]
        site = hosts.get(host)
        whole = site is not None and site.language == language and site.share >= _MOST
        address = f"{'https' if host in secure else 'http'}://{host + '/' if whole else folder}"
        listed.setdefault(language, []).append((pages, confidence, address))
    for language in sorted(listed):
        yield language, _format_page(language, listed[language])


_MOST: Final = 0.8  # of a host's pages: then the host is the site, else its folders are


def _format_page(language: str, rows: list[tuple[int, float, str]]) -> str:
    sites: dict[str, list[Any]] = {}
    for pages, confidence, site in rows:
        counts = sites.setdefault(site, [0, 0.0])
        counts[0] += pages
        counts[1] += pages * confidence
    listed = sorted(sites.items(), key=lambda item: (-item[1][0], item[0]))
    lines = [f"# Web Language: {languages.name(language)}", "", "Other:"]
    lines += [
        f"- {_clean_line(site)} ({quantity(pages, 'page')}, {total / pages:.2f})" for site, (pages, total) in listed
    ]
    lines += ["", "Additional Information:", f"- ISO-639-3 code: {languages.split_label(language)[0]}", ""]
    return "\n".join(lines)
