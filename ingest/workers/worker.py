"""Run the main loop of a worker process, which `workers.process` starts.

Standard input has frames: first the limits, then one task each. A task is a list of raw records, and its answer the
list of their items. Or a task is a byte range of a file: its answers are the place of its first record (if that is to
be searched), then the items of a few records at a time. A byte before each frame of an answer is 1 in the last one of
a task. The process ends at the end of standard input, so that it never outlives its parent.
"""

from __future__ import annotations

import gc
import os
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any

from graphlang.ingest.files.byte_ranges import ByteRange, find_record
from graphlang.ingest.formats.detect import open_range
from graphlang.ingest.limits import Limits
from graphlang.ingest.page import Parser, is_candidate
from graphlang.ingest.workers.protocol import decode_frame, encode_frame, pack_item, read_frame, unpack_raw

if TYPE_CHECKING:
    from collections.abc import Callable

_GC_THRESHOLD = (20_000, 50, 50)  # only errors make reference cycles
_RECORDS = 64  # pages of an answer at most
_BYTES = 4 << 20  # and bytes of them
_RAWS = 4096  # raw records of any kind


def _receive(stream: IO[bytes], tasks: SimpleQueue[Any]) -> None:
    """Receive tasks as they come, so that the parent never waits for this process to read."""
    while True:
        try:
            tasks.put(decode_frame(read_frame(stream)))
        except EOFError:
            os._exit(0)  # the parent has ended, or needs no more answers


def main() -> None:
    """Parse until standard input ends."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not break a frame
    source = os.fdopen(os.dup(0), "rb")
    try:
        limits = Limits(*decode_frame(read_frame(source)))
    except EOFError:
        return
    tasks: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_receive, args=(source, tasks), daemon=True).start()
    parser = Parser(limits)
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLD)

    def answer(value: Any, *, last: bool) -> None:
        results.write(b"\1" if last else b"\0")
        results.write(encode_frame(value))
        results.flush()

    try:
        with parser.hold_timer():
            while True:
                task = tasks.get()
                if isinstance(task, list):
                    answer([pack_item(item) for raw in task for item in parser.parse(unpack_raw(raw))], last=True)
                else:
                    try:
                        _parse_range(ByteRange(Path(task[0]), *task[1:]), parser, limits, answer)
                    except BrokenPipeError:
                        raise
                    except OSError:
                        answer(None, last=True)  # the parent reads the file itself, and reports the error
    except BrokenPipeError:
        os._exit(0)


def _parse_range(byte_range: ByteRange, parser: Parser, limits: Limits, answer: Callable[..., None]) -> None:
    """Read and parse a byte range of a file."""
    begin = byte_range.begin
    if not byte_range.exact:
        with byte_range.open() as file:
            place = find_record(file, byte_range.begin, byte_range.stop)
        # Without a place the parent reads the byte range, unless it is part of the one before.
        answer(-1 if place is None else place, last=place is None)
        if place is None:
            return
        begin = place
    with open_range(byte_range, limits, begin) as reader:
        items: list[Any] = []
        candidates = size = raws = 0
        skip = byte_range.skip
        for raw in reader:
            if skip:
                skip -= 1
                continue
            raws += 1
            if is_candidate(raw):
                items += [pack_item(item) for item in parser.parse(raw)]
                candidates += 1
                size += len(raw.block)
            if candidates >= _RECORDS or size >= _BYTES or raws >= _RAWS:
                answer((items, raws, reader.bytes_read, None, False), last=False)
                items, candidates, size, raws = [], 0, 0, 0
        answer((items, raws, reader.bytes_read, reader.ended, True), last=True)
