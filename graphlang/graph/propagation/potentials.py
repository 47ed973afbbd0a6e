"""Node potentials: what every page says before it hears from its neighbours.

The log-potential of a latent page is the sum of the log-prior of its site, the log-likelihood of its text, and its
signals. A clamped page keeps its text's own probabilities (of the active languages), as its belief where these leave a
doubt, and, calibrated, as its answer. The calibration is a temperature (Guo et al. 2017, section 4.2), fitted with the
weights: a text is identified among all languages of the model, its page only among those of the collection, so that
confidence is a little below accuracy. A long page in doubt starts from its text's probabilities too. It uses its
signals and its sure neighbours, not the languages of its site and of lists, which are counted (`COUNTED`):
a language that texts are never sure of is missing there. The URL of a page without text counts for its own answer
alone: words in URLs are English on sites of all languages, so that the neighbours of unfetched pages would receive
English from each of them (`UrlEvidence`). A URL contains its TLD, so the ccTLD counts only where the URL names no
language. Texts and signals are turned into tables a block of pages at a time, so that memory grows with the latent
pages, not with all pages; priors have a number for each active language and each host or directory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE
from graphlang.graph.language_tables import best_columns, row_maxima, softmax
from graphlang.graph.propagation import candidates, link_order, site_prior, text_likelihood
from graphlang.graph.propagation import reliability as signals_
from graphlang.native.threads import in_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links
    from graphlang.graph.data import Evidence, FixedBeliefs, Signal
    from graphlang.graph.language_tables import ScoreTables
    from graphlang.graph.propagation.learned import Learned
    from graphlang.graph.propagation.options import Options
    from graphlang.graph.propagation.roles import PageRoles
    from graphlang.graph.propagation.site_prior import Counted, Prior

BLOCK = 1 << 12  #: pages whose tables one core holds at once
AHEAD = 8  #: blocks of beliefs that are worked out while those of others are put in their place
URL = "url"  #: name of the signal that neighbours do not hear from a page without text
CCTLD = "cctld"  #: name of the signal that a URL with a language of its own repeats: the URL contains its TLD
COUNTED = ("site", link_order.NAME)  #: terms that are counted on sure pages: long pages in doubt do without
#: Part of the probability that a long text leaves to inactive languages, and that remains in the answer. They are
#: unlikely, but a text that fits its language badly may be in a language unknown to the model.
LEFT = 0.35
ONE_HOT = 0.99  #: clamped pages whose text is so sure send a one-hot belief


@dataclass(frozen=True, slots=True, eq=False)
class ClampedBeliefs:
    """What the clamped pages believe; n pages, c of them clamped, d of these unsure; k languages of an answer."""

    one_hot: NDArray[np.bool_]  #: clamped pages that leave no doubt, shape (n,)
    unsure: NDArray[np.int64]  #: rows of the other clamped pages, ascending, shape (d,)
    unsure_belief: NDArray[np.float32]  #: and what they believe, shape (d, L)
    answers: NDArray[np.int16]  #: columns of the best languages of all clamped pages, best first, shape (c, k)
    probabilities: NDArray[np.float32]  #: shape (c, k)


@dataclass(frozen=True, slots=True, eq=False)
class UrlEvidence:
    """What URLs of latent pages without text say: evidence for the page itself that its neighbours do not hear."""

    page: NDArray[np.int64]  #: numbers of latent pages, ascending, shape (e,)
    column: NDArray[np.int16]  #: a language that the URL names, shape (e,)
    log_odds: NDArray[np.float32]  #: of it against the languages that the URL does not name, shape (e,)
    stands_out: NDArray[np.bool_]  #: pages that have an answer by their URL alone, shape (n,)


@dataclass(frozen=True, slots=True, eq=False)
class NodePotentials:
    """n pages, f of them latent; L active languages, K candidates of each page."""

    active: NDArray[np.int16]  #: the languages of the columns, shape (L,)
    prior: Prior
    latent: NDArray[np.int64]  #: rows of the latent pages, ascending, shape (f,)
    number: NDArray[np.int32]  #: of each page among the latent ones, -1 clamped, shape (n,)
    doubtful: NDArray[np.bool_]  #: latent pages whose text is long, and in doubt; shape (n,)
    candidates: NDArray[np.int16]  #: columns that each latent page keeps, ascending, shape (f, K)
    #: of them and of all others together, without ``urls``, up to a constant, shape (f, K + 1)
    log_potential: NDArray[np.float32]
    urls: UrlEvidence
    left: NDArray[
        np.float32
    ]  #: what a long text in doubt leaves to inactive languages, relative to the rest; shape (f,)
    no_evidence: NDArray[np.bool_]  #: pages of which neither text nor signal, without ``urls``, says anything, (n,)
    best: NDArray[np.int16]  #: column of the most likely language of each text, -1 none, shape (n,)
    clamped: ClampedBeliefs
    #: what the log-potential (of a clamped page: the log-belief) is the sum of, by row and name, for the rows asked for
    terms: Mapping[int, Mapping[str, NDArray[np.float32]]]
    weights: Mapping[str, float]  #: of the signals, by name

    def add_urls(self, logs: NDArray[np.float32], numbers: NDArray[np.int64]) -> None:
        """Add the evidence of URLs that neighbours do not hear to logarithms of some latent pages, in place.

        Args:
            logs: of the candidates, and of all other languages, shape (p, K + 1).
            numbers: of the pages, ascending, shape (p,).
        """
        urls = self.urls
        if not len(numbers):
            return
        part = slice(*np.searchsorted(urls.page, (numbers[0], numbers[-1] + 1)))
        row = np.searchsorted(numbers, urls.page[part])
        is_asked = numbers[row] == urls.page[part]
        is_column = self.candidates[urls.page[part]] == urls.column[part, None]
        entry, place = np.nonzero(is_column & is_asked[:, None])
        logs[row[entry], place] += urls.log_odds[part][entry]


def node_potentials(  # noqa: PLR0917  all that they depend on
    tables: ScoreTables,
    signals: Mapping[str, Signal],
    roles: PageRoles,
    learned: Learned,
    options: Options,
    links: Links | None,
    linked: NDArray[np.bool_],
    *,
    keep: int,
    rows: Sequence[int] = (),
    fixed: FixedBeliefs | None = None,
    directories: Counted | None = None,
) -> NodePotentials:
    """Put together what all pages say for themselves.

    Args:
        tables: the scores of the texts of n pages.
        signals: by name; those without weight are left out.
        roles: which pages are clamped.
        learned: languages of the sites and reliability of the signals, for the hosts of ``roles``.
        options: weights of site and directory.
        links: whose ends tell what languages a page may have besides its own; None where links say nothing.
        linked: latent pages with a link to or from another page, shape (n,).
        keep: k, languages of an answer.
        rows: pages whose terms are kept.
        fixed: beliefs of clamped pages that are not what their text says.
        directories: certain pages of directories of which not all pages are here.
    """
    evidence, active = tables.evidence, tables.active
    of_directory = (evidence.directory, options.site, options.directory)
    prior = site_prior.prior(roles.host, learned.sites, roles.label, *of_directory, directories)
    terms = _Terms(tables, signals, roles, learned, prior, linked=linked)
    latent, kept = roles.latent, min(len(active), candidates.MOST)
    columns, packed = np.empty((len(latent), kept), np.int16), np.empty((len(latent), kept + 1), np.float32)
    guess = roles.best.copy()  # by all evidence
    if fixed is not None:
        given = tables.scores(np.arange(len(fixed.rows)), fixed)
        guess[fixed.rows] = np.where(given.any(axis=1), given.argmax(axis=1), NONE)
        terms.no_evidence[fixed.rows] = ~(fixed.languages >= 0).any(axis=1)
    left = np.zeros(len(latent), np.float32)
    asked: dict[int, dict[str, NDArray[np.float32]]] = {}

    def fill_block(block: slice) -> tuple[NDArray[np.int64], NDArray[np.int16], NDArray[np.float32]]:
        """Fill in the rows of a block of latent pages; return their part of ``UrlEvidence``."""
        part = latent[block]
        found = terms.of(part)
        total = _sum(found)
        passed, urls = terms.without_urls(part, found)
        guess[part] = np.where(terms.no_evidence[part], NONE, passed.argmax(axis=1))
        unsure = np.flatnonzero(roles.doubtful[part])
        left[block.start + unsure] = LEFT * text_likelihood.left_over(tables.scores(part[unsure]))
        columns[block] = candidates.choose(total)
        packed[block] = candidates.gather(passed, columns[block])
        for row in rows:
            if part[0] <= row <= part[-1] and roles.number[row] >= 0:
                asked[row] = {name: table[roles.number[row] - block.start].copy() for name, table in found.items()}
        pages, languages = np.nonzero(urls)
        return block.start + pages, languages.astype(np.int16), urls[pages, languages]

    nothing = np.zeros(0, np.int64), np.zeros(0, np.int16), np.zeros(0, np.float32)
    page, language, log_odds = zip(nothing, *in_blocks(len(latent), BLOCK, fill_block), strict=True)
    urls = np.concatenate(page), np.concatenate(language), np.concatenate(log_odds)
    of_urls = UrlEvidence(*urls, terms.url_stands_out)
    if kept < len(active) and links is not None:
        nearby = candidates.Nearby(links, guess, len(active))
        for at in range(0, len(latent), BLOCK):
            shares = nearby.shares(latent[at : at + BLOCK])
            some = at + np.flatnonzero(candidates.missed(shares, columns[at : at + BLOCK]))
            found = terms.of(latent[some])
            columns[some] = candidates.choose(softmax(_sum(found)) + candidates.NEAR * shares[some - at])
            packed[some] = candidates.gather(terms.without_urls(latent[some], found)[0], columns[some])
    clamped = _clamped(tables, np.flatnonzero(roles.number < 0), prior, keep, fixed, options.calibration)
    for row in rows:
        if roles.number[row] < 0:
            one = np.array([row])
            belief = _clamped_beliefs(tables, one, tables.scores(one), prior, fixed)[0][0]
            word = "correction" if evidence.is_labelled()[row] else "text"
            asked[row] = {word: np.log(np.maximum(belief, site_prior.LEAST))}
    of_latent = (latent, roles.number, roles.doubtful, columns, packed, of_urls, left)
    weights = {name: signal.weight for name, signal in signals.items()}
    return NodePotentials(active, prior, *of_latent, terms.no_evidence, roles.best, clamped, asked, weights)


class _Terms:
    """The terms of the log-potential, by name, for some latent pages at a time."""

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
        self._foreign = text_likelihood.foreign_text(evidence.codes, tables.active)
        #: pages of which neither text nor signal says anything, but for their URL, once all latent pages were asked
        #: for; shape (n,)
        self.no_evidence = roles.best < 0
        self.url_stands_out = np.zeros(evidence.n, np.bool_)  #: pages without text whose URL says enough, shape (n,)

    def of(self, pages: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
        """Logarithms; shape (p, L) each."""
        roles, evidence = self._roles, self._tables.evidence
        prior = self._prior.probability[self._prior.group[pages]]
        scores = self._tables.scores(pages)
        length, linked, repeated = evidence.length[pages], self._linked[pages], _repeated(evidence, pages)
        text = text_likelihood.log_likelihood(scores, length, *self._foreign, linked=linked, repeated=repeated)
        site = np.log(prior)
        doubtful = roles.doubtful[pages]
        text[doubtful] = np.log(text_likelihood.smoothed(scores[doubtful]))
        found = {"text": text, "site": site}
        for name, signal in self._signals.items():
            right = self._learned.reliability[name].of_hosts[roles.host[pages]]
            log_odds = signals_.log_odds(self._tables.scores(pages, signal), prior, right)
            found[name] = log_odds * np.float32(signal.weight)
        if URL in found and CCTLD in found:
            found[CCTLD][found[URL].any(axis=1)] = 0
        for name in self._signals:
            stands_out = signals_.stands_out(found[name])
            if name == URL:
                self.url_stands_out[pages] = (roles.best[pages] < 0) & stands_out
            else:
                self.no_evidence[pages] &= ~stands_out
        for name in found.keys() & COUNTED:
            found[name][doubtful] = 0
        return found

    def without_urls(
        self, pages: NDArray[np.int64], found: Mapping[str, NDArray[np.float32]]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The sum of the terms of some pages without the URLs of those that have no text, and what these URLs add.

        The second is 0 for a language that the URL does not name. Shape (p, L) each.
        """
        if URL not in found:
            return _sum(found), np.zeros((len(pages), 0), np.float32)
        textless = self._roles.best[pages] < 0
        urls = np.where(textless[:, None], found[URL] - found[URL].min(axis=1, keepdims=True), np.float32(0))
        return _sum({**found, URL: np.where(textless[:, None], np.float32(0), found[URL])}), urls


def _sum(terms: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.asarray(sum(terms.values(), np.zeros((), np.float32)))


def _repeated(evidence: Evidence, pages: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    return None if evidence.copies is None else evidence.copies[pages] > 1


def _clamped(  # noqa: PLR0917  all that it depends on
    tables: ScoreTables,
    clamped: NDArray[np.int64],
    prior: Prior,
    keep: int,
    fixed: FixedBeliefs | None,
    calibration: float,
) -> ClampedBeliefs:
    one_hot = np.zeros(tables.evidence.n, bool)
    answers, probabilities = np.empty((len(clamped), keep), np.int16), np.empty((len(clamped), keep), np.float32)

    def work_out(block: slice) -> NDArray[np.float32]:
        """What the unsure pages of a block believe; of all of them the answers."""
        part = clamped[block]
        scores = tables.scores(part)
        belief, sure = _clamped_beliefs(tables, part, scores, prior, fixed)
        order = best_columns(belief, keep)
        every = np.column_stack([belief, LEFT * text_likelihood.left_over(scores)])
        logs = np.asarray(calibration * np.log(np.maximum(every, site_prior.LEAST)), np.float32)
        said = softmax(logs)[:, :-1]
        if fixed is not None:  # what is given is nobody's text
            held = np.isin(part, fixed.rows)
            said[held] = belief[held]
        answers[block], probabilities[block] = order, np.take_along_axis(said, order, 1)
        one_hot[part] = sure
        return belief[~sure]

    unsure_belief = np.empty((len(clamped), len(tables.active)), np.float32)  # of which only what is used takes memory
    count = 0
    for some in in_blocks(len(clamped), BLOCK, work_out, AHEAD):
        unsure_belief[count : count + len(some)] = some
        count += len(some)
    return ClampedBeliefs(one_hot, clamped[~one_hot[clamped]], unsure_belief[:count], answers, probabilities)


def _clamped_beliefs(
    tables: ScoreTables,
    pages: NDArray[np.int64],
    scores: NDArray[np.float32],
    prior: Prior,
    fixed: FixedBeliefs | None,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """What some clamped pages believe, shape (p, L), and whether that leaves no doubt, shape (p,)."""
    belief = text_likelihood.smoothed(scores)
    sure = row_maxima(belief) >= ONE_HOT
    if fixed is not None:
        some = np.flatnonzero(np.isin(pages, fixed.rows))
        given = tables.scores(np.searchsorted(fixed.rows, pages[some]), fixed)
        belief[some] = _with_the_rest(given, prior.probability[prior.group[pages[some]]])
        sure[some] = False  # what is given travels as it is
    return belief, sure


def _with_the_rest(given: NDArray[np.float32], prior: NDArray[np.float32]) -> NDArray[np.float32]:
    """Beliefs of which some languages are known: the others share what is left by the prior; shape (p, L)."""
    others = np.where(given > 0, 0, prior)
    left = np.maximum(1 - given.sum(axis=1, keepdims=True), 0)
    filled = given + others * left / np.maximum(others.sum(axis=1, keepdims=True), site_prior.LEAST)
    return np.asarray(filled / filled.sum(axis=1, keepdims=True), np.float32)
