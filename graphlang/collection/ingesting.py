"""Verbs that read archives: ``ingest``, and ``run`` with all that follows."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from graphlang.analysis.progress import SILENT, Progress
from graphlang.arguments import flag, whole_number
from graphlang.collection.opened_file import OpenedFile
from graphlang.db import create
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from graphlang.analysis.ingest import Ingested
    from graphlang.content.adapters.foreign import Classifier
    from graphlang.db.runs.run import Run
    from graphlang.ingest import Limits


class Ingesting(OpenedFile):
    """What reads files into a collection."""

    def ingest(
        self,
        *files: str | Path,
        keep: str = "all",
        limits: Limits | None = None,
        again: bool = False,
        workers: int = 1,
        follow_links: bool = False,
        progress: Progress = SILENT,
    ) -> Ingested:
        """Read files and folders into the collection; files that it has already are passed over.

        Args:
            files: archives, or folders that hold them.
            keep: which of several captures of a URL are kept, as `graphlang ingest --keep` has it.
            limits: how much of a page is kept.
            again: read files again that were read before, with these limits.
            workers: processes that parse pages; the result is the same with any number.
            follow_links: whether symbolic links within folders are followed; `Ingested.passed` has what is passed over.
            progress: told of bytes, pages and links.

        Raises:
            StoreError: a file cannot be read at all.
            TypeError: an argument of another type.
            ValueError: an unknown value of `keep`; `workers` is below 1.
        """
        from graphlang.analysis import ingest as reading  # noqa: PLC0415  each verb imports what it needs
        from graphlang.db.write.choose_capture import Keep  # noqa: PLC0415
        from graphlang.ingest.limits import given  # noqa: PLC0415

        workers, again = whole_number("workers", workers), flag("again", again)
        follow_links = flag("follow_links", follow_links)
        bounds = given(limits)
        how, found = Keep(keep), reading.found(files, follow_links=follow_links)  # before there is a database
        with self._in_words(), closing(create(self.path, verb="ingest", patience=self._patience)) as connection:
            return reading.ingest(
                connection, found, keep=how, limits=bounds, again=again, workers=workers, progress=progress
            )

    def run(
        self,
        *files: str | Path,
        method: str | Path | Classifier = "nfc",
        keep: str = "all",
        limits: Limits | None = None,
        again: bool = False,
        workers: int = 1,
        progress: Progress = SILENT,
    ) -> Run:
        """Find the language of every page: `ingest`, `classify`, `vote` and `propagate` with their defaults.

        Args:
            files: archives, or folders that hold them.
            method: content method, as in `classify`.
            keep: which of several captures of a URL are kept.
            limits: how much of a page is kept.
            again: read files again that were read before, with these limits.
            workers: processes that parse pages, and threads that identify texts.
            progress: told of every stage.

        Returns:
            The run of the propagation, which the views show.

        Raises:
            StoreError: a file cannot be read at all.
            ModelError: there is no such method or model.
            ValueError: an unknown value of `keep`; `workers` is below 1.
        """
        workers = whole_number("workers", workers)
        from graphlang.analysis import classify, propagate, vote  # noqa: PLC0415
        from graphlang.analysis.arrays.cached_loader import CachedLoader  # noqa: PLC0415
        from graphlang.identification import load as identified_by  # noqa: PLC0415

        identifier: Any = identified_by(method)
        if hasattr(identifier, "decisions"):
            raise ModelError(f"{method} reads URLs: run needs a content method")
        self.ingest(*files, keep=keep, limits=limits, again=again, workers=workers, progress=progress)
        with self._writing("run") as connection:
            classify.classify(connection, identifier, workers=workers, progress=progress)
            load = CachedLoader(one_graph=True)  # both steps read the same links and scores
            vote.vote(connection, linked=False, load=load, progress=progress)
            return propagate.propagate(connection, update=True, linked=False, load=load.last, progress=progress)
