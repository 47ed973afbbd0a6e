"""Digests of what a run reads: where they are the same, so are the answers, and the work need not be done again."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.lists import ListTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.analysis.graph_input import GraphInput

_BYTES = 8  # what SQLite's INTEGER holds


def of_pages(*columns: Sequence[str] | Sequence[int] | Sequence[bytes]) -> list[int]:
    """A number for each page that tells whether anything of it changed: 64 bits, signed.

    Two pages are never compared, only a page with itself at another time, so that 64 bits are plenty.

    >>> of_pages(["a", "ab"], ["bc", "c"])[0] == of_pages(["ab"], ["c"])[0]  # where a column ends is part of it
    False
    """
    return [_number(parts) for parts in zip(*columns, strict=True)]


def _number(parts: tuple[str | int | bytes, ...]) -> int:
    data = [part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass") for part in parts]
    sizes = repr(list(map(len, data))).encode()
    return int.from_bytes(hashlib.blake2b(b"".join([sizes, *data]), digest_size=_BYTES).digest(), "little", signed=True)


def of_inference(given: GraphInput, parameters: Mapping[str, Any]) -> str:
    """A digest of all that the inference depends on: links, scores, lengths, sites, signals, corrections, parameters.

    Args:
        given: what the graph kernels take.
        parameters: of the run, as JSON can hold them.

    Returns:
        128 bits in hexadecimal.
    """
    graph, evidence = given.graph, given.evidence
    arrays: list[NDArray[np.generic]] = [
        *(graph.source, graph.target, graph.kind, graph.hreflang),
        *_columns(evidence.languages),
        *_columns(evidence.probabilities),
        *(evidence.length, evidence.host),
        *(
            *_columns(given.labels),
            given.no_letters,
            given.unknown,
            given.pages,
            given.stored,
        ),  # the last: whose answers a run keeps as rows
    ]
    if (given.corrected >= 0).any():
        arrays.append(given.corrected)
    if graph.outside is not None:
        arrays.append(graph.outside)
    if graph.leaves is not None:
        arrays.append(graph.leaves)
    if graph.ordinal is not None:
        arrays.append(graph.ordinal)
    if evidence.copies is not None:
        arrays.append(evidence.copies)
    if evidence.directory is not None:
        arrays.append(evidence.directory)
    for name in sorted(evidence.signals):
        signal = evidence.signals[name]
        arrays += [*_columns(signal.languages), *_columns(signal.probabilities)]
    words = [dict(parameters), evidence.codes, sorted(given.language_of.items()), sorted(evidence.signals)]
    return _of_arrays(json.dumps(words, sort_keys=True), arrays)


def _columns(table: NDArray[Any] | ListTable[Any]) -> list[NDArray[Any]]:
    return [table.list_number, table.lists.start, table.lists.values] if isinstance(table, ListTable) else [table]


def _of_arrays(words: str, arrays: Iterable[NDArray[np.generic]]) -> str:
    found = hashlib.blake2b(words.encode(), digest_size=16)
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return found.hexdigest()
