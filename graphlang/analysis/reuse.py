"""Find the runs of the main job over a collection that has not changed, without its model and its algorithms."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import graphlang
from graphlang.db.runs.lifecycle import digest_input, find_finished, reuse_run
from graphlang.db.runs.run import find_latest_run
from graphlang.graph.options import MAX_INLINKS, MIN_LENGTH, MIN_REF_LENGTH, WEIGHTS, Options

if TYPE_CHECKING:
    import sqlite3

    from graphlang.db.runs.run import Run

#: The default content method, and its model.
METHOD: Final = "nfc"
_MODEL: Final = Path(graphlang.__path__[0]) / "data" / "nfc.npz"


def reuse_job(connection: sqlite3.Connection, *, shares: bool | None) -> Run | None:
    """Return the propagation with which the main job ended, and choose it, if the job would repeat all its runs.

    The job is that of the default method; ``shares`` is as in `classify`. None: a run is missing, or was made of
    another collection, by another model, or by another version.
    """
    content = find_latest_run(connection, "content")
    if content is None or content.method != METHOD or content.collection != digest_input(connection, ()):
        return None
    if (content.version, content.at) != (graphlang.__version__, None) or not _has_defaults(content, shares=shares):
        return None
    options = asdict(Options())
    signals = {name: weight for name, weight in WEIGHTS.items() if name not in options}
    limits = {"min_length": MIN_LENGTH, "min_ref_length": MIN_REF_LENGTH, "max_links": MAX_INLINKS}
    vote, propagation = (
        find_finished(
            connection,
            kind=kind,
            method=method,
            parameters=parameters,
            version=graphlang.__version__,
            seeds=[content.id],
        )
        for kind, method, parameters in (
            ("vote", "inlinks", limits),
            ("propagation", "propagation", {**options, "signals": signals}),
        )
    )
    if vote is None or propagation is None or content.model_hash != _digest_model():
        return None
    reuse_run(connection, propagation, choose_it=True)
    return propagation


def _has_defaults(run: Run, *, shares: bool | None) -> bool:
    """Return whether a content run has the options of the main job; others depend on the model and the version."""
    parameters = run.parameters
    with_shares = True if shares is None else shares
    options = (parameters.get("title"), "anchors" in parameters, "shares" in parameters)
    return options == (True, False, with_shares)


def _digest_model() -> str:
    with _MODEL.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
