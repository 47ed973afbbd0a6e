"""Fit the weights of the inference on labelled pages, judged on sites that the fit has not seen.

The compatibility of links and the reliability of each signal are learned from the collection itself; what is left to
fit are the few weights of ``SEARCHED``, and how far a text's probability is to be believed (``calibration``).
The search goes from one weight to the next and takes the value with the lowest
loss (mean negative log probability of the gold language, each site counting the same), if the sites agree that it is
better than the present one: its gain must exceed two standard errors over the sites, for a few sites are easily fitted,
and none is like another. It ends when a whole turn changes nothing. What counts are the pages that a link leads to or
from: of all others the links say nothing. To tell what the fit is worth elsewhere, the sites are dealt into folds, and
each fold is judged with the weights fitted on the others.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.analysis.progress import SILENT, Progress
from graphlang.db import StoreError
from graphlang.graph.propagation.inference import Options, propagate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.analysis.graph_input import GraphInput
    from graphlang.evaluation.evaluate import Gold

#: Weight -> values that are tried.
SEARCHED: dict[str, tuple[float, ...]] = {
    "neighbours": (0.0, 0.5, 0.75, 1.0, 1.5),
    "site": (0.0, 0.25, 0.5, 0.75, 1.0, 1.25),
    "directory": (0.0, 0.5, 1.0, 2.0),
    "hreflang": (0.0, 0.5, 1.0, 1.5),
    "link_order": (0.0, 0.5, 1.0, 1.5),
    "degree": (2.0, 3.0, 4.0, 6.0, 12.0),
    "declared": (0.0, 0.5, 1.0, 1.5),
    "cctld": (0.0, 0.25, 0.5, 1.0),
    "url": (0.0, 0.25, 0.5, 1.0, 1.5),
    # The loss alone would take 1.5: then one in five of the wrong long pages of the development sets is told at .99. A
    # twentieth brings the calibration error of all of them below .01, and takes next to none of these pages there.
    "calibration": (0.8, 0.9, 1.0, 1.05),
}
#: Of these, those that 1 takes as they stand; the other is a limit.
WEIGHTS = tuple(name for name in SEARCHED if name != "degree")
FOLDS = 5
ERRORS = 2.0  #: standard errors by which another weight has to be better
FEW = 3  #: below so many sites there is no telling what the error is, and any gain counts
_TURNS = 4
_LEAST = 1e-3  # a gold language that is not among the few kept has at most so much


@dataclass(frozen=True, slots=True)
class Tuned:
    """What the fit found."""

    weights: dict[str, float]  #: fitted on all sites
    sites: int  #: with gold pages
    pages: int  #: gold pages that count
    loss_before: float  #: with the weights it started from
    loss: float  #: with ``weights``, on the pages they were fitted on
    held_out_before: float | None  #: the same on held-out sites; None where there is one site only
    held_out: float | None


def tune(
    labelled: Sequence[tuple[GraphInput, Gold]],
    start: Mapping[str, float],
    *,
    options: Options | None = None,
    progress: Progress = SILENT,
) -> Tuned:
    """Fit the weights.

    Args:
        labelled: collections, the seeds loaded with every signal of ``start`` that may be tried, and their labelled
            pages; all sites of all collections count the same.
        start: weights to start from, by the names of ``SEARCHED``.
        options: the other options of the inference.
        progress: told of inferences done.

    Raises:
        StoreError: of a collection, no gold page is in it, or none of its languages.
    """
    search = _Search([_Labelled.of(*one) for one in labelled], options or Options(), progress)
    first = {name: float(start[name]) for name in SEARCHED}
    sites = np.unique(search.host)
    everything = np.ones(len(search.host), dtype=np.bool_)
    held_before, held_after = [], []
    fold_of = np.searchsorted(sites, search.host) % min(FOLDS, len(sites))
    for fold in range(min(FOLDS, len(sites))) if len(sites) > 1 else ():
        out = fold_of == fold
        fitted = search.descend(first, ~out)
        held_before.append(search.loss(first, out))
        held_after.append(search.loss(fitted, out))
    best = search.descend(first, everything)
    return Tuned(
        best,
        len(sites),
        len(search.host),
        search.loss(first, everything),
        search.loss(best, everything),
        float(np.mean(held_before)) if held_before else None,
        float(np.mean(held_after)) if held_after else None,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Labelled:
    """A collection with the rows of its gold pages that have links, and the indices of their languages.

    Where no gold page has a link, all of them; none that somebody corrected.
    """

    given: GraphInput
    rows: NDArray[np.int64]
    answers: NDArray[np.int64]

    @classmethod
    def of(cls, given: GraphInput, gold: Gold) -> _Labelled:
        index = {code: number for number, code in enumerate(given.evidence.codes)}
        known = [(page - 1, index[code]) for page, code in zip(gold.pages, gold.language, strict=True) if code in index]
        labelled = given.evidence.is_labelled()
        known = [(row, answer) for row, answer in known if not labelled[row]]
        if not known:
            raise StoreError("none of the gold pages is in the database with a language that the seeds know")
        rows, answers = (np.array(column, dtype=np.int64) for column in zip(*known, strict=True))
        linked = np.zeros(given.graph.n, dtype=np.bool_)
        linked[given.graph.source] = linked[given.graph.target] = True
        some = linked[rows] if linked[rows].any() else np.ones(len(rows), dtype=np.bool_)
        return cls(given, rows[some], answers[some])


class _Search:
    """Losses by weights; an inference is made once, however many folds look at it."""

    def __init__(self, labelled: Sequence[_Labelled], options: Options, progress: Progress) -> None:
        self.labelled, self.options, self.progress = labelled, options, progress
        hosts = [one.given.evidence.host[one.rows].astype(np.int64) for one in labelled]
        before = np.cumsum([0, *(int(host.max()) + 1 for host in hosts)])
        #: number of the site of each gold page; those of different collections are different
        self.host = np.concatenate([host + first for host, first in zip(hosts, before, strict=False)])
        self.known: dict[tuple[float, ...], NDArray[np.float64]] = {}
        progress.stage("tune", None, "inferences")

    def loss(self, weights: Mapping[str, float], which: NDArray[np.bool_]) -> float:
        """Mean loss of the pages ``which``, each site counting the same."""
        return float(np.mean(self._of_sites(weights, which)))

    def descend(self, start: Mapping[str, float], which: NDArray[np.bool_]) -> dict[str, float]:
        """The best weights that changing one at a time leads to."""
        best, least = dict(start), self._of_sites(start, which)
        for _ in range(_TURNS):
            before = best
            for name, values in SEARCHED.items():
                if not self._matters(name):
                    continue
                tried = [{**best, name: value} for value in values]
                losses = [self._of_sites(weights, which) for weights in tried]
                place = int(np.argmin([loss.mean() for loss in losses]))
                if _better(losses[place], least):
                    best, least = tried[place], losses[place]
            if best == before:
                break
        return best

    def _of_sites(self, weights: Mapping[str, float], which: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Mean loss on each site of the pages ``which``."""
        _, host = np.unique(self.host[which], return_inverse=True)
        return np.asarray(np.bincount(host, self._losses(weights)[which]) / np.bincount(host))

    def _matters(self, name: str) -> bool:
        """A signal that no collection has need not be tried."""
        graphs = [one.given.graph for one in self.labelled]
        if name == "hreflang":
            return any((graph.hreflang >= 0).any() for graph in graphs)
        if name == "link_order":
            return any(graph.ordinal is not None for graph in graphs)
        if name in asdict(self.options):
            return True
        signals = [one.given.evidence.signals.get(name) for one in self.labelled]
        return any(
            signal is not None and bool(signal.languages.size and signal.languages.max() >= 0) for signal in signals
        )

    def _losses(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        key = tuple(weights[name] for name in SEARCHED)
        if key not in self.known:
            self.known[key] = np.concatenate([self._of_one(one, weights) for one in self.labelled])
            self.progress.advance(len(self.known))
        return self.known[key]

    def _of_one(self, one: _Labelled, weights: Mapping[str, float]) -> NDArray[np.float64]:
        evidence = one.given.evidence
        signals = {name: replace(signal, weight=weights[name]) for name, signal in evidence.signals.items()}
        own: dict[str, Any] = {name: weights[name] for name in SEARCHED if name in asdict(self.options)}
        options = replace(self.options, **own)
        answer = propagate(one.given.graph, replace(evidence, signals=signals), options=options)
        hit = answer.languages[one.rows] == one.answers[:, None]
        return np.asarray(-np.log(np.maximum((answer.probabilities[one.rows] * hit).sum(axis=1), _LEAST)))


def _better(loss: NDArray[np.float64], than: NDArray[np.float64]) -> bool:
    """Whether losses by site are lower by more than ``ERRORS`` standard errors of their difference."""
    gain = than - loss
    error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) >= FEW else 0.0
    return bool(gain.mean() > max(ERRORS * error, 1e-6))
