"""The inference with weights that somebody gave by their names."""

from __future__ import annotations

from dataclasses import fields
from math import inf
from typing import TYPE_CHECKING, Any

from graphlang.analysis import propagate
from graphlang.arguments import is_number, number
from graphlang.graph.data import LARGEST
from graphlang.graph.propagation.options import Options

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from graphlang.db.runs.run import Run


def inference(
    connection: sqlite3.Connection, *, weights: Mapping[str, float], algorithm: str | None, **how: Any
) -> Callable[[int | None], Run]:
    """The inference with some weights, as a function of the content run that it starts from.

    Args:
        connection: a collection opened for writing.
        weights: weights, limits and signals by their names; those that are not named keep their defaults.
        algorithm: a name of ``graphlang.analysis.propagate.ALGORITHMS``; the first if not given.
        how: all else that `graphlang.analysis.propagate.propagate` takes.

    Raises:
        ValueError: a weight that does not exist, is negative, too large or no number.
    """
    if wrong := [name for name, value in weights.items() if not is_number(value)]:
        raise ValueError(f"the weight {wrong[0]} is {weights[wrong[0]]!r}, which is no number")
    given: dict[str, Any] = {name: number(f"the weight {name}", value) for name, value in weights.items()}
    signals = {name: given.pop(name, default) for name, default in propagate.SIGNALS.items()}
    for name, value in signals.items():  # before a run is begun; the options see to theirs
        if not 0 <= value < inf:
            raise ValueError(f"the weight {name} is {value}; it must be a number that is not negative")
        if value > LARGEST:
            raise ValueError(f"the weight {name} is {value}; no weight can be above {LARGEST:g}")
    known = {field.name for field in fields(Options)}
    if unknown := sorted(set(given) - known):
        names = ", ".join(sorted(known | set(signals)))
        raise ValueError(f"no weight is called {', '.join(unknown)}; there are {names}")
    options = Options(**given)

    def inferred(seed: int | None) -> Run:
        return propagate.propagate(
            connection,
            algorithm=propagate.ALGORITHMS[0] if algorithm is None else algorithm,
            options=options,
            signals=signals,
            seed=seed,
            linked=False,  # whatever lists the URLs that were only linked to asks for their answers
            **how,
        )

    return inferred
