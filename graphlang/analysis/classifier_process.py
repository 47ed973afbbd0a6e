"""A process that identifies the languages of pages while others read on: it reads their texts from the database.

It loads the method itself, so that the process that writes need not. Frames come on standard input: first what to load,
then one list of page ids after the other; each is answered by a frame. Whatever goes wrong ends it: the pages that it
has not answered for are left to the process that started it, which then meets the same fault, and tells it.

This module is imported before anything else, and brings nothing along that takes its time.
"""

from __future__ import annotations

import json
import os
import select
import threading
from collections import deque
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from graphlang.ingest.workers.fork import Forked, possible
from graphlang.ingest.workers.process import WorkerError, ended, started, widen
from graphlang.ingest.workers.protocol import HEAD, decode_frame, encode_frame, read_frame
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from graphlang.analysis.classify import Answered
    from graphlang.content.identifier import Identifier

_READ = 1 << 20  # bytes
_THREADS = 2  # questions that are answered at a time, where the method bears it
_START = "from graphlang.analysis.classifier_process import main; main()"


class ClassifierProcess:
    """The process, as the one that writes sees it. It is not listened to by a thread, but whenever there is time.

    Args:
        method: name of the method, or path of a model.
        database: where the collection is, or will be.
        shares: whether the languages of pages in several are told; None: where the method's answers bear that.

    Raises:
        WorkerError: it cannot be started.
        OSError: it cannot be started.
    """

    def __init__(self, method: str, database: Path, *, shares: bool | None) -> None:
        self._child = Forked(main) if possible() else started(_START)
        for stream in (self._child.stdin, self._child.stdout):
            widen(stream)
        self._asked: deque[int] = deque()  # pages of each question that is not answered yet
        self._received = bytearray()
        self.gone = False  #: it has ended
        self._send((method, str(database), shares))

    @property
    def waiting(self) -> int:
        """Pages that it was asked about and has not answered for."""
        return sum(self._asked)

    def described(self) -> tuple[Any, ...] | None:
        """The fields of `graphlang.analysis.classify.Described`, once the method is loaded; None: it has ended.

        Raises:
            ModelError: the method cannot be loaded.
        """
        found = self._frame(wait=True)
        if found is None:
            return None
        if isinstance(found, str):
            raise ModelError(found)
        name, labels, digest, parameters, *rest = found
        return (name, labels, digest, json.loads(parameters), *rest)

    def ask(self, pages: list[int]) -> None:
        """Have it look at some pages, as they stand in the database by then."""
        self._asked.append(len(pages))
        self._send(pages)

    def answers(self, *, most: int) -> Iterator[Any]:
        """Take the answers that are there, and wait for others while it is asked about more than so many pages.

        Args:
            most: pages that may be under way when this ends.

        Yields:
            What `pack` made, question by question, in their order; nothing where no page has a text any more. After
            the last one the process may have ended.
        """
        while self._asked and not self.gone:
            found = self._frame(wait=self.waiting > most)
            if found is None:
                return
            self._asked.popleft()
            yield found

    def end(self) -> None:
        """End the process, whatever it is at."""
        ended(self._child)
        self.gone = True

    def _send(self, value: Any) -> None:
        try:
            if self._child.stdin is not None:
                self._child.stdin.write(encode_frame(value))
                self._child.stdin.flush()
        except OSError:
            self.gone = True

    def _frame(self, *, wait: bool) -> Any:
        """The next frame; None where there is none yet, unless it is to be waited for, and where there will be none."""
        if self._child.stdout is None:
            return None
        pipe = self._child.stdout.fileno()
        while len(self._received) < (size := self._size()):
            if not wait and not self._received and not select.select([pipe], [], [], 0)[0]:
                return None
            data = os.read(pipe, _READ)
            if not data:
                self.gone = True
                return None
            self._received += data
        frame = bytes(self._received[HEAD:size])
        del self._received[:size]
        return decode_frame(frame)

    def _size(self) -> int:
        """Bytes of the next frame, with its head, as far as they are known."""
        known = len(self._received) >= HEAD
        return HEAD + (int.from_bytes(self._received[:HEAD], "little") if known else 0)


def main() -> None:
    """Identify until standard input ends."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not break a frame
    source = os.fdopen(os.dup(0), "rb")
    try:
        method, database, shares = decode_frame(read_frame(source))
        _identify(method, database, shares, source, results)
    except (EOFError, BrokenPipeError):
        return  # the parent is gone, or has no use for it any more
    except Exception:  # noqa: BLE001 - the parent does what is left, and tells what is wrong with it
        return


def _identify(method: str, database: str, shares: bool | None, source: Any, results: Any) -> None:
    from graphlang.analysis.classify import Described  # noqa: PLC0415 - in this process alone
    from graphlang.content import registry  # noqa: PLC0415

    def send(value: Any) -> None:
        results.write(encode_frame(value))
        results.flush()

    try:
        identifier: Identifier = registry.load(method)
    except ModelError as error:
        send(str(error))
        return
    described = Described.of(identifier)
    send((*described[:3], json.dumps(described.parameters), *described[4:]))
    with_shares = described.reads_parts if shares is None else shares
    _answer(identifier, database, with_shares, source, send, _THREADS if described.concurrent else 1)


def _answer(  # noqa: PLR0917 - what a process has
    identifier: Identifier, database: str, shares: bool, source: Any, send: Callable[[Any], None], threads: int
) -> None:
    """Answer questions in their order, as many at a time as there are threads: who reads on may be done before."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - in this process alone

    from graphlang.analysis.arrays import digests  # noqa: PLC0415
    from graphlang.analysis.classify import answer  # noqa: PLC0415
    from graphlang.db import collection, open_existing  # noqa: PLC0415

    def found(batch: collection.Texts) -> tuple[Any, ...]:
        return pack(answer(identifier, batch, digests.of_pages(*batch[1:]), shares=shares))

    events: SimpleQueue[list[int] | Future[Any] | None] = SimpleQueue()  # a question, what is done, or the end
    threading.Thread(target=_receive, args=(source, events), daemon=True).start()
    asked: deque[list[int]] = deque()
    begun: deque[Future[Any]] = deque()
    connection = None
    with ThreadPoolExecutor(threads) as pool:
        while (event := events.get()) is not None:
            if isinstance(event, list):
                asked.append(event)
            while begun and begun[0].done():
                send(begun.popleft().result())
            while asked and len(begun) < threads:
                connection = connection or open_existing(database)
                batch = collection.texts_of(connection, asked.popleft())
                begun.append(pool.submit(tuple if batch is None else partial(found, batch)))
                begun[-1].add_done_callback(events.put)


def _receive(source: Any, events: SimpleQueue[Any]) -> None:
    """Take questions in as they come, and tell the end, however it came."""
    try:
        while True:
            events.put(decode_frame(read_frame(source)))
    except EOFError:
        return  # the parent is gone, or has no more questions
    finally:
        events.put(None)


def pack(answered: Answered) -> tuple[Any, ...]:
    """Answers as plain values, which `graphlang.analysis.classify_beside.unpack` takes."""
    return (
        answered.pages,
        answered.label.shape[1],
        answered.label.astype("int32").tobytes(),
        answered.score.astype("float32").tobytes(),
        answered.characters.astype("int64").tobytes(),
        answered.encodings,
        answered.digests,
        [[tuple(part) for part in parts] for parts in answered.shares],
    )


__all__ = ["ClassifierProcess", "WorkerError", "main", "pack"]
