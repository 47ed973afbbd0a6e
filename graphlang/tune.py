"""Fit the weights of the inference on labelled pages, judged on sites that the fit has not seen.

The couplings and the reliability of each signal are learned from the collection itself; what is left to fit are the
few weights of ``SEARCHED``. The search goes from one weight to the next and keeps what lowers the loss (mean negative
log probability of the gold language, each site counting the same), until a whole turn changes nothing. To tell what
that is worth elsewhere, the sites are dealt into folds, and each fold is judged with the weights fitted on the others.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.analysis.progress import SILENT, Progress
from graphlang.db import StoreError
from graphlang.graph.propagate import Options, propagate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.analysis.seeds import Seeds
    from graphlang.evaluate import Gold

#: Weight -> values that are tried.
SEARCHED: dict[str, tuple[float, ...]] = {
    "neighbours": (0.0, 0.5, 0.75, 1.0, 1.5),
    "site": (0.0, 0.25, 0.5, 0.75, 1.0),
    "directory": (0.0, 0.5, 1.0),
    "hreflang": (0.0, 0.5, 1.0, 1.5),
    "listed": (0.0, 0.5, 1.0, 1.5),
    "degree": (3.0, 6.0, 12.0),
    "declared": (0.0, 0.5, 1.0, 1.5),
    "cctld": (0.0, 0.25, 0.5, 1.0),
    "url": (0.0, 0.25, 0.5, 1.0),
}
FOLDS = 5
_TURNS = 4
_LEAST = 1e-3  # a gold language that is not among the few kept has at most so much


@dataclass(frozen=True, slots=True)
class Tuned:
    """What the fit found."""

    weights: dict[str, float]  #: fitted on all sites
    sites: int  #: with gold pages
    pages: int
    loss_before: float  #: with the weights it started from
    loss: float  #: with ``weights``, on the pages they were fitted on
    held_out_before: float | None  #: the same on held-out sites; None where there is one site only
    held_out: float | None


def tune(
    given: Seeds, gold: Gold, start: Mapping[str, float], *, options: Options | None = None, progress: Progress = SILENT
) -> Tuned:
    """Fit the weights.

    Args:
        given: the seeds, loaded with every signal of ``start`` that may be tried.
        gold: labelled pages.
        start: weights to start from, by the names of ``SEARCHED``.
        options: the other options of the inference.
        progress: told of inferences done.

    Raises:
        StoreError: no gold page is in the collection, or none of its languages.
    """
    index = {code: number for number, code in enumerate(given.evidence.codes)}
    known = [(page - 1, index[code]) for page, code in zip(gold.pages, gold.language, strict=True) if code in index]
    if not known:
        raise StoreError("none of the gold pages is in this database with a language that the seeds know")
    rows, answers = (np.array(column, dtype=np.int64) for column in zip(*known, strict=True))
    search = _Search(given, rows, answers, options or Options(), progress)
    first = {name: float(start[name]) for name in SEARCHED}
    sites = np.unique(given.evidence.host[rows])
    everything = np.ones(len(rows), dtype=np.bool_)
    held_before, held_after = [], []
    fold_of = np.searchsorted(sites, given.evidence.host[rows]) % min(FOLDS, len(sites))
    for fold in range(min(FOLDS, len(sites))) if len(sites) > 1 else ():
        out = fold_of == fold
        fitted = search.descend(first, ~out)
        held_before.append(search.loss(first, out))
        held_after.append(search.loss(fitted, out))
    best = search.descend(first, everything)
    return Tuned(
        best,
        len(sites),
        len(rows),
        search.loss(first, everything),
        search.loss(best, everything),
        float(np.mean(held_before)) if held_before else None,
        float(np.mean(held_after)) if held_after else None,
    )


class _Search:
    """Losses by weights; an inference is made once, however many folds look at it."""

    def __init__(
        self,
        given: Seeds,
        rows: NDArray[np.int64],
        answers: NDArray[np.int64],
        options: Options,
        progress: Progress,
    ) -> None:
        self.given, self.rows, self.answers, self.options, self.progress = given, rows, answers, options, progress
        self.host = given.evidence.host[rows]
        self.known: dict[tuple[float, ...], NDArray[np.float64]] = {}
        progress.stage("tune", None, "inferences")

    def loss(self, weights: Mapping[str, float], which: NDArray[np.bool_]) -> float:
        """Mean loss of the pages ``which``, each site counting the same."""
        losses = self._losses(weights)[which]
        _, host = np.unique(self.host[which], return_inverse=True)
        return float(np.mean(np.bincount(host, losses) / np.bincount(host)))

    def descend(self, start: Mapping[str, float], which: NDArray[np.bool_]) -> dict[str, float]:
        """The best weights that changing one at a time leads to."""
        best, least = dict(start), self.loss(start, which)
        for _ in range(_TURNS):
            before = least
            for name, values in SEARCHED.items():
                if not self._matters(name):
                    continue
                for value in values:
                    tried = {**best, name: value}
                    loss = self.loss(tried, which)
                    if loss < least - 1e-6:
                        best, least = tried, loss
            if least >= before - 1e-6:
                break
        return best

    def _matters(self, name: str) -> bool:
        """A signal that the collection does not have need not be tried."""
        if name == "hreflang":
            return bool((self.given.graph.hreflang >= 0).any())
        if name == "listed":
            return self.given.graph.place is not None
        if name in asdict(self.options):
            return True
        signal = self.given.evidence.signals.get(name)
        return signal is not None and bool((signal.languages >= 0).any())

    def _losses(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        key = tuple(weights[name] for name in SEARCHED)
        if key not in self.known:
            evidence = self.given.evidence
            signals = {name: replace(signal, weight=weights[name]) for name, signal in evidence.signals.items()}
            own: dict[str, Any] = {name: weights[name] for name in SEARCHED if name in asdict(self.options)}
            answer = propagate(
                self.given.graph, replace(evidence, signals=signals), options=replace(self.options, **own)
            )
            hit = answer.languages[self.rows] == self.answers[:, None]
            chance = (answer.probabilities[self.rows] * hit).sum(axis=1)
            self.known[key] = -np.log(np.maximum(chance, _LEAST))
            self.progress.advance(len(self.known))
        return self.known[key]
