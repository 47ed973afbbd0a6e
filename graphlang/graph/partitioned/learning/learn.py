"""What is common to the whole collection, learned once and handed to every partition."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.partitioned.learning.survey import UNIT
from graphlang.graph.propagation import learned as whole
from graphlang.graph.propagation.edges import from_sample
from graphlang.graph.propagation.elsewhere import PlaceCounts
from graphlang.graph.propagation.nodes import site_prior
from graphlang.graph.propagation.nodes.signals import PSEUDO, USUAL, Reliability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.partitioned.borders.introduce import PlaceLabels
    from graphlang.graph.partitioned.cut import Cut
    from graphlang.graph.partitioned.learning.observe import Observed, Rate
    from graphlang.graph.partitioned.learning.survey import Survey


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What every partition is given. Its size goes with the number of hosts that are cut, not with that of pages."""

    model: whole.Learned  #: of the cut hosts, numbered as in ``hosts``, and of all others together
    hosts: NDArray[np.int64]  #: keys of the cut hosts, ascending, shape (H,)
    of_hosts: PlaceLabels  #: certain pages of the cut hosts
    of_directories: PlaceLabels  #: certain pages of the cut directories

    def of(self, hosts: NDArray[np.int64]) -> whole.Learned:
        """The model for the hosts of a partition.

        Args:
            hosts: keys, by number, ascending.
        """
        rows = np.flatnonzero(np.isin(self.hosts, hosts, assume_unique=True))
        model = self.model
        numbers = np.searchsorted(hosts, self.hosts[rows]).astype(np.int32)
        return replace(
            model,
            hosts=numbers,
            sites=model.sites[rows],
            reliability={name: Reliability(one.overall, one.of_hosts[rows]) for name, one in model.reliability.items()},
            compatibility=model.compatibility.of_hosts(rows),
        )


def learn(survey: Survey, observed: Observed, cut: Cut) -> Learned:
    """Learn from what all partitions counted and drew.

    Args:
        survey: of all partitions.
        observed: of all partitions.
        cut: hosts whose pages lie in several partitions.

    Raises:
        ValueError: neither text nor signal names a language.
    """
    active = survey.active()
    if not len(active):
        raise ValueError("there is nothing to learn from: neither text nor signal names a language")
    known = np.where(active >= 0, active, 0)
    shown = active >= 0
    scores, labels = (survey.scores[known] * shown).astype(np.float64) * UNIT, survey.label[known] * shown
    collection = site_prior.of_counts(scores, labels, survey.pages)
    columns = np.full(len(survey.codes), -1, np.int64)
    columns[active[shown]] = np.flatnonzero(shown)

    def sites(labels: PlaceLabels, keys: NDArray[np.int64]) -> NDArray[np.float64]:
        counts, entries = labels.of(keys)
        of = PlaceCounts(keys, np.concatenate([[0], np.cumsum(counts)]), entries["language"], entries["pages"])
        pages = of.table(active, len(survey.codes)).pages
        return np.asarray(
            (pages + site_prior.PAGES * collection) / (pages.sum(axis=1, keepdims=True) + site_prior.PAGES)
        )

    # the sample and the links of hosts that are cut, each once
    drawn = np.concatenate([observed.links, observed.of_cut])
    _, first = np.unique(drawn[["source", "target"]], return_index=True)
    of_sample = first < len(observed.links)
    drawn = drawn[first]
    others = np.setdiff1d(drawn["host"][~drawn["between"]], cut.hosts)
    keys = np.concatenate([cut.hosts, others])
    order = np.argsort(keys, kind="stable")
    number = order[np.minimum(np.searchsorted(keys[order], drawn["host"]), max(len(keys) - 1, 0))] if len(keys) else 0
    group = np.where(drawn["between"], len(keys), number)
    of_cut = sites(survey.hosts_cut, cut.hosts)
    model = from_sample.learn(
        from_sample.Sample(
            drawn["features"],
            drawn["kind"],
            columns[drawn["a"]],
            columns[drawn["b"]],
            group.astype(np.int64),
            of_sample,
        ),
        np.vstack([of_cut, sites(observed.hosts, others)]),
        collection,
        survey.kinds,
        survey.longest(),
        keep=len(cut.hosts),
    )
    rates = {name: _reliability(rate, cut) for name, rate in observed.signals.items()}
    learned = whole.Learned(
        survey.codes, active, np.arange(len(cut.hosts), dtype=np.int32), collection, of_cut, rates, model
    )
    return Learned(learned, cut.hosts, survey.hosts_cut, survey.directories_cut)


def _reliability(rate: Rate, cut: Cut) -> Reliability:
    overall = (rate.right * UNIT + PSEUDO * USUAL) / (rate.pages + PSEUDO)
    right, pages = np.zeros(len(cut.hosts)), np.zeros(len(cut.hosts))
    at = np.searchsorted(cut.hosts, rate.hosts)
    right[at], pages[at] = rate.of_hosts[:, 0] * UNIT, rate.of_hosts[:, 1]
    return Reliability(overall, (right + PSEUDO * overall) / (pages + PSEUDO))
