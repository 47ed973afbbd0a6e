"""A content run that answers for pages while they are read: a second process identifies, this one writes.

What is asked about is what the database holds by then, so that captures that gave way have no answers. A page whose
text changes once more is asked about again, and loses the answer that it has. What is not answered in the end, whatever
the reason, is left to `classify_rest`.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.analysis.classify import Answered, Described, classify_rest, ids_of, start_growing, write
from graphlang.analysis.progress import SILENT, Progress
from graphlang.content.segments.pages import Part
from graphlang.db.runs.lifecycle import drop_answers

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphlang.analysis.classifier_process import ClassifierProcess
    from graphlang.content.identifier import Identifier
    from graphlang.db.runs.run import Run

TOGETHER = 1024  #: pages of a question: of 256 each costs a quarter more, and readers have work for the cores meanwhile
_MOST = 4096  #: pages that may wait for their answers: while there are more nothing new is read


class ClassifiesBeside:
    """What `graphlang.analysis.ingest` tells of pages, for a process that identifies them meanwhile.

    Args:
        connection: a collection opened for writing.
        process: started for the same collection.
        described: the method that it has loaded.
        shares: as it was told.
    """

    def __init__(
        self, connection: sqlite3.Connection, process: ClassifierProcess, described: Described, *, shares: bool | None
    ) -> None:
        self._connection, self._process, self._described, self._shares = connection, process, described, shares
        self._run: Run | None = None  # none before there is a page to be answered for
        self._ids: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._held: dict[int, None] = {}  # pages to be asked about, in order
        self._question = 0  # the number of the last one
        self._answered = 0  # the number of the last one that was answered
        self._newer: dict[int, int] = {}  # pages that changed: earlier questions than this one do not count

    @property
    def waiting(self) -> int:
        """Pages whose answers are still to come."""
        return len(self._held) + self._process.waiting

    def written(self, new: Sequence[int], changed: Sequence[int]) -> None:
        """Pages were written to the database.

        Args:
            new: ids of those that have a text, and had none.
            changed: ids of those that may have another text than before, or none.
        """
        if not new and not changed:
            return
        if self._run is None:
            self._run = start_growing(self._connection, self._described, shares=self._shares)
            self._ids = ids_of(self._connection, self._described.labels)
        drop_answers(self._connection, self._run.id, changed)
        self._held.update(dict.fromkeys((*new, *changed)))
        self._newer.update(dict.fromkeys(changed, self._question + 1))
        while len(self._held) >= TOGETHER:
            self._ask()
            self._take(_MOST)  # else each might wait for the other to read
        self._take(_MOST)

    def flush(self) -> None:
        """There is nothing more to be read, so that nothing is waited for any more."""
        while self._held:
            self._ask()
            self._take(_MOST)

    def finish(
        self, load: Callable[[], Identifier], *, workers: int = 1, choose: bool = True, progress: Progress = SILENT
    ) -> Run:
        """Wait for the last answers, and close the run.

        Args:
            load: loads the method, if there is anything left to be read here.
            workers: threads that read that.
            choose: whether the run becomes the one that the views show.
            progress: told of pages.

        Returns:
            The run, finished.
        """
        self.flush()
        self._take(0)
        self._process.end()  # its memory is for others
        return classify_rest(
            self._connection,
            self._described,
            load,
            shares=self._shares,
            choose=choose,
            workers=workers,
            growing=self._run,
            progress=progress,
        )

    def _ask(self) -> None:
        pages = list(islice(self._held, TOGETHER))
        for page in pages:
            del self._held[page]
        self._question += 1
        self._process.ask(pages)

    def _take(self, most: int) -> None:
        for packed in self._process.answers(most=most):
            self._answered += 1
            if not packed or self._run is None:
                continue
            answered = unpack(packed)
            if self._newer:
                kept = [self._newer.get(page, 0) <= self._answered for page in answered.pages]
                answered = _only(answered, kept)
                self._newer = {page: number for page, number in self._newer.items() if number > self._answered}
            if answered.pages:
                write(self._connection, self._run, answered, self._ids)


def unpack(packed: tuple[Any, ...]) -> Answered:
    """The answers that ``classifier_process.pack`` made plain.

    Args:
        packed: what it made.
    """
    pages, width, label, score, characters, encodings, digests, shares = packed
    return Answered(
        pages,
        np.frombuffer(label, dtype=np.int32).astype(np.int64).reshape(len(pages), width),
        np.frombuffer(score, dtype=np.float32).reshape(len(pages), width),
        np.frombuffer(characters, dtype=np.int64),
        encodings,
        digests,
        [[Part(*part) for part in parts] for parts in shares],
    )


def _only(answered: Answered, kept: list[bool]) -> Answered:
    """The answers for some of the pages."""
    if all(kept):
        return answered
    places = [place for place, wanted in enumerate(kept) if wanted]

    def some(column: list[Any]) -> list[Any]:
        return [column[place] for place in places]

    return Answered(
        some(answered.pages),
        answered.label[places],
        answered.score[places],
        answered.characters[places],
        None if answered.encodings is None else some(answered.encodings),
        some(answered.digests),
        some(answered.shares) if answered.shares else [],
    )
