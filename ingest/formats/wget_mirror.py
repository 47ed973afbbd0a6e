"""Read a folder that wget mirrored: HTML files whose paths give their URLs.

wget writes a page to a folder named after its host, and in it to the path of its URL. A path that ends in a slash gets
the file name ``index.html``, and a query stays in the name, after ``?``. So the host is the first part of the path
that looks like one. The scheme is ``https`` if the folder above has that name (``--protocol-directories``), else
``http``. If wget changed links and kept the original as ``.orig``, the original is read. If it kept none (``-k``),
links lead to files: to ``index.html``, to names with an encoded ``?``, and to folders of other hosts; such targets get
URLs by the same rules.

Symbolic links are not followed. Files without a sign of HTML, and files in no host's folder, are skipped.
"""

from __future__ import annotations

import re
import stat
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from graphlang.ingest.formats.jsonl import replace_surrogates
from graphlang.ingest.formats.saved_html import make_resource
from graphlang.ingest.links.canonical import canonical_url
from graphlang.ingest.payload.http import detect_form
from graphlang.ingest.raw import RawRecord

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
_HOSTS = 1_000  # of a mirror, for links between them
_MAX_PATH = 500  # characters of a path in a Problem
_INDEX = frozenset({"index.html", "index.htm"})
_QUESTION = re.compile("%3f", re.IGNORECASE)
MIRRORED = "X-Graphlang-Mirrored"  #: header field with the hosts of the mirror
_SAFE = "/%:@!$&'()*+,;=~-._"


class Mirror:
    """Read a host's folder, or one above it."""

    ended: int | None = None

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        self._limits = limits
        self.bytes_read = 0  #: of all files so far
        self._host_names: dict[tuple[str, ...], str] = {}  # of the folder that was read last

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield each page as a WARC resource record, in the order of the paths."""
        empty = True
        for parts, path, fault in _walk_files(self._path, ()):
            if fault:
                yield _make_unreadable_record(parts, fault)
                continue
            url = find_mirrored_url((self._path.resolve().name, *parts))
            if url is None:
                continue
            host = _find_host_part((self._path.resolve().name, *parts))
            hosts = self._list_hosts(parts[: host - 1]) if host else ""
            try:
                with path.open("rb") as file:
                    head = file.read(_SNIFFED)
                    if detect_form("", head) != "html":
                        continue
                    data = head + file.read(self._limits.max_payload - len(head) + 1)
                changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            except OSError as error:
                yield _make_unreadable_record(parts, f"{error.strerror or error}")
                continue
            empty = False
            self.bytes_read += len(data)
            faults: tuple[tuple[str, str], ...] = ()
            if len(data) > self._limits.max_payload:
                data = data[: self._limits.max_payload]
                faults = (("too-large", f"a file of more than {len(data)} bytes; the rest was dropped"),)
            yield make_resource(url, changed, "text/html", data, faults, fields=f"{MIRRORED}: {hosts}\r\n")
        if empty:
            yield RawRecord(0, b"", b"", (("not-an-archive", "no archive and no mirrored page in the folder"),))

    def _list_hosts(self, above: tuple[str, ...]) -> str:
        """Return the hosts with a folder in a folder of the mirror."""
        if above not in self._host_names:
            folder = self._path.joinpath(*above)
            try:
                hosts = sorted(path.name for path in folder.iterdir() if _is_host(path.name) and path.is_dir())
            except OSError:
                hosts = []
            self._host_names = {above: " ".join(hosts[:_HOSTS])}
        return self._host_names[above]


def _make_unreadable_record(parts: tuple[str, ...], reason: str) -> RawRecord:
    return RawRecord(0, b"", b"", (("unreadable", f"{replace_surrogates('/'.join(parts))[-_MAX_PATH:]}: {reason}"),))


def looks_mirrored(path: Path) -> bool:
    """Return whether one of the first 5,000 files of a folder is HTML in a host's folder."""
    for count, (parts, _, fault) in enumerate(_walk_files(path, ())):
        if count > 5_000:  # noqa: PLR2004
            return False
        if (
            not fault
            and parts[-1].lower().endswith((".html", ".htm"))
            and find_mirrored_url((path.resolve().name, *parts)) is not None
        ):
            return True
    return False


def find_mirrored_url(parts: tuple[str, ...]) -> str | None:
    """Return the URL of a file by the parts of its path; None if no part is a host.

    >>> find_mirrored_url(("mirror", "www.a.example", "b", "index.html"))
    'http://www.a.example/b/'
    >>> find_mirrored_url(("https", "a.example+8080", "c?d=1"))
    'https://a.example:8080/c?d=1'
    >>> find_mirrored_url(("notes", "index.html")) is None
    True
    """
    host = _find_host_part(parts)
    if host < 0:
        return None
    scheme = "https" if host and parts[host - 1] == "https" else "http"
    *folders, name = parts[host + 1 :]
    name = name.removesuffix(".orig")
    name, mark, query = name.partition("?")
    if name.lower() in _INDEX:
        name = ""
    path = "/".join(quote(folder, _SAFE, errors="surrogateescape") for folder in (*folders, name))
    query = mark + quote(query, _SAFE + "?", errors="surrogateescape")
    return f"{scheme}://{parts[host].replace('+', ':')}/{path}{query}"


def _find_host_part(parts: tuple[str, ...]) -> int:
    """Return the index of the first folder that is named like a host, or -1."""
    return next((place for place, folder in enumerate(parts[:-1]) if _is_host(folder)), -1)


def _is_host(name: str) -> bool:
    return bool(_ADDRESS.fullmatch(name) or (_HOST.fullmatch(name) and not _FILE.fullmatch(name)))


def make_target_renamer(page: str, hosts: str) -> Callable[[str], str]:
    """Return a function from the targets of a mirrored page, which are files, to the URLs of the pages in these files.

    ``page`` is the URL of the page, and ``hosts`` are the folders of hosts in the mirror. Other targets stay.

    >>> rename = make_target_renamer("http://a.example/b/", "a.example b.example")
    >>> rename("http://a.example/c/index.html%3Fp=1"), rename("http://a.example/b.example/d")
    ('http://a.example/c/?p=1', 'http://b.example/d')
    >>> rename("http://c.example/index.html")
    'http://c.example/index.html'
    """
    scheme, _, place = page.partition("://")
    page_host = place.partition("/")[0]
    origin = f"{scheme}://{page_host}/"
    other_hosts = set(hosts.split()) - {page_host, page_host.replace(":", "+")}

    def rename(url: str) -> str:
        if not url.startswith(origin):
            return url
        path, mark, query = url[len(origin) :].partition("?")
        coded = _QUESTION.search(path)
        if coded:
            path, mark, query = path[: coded.start()], "?", path[coded.end() :] + mark + query
        folders, slash, name = path.rpartition("/")
        if name.lower() in _INDEX:
            path = folders + slash
        host, slash, host_path = path.partition("/")
        if slash and host in other_hosts:
            return canonical_url(f"{scheme}://{host.replace('+', ':')}/{host_path}{mark}{query}") or url
        return f"{origin}{path}{mark}{query}"

    return rename


class _File(NamedTuple):
    parts: tuple[str, ...]  # of its path within the mirror
    path: Path
    fault: str = ""  # why the folder is not read


def _walk_files(folder: Path, above: tuple[str, ...]) -> Iterator[_File]:
    """Yield files at any depth, and folders that cannot be read, in an order that does not depend on the machine."""
    if len(above) > _DEPTH:
        yield _File(above, folder, f"more than {_DEPTH} folders within each other")
        return
    try:
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        yield _File(above, folder, f"{error.strerror or error}")
        return
    names = {entry.name for entry in entries}
    for entry in entries:
        try:
            mode = entry.lstat().st_mode
        except OSError as error:
            yield _File((*above, entry.name), entry, f"{error.strerror or error}")
            continue
        if stat.S_ISDIR(mode):
            yield from _walk_files(entry, (*above, entry.name))
        elif stat.S_ISREG(mode) and f"{entry.name}.orig" not in names:
            yield _File((*above, entry.name), entry)
