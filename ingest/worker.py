"""A process that parses records: ``python -m graphlang.ingest.worker``, started by `graphlang.ingest.pool` alone.

Frames come on standard input (first the limits, then one task each: its number and its raw records), and go to
standard output (one list of items for each record). The process ends when standard input does, so that it never
outlives its parent, however that one died.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from queue import SimpleQueue
from typing import IO, Any

from .limits import Limits
from .parse import Parser
from .wire import pack_item, read_frame, unpack_raw, write_frame


def _receive(stream: IO[bytes], tasks: SimpleQueue[Any]) -> None:
    """Take tasks in as they come, so that the parent never waits for this process to read."""
    while True:
        try:
            tasks.put(read_frame(stream))
        except EOFError:
            os._exit(0)  # the parent is gone, or done: whatever is half parsed is of no use to anybody


def main() -> None:
    """Parse until standard input ends."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not break a frame
    source = sys.stdin.buffer
    try:
        limits = Limits(*read_frame(source))
    except EOFError:
        return
    tasks: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_receive, args=(source, tasks), daemon=True).start()
    parser = Parser(limits)
    gc.freeze()
    try:
        while True:
            number, records = tasks.get()
            done = [[pack_item(item) for item in parser.parse(unpack_raw(one))] for one in records]
            write_frame(results, (number, done))
    except BrokenPipeError:
        os._exit(0)


if __name__ == "__main__":
    main()
