"""A vote or propagation worked out again, with some more pages than it needed, or with an account of some."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Final

from graphlang.analysis import graph_input
from graphlang.analysis.signals import NAMES
from graphlang.db import values
from graphlang.graph import label_spreading, vote
from graphlang.graph.data import LARGEST
from graphlang.graph.propagation import inference
from graphlang.graph.propagation.options import Options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.db.runs.run import Run
    from graphlang.graph.data import Answer

#: Parameters that say what a run saw, or how a cluster cut its work, and not how it answers.
ASIDE: Final = frozenset({"at", "partitions", "host_pages"})
#: Rounds that are repeated at most: who repeats a stranger's run may not want to wait for as many as it says.
_ROUNDS: Final = 10_000


def replay(
    run: Run,
    loaded: graph_input.Loaded,
    asked: NDArray[Any],
    trace: Sequence[int] = (),
) -> tuple[graph_input.GraphInput, Answer]:
    """What the run answers for the pages that it kept, and for those that are asked for.

    Args:
        run: a vote of neighbours or a propagation.
        loaded: what its content run says, and the links, of the collection that it saw; of a run of another time
            read while its moment is shown (``graphlang.db.snapshot``).
        asked: ids of pages, ascending.
        trace: ids of pages that are kept or asked for, whose reasons are wanted.

    Returns:
        The rows, and the answers by row.

    Raises:
        StoreError: the run's parameters are none of such a run.
    """
    if run.method == "label-spreading":
        given = loaded.arrays({})
        return given, label_spreading.label_spreading(given.graph, given.evidence)
    options, signals, limits = _parameters(run)
    listening = graph_input.Listening.of(options or Options())
    given = loaded.arrays(signals, asked=asked, listening=listening)
    rows = [given.row(page) for page in trace]
    if options is not None:
        return given, inference.propagate(given.graph, given.evidence, options=options, trace=rows)
    most = limits.pop("max_links")
    if run.method == "outlinks":
        return given, vote.outlinks(given.graph, given.evidence, **limits, max_outlinks=most, trace=rows)
    return given, vote.inlinks(given.graph, given.evidence, **limits, max_inlinks=most, trace=rows)


def _parameters(run: Run) -> tuple[Options | None, dict[str, float] | None, dict[str, int]]:
    """Options and weights of signals of a propagation, or limits of a vote, as a run that can be repeated has them.

    Raises:
        StoreError: they are none.
    """
    given = {name: value for name, value in run.parameters.items() if name not in ASIDE}
    with values.reading("runs.parameters"):
        if run.kind != "propagation":
            limits = {name: index(given.pop(name)) for name in ("min_length", "min_ref_length", "max_links")}
            limits["rounds"] = index(given.pop("rounds", 1))
            if given or min(limits.values()) < 0 or not 0 < limits["rounds"] <= _ROUNDS:
                raise ValueError(f"{[*given, *limits.values()]} are no limits of a vote")
            return None, None, limits
        weights = given.pop("signals", None)
        signals = None if weights is None else {name: float(weight) for name, weight in weights.items()}
        if signals and not (
            signals.keys() <= set(NAMES) and all(0 <= weight <= LARGEST for weight in signals.values())
        ):
            raise ValueError(f"{signals} are no weights of signals")
        options = Options(**given)
        if options.rounds > _ROUNDS:
            raise ValueError(f"{options.rounds} rounds are more than {_ROUNDS}")
        return options, signals, {}
