"""Which partition a page belongs to: a function of its URL, and of how large hosts and directories are.

The pages of a host stay together, for most links stay on their host. A host with more pages than a limit is cut into
runs of directories that follow each other by name, each as long as the limit allows; and a directory that is too large
by itself (the articles of an encyclopedia) is cut by the ids of its pages. Units go to partitions by a hash, so that
nothing depends on the order in which they are found.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_BYTES = 8


def key_of(name: bytes) -> int:
    """Return a 64-bit key of a host, a directory or a unit.

    >>> key_of(b"a.example") == key_of(b"a.example"), key_of(b"a.example") == key_of(b"b.example")
    (True, False)
    """
    return int.from_bytes(hashlib.blake2b(name, digest_size=_BYTES).digest(), "little", signed=True)


def host_of(url: bytes) -> bytes:
    """Return the authority of a canonical URL.

    >>> host_of(b"https://a.example:8080/x?y")
    b'a.example:8080'
    """
    rest = url.partition(b"//")[2] or url
    for end in (b"/", b"?", b"#"):
        rest = rest.partition(end)[0]
    return rest


def directory_of(url: bytes) -> bytes:
    """Return what comes before the last slash of a URL's path.

    >>> directory_of(b"https://a.example/x/y.html?to=/z")
    b'https://a.example/x'
    """
    return url.partition(b"?")[0].rpartition(b"/")[0]


@dataclass(frozen=True, slots=True)
class Run:
    """Directories of a host that follow each other by name."""

    first: bytes  #: the first of them; the run ends before the next run's
    pages: int
    parts: int = 1  #: more than one: a single directory, cut by the ids of its pages


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where the hosts that are larger than a limit are cut."""

    limit: int  #: pages of a unit at most
    hosts: Mapping[bytes, tuple[Run, ...]] = field(default_factory=dict)  #: of each such host, by name

    def cut_hosts(self) -> NDArray[np.int64]:
        """Return the keys of hosts whose pages are in several units, ascending."""
        return np.unique(np.array([key_of(host) for host in self.hosts], np.int64))

    def cut_directories(self) -> NDArray[np.int64]:
        """Return the keys of directories whose pages are in several units, ascending."""
        keys = [key_of(run.first) for runs in self.hosts.values() for run in runs if run.parts > 1]
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


def cut_host(directories: Mapping[bytes, int], limit: int) -> tuple[Run, ...]:
    """Where to cut a host; nothing to cut leaves one run.

    Args:
        directories: pages of each.
        limit: pages of a run at most, unless it is a single directory.

    Raises:
        ValueError: a limit below 1.

    >>> runs = cut_host({b"//h/a": 3, b"//h/b": 2, b"//h/c": 9}, 5)
    >>> [(run.first, run.pages, run.parts) for run in runs]
    [(b'//h/a', 5, 1), (b'//h/c', 9, 2)]
    """
    if limit < 1:
        raise ValueError(f"the limit is {limit} pages; it must be at least 1")
    runs: list[Run] = []
    for name in sorted(directories):
        pages = directories[name]
        if runs and runs[-1].parts == 1 and runs[-1].pages + pages <= limit:
            runs[-1] = Run(runs[-1].first, runs[-1].pages + pages)
        else:
            runs.append(Run(name, pages, max(1, -(-pages // limit))))
    return tuple(runs)


def partition_of(urls: Sequence[bytes], ids: NDArray[np.int64], cuts: Cuts, partitions: int) -> NDArray[np.int32]:
    """The partition of some pages.

    Args:
        urls: canonical.
        ids: of the pages, shape (n,).
        cuts: where large hosts are cut.
        partitions: how many there are.

    Returns:
        0..partitions-1, shape (n,).

    Raises:
        ValueError: fewer than one partition.

    >>> found = partition_of([b"http://a.example/x", b"http://a.example/y/z"], np.array([1, 2]), Cuts(10), 64)
    >>> bool(found[0] == found[1])
    True
    """
    if partitions < 1:
        raise ValueError(f"there are {partitions} partitions; there must be at least 1")
    partition_by_unit: dict[bytes, int] = {}
    partitions_of = np.empty(len(urls), np.int32)
    for row, url in enumerate(urls):
        unit = host_of(url)
        runs = cuts.hosts.get(unit)
        if runs is not None:
            run = runs[max(0, bisect_right(runs, directory_of(url), key=lambda run: run.first) - 1)]
            piece = _scattered(int(ids[row])) % run.parts if run.parts > 1 else 0
            unit = b"%s\n%s\n%d" % (unit, run.first, piece)
        number = partition_by_unit.get(unit)
        if number is None:
            number = partition_by_unit[unit] = key_of(unit) % partitions
        partitions_of[row] = number
    return partitions_of


def _scattered(page: int) -> int:
    """Hash a page's id, so that pieces do not depend on how ids were numbered."""
    return int.from_bytes(
        hashlib.blake2b(page.to_bytes(8, "little", signed=True), digest_size=_BYTES).digest(), "little"
    )
