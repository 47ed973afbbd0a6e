"""The vote of Hayati 2004: a short page gets the most frequent language of its inlinks (or of its outlinks)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.graph.adjacency import pad_values, sort_links
from graphlang.graph.data import NONE, Answer, Contribution, Trace, make_answer
from graphlang.graph.options import MAX_INLINKS, MIN_LENGTH, MIN_REF_LENGTH
from graphlang.numerics import find_distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import SortedLinks
    from graphlang.graph.data import Evidence, Graph

KEEP = 5  #: languages per page in the answer
#: From this number of voters on, a single pair of equal languages is no majority. Lists of translations have such
#: pairs: they name Chinese twice, and methods confuse one of twenty languages with another.
PAIR_VOTERS = 4
_LANGUAGE_BITS = 16  # of the key of a page and a language


def inlinks(
    graph: Graph,
    evidence: Evidence,
    *,
    min_length: int = MIN_LENGTH,
    min_ref_length: int = MIN_REF_LENGTH,
    max_inlinks: int = MAX_INLINKS,
    rounds: int = 1,
    trace: Sequence[int] = (),
) -> Answer:
    """INLINKS (Hayati 2004, algorithm 5.5).

    A page of more than ``min_length`` characters keeps the answer of its text. A shorter one gets the most frequent
    answer among itself and at most ``max_inlinks`` pages that link to it and have at least ``min_ref_length``
    characters. Labelled pages count as the longest.

    The paper took the first ten pages of a search engine. Here they are the pages with the longest text, then with the
    highest probability, then by language code, so that the choice does not depend on the numbering of pages. A tie
    goes to one of the tied languages (step 4), but the paper does not say which. Here it is the page's own language,
    else that of the voters with the highest probabilities, then the first code. The paper does not define a
    confidence; here it is the share of the votes.

    The paper does not treat pages whose inlinks are all in different languages, as in a list of translations. Here the
    vote abstains without a majority, and the page keeps the answer and confidence of its text, or has none. From
    ``PAIR_VOTERS`` voters on it also abstains if the only majority is a single pair. Step 4 would choose the pair,
    which is mostly wrong on lists of translations.

    Args:
        graph: the links.
        evidence: the texts; only the best language and the length are used.
        min_length: MIN_LENGTH, characters.
        min_ref_length: MIN_REF_LENGTH, characters.
        max_inlinks: MAX_INLINKS.
        rounds: largest number of rounds; the vote ends when no answer changes. From the second round on, short pages
            vote too, with their previous answer, unless the vote abstained or they have no text. Section 7 of the
            paper suggests a "recursive graph algorithm"; this is the simplest one.
        trace: rows to explain. Their ``Trace`` lists every vote. ``log_odds`` is log votes of the answer over the
            runner-up, divided among the votes for either.

    Raises:
        ValueError: a negative parameter, no round, or graph and evidence have different numbers of pages.
    """
    return _vote(graph, evidence, (min_length, min_ref_length, max_inlinks, rounds), trace, inward=True)


def outlinks(
    graph: Graph,
    evidence: Evidence,
    *,
    min_length: int = MIN_LENGTH,
    min_ref_length: int = MIN_REF_LENGTH,
    max_outlinks: int = MAX_INLINKS,
    rounds: int = 1,
    trace: Sequence[int] = (),
) -> Answer:
    """Vote of the pages that a short page links to (Hayati 2004, section 5.3).

    The paper gives no algorithm for it ("select the most common language by majority vote"). This is algorithm 5.5
    with the direction of the links reversed, see ``inlinks``.

    Args:
        graph: the links.
        evidence: the texts; only the best language and the length are used.
        min_length: MIN_LENGTH, characters.
        min_ref_length: MIN_REF_LENGTH, characters.
        max_outlinks: MAX_INLINKS, for outlinks.
        rounds: see ``inlinks``.
        trace: rows to explain, see ``inlinks``.

    Raises:
        ValueError: a negative parameter, no round, or graph and evidence have different numbers of pages.
    """
    return _vote(graph, evidence, (min_length, min_ref_length, max_outlinks, rounds), trace, inward=False)


def _vote(
    graph: Graph, evidence: Evidence, limits: tuple[int, int, int, int], trace: Sequence[int], *, inward: bool
) -> Answer:
    min_length, min_ref_length, max_voters, rounds = limits
    for name, value, minimum in zip(
        ("min_length", "min_ref_length", "voters", "rounds"), limits, (0, 0, 0, 1), strict=True
    ):
        if value < minimum:
            raise ValueError(f"{name} is {value}; it must {'be at least 1' if minimum else 'not be negative'}")
    if graph.inside != evidence.n:
        raise ValueError(f"the graph has {graph.inside} pages, the evidence {evidence.n}")
    links, length, (text, probability) = sort_links(graph), _count_characters(evidence), evidence.best()
    is_short, is_long = length <= min_length, (length >= min_ref_length) & (text >= 0)
    language, confidence, votes = text, probability, is_long
    for number in range(1, rounds + 1):
        ballot = _count_votes(links, evidence, (language, confidence, votes), min_length, max_voters, inward=inward)
        resolved = is_short & (text >= 0) & (ballot.languages[:, 0] >= 0) & ~ballot.abstains
        new = np.where(resolved, ballot.languages[:, 0], text)
        if number == rounds or (np.array_equal(new, language) and np.array_equal(votes, is_long | resolved)):
            break
        language, votes = new, is_long | resolved
        confidence = np.where(resolved, ballot.probabilities[:, 0], probability)
    languages, probabilities = ballot.languages, ballot.probabilities
    keeps_text = (~is_short & (text >= 0)) | ballot.abstains
    languages[ballot.abstains], probabilities[ballot.abstains] = NONE, 0
    width = min(KEEP, evidence.languages.shape[1])
    if width:
        languages[keeps_text, :width] = evidence.languages[keeps_text, :width]
        probabilities[keeps_text, :width] = evidence.probabilities[keeps_text, :width]
    result = make_answer(languages, probabilities)
    traces = []
    for row in trace:
        cast = ballot.page == row
        voters, kinds, is_abstention = ballot.voter[cast], links.kind[ballot.link[cast]], bool(ballot.abstains[row])
        arguments = (int(row), result, np.where(np.arange(len(text)) == row, text, language), voters, kinds, evidence)
        traces.append(trace_vote(*arguments, min_length, inward=inward, abstains=is_abstention))
    return make_answer(languages, probabilities, traces=traces)


class _Ballot(NamedTuple):
    """The votes of one round; v votes, n pages."""

    voter: NDArray[np.int32]  #: row, shape (v,)
    page: NDArray[np.int32]  #: row of the page that receives the vote, shape (v,)
    link: NDArray[np.int64]  #: number of the link, shape (v,)
    abstains: NDArray[np.bool_]  #: pages whose voters have no majority, shape (n,)
    languages: NDArray[np.int16]  #: by number of votes, -1 padding, shape (n, KEEP)
    probabilities: NDArray[np.float32]  #: shares of the votes, shape (n, KEEP)


def _count_votes(
    links: SortedLinks,
    evidence: Evidence,
    voters: tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.bool_]],
    min_length: int,
    max_voters: int,
    *,
    inward: bool,
) -> _Ballot:
    """Count the votes for short pages.

    ``voters`` has the language of each page, its confidence, and whether it votes; shape (n,) each.
    """
    language, confidence, votes = voters
    n, count, text, probability = evidence.n, len(evidence.codes), *evidence.best()
    voter, page = (links.source, links.target) if inward else (links.target, links.source)
    length = _count_characters(evidence)
    is_short = pad_values(length <= min_length, links.n, fill=False)
    link = np.flatnonzero((page < n) & is_short[page] & pad_values(votes, links.n, fill=False)[voter])
    voter, page = voter[link], page[link]
    # sort by page, length, confidence and code
    alphabetical = np.empty(count, np.int32)
    alphabetical[sorted(range(count), key=evidence.codes.__getitem__)] = np.arange(count, dtype=np.int32)
    order = np.lexsort((alphabetical[language[voter]], -confidence[voter], -length[voter], page))
    voter, page, link = voter[order], page[order], link[order]
    rank = np.arange(len(page)) - np.searchsorted(page, page)
    chosen = rank < max_voters
    voter, page, link = voter[chosen], page[chosen], link[chosen]
    itself = np.flatnonzero((length <= min_length) & (text >= 0))
    # one row per page and language with a vote
    pages = np.concatenate([page, itself])
    voted = np.concatenate([language[voter], text[itself]]).astype(np.int64)
    certainty = np.concatenate([confidence[voter], probability[itself]])
    key, inverse = np.unique(pages.astype(np.int64) * count + voted, return_inverse=True)
    count_of = np.bincount(inverse, minlength=len(key)).astype(np.int64)
    # rounded, so that the order of the sum does not matter
    strength: NDArray[np.float64] = np.round(np.bincount(inverse, certainty, minlength=len(key)), 6)
    pages_voted, languages_voted = np.divmod(key, max(count, 1))
    ranked = _rank(n, pages_voted, languages_voted, count_of, strength, alphabetical, text)
    return _Ballot(voter, page, link, _find_ties(n, page, language[voter]), *ranked)


def _find_ties(n: int, page: NDArray[np.int32], language: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return the pages whose voters are all in different languages, except perhaps one pair; shape (n,).

    ``page`` (that each vote is for) and ``language`` (of the voter) have shape (v,).

    >>> import numpy as np
    >>> page = np.repeat(np.int32([0, 1, 2, 3]), [4, 3, 1, 2])
    >>> _find_ties(4, page, np.int16([5, 5, 6, 7, 5, 5, 6, 5, 5, 6])).tolist()
    [True, False, False, True]
    """
    voters = np.bincount(page, minlength=n)
    pairs = find_distinct(page.astype(np.int64) << _LANGUAGE_BITS | language.astype(np.uint16))
    different = np.bincount(pairs >> _LANGUAGE_BITS, minlength=n)
    return np.asarray((voters > 1) & (voters - different <= (voters >= PAIR_VOTERS)))


def _count_characters(evidence: Evidence) -> NDArray[np.int32]:
    """Return the characters of each page, the largest number for labelled pages; shape (n,)."""
    return np.where(evidence.is_labelled(), np.int32(np.iinfo(np.int32).max), evidence.length)


def _rank(  # noqa: PLR0917  internal
    n: int,
    page: NDArray[np.int64],
    voted: NDArray[np.int64],
    votes: NDArray[np.int64],
    strength: NDArray[np.float64],
    alphabetical: NDArray[np.int32],
    language: NDArray[np.int16],
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Sort the languages of each page by votes; the page's own language wins ties for the first place."""
    languages, probabilities = np.full((n, KEEP), NONE, np.int16), np.zeros((n, KEEP), np.float32)
    if not len(page):
        return languages, probabilities
    largest = np.zeros(n, np.int64)
    np.maximum.at(largest, page, votes)
    is_own_tie = (votes == largest[page]) & (voted == language[page])
    order = np.lexsort((alphabetical[voted], -strength, -votes, ~is_own_tie, page))
    page, voted, votes = page[order], voted[order], votes[order]
    rank = np.arange(len(page)) - np.searchsorted(page, page)
    total = np.bincount(page, votes, minlength=n)
    is_kept = rank < KEEP
    languages[page[is_kept], rank[is_kept]] = voted[is_kept]
    probabilities[page[is_kept], rank[is_kept]] = (votes / total[page])[is_kept]
    return languages, probabilities


def trace_vote(  # noqa: PLR0917  internal
    row: int,
    result: Answer,
    language: NDArray[np.int16],
    voters: NDArray[np.int32],
    kinds: NDArray[np.uint8],
    evidence: Evidence,
    min_length: int,
    *,
    inward: bool,
    abstains: bool = False,
) -> Trace:
    """Trace the vote for one page; pages of more than ``min_length`` characters have only the vote of their text.

    If the vote abstains, the voters are listed with weight 0.

    Args:
        row: the page.
        result: of the vote.
        language: best language of each text, -1 none, shape (n,).
        voters: rows of the voters, shape (v,).
        kinds: of their links, shape (v,).
        evidence: the texts.
        min_length: characters.
        inward: the voters link to the page; else it links to them.
        abstains: the voters have no majority.
    """
    best, second = int(result.language[row]), int(result.runner_up[row])
    votes = [
        ("inlink" if inward else "outlink", int(v), int(k), int(language[v]))
        for v, k in zip(voters, kinds, strict=True)
    ]
    if language[row] >= 0:
        votes.insert(0, ("correction" if evidence.is_labelled()[row] else "text", NONE, NONE, int(language[row])))
    if _count_characters(evidence)[row] > min_length:
        votes = votes[:1]
    counted = [vote for vote in votes if not abstains or vote[1] < 0]
    ahead = sum(voted == best for *_, voted in counted)
    behind = sum(voted == second for *_, voted in counted) if second >= 0 else 0
    log_odds = math.log((ahead + 0.5) / (behind + 0.5)) if counted else 0.0
    share = log_odds / (ahead - behind) if ahead != behind else 0.0
    contributions = tuple(
        Contribution(
            source,
            neighbour,
            kind,
            voted,
            weight := float(not abstains or neighbour < 0),
            weight * share * ((voted == best) - (second >= 0 and voted == second)),
        )
        for source, neighbour, kind, voted in votes
    )
    return Trace(
        row,
        contributions,
        log_odds,
        ((int(language[row]), float(evidence.best()[1][row])), (best, float(result.confidence[row]))),
    )
