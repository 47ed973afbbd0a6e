"""Work in several threads. It pays where the work is done by kernels, which let other threads of Python run."""

from __future__ import annotations

import os
from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")
_Other = TypeVar("_Other")
MOST = 8  #: threads that work on items; what they work on is in memory
LEAST = 100_000  #: entries of a range that a thread is worth


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def split_evenly(count: int, most: int | None = None) -> list[slice]:
    """Parts of a range as even as can be, one for each core, each of ``LEAST`` entries or more.

    Args:
        count: Entries of the range.
        most: Parts, at most.

    Returns:
        One part at least, which may be empty.

    >>> split_evenly(7)
    [slice(0, 7, None)]
    """
    parts = max(1, min(cores() if most is None else min(most, cores()), count // LEAST))
    edges = [count * number // parts for number in range(parts + 1)]
    return [slice(*ends) for ends in pairwise(edges)]


def run_parts(count: int, work: Callable[[slice], _Made]) -> list[_Made]:
    """What some work gives for each of the ``split_evenly`` of a range, in their order, in as many threads.

    Args:
        count: Entries of the range.
        work: Called with each part; the calls must not need each other's results.

    >>> run_parts(7, lambda part: sum(range(part.start, part.stop)))
    [21]
    """
    parts = split_evenly(count)
    if len(parts) == 1:
        return [work(parts[0])]
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  it brings logging along, and few commands need it

    with ThreadPoolExecutor(len(parts), thread_name_prefix="graphlang") as threads:
        return list(threads.map(work, parts))


def run_blocks(count: int, size: int, work: Callable[[slice], _Made], ahead: int = 1) -> Iterator[_Made]:
    """What some work gives for each block of a range, in their order, as many at a time as there are cores.

    Args:
        count: Entries of the range.
        size: Entries of a block; the last one may have fewer.
        work: Called with each block; the calls must not need each other's results.
        ahead: As in `side_by_side`.

    >>> list(run_blocks(7, 3, lambda part: part.stop - part.start))
    [3, 3, 1]
    """
    blocks = [slice(at, min(at + size, count)) for at in range(0, count, size)]
    return side_by_side(work, blocks, min(cores(), len(blocks)), ahead)


def run_both(first: Callable[[], _Made], second: Callable[[], _Other]) -> tuple[_Made, _Other]:
    """What two pieces of work give that do not need each other's results: where one core idles, the other work has it.

    Args:
        first: Called in the caller's thread.
        second: Called in another one, or after the first where there is one core alone.

    >>> run_both(lambda: 1, lambda: "b")
    (1, 'b')
    """
    if cores() == 1:
        return first(), second()
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  as above

    with ThreadPoolExecutor(1, thread_name_prefix="graphlang") as threads:
        other = threads.submit(second)
        return first(), other.result()


def side_by_side(
    work: Callable[[_Given], _Made], items: Iterable[_Given], workers: int, ahead: int = 1
) -> Iterator[_Made]:
    """What `work` makes of every item, in the order of the items; the items are drawn in the caller's thread.

    Args:
        work: Called with each item.
        items: May be endless.
        workers: Threads, at most ``MOST``; with 1 there is none but the caller's.
        ahead: Items that are drawn ahead, besides one for each worker: these have work while the caller is at its own.

    >>> list(side_by_side(lambda x: x * x, range(5), 3))
    [0, 1, 4, 9, 16]
    """
    workers = min(workers, MOST)
    if workers <= 1:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  as above

    waiting: deque[Future[_Made]] = deque()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="graphlang")
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) >= workers + ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
