"""Repeat a vote or propagation, with more pages than it answered for, or with traces."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Final

from graphlang.analysis import graph_input
from graphlang.analysis.signals import NAMES
from graphlang.db import values
from graphlang.graph import baselines, vote
from graphlang.graph.options import LARGEST, Options
from graphlang.graph.propagation import inference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.db.runs.run import Run
    from graphlang.graph.data import Answer

#: Parameters that do not affect the answers of a page: the moment, and the partitions of a cluster.
ASIDE: Final = frozenset({"at", "partitions", "host_pages"})
#: Largest number of rounds to repeat, since a run of a foreign database may ask for any number.
_ROUNDS: Final = 10_000


def replay(
    run: Run,
    loaded: graph_input.LoadedRun,
    requested: NDArray[Any],
    trace: Sequence[int] = (),
) -> tuple[graph_input.GraphInput, Answer]:
    """Return the answers of a run for its pages and ``requested`` ones, by row.

    ``loaded`` is the content run and the links that the run used; a run of another moment is replayed while that moment
    is shown (``graphlang.db.snapshot``). ``requested`` and ``trace`` (pages to explain) are ids. Raise a StoreError if
    the run has invalid parameters.
    """
    if run.method == "label-spreading":
        inputs = loaded.make_input()
        return inputs, baselines.spread_labels(inputs.graph, inputs.evidence)
    options, signals, limits = _parse_parameters(run)
    clamp_limits = graph_input.ClampLimits.from_options(options or Options())
    inputs = loaded.make_input(signals, requested=requested, limits=clamp_limits)
    rows = [inputs.find_row(page) for page in trace]
    if options is not None:
        return inputs, inference.propagate(inputs.graph, inputs.evidence, options=options, trace=rows)
    max_links = limits.pop("max_links")
    if run.method == "outlinks":
        return inputs, vote.outlinks(inputs.graph, inputs.evidence, **limits, max_outlinks=max_links, trace=rows)
    return inputs, vote.inlinks(inputs.graph, inputs.evidence, **limits, max_inlinks=max_links, trace=rows)


def _parse_parameters(run: Run) -> tuple[Options | None, dict[str, float] | None, dict[str, int]]:
    """Return options and signal weights of a propagation, or limits of a vote.

    Raise a StoreError if they are invalid.
    """
    parameters = {name: value for name, value in run.parameters.items() if name not in ASIDE}
    with values.translate_errors("runs.parameters"):
        if run.kind != "propagation":
            limits = {name: index(parameters.pop(name)) for name in ("min_length", "min_ref_length", "max_links")}
            limits["rounds"] = index(parameters.pop("rounds", 1))
            if parameters or min(limits.values()) < 0 or not 0 < limits["rounds"] <= _ROUNDS:
                raise ValueError(f"{[*parameters, *limits.values()]} are no limits of a vote")
            return None, None, limits
        weights = parameters.pop("signals", None)
        signals = None if weights is None else {name: float(weight) for name, weight in weights.items()}
        if signals and not (
            signals.keys() <= set(NAMES) and all(0 <= weight <= LARGEST for weight in signals.values())
        ):
            raise ValueError(f"{signals} are no weights of signals")
        options = Options(**parameters)
        if options.rounds > _ROUNDS:
            raise ValueError(f"{options.rounds} rounds are more than {_ROUNDS}")
        return options, signals, {}
