"""Methods that read archives and compute languages: ``run``, ``ingest``, ``classify``, ``vote`` and ``propagate``."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, closing, contextmanager
from dataclasses import fields
from functools import partial
from importlib import import_module
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphlang.analysis.progress import Progress, make_progress
from graphlang.arguments import (
    check_arguments,
    flag,
    is_number,
    length,
    mapping,
    number,
    run_number,
    text,
    worker_count,
)
from graphlang.collection.opened_file import OpenedFile
from graphlang.db import create
from graphlang.ingest.limits import check_limits

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import BinaryIO, TypeAlias

    from graphlang.analysis.ingest import Ingested
    from graphlang.content.classifier import Classifier
    from graphlang.content.identifier import Identifier
    from graphlang.db.lock import Lock
    from graphlang.db.runs.run import Run
    from graphlang.ingest import ArchiveFiles, Limits, PrestartedWorkers

    Input: TypeAlias = str | Path | BinaryIO

_STREAM = "-"  # what standard input is called in the database


class Computing(OpenedFile):
    """Methods that read files and compute languages; each inference stores one run and returns it."""

    @check_arguments(again=flag, workers=worker_count, follow_links=flag)
    def ingest(
        self,
        *files: Input,
        keep: str = "all",
        limits: Limits | None = None,
        again: bool = False,
        workers: int = 1,
        follow_links: bool = False,
        progress: Progress | bool = False,
    ) -> Ingested:
        """Read files and folders into the collection; skip files that it has already.

        Args:
            files: archives, folders that hold them, or open binary files, such as `sys.stdin.buffer`.
            keep: which of several captures of a URL are kept, as `graphlang ingest --keep` has it.
            limits: how much of a page is kept.
            again: read files again that were read before, with these limits.
            workers: processes that parse pages; the result is the same with any number.
            follow_links: whether symbolic links within folders are followed; `Ingested.skipped` has the skipped files.
            progress: True draws a bar; an object receives bytes, pages and links.

        Raises:
            StoreError: a file cannot be read at all.
            TypeError: an argument of another type.
            ValueError: an unknown value of `keep`; `workers` is not within 1 and 256.
        """
        from graphlang.db.write.choose_capture import Keep  # noqa: PLC0415 - each method imports what it needs

        options: dict[str, Any] = {
            "keep": Keep(keep),
            "limits": check_limits(limits),
            "again": again,
            "workers": workers,
        }
        with self._sqlite_errors(), ExitStack() as stack:
            options["prestarted"] = stack.enter_context(self._prestart(files, workers, options["limits"]))
            inputs = _find_inputs(files, follow_links=follow_links)  # before there is a database
            connection = stack.enter_context(self._creating("ingest"))
            return self._read(connection, inputs, progress=make_progress(progress), **options)

    @check_arguments(again=flag, workers=worker_count, follow_links=flag, shares=flag)
    def run(
        self,
        *files: Input,
        method: str | Path | Classifier = "nfc",
        keep: str = "all",
        limits: Limits | None = None,
        again: bool = False,
        workers: int = 1,
        follow_links: bool = False,
        shares: bool | None = None,
        on_ingested: Callable[[Ingested], object] | None = None,
        progress: Progress | bool = False,
    ) -> Run:
        """Find the language of every page: `ingest`, `classify`, `vote` and `propagate` with their defaults.

        Args:
            files: as for `ingest`.
            method: content method, as for `classify`.
            keep: which of several captures of a URL are kept.
            limits: how much of a page is kept.
            again: read files again that were read before, with these limits.
            workers: processes that parse pages, and threads that identify texts.
            follow_links: whether symbolic links within folders are followed.
            shares: as for `classify`.
            on_ingested: called with what `ingest` returns, once all files are read.
            progress: True draws a bar; an object receives every stage.

        Returns:
            The run of the propagation, which the views show.

        Raises:
            StoreError: a file cannot be read at all.
            ModelError: there is no such content method or model.
            TypeError: an argument of another type.
            ValueError: an unknown value of `keep`; `workers` is not within 1 and 256.
        """
        progress = make_progress(progress)
        from graphlang.db.connection import claim  # noqa: PLC0415
        from graphlang.db.write.choose_capture import Keep  # noqa: PLC0415

        options: dict[str, Any] = {
            "keep": Keep(keep),
            "limits": check_limits(limits),
            "again": again,
            "workers": workers,
        }
        with self._sqlite_errors(), ExitStack() as stack:
            db_lock = claim(self.path, verb="run", **self._lock)  # the first process has it, whatever is still to load
            stack.callback(db_lock.release)
            options["prestarted"] = stack.enter_context(self._prestart(files, workers, options["limits"]))
            inputs = _find_inputs(files, follow_links=follow_links)
            from graphlang.analysis import reuse  # noqa: PLC0415

            repeated, identifier = method == reuse.METHOD and self.path.exists(), None
            if not repeated:  # while other processes read the first pages
                import_module("graphlang.analysis.propagate")
                identifier = _load_content_method(method)
            connection = stack.enter_context(self._creating("run", db_lock=db_lock))
            ingested = self._read(connection, inputs, progress=progress, **options)
            if on_ingested is not None:
                on_ingested(ingested)
            if repeated and not ingested.files:
                final = reuse.reuse_job(connection, shares=shares)
                if final is not None:
                    return final
            from graphlang.analysis import propagate, vote  # noqa: PLC0415
            from graphlang.analysis.classify import classify  # noqa: PLC0415
            from graphlang.analysis.read_ahead import CachedLoader, PrefetchThread  # noqa: PLC0415
            from graphlang.ingest import are_small  # noqa: PLC0415

            identifier = identifier or _load_content_method(method)
            prefetch = None
            if workers > 1 and not are_small(_list_paths(files)):
                prefetch = propagate.SIGNALS, stack.enter_context(PrefetchThread(self.path))
            load = CachedLoader(one_graph=True, prefetch=prefetch)  # both steps read the same links and scores
            load.begin_links()
            classify(connection, identifier, shares=shares, workers=workers, progress=progress)
            del identifier  # a model takes as much memory as the links of ten million URLs
            vote.vote(connection, linked=False, load=load, progress=progress)
            return propagate.propagate(connection, update=True, linked=False, load=load.take, progress=progress)

    @check_arguments(title=flag, anchors=flag, shares=flag, workers=worker_count, keep_chosen=flag)
    def classify(
        self,
        method: str | Path | Classifier = "nfc",
        *,
        title: bool = True,
        anchors: bool = False,
        shares: bool | None = None,
        workers: int = 1,
        keep_chosen: bool = False,
        at: str | None = None,
        progress: Progress | bool = False,
    ) -> Run:
        """Classify the pages by the content of their text, or by their URLs.

        Args:
            method: a name that `graphlang methods` lists, a model file, or a classifier of your own: an object with
                `labels` and `probabilities(texts)`.
            title: whether the title counts as text.
            anchors: whether the words of links count as text of the pages that they lead to.
            shares: whether to find all languages of a page in several, with the share that each has. None: where the
                method's answers about a few words are reliable, as those of ``nfc``.
            workers: threads that identify texts.
            keep_chosen: leave the run that the views show as it is.
            at: a year, month, day or time: of each page the capture nearest to it is read. The run that the views show
                stays the same.
            progress: True draws a bar; an object receives the pages.

        Raises:
            StoreError: there is no database.
            ModelError: there is no such method or model.
            TypeError: an argument of another type.
            ValueError: `at` is not a moment, or cannot go with the method or with `anchors`; `workers` is not within 1
                and 256.
        """
        from graphlang.analysis import classify, collection_methods, dated  # noqa: PLC0415
        from graphlang.analysis.collection_methods import DECLARED, TLD  # noqa: PLC0415
        from graphlang.identification import load  # noqa: PLC0415

        identifier: Any = None if method in (TLD, DECLARED) else load(method)
        reads_urls = hasattr(identifier, "decisions")
        if at is not None and (method == TLD or reads_urls or anchors):
            raise ValueError("at is for methods that read texts, without anchors")
        options: dict[str, Any] = {"choose": not keep_chosen, "progress": make_progress(progress)}
        if not reads_urls:
            options |= {} if identifier is None else {"title": title, "anchors": anchors, "shares": shares}
            options |= {} if identifier is None else {"workers": workers}
        with self._writing("classify") as connection:
            if method == TLD:
                ask = partial(collection_methods.classify_tld, connection, **options)
            elif method == DECLARED:
                ask = partial(collection_methods.classify_declared, connection, **options)
            elif reads_urls:
                ask = partial(classify.classify_urls, connection, identifier, **options)
            else:
                ask = partial(classify.classify, connection, identifier, **options)
            return ask() if at is None else dated.classify_moment(connection, at, ask)

    @check_arguments(outlinks=flag, clueweb09=flag, seed=run_number, workers=worker_count, keep_chosen=flag)
    def vote(
        self,
        *,
        outlinks: bool = False,
        clueweb09: bool = False,
        seed: int | None = None,
        workers: int = 1,
        keep_chosen: bool = False,
        at: str | None = None,
        progress: Progress | bool = False,
        **limits: int,
    ) -> Run:
        """Let the inlinks of short pages vote (INLINKS, Hayati 2004, algorithm 5.5).

        Args:
            outlinks: let the pages vote that a page links to (section 5.3).
            clueweb09: ClueWeb09's rule instead, for URLs that were never fetched.
            seed: the content run to start from; the chosen one if not given.
            workers: threads that identify texts for `at`.
            keep_chosen: leave the run that the views show as it is.
            at: a year, month, day or time: of each page the capture nearest to it is read. The run that the views show
                stays the same.
            progress: True draws a bar; an object receives the stage.
            limits: `min_length`, `min_ref_length`, `max_links` and `rounds` of the vote, `min_bytes` of
                ClueWeb09's rule.

        Raises:
            StoreError: nothing is classified yet.
            TypeError: an argument of another type, or a limit that the vote does not have.
            ValueError: a negative limit, both kinds of vote at once, or no moment.
        """
        progress = make_progress(progress)
        limits = {name: length(name, limit) for name, limit in limits.items()}
        from graphlang.analysis import dated, vote  # noqa: PLC0415

        if outlinks and clueweb09:
            raise ValueError("outlinks and clueweb09 are two votes: choose one")
        kind: dict[str, bool] = {} if clueweb09 else {"outlinks": outlinks, "linked": False}
        count: Callable[..., Run] = vote.guess if clueweb09 else vote.vote
        with self._writing("vote") as connection:

            def vote_from(start: int | None) -> Run:
                return count(connection, seed=start, choose=not keep_chosen, progress=progress, **kind, **limits)

            if at is None:
                return vote_from(seed)
            return dated.infer_moment(connection, at, vote_from, seed=seed, workers=workers, progress=progress)

    @check_arguments(
        weights=mapping, algorithm=text, seed=run_number, update=flag, workers=worker_count, keep_chosen=flag
    )
    def propagate(
        self,
        *,
        weights: Mapping[str, float] | None = None,
        algorithm: str | None = None,
        seed: int | None = None,
        update: bool = False,
        workers: int = 1,
        keep_chosen: bool = False,
        at: str | None = None,
        progress: Progress | bool = False,
    ) -> Run:
        """Infer the language of every page, fetched or only linked to, from its own text and its neighbours' languages.

        Args:
            weights: weights and limits of the inference by the names of the options of `graphlang propagate`, e.g.
                ``{"cctld": 0, "neighbours": 0.5}``; the others keep their defaults.
            algorithm: as `graphlang propagate --algorithm` has it; the inference if not given.
            seed: the content run to start from; the chosen one if not given.
            update: identify the texts that are new first, and do nothing where nothing has changed.
            workers: threads that identify texts for `update` and `at`.
            keep_chosen: leave the run that the views show as it is.
            at: a year, month, day or time: of each page the capture nearest to it is read. The run that the views show
                stays the same.
            progress: True draws a bar; an object receives the stage.

        Raises:
            StoreError: nothing is classified yet.
            TypeError: an argument of another type.
            ValueError: a weight that does not exist, is negative or not a number; no moment; `update` together with
                `at`; `workers` is not within 1 and 256.
        """
        from graphlang.analysis import dated  # noqa: PLC0415

        if update and at is not None:
            raise ValueError("update is for the pages' own captures, without at")
        options: dict[str, Any] = {"workers": workers, "progress": make_progress(progress)}
        with self._writing("propagate") as connection:
            infer = _make_inference(
                connection, weights or {}, algorithm, update=update, choose=not keep_chosen, **options
            )
            return infer(seed) if at is None else dated.infer_moment(connection, at, infer, seed=seed, **options)

    @check_arguments(weights=mapping, algorithm=text, seed=run_number, workers=worker_count, keep_chosen=flag)
    def propagate_each_year(
        self,
        *,
        weights: Mapping[str, float] | None = None,
        algorithm: str | None = None,
        seed: int | None = None,
        workers: int = 1,
        keep_chosen: bool = False,
        progress: Progress | bool = False,
    ) -> list[Run]:
        """Infer the languages of each calendar year that any capture has: `propagate` with `at` for each.

        Args:
            weights: as for `propagate`.
            algorithm: as for `propagate`.
            seed: the content run whose method reads the texts of each year; the chosen one if not given.
            workers: threads that identify texts.
            keep_chosen: as for `propagate`.
            progress: True draws a bar; an object receives the years that are done.

        Returns:
            The run of each year, ascending.

        Raises:
            StoreError: nothing is classified yet, or no capture has a date.
            TypeError: an argument of another type.
            ValueError: as for `propagate`.
        """
        from graphlang.analysis import dated  # noqa: PLC0415

        with self._writing("propagate") as connection:
            infer = _make_inference(connection, weights or {}, algorithm, choose=not keep_chosen, workers=workers)
            return list(
                dated.infer_each_year(connection, infer, seed=seed, workers=workers, progress=make_progress(progress))
            )

    @contextmanager
    def _creating(self, verb: str, *, db_lock: Lock | None = None) -> Iterator[sqlite3.Connection]:
        """Open the collection for writing, and create a missing one."""
        with closing(create(self.path, verb=verb, db_lock=db_lock, **self._lock)) as connection:
            yield connection

    @contextmanager
    def _prestart(self, files: Sequence[Input], workers: int, limits: Limits) -> Iterator[PrestartedWorkers | None]:
        """Start the processes that parse, where some are likely to be needed, before this one imports its own modules.

        For a collection that does not exist yet they begin with the first file at once.
        """
        paths = _list_paths(files)
        if workers > 1:
            from graphlang.ingest import PrestartedWorkers, are_small  # noqa: PLC0415
        if workers == 1 or are_small(paths):
            yield None
            return
        started = PrestartedWorkers(workers, limits)
        try:
            if not self.path.exists():
                started.begin(paths[0])
            yield started
        finally:
            started.end()

    def _read(self, connection: sqlite3.Connection, inputs: _Inputs, **options: Any) -> Ingested:
        from graphlang.analysis.ingest import ingest  # noqa: PLC0415
        from graphlang.ingest.files.discover import save_stream  # noqa: PLC0415

        names: dict[Path, str] = {}
        paths = list(inputs.files.files)
        with ExitStack() as stack:
            for place, stream in reversed(inputs.streams):
                # Beside the database, where there is room for what is read.
                where = self.path.absolute().parent
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix=".graphlang-", dir=where))
                path = save_stream(stream, Path(folder))
                names[path] = _STREAM
                paths.insert(place, path)
            return ingest(connection, inputs.files._replace(files=paths), names=names, **options)


class _Inputs(NamedTuple):
    """The files to read."""

    files: ArchiveFiles
    streams: list[tuple[int, BinaryIO]]  #: open files, each with the number of files before it


def _list_paths(files: Sequence[Input]) -> list[Path]:
    return [Path(file) for file in files if isinstance(file, str | Path)]


def _find_inputs(files: Sequence[Input], *, follow_links: bool) -> _Inputs:
    """Find the files to read; raise `InputError` for one that does not exist, or that holds nothing to read."""
    # While this imports numpy, the prestarted processes start up.
    from graphlang.analysis.ingest import find_archives  # noqa: PLC0415

    streams: list[tuple[int, BinaryIO]] = []
    for place, file in enumerate(files):
        if not isinstance(file, str | Path):
            before = find_archives(_list_paths(files[:place]), follow_links=follow_links).files if place else []
            streams.append((len(before), file))
    return _Inputs(find_archives(_list_paths(files), follow_links=follow_links), streams)


def _load_content_method(method: str | Path | Classifier) -> Identifier:
    """Load a content method; a model is not kept for later calls."""
    from graphlang.content import registry  # noqa: PLC0415
    from graphlang.identification import is_url_method, load  # noqa: PLC0415
    from graphlang.modelfile import ModelError  # noqa: PLC0415

    if not isinstance(method, str | Path):
        classifier: Any = load(method)
        identifier: Identifier = classifier
        return identifier
    try:
        return registry.load(str(method))
    except ModelError:
        if is_url_method(str(method)):
            raise ModelError(f"{method} reads URLs: run needs a content method") from None
        raise


def _make_inference(
    connection: sqlite3.Connection, weights: Mapping[str, float], algorithm: str | None, **options: Any
) -> Callable[[int | None], Run]:
    """Return the inference with some weights, as a function of the content run that it starts from."""
    from graphlang.analysis import propagate  # noqa: PLC0415
    from graphlang.graph.options import LARGEST, Options  # noqa: PLC0415

    if wrong := [name for name, value in weights.items() if not is_number(value)]:
        raise ValueError(f"the weight {wrong[0]} is {weights[wrong[0]]!r}, which is not a number")
    values: dict[str, Any] = {name: number(f"the weight {name}", value) for name, value in weights.items()}
    signals = {name: values.pop(name, default) for name, default in propagate.SIGNALS.items()}
    for name, value in signals.items():  # before a run begins; `Options` checks the others
        if not 0 <= value < inf:
            raise ValueError(f"the weight {name} is {value}; it must be a number that is not negative")
        if value > LARGEST:
            raise ValueError(f"the weight {name} is {value}; no weight can be above {LARGEST:g}")
    names = {field.name for field in fields(Options)}
    if unknown := sorted(set(values) - names):
        available = ", ".join(sorted(names | set(signals)))
        raise ValueError(f"no weight is called {', '.join(unknown)}; there are {available}")
    settings = Options(**values)

    def infer(seed: int | None) -> Run:
        return propagate.propagate(
            connection,
            algorithm=propagate.ALGORITHMS[0] if algorithm is None else algorithm,
            options=settings,
            signals=signals,
            seed=seed,
            linked=False,  # methods that list the URLs that were only linked to ask for their answers
            **options,
        )

    return infer
