"""A folder that wget mirrored: HTML files, whose URLs are told by their paths.

wget writes a page to a folder named after its host, and within it to the path of its URL; a path that ends in a slash
gets the file name ``index.html``, and a query stays in the name, behind ``?``.
So the host is the first part of the path that looks like one, ``https`` where a folder of that name stands before it
(``--protocol-directories``), else ``http``. Where wget changed links and kept the original as ``.orig``, that is read.
Where it changed them and kept nothing (``-k``), they lead to files: to ``index.html``, to names with an encoded ``?``,
and to the folders of other hosts. Links are named as the pages are.

Symbolic links are not followed. Files that show no sign of HTML are passed over, like those in no host's folder.
"""

from __future__ import annotations

import re
import stat
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from graphlang.ingest.formats.json_values import sound
from graphlang.ingest.formats.records import RawRecord
from graphlang.ingest.links.canonical import canonical
from graphlang.ingest.payload.media_type import form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from graphlang.ingest.limits import Limits

_HOST = re.compile(r"(?:(?!-)[\w-]{1,63}(?<!-)\.)+(?:[a-z]{2,63}|xn--[\w-]{2,59})(?:[:+]\d{1,5})?", re.IGNORECASE)
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:[:+]\d{1,5})?|localhost(?:[:+]\d{1,5})?")
# Without ".pl", which is Poland.
_FILE = re.compile(
    r".+\.(?:html?|xhtml|shtml|php|aspx?|jsp|cgi|txt|css|js|png|jpe?g|gif|svg|pdf|xml|orig)", re.IGNORECASE
)
_SNIFFED = 4096
_DEPTH = 64  # folders within each other
_MOST_HOSTS = 1_000
_MAX_TOLD = 500  # characters of a path
_INDEX = frozenset({"index.html", "index.htm"})
_QUESTION = re.compile("%3f", re.IGNORECASE)
MIRRORED = "X-Graphlang-Mirrored"  #: the field that names the hosts of the mirror that a page is from
_SAFE = "/%:@!$&'()*+,;=~-._"


class Mirror:
    """Reads one folder; see `graphlang.ingest.formats.detect.Records`.

    Args:
        path: the host's folder, or one above it.
        limits: of a file ``max_payload`` bytes are read.
    """

    ended: int | None = None

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        self._limits = limits
        self.bytes_read = 0  #: of all files so far
        self._known: dict[tuple[str, ...], str] = {}

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield each page as a WARC resource record would be, in the order of the paths."""
        empty = True
        for parts, path, fault in _files(self._path, ()):
            if fault:
                yield _unreadable(parts, fault)
                continue
            named = (self._path.resolve().name, *parts)
            url = url_of(named)
            if url is None:
                continue
            hosts = self._hosts(parts[: _place(named) - 1]) if _place(named) else ""
            try:
                with path.open("rb") as file:
                    head = file.read(_SNIFFED)
                    if not form("", head):
                        continue
                    data = head + file.read(self._limits.max_payload - len(head) + 1)
                changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            except OSError as error:
                yield _unreadable(parts, f"{error.strerror or error}")
                continue
            empty = False
            self.bytes_read += len(data)
            faults: tuple[tuple[str, str], ...] = ()
            if len(data) > self._limits.max_payload:
                data = data[: self._limits.max_payload]
                faults = (("too-large", f"a file of more than {len(data)} bytes; the rest was dropped"),)
            warc = (
                f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\nWARC-Date: {changed}\r\n"
                f"Content-Type: text/html\r\n{MIRRORED}: {hosts}\r\nContent-Length: {len(data)}\r\n\r\n"
            )
            yield RawRecord(0, warc.encode("utf-8", "replace"), data, faults)
        if empty:
            yield RawRecord(0, b"", b"", (("not-an-archive", "no archive and no mirrored page in the folder"),))

    def _hosts(self, above: tuple[str, ...]) -> str:
        """Name the hosts whose folders lie in a folder of the mirror."""
        if above not in self._known:
            folder = self._path.joinpath(*above)
            try:
                found = sorted(one.name for one in folder.iterdir() if _is_host(one.name) and one.is_dir())
            except OSError:
                found = []
            self._known = {above: " ".join(found[:_MOST_HOSTS])}
        return self._known[above]


def _unreadable(parts: tuple[str, ...], reason: str) -> RawRecord:
    return RawRecord(0, b"", b"", (("unreadable", f"{sound('/'.join(parts))[-_MAX_TOLD:]}: {reason}"),))


def looks_mirrored(path: Path) -> bool:
    """Tell whether a folder holds a file of HTML in a host's folder, among the first few thousand files."""
    for count, (parts, _, fault) in enumerate(_files(path, ())):
        if count > 5_000:  # noqa: PLR2004
            return False
        if (
            not fault
            and parts[-1].lower().endswith((".html", ".htm"))
            and url_of((path.resolve().name, *parts)) is not None
        ):
            return True
    return False


def url_of(parts: tuple[str, ...]) -> str | None:
    """Return the URL of a mirrored file; None where no part of its path names a host.

    >>> url_of(("mirror", "www.a.example", "b", "index.html")), url_of(("https", "a.example+8080", "c?d=1"))
    ('http://www.a.example/b/', 'https://a.example:8080/c?d=1')
    >>> url_of(("notes", "index.html")) is None
    True
    """
    place = _place(parts)
    if place < 0:
        return None
    scheme = "https" if place and parts[place - 1] == "https" else "http"
    *folders, name = parts[place + 1 :]
    name = name.removesuffix(".orig")
    name, mark, query = name.partition("?")
    if name.lower() in _INDEX:
        name = ""
    path = "/".join(quote(one, _SAFE, errors="surrogateescape") for one in (*folders, name))
    asked = mark + quote(query, _SAFE + "?", errors="surrogateescape")
    return f"{scheme}://{parts[place].replace('+', ':')}/{path}{asked}"


def _place(parts: tuple[str, ...]) -> int:
    """Return which part of a path names the host, -1 if none does."""
    return next((place for place, part in enumerate(parts[:-1]) if _is_host(part)), -1)


def _is_host(part: str) -> bool:
    return bool(_ADDRESS.fullmatch(part) or (_HOST.fullmatch(part) and not _FILE.fullmatch(part)))


def renaming(own: str, hosts: str) -> Callable[[str], str]:
    """Return what turns the target of a link on a mirrored page into the URL of the page that its file holds.

    Args:
        own: URL of the page; links to other sites are as they were.
        hosts: names of the folders beside that of the host.

    >>> name = renaming("http://a.example/b/", "a.example b.example")
    >>> name("http://a.example/c/index.html%3Fp=1"), name("http://a.example/b.example/d")
    ('http://a.example/c/?p=1', 'http://b.example/d')
    >>> name("http://c.example/index.html")
    'http://c.example/index.html'
    """
    scheme, _, place = own.partition("://")
    own_host = place.partition("/")[0]
    origin = f"{scheme}://{own_host}/"
    beside = set(hosts.split()) - {own_host, own_host.replace(":", "+")}

    def named(url: str) -> str:
        if not url.startswith(origin):
            return url
        path, mark, query = url[len(origin) :].partition("?")
        coded = _QUESTION.search(path)
        if coded:
            path, mark, query = path[: coded.start()], "?", path[coded.end() :] + mark + query
        folders, slash, name = path.rpartition("/")
        if name.lower() in _INDEX:
            path = folders + slash
        host, slash, rest = path.partition("/")
        if slash and host in beside:
            return canonical(f"{scheme}://{host.replace('+', ':')}/{rest}{mark}{query}") or url
        return f"{origin}{path}{mark}{query}"

    return named


class _File(NamedTuple):
    parts: tuple[str, ...]  # of its path within the mirror
    path: Path
    fault: str = ""  # why what is in this folder is not read


def _files(folder: Path, above: tuple[str, ...]) -> Iterator[_File]:
    """Yield the files of a folder, and folders that stay closed, in an order that does not depend on the machine."""
    if len(above) > _DEPTH:
        yield _File(above, folder, f"more than {_DEPTH} folders within each other")
        return
    try:
        entries = sorted(folder.iterdir(), key=lambda one: one.name)
    except OSError as error:
        yield _File(above, folder, f"{error.strerror or error}")
        return
    names = {one.name for one in entries}
    for entry in entries:
        try:
            mode = entry.lstat().st_mode
        except OSError as error:
            yield _File((*above, entry.name), entry, f"{error.strerror or error}")
            continue
        if stat.S_ISDIR(mode):
            yield from _files(entry, (*above, entry.name))
        elif stat.S_ISREG(mode) and f"{entry.name}.orig" not in names:
            yield _File((*above, entry.name), entry)
