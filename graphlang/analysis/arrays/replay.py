"""A vote or propagation worked out again, with some more pages than it needed, or with an account of some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphlang.analysis.arrays import graph_input
from graphlang.graph import label_spreading, vote
from graphlang.graph.propagation import inference
from graphlang.graph.propagation.options import Options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.db.runs import Run
    from graphlang.graph.result import Answer


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
    """
    parameters = {name: value for name, value in run.parameters.items() if name != "at"}
    signals = parameters.pop("signals", None)
    if run.method == "label-spreading":
        given = loaded.arrays({})
        return given, label_spreading.label_spreading(given.graph, given.evidence)
    options = Options(**parameters) if run.kind == "propagation" else None
    listening = graph_input.Listening.of(options or Options())
    given = loaded.arrays(signals, asked=asked, listening=listening)
    rows = [given.row(page) for page in trace]
    if options is not None:
        return given, inference.propagate(given.graph, given.evidence, options=options, trace=rows)
    most = parameters.pop("max_links")
    if run.method == "outlinks":
        return given, vote.outlinks(given.graph, given.evidence, **parameters, max_outlinks=most, trace=rows)
    return given, vote.inlinks(given.graph, given.evidence, **parameters, max_inlinks=most, trace=rows)
