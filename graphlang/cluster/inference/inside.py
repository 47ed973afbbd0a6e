"""The pages that the inference cannot do without, where nobody asks for URLs that were only linked to.

Such a URL teaches others only if a page that listens to its neighbours links to it. In several partitions all others
are left out together with the links to them, which count in the shape of the graph where one task takes all pages.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from graphlang.analysis.arrays.graph_input import join_scripts
from graphlang.cluster.inference.bundle import scores_of
from graphlang.cluster.tables import ddl
from graphlang.graph.propagation.nodes.active_languages import LIKELY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from graphlang.cluster.inference.labels import Labels
    from graphlang.graph.propagation.options import Options

_PAGE: Final = pa.schema([("page", pa.int64())])


def listening(probabilities: NDArray[np.float32], length: NDArray[np.int32], options: Options) -> NDArray[np.bool_]:
    """Which pages listen to their neighbours: those whose text is short, or leaves a question; shape (n,).

    Args:
        probabilities: of the languages of the texts, best first, shape (n, k).
        length: letters of the texts, shape (n,).
        options: what is long and what is sure.
    """
    sure = probabilities[:, 0]
    silent = (sure >= options.doubtful) & (length >= options.clamp_length)
    in_play = (sure >= LIKELY) | ((sure > 0) & (length >= options.certain_length))
    return np.asarray(~(silent & in_play))


def ids_inside(pages: Any, links: Any, labels: Labels, options: Options) -> Any:
    """Ids of the pages that were read, and of those that one of them links to which listens.

    Args:
        pages: a DataFrame of all pages with what a content method says of them, as for `propagate.infer`.
        links: a DataFrame with the columns ``source`` and ``target``.
        labels: of all pages.
        options: what is long and what is sure.
    """
    said = "label IS NOT NULL OR declared IS NOT NULL" if "declared" in pages.columns else "label IS NOT NULL"
    read = pages.where(said)
    shared = pages.sparkSession.sparkContext.broadcast(labels)
    found = read.select("page", "characters", "scores").mapInArrow(partial(_listening, shared, options), ddl(_PAGE))
    heard = links.join(found.withColumnRenamed("page", "source"), "source", "left_semi").selectExpr("target AS page")
    return read.select("page").unionByName(heard).distinct()


def _listening(shared: Any, options: Options, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        table = pa.Table.from_batches([batch])
        own, score = scores_of(table, shared.value)
        indices, probabilities = join_scripts(shared.value.language[own], score)
        characters = table["characters"].fill_null(0).to_numpy()
        length = np.where(indices[:, 0] < 0, 0, characters).astype(np.int32)
        rows = np.flatnonzero(listening(probabilities, length, options))
        yield batch.select(["page"]).take(pa.array(rows))
