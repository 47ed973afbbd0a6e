"""Compatibility: how a link couples the languages of its two pages, learned from the collection itself.

No gold labels are needed. Links between two certain pages show how often a link keeps the language, and which
languages it leads to otherwise. A logistic regression carries this over to links of short pages. Its inputs are the
shape of the graph around the link (``edge_features``), the link kind, and an intercept per host. Where a host has few
such links, all are shrunk towards what is usual on the web (Hayati 2004, section 5.3: 95 % of links keep the
language).

For a link from page s to page t the model is

    P(t = b | s = a) = k [a = b] + (1 - k) D(b) (1 - x [a = b]) / (1 - x D(a))

with three parameters. The coupling k is the share of links that keep the language on purpose. D is the distribution of
languages that switching links lead to on this host; often it is one language, as when every page links to untranslated
English pages. The exclusion x is how far switching links avoid the language of their own page. With x = 1 a language
menu lists only *other* languages, so a neighbour's language is evidence *against* one's own. Languages of a host
differ: x, and a term of the log-odds of k, depend on the source's language (``group_tables``).

In large collections the model is learned from a sample of the links. `learn_from_sample` learns the same where the
graph is on several machines: the features come with the links.

Links within a host are a group; links between hosts are one more group, the last. The languages of a host are known to
its own pages, but are evidence for other hosts. With the tables of the source's host for links between hosts, a
monolingual site would be no evidence for the pages of other sites that it links to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.adjacency import pad_values
from graphlang.graph.native import couplings as _kernels
from graphlang.graph.propagation import group_tables, link_regressions
from graphlang.graph.propagation.group_tables import count_tables, estimate_languages, group_of
from graphlang.graph.propagation.link_regressions import (
    CLASSES,
    HIGHEST,
    LOWEST,
    Regression,
    compute_feature_log_odds,
    fit_classes,
    fit_intercepts,
    is_followed,
    link_classes,
    predict_same,
    sigmoid,
)
from graphlang.native.threads import run_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import LinkSubset, SortedLinks
    from graphlang.graph.propagation.edge_features import EdgeFeatures


BLOCK = 1 << 17  #: links that one core handles at a time


@dataclass(frozen=True, slots=True, eq=False)
class CompatibilityModel:
    """Parameters learned from all links; L languages, G groups: hosts, and links between hosts."""

    longest: int  #: longest neighbour list that the features compare
    regressions: Mapping[int, Regression]  #: by kind class
    source_marginal: NDArray[np.float64]  #: language distribution of sources, shape (G, L)
    switch_to: NDArray[np.float64]  #: D above, shape (G, L)
    exclusion: NDArray[np.float32]  #: x above, shape (G, L)
    lean: NDArray[np.float32]  #: term of the log-odds of k per language, shape (G, L)
    by_chance: NDArray[np.float64]  #: probability that a switching link keeps the language, shape (G,)
    exclusion_prior: NDArray[np.float64]  #: distribution of the exclusion over all hosts, shape (7,)

    def apply(
        self,
        ends: LinkSubset,
        features: EdgeFeatures,
        numbers: NDArray[np.int32],
        host: NDArray[np.int32],
        *,
        explained: bool = True,
    ) -> EdgeCompatibility:
        """Apply the model to some links.

        ``features`` are those of all links, ``numbers`` the numbers of these, shape (w,), and ``host`` that of each
        page, 0..G-2, shape (n,). ``explained`` keeps ``p_same``, which only traces read.
        """
        coupling = np.empty(len(numbers), np.float32)
        p_same = np.empty(len(numbers) if explained else 0, np.float32)

        class_of_kind = link_classes()
        classes = range(int(class_of_kind.max()) + 1)
        kind_log_odds = np.choose(class_of_kind, [self.regressions[number].kind_log_odds for number in classes])
        group_log_odds = np.stack([self.regressions[number].group_log_odds for number in classes])
        forwards = is_followed(np.arange(256, dtype=np.uint8))

        def fill(block: slice) -> None:
            block_numbers = numbers[block]
            log_odds = compute_feature_log_odds(self.regressions, ends.kind[block], features, block_numbers)
            link_arrays = (ends.source[block], ends.target[block], ends.kind[block], log_odds)
            tables = (host, group_log_odds, self.by_chance, kind_log_odds, class_of_kind, forwards)
            results = (p_same[block] if explained else None, coupling[block])
            _kernels.couplings(LOWEST, HIGHEST, *link_arrays, *tables, *results)

        list(run_blocks(len(numbers), BLOCK, fill))
        group_arrays = (self.source_marginal, self.switch_to)
        end_arrays = (ends.source, ends.target, ends.kind)
        return EdgeCompatibility(*end_arrays, p_same, coupling, self.exclusion, self.lean, *group_arrays)

    def select_hosts(self, rows: NDArray[np.int64]) -> CompatibilityModel:
        """Select some hosts, by number, shape (H,)."""
        at = np.append(rows, len(self.exclusion) - 1)  # links between hosts are the last group
        regressions = {
            number: replace(model, group_log_odds=model.group_log_odds[at])
            for number, model in self.regressions.items()
        }
        tables = (self.source_marginal[at], self.switch_to[at], self.exclusion[at], self.lean[at], self.by_chance[at])
        return CompatibilityModel(self.longest, regressions, *tables, self.exclusion_prior)

    def merge_hosts(self, rows: NDArray[np.int64], local: CompatibilityModel) -> CompatibilityModel:
        """Combine with a local model: known hosts have the parameters of this one, others those of ``local``.

        ``rows`` has the number of each host in this model, -1 unknown, shape (H,). ``local`` was fitted with
        ``global_model`` set to this one, see ``learn``.
        """
        at = np.append(rows, len(self.exclusion) - 1)  # links between hosts are the last group

        def merge(global_values: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
            return np.where((at >= 0).reshape(-1, *[1] * (global_values.ndim - 1)), global_values[at], other)

        regressions = {}
        for number, model in self.regressions.items():
            group_log_odds = merge(model.group_log_odds, local.regressions[number].group_log_odds)
            regressions[number] = Regression(
                model.mean, model.deviation, model.weights, model.kind_log_odds, group_log_odds
            )
        return CompatibilityModel(
            self.longest,
            regressions,
            merge(self.source_marginal, local.source_marginal),
            merge(self.switch_to, local.switch_to),
            merge(self.exclusion, local.exclusion),
            merge(self.lean, local.lean),
            merge(self.by_chance, local.by_chance),
            self.exclusion_prior,
        )


@dataclass(frozen=True, slots=True, eq=False)
class EdgeCompatibility:
    """Parameters of some links, and the tables of all groups. L languages, G groups, w links."""

    source: NDArray[np.int32]  #: source page of each link, ascending, shape (w,)
    target: NDArray[np.int32]  #: target page, shape (w,)
    kind: NDArray[np.uint8]  #: link kind, shape (w,)
    #: probability that both pages have the same language, shape (w,); (0,) without traces
    p_same: NDArray[np.float32]
    coupling: NDArray[np.float32]  #: k above, shape (w,)
    exclusion: NDArray[np.float32]  #: x above, shape (G, L)
    lean: NDArray[np.float32]  #: term of the log-odds of k per language, shape (G, L)
    source_marginal: NDArray[np.floating[Any]]  #: language distribution of sources, shape (G, L)
    switch_to: NDArray[np.floating[Any]]  #: D above, shape (G, L)


def learn(  # noqa: PLR0917  internal
    links: SortedLinks,
    features: EdgeFeatures,
    host: NDArray[np.int32],
    label: NDArray[np.int16],
    sites: NDArray[np.float64],
    collection: NDArray[np.float64],
    length: NDArray[np.int32],
    *,
    global_model: CompatibilityModel | None = None,
) -> CompatibilityModel:
    """Learn the compatibility of all links of n pages, and of excluded pages behind them.

    Shapes: host number of each page (n,), 0..H-1; label (n,), the column of the language of each certain page, -1 for
    others; sites (H, L) and collection (L,), language distributions; length (n,), characters of text, used to hash
    pages. With a `global_model` of the whole collection only the parameters of these pages' hosts are fitted.
    """
    host, label, length = (
        pad_values(host, links.n, len(sites)),
        pad_values(label, links.n, -1),
        pad_values(length, links.n, 0),
    )
    sites = np.vstack([sites, collection])
    groups = len(sites)
    numbers = draw_sample(links, label, host, length)
    a, b = label[links.source[numbers]].astype(np.int64), label[links.target[numbers]].astype(np.int64)
    group = group_of(links.source[numbers], links.target[numbers], host, groups - 1).astype(np.int64)
    global_regressions = None if global_model is None else global_model.regressions
    regressions = fit_classes(links, features, numbers, a == b, group, groups, global_regressions)
    same = predict_same(regressions, links.kind[numbers], features, numbers, group)
    statistics = count_tables(a, b, group, sites, same)
    exclusion_prior = (
        group_tables.estimate_usual_exclusion(statistics.votes)
        if global_model is None
        else global_model.exclusion_prior
    )
    return CompatibilityModel(
        features.longest,
        regressions,
        *estimate_languages(statistics, sites, exclusion_prior, a, b, group, same),
        exclusion_prior,
    )


AT_ONCE = 1 << 17  #: links, or pages, that one core handles at a time
SAMPLE = 100_000  #: largest number of links to learn from


def draw_sample(
    links: SortedLinks, label: NDArray[np.int16], host: NDArray[np.int32], length: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Draw the links to learn from: those between labelled pages except forwarding links, or a sample of them.

    More than ``SAMPLE`` links are sampled. The sample depends on degrees, languages and lengths of pages and their
    hosts, not on any numbering. Links that are equal in all these are taken or left together, up to twice ``SAMPLE``.
    Return numbers of links, ascending, shape (m,).
    """
    inside = slice(links.inside)  # excluded pages have no label
    degrees = links.outdegree().astype(np.int32), links.indegree().astype(np.int32)
    own_key = _hash_columns(np.zeros(links.inside, np.uint64), *degrees, label[inside], length[inside])
    host_key = np.zeros(int(host.max(initial=-1)) + 1, np.uint64)
    np.add.at(host_key, host[inside], own_key)
    key = np.zeros(links.n, np.uint64)
    key[inside] = _hash_columns(own_key, host_key[host[inside]])
    del own_key, degrees
    labelled, excluded_kinds = label >= 0, is_followed(np.arange(256, dtype=np.uint8))
    hashes, numbers = np.zeros(0, np.uint64), np.zeros(0, np.int32)
    limit = [2**64 - 1]  # a thread may use an older limit and draw too many; they are dropped below

    def draw(block: slice) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        return links.draw(block, labelled, excluded_kinds, key, limit[0])

    for new, new_hashes in run_blocks(links.m, AT_ONCE, draw):
        hashes, numbers = np.concatenate([hashes, new_hashes]), np.concatenate([numbers, new])
        if len(numbers) > 2 * SAMPLE:
            limit[0] = int(np.partition(hashes, SAMPLE - 1)[SAMPLE - 1])
            within_limit = np.flatnonzero(hashes <= limit[0])[: 2 * SAMPLE]
            hashes, numbers = hashes[within_limit], numbers[within_limit]
    if len(numbers) > SAMPLE:
        numbers = numbers[hashes <= np.partition(hashes, SAMPLE - 1)[SAMPLE - 1]]
    return numbers


def _hash_columns(key: NDArray[np.uint64], *columns: NDArray[Any]) -> NDArray[np.uint64]:
    """Hash some columns of each page."""
    hashes = key.copy()
    for at in range(0, len(hashes), AT_ONCE):
        block = hashes[at : at + AT_ONCE]
        for values in columns:
            block ^= values[at : at + AT_ONCE].astype(np.uint64)
            block *= np.uint64(0x9E3779B97F4A7C15)
            block ^= block >> np.uint64(29)
    return hashes


HOSTS_AT_ONCE = 4096  #: hosts whose tables are in memory at a time


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """m links between certain pages, on G hosts; languages are columns."""

    features: NDArray[np.float32]  #: shape (m, 14)
    kind: NDArray[np.uint8]  #: shape (m,)
    a: NDArray[np.int64]  #: language of the source, shape (m,)
    b: NDArray[np.int64]  #: language of the target, shape (m,)
    group: NDArray[np.int64]  #: number of the host of both ends, G between hosts, shape (m,)
    shared: NDArray[np.bool_]  #: used for all parameters; other links only for those of their hosts, shape (m,)

    def select(self, rows: NDArray[Any]) -> Sample:
        """Select some of the links."""
        return Sample(*(getattr(self, name)[rows] for name in ("features", "kind", "a", "b", "group", "shared")))


def learn_from_sample(
    sample: Sample,
    sites: NDArray[np.float64],
    collection: NDArray[np.float64],
    present: NDArray[np.bool_],
    longest: int,
    *,
    keep: int,
) -> CompatibilityModel:
    """Learn what ``learn`` does, from a sample of links.

    ``sites`` has the language distribution of each host, shape (G, L), ``collection`` that of the collection, shape
    (L,). ``present`` are the kinds in the collection, shape (256,), ``longest`` is the longest neighbour list that the
    features compared. The model has the first ``keep`` hosts.
    """
    sites = np.vstack([sites, collection])
    groups = len(sites)
    class_of_kind = link_classes()
    regressions: dict[int, Regression] = {}
    for number in sorted({0, *CLASSES.values()}):
        of_class = class_of_kind[sample.kind] == number
        shared = sample.select(of_class & sample.shared)
        arguments = (
            shared.features,
            shared.kind,
            (shared.a == shared.b).astype(np.float64),
            shared.group,
            groups,
            present,
        )
        model = link_regressions.fit_class(*arguments)
        members = sample.select(of_class)
        if len(members.kind) > len(shared.kind):  # hosts that are cut have more links than those of the sample
            offset = _log_odds_of_features(model, members) + model.kind_log_odds[members.kind]
            same = (members.a == members.b).astype(np.float64)
            intercepts = fit_intercepts(same, offset, members.group, groups)
            host_only = np.setdiff1d(members.group[~members.shared], [groups - 1])
            group_log_odds = model.group_log_odds.copy()
            group_log_odds[host_only] = intercepts[host_only]
            model = Regression(model.mean, model.deviation, model.weights, model.kind_log_odds, group_log_odds)
        regressions[number] = model
    p_same = np.empty(len(sample.kind))
    for number, model in regressions.items():
        rows = np.flatnonzero(class_of_kind[sample.kind] == number)
        selection = sample.select(rows)
        p_same[rows] = (
            _log_odds_of_features(model, selection)
            + model.kind_log_odds[selection.kind]
            + model.group_log_odds[selection.group]
        )
    p_same = np.clip(sigmoid(p_same), link_regressions.LOWEST, link_regressions.HIGHEST)
    kept_groups = np.append(np.arange(keep), groups - 1)
    votes = np.zeros(len(group_tables.EXCLUSIONS))
    blocks = []
    for at in range(0, groups, HOSTS_AT_ONCE):
        stop = min(at + HOSTS_AT_ONCE, groups)
        rows = np.flatnonzero((sample.group >= at) & (sample.group < stop))
        selection = sample.select(rows)
        statistics = group_tables.count_tables(
            selection.a, selection.b, selection.group - at, sites[at:stop], p_same[rows]
        )
        votes += statistics.votes
        blocks.append(
            statistics.select(
                kept_groups[(kept_groups >= at) & (kept_groups < stop)] - at, int(np.searchsorted(kept_groups, at))
            )
        )
    exclusion_prior = group_tables.estimate_usual_exclusion(votes)
    joined = group_tables.GroupTables(
        np.concatenate([block.source_marginal for block in blocks]),
        np.concatenate([block.switch_to for block in blocks]),
        np.concatenate([block.pair for block in blocks]),
        np.concatenate([block.fits for block in blocks], axis=1),
    )
    rows = np.flatnonzero(np.isin(sample.group, kept_groups))
    selection = sample.select(rows)
    group = np.searchsorted(kept_groups, selection.group)
    return CompatibilityModel(
        longest,
        {
            number: Regression(
                model.mean, model.deviation, model.weights, model.kind_log_odds, model.group_log_odds[kept_groups]
            )
            for number, model in regressions.items()
        },
        *group_tables.estimate_languages(
            joined, sites[kept_groups], exclusion_prior, selection.a, selection.b, group, p_same[rows]
        ),
        exclusion_prior,
    )


def _log_odds_of_features(regression: Regression, sample: Sample) -> NDArray[np.float64]:
    """Return the part of the log-odds that the features contribute, as the kernel computes it."""
    scaled = (sample.features - regression.mean) / regression.deviation
    clipped = np.clip(scaled, -link_regressions.STEEPEST, link_regressions.STEEPEST)
    return np.asarray((clipped.astype(np.float64) @ regression.weights).astype(np.float32), np.float64)
