"""Node potentials: evidence of every page before messages.

The log-potential of a latent page is the sum of the log-prior of its site, the log-likelihood of its text, and its
signals. A clamped page keeps the probabilities of its text for the active languages. If they are sure, it sends a
one-hot belief; its answer is calibrated.

The calibration is a temperature (Guo et al. 2017, section 4.2), fitted with the weights. A text is identified among
all languages of the model, but its page only among those of the collection, so confidence is a little below accuracy.

A doubtful long page starts from the probabilities of its text too. It uses its signals and its clamped neighbours, but
not the languages of its site and of lists. These are counted on certain pages (`COUNTED`), and a language that texts
are never sure of is missing there.

The URL of a page without text counts only for its own answer (`UrlEvidence`). Words in URLs are English on sites of
all languages, so neighbours of unfetched pages would receive English from each of them. A URL contains its TLD, so the
ccTLD counts only where the URL names no language.

Texts and signals become tables one block of pages at a time. So memory grows with the latent pages, not with all
pages; priors have a number for each active language and each host or directory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE
from graphlang.graph.propagation import candidates, likelihoods, link_order, site_prior
from graphlang.graph.tables import compute_row_maxima, find_best_columns, softmax
from graphlang.native.threads import run_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import SortedLinks
    from graphlang.graph.data import Evidence, FixedBeliefs, Signal
    from graphlang.graph.options import Options
    from graphlang.graph.propagation.learned import Learned
    from graphlang.graph.propagation.roles import PageRoles
    from graphlang.graph.propagation.site_prior import Counted, Prior
    from graphlang.graph.tables import ScoreTables

BLOCK = 1 << 12  #: pages whose tables one core holds at a time
AHEAD = 8  #: blocks of beliefs that are computed while others are copied
URL = "url"  #: name of the signal that pages without text do not pass on
CCTLD = "cctld"  #: name of the signal that a URL with a language repeats, since it contains its TLD
COUNTED = ("site", link_order.NAME)  #: terms counted on certain pages, which doubtful long pages do not use
#: Share of a long text's probability of inactive languages that stays in the answer. They are unlikely, but a text that
#: fits its language badly may be in a language unknown to the model.
LEFT = 0.35
ONE_HOT = 0.99  #: clamped pages send a one-hot belief from this probability on


@dataclass(frozen=True, slots=True, eq=False)
class ClampedBeliefs:
    """Beliefs of clamped pages; n pages, c of them clamped, d of these unsure; k languages per answer."""

    one_hot: NDArray[np.bool_]  #: clamped pages with a one-hot belief, shape (n,)
    unsure: NDArray[np.int64]  #: rows of the other clamped pages, ascending, shape (d,)
    unsure_belief: NDArray[np.float32]  #: their beliefs, shape (d, L)
    answers: NDArray[np.int16]  #: columns of the best languages of all clamped pages, best first, shape (c, k)
    probabilities: NDArray[np.float32]  #: shape (c, k)


@dataclass(frozen=True, slots=True, eq=False)
class UrlEvidence:
    """Evidence of URLs of latent pages without text, which counts for the page itself only."""

    page: NDArray[np.int64]  #: numbers of latent pages, ascending, shape (e,)
    column: NDArray[np.int16]  #: a language that the URL names, shape (e,)
    log_odds: NDArray[np.float32]  #: of that language against languages that the URL does not name, shape (e,)
    stands_out: NDArray[np.bool_]  #: pages with an answer by their URL alone, shape (n,)


@dataclass(frozen=True, slots=True, eq=False)
class NodePotentials:
    """Potentials of n pages, f of them latent; L active languages, K candidates per page."""

    active: NDArray[np.int16]  #: the languages of the columns, shape (L,)
    prior: Prior
    latent: NDArray[np.int64]  #: rows of the latent pages, ascending, shape (f,)
    number: NDArray[np.int32]  #: index of each page in `latent`, -1 clamped, shape (n,)
    doubtful: NDArray[np.bool_]  #: latent pages with long, doubtful text, shape (n,)
    candidates: NDArray[np.int16]  #: columns of each latent page, ascending, shape (f, K)
    #: of the candidates and of all other languages together, without ``urls``, up to a constant, shape (f, K + 1)
    log_potential: NDArray[np.float32]
    urls: UrlEvidence
    #: odds of inactive languages, for doubtful long texts, shape (f,)
    inactive_odds: NDArray[np.float32]
    no_evidence: NDArray[np.bool_]  #: pages without evidence of text or signals (except ``urls``), shape (n,)
    best: NDArray[np.int16]  #: column of the best language of each text, -1 none, shape (n,)
    clamped: ClampedBeliefs
    #: terms of the log-potential (of a clamped page: log-belief), by row and name, for rows to explain
    terms: Mapping[int, Mapping[str, NDArray[np.float32]]]
    weights: Mapping[str, float]  #: of the signals, by name

    def add_urls(self, logs: NDArray[np.float32], numbers: NDArray[np.int64]) -> None:
        """Add the evidence of URLs to log-probabilities of some latent pages, shape (p, K + 1), in place.

        ``numbers`` of the pages are ascending.
        """
        urls = self.urls
        if not len(numbers):
            return
        span = slice(*np.searchsorted(urls.page, (numbers[0], numbers[-1] + 1)))
        row = np.searchsorted(numbers, urls.page[span])
        is_in_block = numbers[row] == urls.page[span]
        is_column = self.candidates[urls.page[span]] == urls.column[span, None]
        entry, place = np.nonzero(is_column & is_in_block[:, None])
        logs[row[entry], place] += urls.log_odds[span][entry]


def compute_potentials(  # noqa: PLR0917  internal
    tables: ScoreTables,
    signals: Mapping[str, Signal],
    roles: PageRoles,
    learned: Learned,
    options: Options,
    links: SortedLinks | None,
    linked: NDArray[np.bool_],
    *,
    keep: int,
    rows: Sequence[int] = (),
    fixed: FixedBeliefs | None = None,
    directories: Counted | None = None,
) -> NodePotentials:
    """Compute the potentials of n pages from their scores, signals, site and directory.

    Signals without weight are ignored. `learned` has the language distribution of sites, and the reliability of
    signals, for the hosts of `roles`. `links` are for candidates among neighbours; None if links have no weight.
    `linked` pages (n,) have a link from or to a latent page. `keep` is k, the languages per answer. The terms of `rows`
    are recorded. `fixed` beliefs of clamped pages do not come from their text. `directories` are counts of directories
    that continue in other partitions.
    """
    evidence, active = tables.evidence, tables.active
    directory_options = (evidence.directory, options.site, options.directory)
    prior = site_prior.compute_page_prior(roles.host, learned.sites, roles.label, *directory_options, directories)
    terms = _Terms(tables, signals, roles, learned, prior, linked=linked)
    latent, width = roles.latent, min(len(active), candidates.MOST)
    columns, packed = np.empty((len(latent), width), np.int16), np.empty((len(latent), width + 1), np.float32)
    best_guess = roles.best.copy()  # by all evidence
    if fixed is not None:
        fixed_scores = tables.scores(np.arange(len(fixed.rows)), fixed)
        best_guess[fixed.rows] = np.where(fixed_scores.any(axis=1), fixed_scores.argmax(axis=1), NONE)
        terms.no_evidence[fixed.rows] = ~(fixed.languages >= 0).any(axis=1)
    inactive_odds = np.zeros(len(latent), np.float32)
    recorded: dict[int, dict[str, NDArray[np.float32]]] = {}

    def fill_block(block: slice) -> tuple[NDArray[np.int64], NDArray[np.int16], NDArray[np.float32]]:
        """Compute a block of latent pages; return its part of ``UrlEvidence``."""
        pages = latent[block]
        term_tables = terms.compute(pages)
        total = _sum_terms(term_tables)
        shared_logs, urls = terms.separate_urls(pages, term_tables)
        best_guess[pages] = np.where(terms.no_evidence[pages], NONE, shared_logs.argmax(axis=1))
        unsure = np.flatnonzero(roles.doubtful[pages])
        inactive_odds[block.start + unsure] = LEFT * likelihoods.compute_unseen_share(tables.scores(pages[unsure]))
        columns[block] = candidates.choose(total)
        packed[block] = candidates.gather(shared_logs, columns[block])
        for row in rows:
            if pages[0] <= row <= pages[-1] and roles.number[row] >= 0:
                recorded[row] = {
                    name: table[roles.number[row] - block.start].copy() for name, table in term_tables.items()
                }
        url_rows, languages = np.nonzero(urls)
        return block.start + url_rows, languages.astype(np.int16), urls[url_rows, languages]

    empty = np.zeros(0, np.int64), np.zeros(0, np.int16), np.zeros(0, np.float32)
    page, language, log_odds = zip(empty, *run_blocks(len(latent), BLOCK, fill_block), strict=True)
    urls = np.concatenate(page), np.concatenate(language), np.concatenate(log_odds)
    url_evidence = UrlEvidence(*urls, terms.url_stands_out)
    if width < len(active) and links is not None:
        nearby = candidates.Nearby(links, best_guess, len(active))
        for at in range(0, len(latent), BLOCK):
            shares = nearby.shares(latent[at : at + BLOCK])
            missing = at + np.flatnonzero(candidates.find_missed(shares, columns[at : at + BLOCK]))
            term_tables = terms.compute(latent[missing])
            columns[missing] = candidates.choose(
                softmax(_sum_terms(term_tables)) + candidates.NEAR * shares[missing - at]
            )
            packed[missing] = candidates.gather(terms.separate_urls(latent[missing], term_tables)[0], columns[missing])
    clamped = _clamp(tables, np.flatnonzero(roles.number < 0), prior, keep, fixed, options.calibration)
    for row in rows:
        if roles.number[row] < 0:
            single = np.array([row])
            belief = _compute_clamped_beliefs(tables, single, tables.scores(single), prior, fixed)[0][0]
            name = "correction" if evidence.is_labelled()[row] else "text"
            recorded[row] = {name: np.log(np.maximum(belief, site_prior.LEAST))}
    latent_arrays = (latent, roles.number, roles.doubtful, columns, packed, url_evidence, inactive_odds)
    weights = {name: signal.weight for name, signal in signals.items()}
    return NodePotentials(active, prior, *latent_arrays, terms.no_evidence, roles.best, clamped, recorded, weights)


class _Terms:
    """Terms of the log-potential, by name, for blocks of latent pages."""

    def __init__(
        self,
        tables: ScoreTables,
        signals: Mapping[str, Signal],
        roles: PageRoles,
        learned: Learned,
        prior: Prior,
        *,
        linked: NDArray[np.bool_],
    ) -> None:
        evidence = tables.evidence
        self._tables, self._roles, self._learned, self._prior = tables, roles, learned, prior
        self._linked = linked
        self._signals = {name: signal for name, signal in signals.items() if signal.weight}
        self._foreign = likelihoods.estimate_foreign_text(evidence.codes, tables.active)
        #: pages without evidence of text or signals (except URL), complete after all latent pages; shape (n,)
        self.no_evidence = roles.best < 0
        #: pages without text whose URL is enough for an answer, shape (n,)
        self.url_stands_out = np.zeros(evidence.n, np.bool_)

    def compute(self, pages: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
        """Return the terms of some pages as log-probabilities, shape (p, L) each."""
        roles, evidence = self._roles, self._tables.evidence
        prior = self._prior.probability[self._prior.group[pages]]
        scores = self._tables.scores(pages)
        length, linked, repeated = evidence.length[pages], self._linked[pages], _is_repeated(evidence, pages)
        text = likelihoods.compute_text_likelihood(scores, length, *self._foreign, linked=linked, repeated=repeated)
        site = np.log(prior)
        doubtful = roles.doubtful[pages]
        text[doubtful] = np.log(likelihoods.smooth_scores(scores[doubtful]))
        terms = {"text": text, "site": site}
        for name, signal in self._signals.items():
            right = self._learned.reliability[name].by_host[roles.host[pages]]
            log_odds = likelihoods.compute_signal_odds(self._tables.scores(pages, signal), prior, right)
            terms[name] = log_odds * np.float32(signal.weight)
        if URL in terms and CCTLD in terms:
            terms[CCTLD][terms[URL].any(axis=1)] = 0
        for name in self._signals:
            stands_out = likelihoods.is_sole_evidence(terms[name])
            if name == URL:
                self.url_stands_out[pages] = (roles.best[pages] < 0) & stands_out
            else:
                self.no_evidence[pages] &= ~stands_out
        for name in terms.keys() & COUNTED:
            terms[name][doubtful] = 0
        return terms

    def separate_urls(
        self, pages: NDArray[np.int64], terms: Mapping[str, NDArray[np.float32]]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the sum of terms, except URLs of pages without text, and these URLs' terms; shape (p, L) each.

        The second is 0 for languages that the URL does not name.
        """
        if URL not in terms:
            return _sum_terms(terms), np.zeros((len(pages), 0), np.float32)
        textless = self._roles.best[pages] < 0
        urls = np.where(textless[:, None], terms[URL] - terms[URL].min(axis=1, keepdims=True), np.float32(0))
        return _sum_terms({**terms, URL: np.where(textless[:, None], np.float32(0), terms[URL])}), urls


def _sum_terms(terms: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.asarray(sum(terms.values(), np.zeros((), np.float32)))


def _is_repeated(evidence: Evidence, pages: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    return None if evidence.copies is None else evidence.copies[pages] > 1


def _clamp(  # noqa: PLR0917  internal
    tables: ScoreTables,
    clamped: NDArray[np.int64],
    prior: Prior,
    keep: int,
    fixed: FixedBeliefs | None,
    calibration: float,
) -> ClampedBeliefs:
    one_hot = np.zeros(tables.evidence.n, bool)
    answers, probabilities = np.empty((len(clamped), keep), np.int16), np.empty((len(clamped), keep), np.float32)

    def compute_block(block: slice) -> NDArray[np.float32]:
        """Compute answers of a block; return the beliefs of its unsure pages."""
        pages = clamped[block]
        scores = tables.scores(pages)
        belief, sure = _compute_clamped_beliefs(tables, pages, scores, prior, fixed)
        order = find_best_columns(belief, keep)
        with_inactive = np.column_stack([belief, LEFT * likelihoods.compute_unseen_share(scores)])
        logs = np.asarray(calibration * np.log(np.maximum(with_inactive, site_prior.LEAST)), np.float32)
        calibrated = softmax(logs)[:, :-1]
        if fixed is not None:  # these are not calibrated: they do not come from a text
            is_fixed = np.isin(pages, fixed.rows)
            calibrated[is_fixed] = belief[is_fixed]
        answers[block], probabilities[block] = order, np.take_along_axis(calibrated, order, 1)
        one_hot[pages] = sure
        return belief[~sure]

    unsure_belief = np.empty((len(clamped), len(tables.active)), np.float32)  # unused rows take no memory
    count = 0
    for beliefs in run_blocks(len(clamped), BLOCK, compute_block, AHEAD):
        unsure_belief[count : count + len(beliefs)] = beliefs
        count += len(beliefs)
    return ClampedBeliefs(one_hot, clamped[~one_hot[clamped]], unsure_belief[:count], answers, probabilities)


def _compute_clamped_beliefs(
    tables: ScoreTables,
    pages: NDArray[np.int64],
    scores: NDArray[np.float32],
    prior: Prior,
    fixed: FixedBeliefs | None,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the beliefs of some clamped pages, shape (p, L), and whether they are one-hot, shape (p,)."""
    belief = likelihoods.smooth_scores(scores)
    sure = compute_row_maxima(belief) >= ONE_HOT
    if fixed is not None:
        rows = np.flatnonzero(np.isin(pages, fixed.rows))
        fixed_scores = tables.scores(np.searchsorted(fixed.rows, pages[rows]), fixed)
        belief[rows] = _complete(fixed_scores, prior.probability[prior.group[pages[rows]]])
        sure[rows] = False  # fixed beliefs are sent unchanged
    return belief, sure


def _complete(scores: NDArray[np.float32], prior: NDArray[np.float32]) -> NDArray[np.float32]:
    """Complete beliefs of which some languages are known: the others divide the rest by the prior; shape (p, L)."""
    rest_prior = np.where(scores > 0, 0, prior)
    rest = np.maximum(1 - scores.sum(axis=1, keepdims=True), 0)
    filled = scores + rest_prior * rest / np.maximum(rest_prior.sum(axis=1, keepdims=True), site_prior.LEAST)
    return np.asarray(filled / filled.sum(axis=1, keepdims=True), np.float32)
