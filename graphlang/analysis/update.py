"""Update a content or URL run after the collection has grown, reading only what has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang import plugins
from graphlang.analysis import classify, collection_methods
from graphlang.analysis.collection_methods import DECLARED, TLD
from graphlang.analysis.progress import SILENT, Progress
from graphlang.content import registry
from graphlang.db import StoreError, snapshot
from graphlang.db.runs.lifecycle import digest_input
from graphlang.db.runs.run import get_origin
from graphlang.urls import url_methods

if TYPE_CHECKING:
    import sqlite3

    from graphlang.db.runs.run import Run


def update_run(connection: sqlite3.Connection, run: Run, *, workers: int = 1, progress: Progress = SILENT) -> Run:
    """Return a run of the same method and parameters over the current collection.

    Unchanged pages get the answers of ``run``; others are read. It is ``run`` itself if that is up to date with the
    collection, or with the moment shown (``graphlang.db.snapshot``). The views still show the same run.

    Raise a StoreError if the run's model is missing or has changed, a ModelError for a method without a model, or a
    program that is not installed.
    """
    moment = snapshot.get_moment(connection)
    if run.at == moment and run.collection == digest_input(connection, run.seeds):
        return run
    if run.kind == "url" and moment is not None:
        return run  # a URL is the same at any time
    if run.method == DECLARED:
        return collection_methods.classify_declared(connection, choose=False, progress=progress)
    if run.method == TLD:
        start = update_run(connection, get_origin(connection, run), workers=workers, progress=progress)
        return collection_methods.classify_tld(connection, seed=start.id, choose=False, progress=progress)
    if run.kind == "url":
        url_identifier = url_methods.load(run.method) if url_methods.is_url_method(run.method) else None
        if url_identifier is not None and url_identifier.hash == run.model_hash:
            return classify.classify_urls(connection, url_identifier, choose=False, progress=progress)
    elif run.method in registry.names():
        identifier = registry.load(run.method)
        if identifier.hash == run.model_hash:
            return classify.classify(
                connection,
                identifier,
                title=run.parameters["title"],
                anchors=moment is None and run.parameters.get("anchors", False),  # stored for main captures only
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
