"""How the answers of a job were computed: rows of the table of runs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import graphlang
from graphlang.analysis.propagate import SIGNALS
from graphlang.cluster.tables import RUNS
from graphlang.content.page_input import ENOUGH
from graphlang.content.scoring.score_lists import KEPT, LEAST
from graphlang.content.segments.readers import ReadsParts
from graphlang.db.values import now
from graphlang.graph.propagation.options import Options

if TYPE_CHECKING:
    from graphlang.cluster.inference.propagate import Inferred, Sizes


def content_run(identifier: Any, pages: int, started: str) -> dict[str, Any]:
    """The row of what a content method says.

    Args:
        identifier: the method.
        pages: that it was asked of.
        started: when the job began.
    """
    parameters = {"title": True, "main": ENOUGH, "kept": KEPT, "least": LEAST, **identifier.describe()}
    if isinstance(identifier, ReadsParts):
        parameters["shares"] = True
    name, model = identifier.name, identifier.hash
    written = json.dumps(parameters, sort_keys=True)
    known = {"model": name, "model_hash": model, "parameters": written, "seeds": "[]", "started": started}
    return _row(1, "content", name, pages=pages, **known)


def inference_run(inferred: Inferred, sizes: Sizes, started: str, pages: int, *, linked: bool) -> dict[str, Any]:
    """The row of the inference.

    Args:
        inferred: what came of it.
        sizes: how it was cut.
        started: when the job began.
        pages: with an answer.
        linked: whether URLs that were only linked to are answered for.
    """
    parameters = {**asdict(Options()), "signals": SIGNALS}
    parameters |= {"partitions": inferred.partitions, "host_pages": sizes.host_pages}
    known = {"parameters": json.dumps(parameters, sort_keys=True), "seeds": "[1]", "started": started, "chosen": 1}
    known |= {"rounds": inferred.supersteps, "converged": int(inferred.converged), "linked": int(linked)}
    return _row(2, "propagation", "propagation", pages=pages, **known)


def _row(number: int, kind: str, method: str, **known: Any) -> dict[str, Any]:
    """A row of a run that ends now."""
    row = {"id": number, "kind": kind, "method": method, "version": graphlang.__version__, "chosen": 0}
    row |= {"finished": now(), **known}
    return {name: row.get(name) for name in RUNS.names}
