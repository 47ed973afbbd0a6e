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
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def split_evenly(count: int, most: int | None = None) -> list[slice]:
    """Split a range of `count` entries evenly into one part a core, at most `most`, of ``LEAST`` entries or more each.

    There is at least one part, which may be empty.

    >>> split_evenly(7)
    [slice(0, 7, None)]
    """
    parts = max(1, min(cores() if most is None else min(most, cores()), count // LEAST))
    edges = [count * number // parts for number in range(parts + 1)]
    return [slice(*ends) for ends in pairwise(edges)]


def run_parts(count: int, work: Callable[[slice], _Made]) -> list[_Made]:
    """Run `work` on each part of `split_evenly` in a thread of its own; return the results in order.

    The calls must not need each other's results.

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
    """Run `work` on each block of `size` entries of a range; yield the results in order, with one thread a core.

    The last block may be shorter. The calls must not need each other's results. `ahead` is as in `run_side_by_side`.

    >>> list(run_blocks(7, 3, lambda part: part.stop - part.start))
    [3, 3, 1]
    """
    blocks = [slice(at, min(at + size, count)) for at in range(0, count, size)]
    return run_side_by_side(work, blocks, min(cores(), len(blocks)), ahead)


def run_both(first: Callable[[], _Made], second: Callable[[], _Other]) -> tuple[_Made, _Other]:
    """Run two functions that do not need each other's results; return both results.

    The second one runs in another thread; on a single core it runs after the first.

    >>> run_both(lambda: 1, lambda: "b")
    (1, 'b')
    """
    if cores() == 1:
        return first(), second()
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  as above

    with ThreadPoolExecutor(1, thread_name_prefix="graphlang") as threads:
        other = threads.submit(second)
        return first(), other.result()


def run_side_by_side(
    work: Callable[[_Given], _Made], items: Iterable[_Given], workers: int, ahead: int = 1
) -> Iterator[_Made]:
    """Run `work` on each item in at most ``MOST`` threads; yield the results in the order of the items.

    Items may be endless; the caller's thread draws them. With one worker there is no other thread. `ahead` items are
    drawn besides one for each worker, so that the threads have work while the caller uses a result.

    >>> list(run_side_by_side(lambda x: x * x, range(5), 3))
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
