"""A content or URL run brought up to date with a collection that has grown, with as little work as that needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang import plugins
from graphlang.analysis import classify, collection_methods
from graphlang.analysis.collection_methods import DECLARED, TLD
from graphlang.analysis.progress import SILENT, Progress
from graphlang.content import registry
from graphlang.db import StoreError, snapshot
from graphlang.db.runs.lifecycle import state_seen
from graphlang.db.runs.run import origin_of
from graphlang.urls import url_methods

if TYPE_CHECKING:
    import sqlite3

    from graphlang.db.runs.run import Run


def up_to_date(connection: sqlite3.Connection, run: Run, *, workers: int = 1, progress: Progress = SILENT) -> Run:
    """The same method with the same parameters over the collection as it is now.

    Pages of which there is nothing new to read have the answers of ``run``; the others are read.

    Args:
        connection: a collection opened for writing.
        run: a finished content or URL run.
        workers: see ``classify``.
        progress: reports the pages done.

    Returns:
        ``run`` where it saw the collection as it is now, or as it is shown (``graphlang.db.snapshot``), else a new run.
        The run that the views show stays the same.

    Raises:
        StoreError: the run's model is not at hand, or has changed.
        ModelError: a method that comes without a model, or a program that is not installed.
    """
    shown = snapshot.moment(connection)
    if run.at == shown and run.collection == state_seen(connection, run.seeds):
        return run
    if run.kind == "url" and shown is not None:
        return run  # a URL is the same at any time
    if run.method == DECLARED:
        return collection_methods.classify_declared(connection, choose=False, progress=progress)
    if run.method == TLD:
        start = up_to_date(connection, origin_of(connection, run), workers=workers, progress=progress)
        return collection_methods.classify_tld(connection, seed=start.id, choose=False, progress=progress)
    if run.kind == "url":
        guesser = url_methods.load(run.method) if url_methods.is_url_method(run.method) else None
        if guesser is not None and guesser.hash == run.model_hash:
            return classify.classify_urls(connection, guesser, choose=False, progress=progress)
    elif run.method in registry.names():
        reader = registry.load(run.method)
        if reader.hash == run.model_hash:
            return classify.classify(
                connection,
                reader,
                title=run.parameters["title"],
                anchors=shown is None and run.parameters.get("anchors", False),  # kept of the own captures alone
                shares=run.parameters.get("shares", False),
                choose=False,
                workers=workers,
                progress=progress,
            )
    elif "package" in run.parameters and not plugins.are_enabled():
        origin = f"{run.parameters['package']} {run.parameters.get('version', '')}".rstrip()
        raise StoreError(f"run {run.id}: {run.method} comes from the package {origin}: repeat with --plugins")
    msg = (
        f"the model of run {run.id} ({run.method}) is not the one that comes with the method:"
        f" run 'graphlang classify' with its model file again"
    )
    raise StoreError(msg)
