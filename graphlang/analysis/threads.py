"""Work on what comes from an iterator in several threads, in order, with a bound on what waits."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")
MOST = 8  #: threads; what they work on is in memory


def side_by_side(work: Callable[[_Given], _Made], items: Iterable[_Given], workers: int) -> Iterator[_Made]:
    """What `work` makes of every item, in the order of the items; the items are drawn in the caller's thread.

    At most one item more than there are workers is drawn ahead. It pays where `work` spends its time in kernels, which
    let other threads run.

    >>> list(side_by_side(lambda x: x * x, range(5), 3))
    [0, 1, 4, 9, 16]
    """
    workers = min(workers, MOST)
    if workers <= 1:
        yield from map(work, items)
        return
    waiting: deque[Future[_Made]] = deque()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="graphlang")
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
