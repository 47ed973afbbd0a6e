"""A partition of a collection: its pages with their evidence, and all links from or to them.

The partition of a page is a function of its URL and of the sizes of hosts and directories. The pages of a host stay
together, since most links stay on their host. A host with more pages than a limit is cut into runs of directories in
the order of their names. A directory that is too large (the articles of an encyclopedia) is cut by the ids of its
pages. Units are assigned to partitions by a hash, so the order of URLs does not matter.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.data import NONE, Signal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Hosts and directories whose pages are in several partitions (see ``Cuts``)."""

    hosts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  #: keys, ascending
    directories: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  #: keys, ascending


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """n pages and m links. Pages have 64-bit ids, hosts and directories 64-bit keys.

    Rows and links may come in any order, and links may repeat: `sort` makes the result independent of it.
    """

    codes: tuple[str, ...]  #: ISO 639-3 codes, the same in all partitions
    pages: NDArray[np.int64]  #: ids, shape (n,)
    host: NDArray[np.int64]  #: key of the host of each page, shape (n,)
    directory: NDArray[np.int64]  #: key of the directory of each page, which names its host as well, shape (n,)
    languages: NDArray[np.int16]  #: candidates of the text (see ``graph.data.Evidence``), shape (n, k)
    probabilities: NDArray[np.float32]  #: of the candidates, shape (n, k)
    length: NDArray[np.int32]  #: letters of the text, shape (n,)
    source: NDArray[np.int64]  #: id of the source page of each link, shape (m,)
    target: NDArray[np.int64]  #: id of the target page, shape (m,)
    kind: NDArray[np.uint8]  #: link kind, shape (m,)
    hreflang: NDArray[np.int16]  #: language announced for the target, -1 none, shape (m,)
    ordinal: NDArray[np.int16]  #: position on the page, -1 unknown, shape (m,)
    signals: Mapping[str, Signal] = field(default_factory=dict)  #: of the pages, by name
    copies: NDArray[np.int32] | None = None  #: pages of the host with the same short text, itself included, (n,)
    labelled: NDArray[np.bool_] | None = None  #: pages with a language set by hand, shape (n,)

    def __post_init__(self) -> None:
        n, m = len(self.pages), len(self.source)
        for name in ("host", "directory", "languages", "probabilities", "length", "copies", "labelled"):
            values = getattr(self, name)
            if values is not None and len(values) != n:
                raise ValueError(f"{name} has {len(values)} rows for {n} pages")
        for name in ("target", "kind", "hreflang", "ordinal"):
            if len(getattr(self, name)) != m:
                raise ValueError(f"{name} has {len(getattr(self, name))} rows for {m} links")
        for name, signal in self.signals.items():
            if len(signal.languages) != n:
                raise ValueError(f"the signal {name} has {len(signal.languages)} rows for {n} pages")

    def sort(self) -> Partition:
        """Sort pages by id and links by their ends; sorted pages are not copied."""
        ordered = _sort_links(self._sort_pages())
        twice = np.flatnonzero(ordered.pages[1:] == ordered.pages[:-1])
        if len(twice):
            raise ValueError(f"page {ordered.pages[twice[0]]} occurs twice")
        return ordered

    def is_inside(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which ids are pages of the sorted partition; shape of the ids."""
        if not len(self.pages):
            return np.zeros(len(ids), np.bool_)
        at = np.minimum(np.searchsorted(self.pages, ids), len(self.pages) - 1)
        return np.asarray(self.pages[at] == ids)

    def ghosts(self) -> NDArray[np.int64]:
        """Return the ids of the pages of other partitions that links join to these, ascending."""
        ends = np.concatenate([self.source, self.target])
        return np.unique(ends[~self.is_inside(ends)])

    def border(self) -> NDArray[np.int64]:
        """Return the rows of pages that links join to other partitions, ascending, where the partition is sorted."""
        source, target = self.is_inside(self.source), self.is_inside(self.target)
        ids = np.concatenate([self.source[source & ~target], self.target[target & ~source]])
        return np.searchsorted(self.pages, np.unique(ids))

    def routes(self, ghosts: NDArray[np.int64], homes: NDArray[np.int32]) -> dict[int, NDArray[np.int64]]:
        """Return the ids of the pages at the border, ascending, by the partition that has them as ghosts.

        `homes` has the partition of each of the `ghosts`, shape (g,).
        """
        source, target = self.is_inside(self.source), self.is_inside(self.target)
        out, into = np.flatnonzero(source & ~target), np.flatnonzero(target & ~source)
        own_ends = np.concatenate([self.source[out], self.target[into]])
        ghost_ends = np.concatenate([self.target[out], self.source[into]])
        of_others = homes[np.searchsorted(ghosts, ghost_ends)]
        return {int(home): np.unique(own_ends[of_others == home]) for home in np.unique(of_others)}

    def _sort_pages(self) -> Partition:
        if (self.pages[1:] > self.pages[:-1]).all():
            return self
        order = np.argsort(self.pages, kind="stable")

        def taken(values: NDArray[Any] | None) -> Any:
            return None if values is None else values[order]

        names = ("pages", "host", "directory", "languages", "probabilities", "length", "copies", "labelled")
        signals = {
            name: replace(signal, languages=signal.languages[order], probabilities=signal.probabilities[order])
            for name, signal in self.signals.items()
        }
        return replace(self, signals=signals, **{name: taken(getattr(self, name)) for name in names})


def _sort_links(partition: Partition) -> Partition:
    columns = {name: getattr(partition, name) for name in ("source", "target", "kind", "hreflang", "ordinal")}
    keep = np.flatnonzero(partition.source != partition.target)
    order = keep[np.lexsort([values[keep] for values in reversed(columns.values())])]
    return replace(partition, **{name: values[order] for name, values in columns.items()})


def make_empty_signal(rows: int) -> Signal:
    """Return a signal without a language for any page."""
    return Signal(np.full((rows, 1), NONE, np.int16), np.zeros((rows, 1), np.float32))


_BYTES = 8


def hash_name(name: bytes) -> int:
    """Return a 64-bit key of a host, a directory or a unit.

    >>> hash_name(b"a.example") == hash_name(b"a.example"), hash_name(b"a.example") == hash_name(b"b.example")
    (True, False)
    """
    return int.from_bytes(hashlib.blake2b(name, digest_size=_BYTES).digest(), "little", signed=True)


def find_host(url: bytes) -> bytes:
    """Return the authority of a canonical URL.

    >>> find_host(b"https://a.example:8080/x?y")
    b'a.example:8080'
    """
    rest = url.partition(b"//")[2] or url
    for end in (b"/", b"?", b"#"):
        rest = rest.partition(end)[0]
    return rest


def find_directory(url: bytes) -> bytes:
    """Return what comes before the last slash of a URL's path.

    >>> find_directory(b"https://a.example/x/y.html?to=/z")
    b'https://a.example/x'
    """
    return url.partition(b"?")[0].rpartition(b"/")[0]


@dataclass(frozen=True, slots=True)
class DirectoryRun:
    """Directories of a host that follow each other by name."""

    first: bytes  #: the first of them; the run ends before the next run's
    pages: int
    parts: int = 1  #: more than one: a single directory, cut by the ids of its pages


@dataclass(frozen=True, slots=True)
class Cuts:
    """Cuts of the hosts that are larger than a limit."""

    limit: int  #: pages of a unit at most
    hosts: Mapping[bytes, tuple[DirectoryRun, ...]] = field(default_factory=dict)  #: of each such host, by name

    def cut_hosts(self) -> NDArray[np.int64]:
        """Return the keys of hosts whose pages are in several units, ascending."""
        return np.unique(np.array([hash_name(host) for host in self.hosts], np.int64))

    def cut_directories(self) -> NDArray[np.int64]:
        """Return the keys of directories whose pages are in several units, ascending."""
        keys = [hash_name(run.first) for runs in self.hosts.values() for run in runs if run.parts > 1]
        return np.unique(np.array(keys, np.int64))

    def warnings(self) -> list[str]:
        """Return a line for each directory that had to be cut: its pages are neighbours across a border."""
        return [
            f"{run.first.decode('utf-8', 'replace')} has {run.pages} pages, more than the limit of {self.limit}: it is"
            f" cut into {run.parts} parts by the ids of its pages"
            for _, runs in sorted(self.hosts.items())
            for run in runs
            if run.parts > 1
        ]


def cut_host(directories: Mapping[bytes, int], limit: int) -> tuple[DirectoryRun, ...]:
    """Cut a host into runs of directories of at most `limit` pages, unless a single directory has more.

    `directories` has the pages of each. Without cuts there is one run. Raise a ValueError for a limit below 1.

    >>> runs = cut_host({b"//h/a": 3, b"//h/b": 2, b"//h/c": 9}, 5)
    >>> [(run.first, run.pages, run.parts) for run in runs]
    [(b'//h/a', 5, 1), (b'//h/c', 9, 2)]
    """
    if limit < 1:
        raise ValueError(f"the limit is {limit} pages; it must be at least 1")
    runs: list[DirectoryRun] = []
    for name in sorted(directories):
        pages = directories[name]
        if runs and runs[-1].parts == 1 and runs[-1].pages + pages <= limit:
            runs[-1] = DirectoryRun(runs[-1].first, runs[-1].pages + pages)
        else:
            runs.append(DirectoryRun(name, pages, max(1, -(-pages // limit))))
    return tuple(runs)


def find_partitions(urls: Sequence[bytes], ids: NDArray[np.int64], cuts: Cuts, partitions: int) -> NDArray[np.int32]:
    """Return the partition of pages by canonical URL and id, 0..partitions-1, shape (n,).

    Raise a ValueError for fewer than one partition.

    >>> found = find_partitions([b"http://a.example/x", b"http://a.example/y/z"], np.array([1, 2]), Cuts(10), 64)
    >>> bool(found[0] == found[1])
    True
    """
    if partitions < 1:
        raise ValueError(f"there are {partitions} partitions; there must be at least 1")
    partition_by_unit: dict[bytes, int] = {}
    partitions_of = np.empty(len(urls), np.int32)
    for row, url in enumerate(urls):
        unit = find_host(url)
        runs = cuts.hosts.get(unit)
        if runs is not None:
            run = runs[max(0, bisect_right(runs, find_directory(url), key=lambda run: run.first) - 1)]
            piece = _hash_id(int(ids[row])) % run.parts if run.parts > 1 else 0
            unit = b"%s\n%s\n%d" % (unit, run.first, piece)
        number = partition_by_unit.get(unit)
        if number is None:
            number = partition_by_unit[unit] = hash_name(unit) % partitions
        partitions_of[row] = number
    return partitions_of


def _hash_id(page: int) -> int:
    """Hash a page's id, so that pieces do not depend on how ids were numbered."""
    return int.from_bytes(
        hashlib.blake2b(page.to_bytes(8, "little", signed=True), digest_size=_BYTES).digest(), "little"
    )
