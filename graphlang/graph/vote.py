"""The vote of Hayati 2004: a short page takes the language of most pages that link to it (or that it links to)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.graph.adjacency import canonical, padded
from graphlang.graph.data import NONE, Answer, Contribution, Trace, answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links
    from graphlang.graph.data import Evidence, Graph

MIN_LENGTH = 50  #: a page with more characters answers for itself; the paper measures below 25 and below 50
MIN_REF_LENGTH = 150  #: the paper's: who votes has at least so many characters
MAX_INLINKS = 10  #: the paper's
KEEP = 5  #: languages of a vote that are kept
#: From this many voters on, two of them in one language do not make a majority: a page that lists its translations
#: names Chinese twice, and the method takes one of twenty languages for another.
FOUR = 4


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

    A page of more than ``min_length`` characters keeps the answer of its text. Any other takes the commonest answer
    among itself and at most ``max_inlinks`` pages that link to it and have at least ``min_ref_length`` characters. A
    labelled page counts as the longest there is.

    The paper took the ten pages that a search engine returned first. Here they are those with the longest text, then
    with the surest answer, then by language code: which ten are chosen does not depend on the numbering of pages
    (pages alike in all three cast the same vote). A tie goes to one of the tied languages (step 4); the paper does not
    say to which: here to the page's own, if it is among them, else to that of the surer voters, then the first by
    code. The confidence is the share of the votes, which the paper does not define.

    The paper is silent on pages whose inlinks are all in different languages, as those of a list of translations are.
    They have no majority, so the vote abstains: the page keeps the answer of its text, with that text's confidence, or
    has none. From ``FOUR`` voters on it also abstains where all languages but one come once, and that one twice. Here
    we leave step 4, which would take the pair: on lists of translations the pair is mostly wrong.

    Args:
        graph: the links.
        evidence: what every page says for itself; only the best language and the length count here.
        min_length: MIN_LENGTH, characters.
        min_ref_length: MIN_REF_LENGTH, characters.
        max_inlinks: MAX_INLINKS.
        rounds: the vote is repeated so often, or until nothing changes. In the second round and later, short pages
            vote, too, with the answer of the round before, unless it abstained or they have no text. Section 7 of the
            paper imagines a "recursive graph algorithm"; this is the simplest one.
        trace: rows to explain; their ``Trace`` lists every vote, with ``log_odds`` log votes of answer over runner-up
            shared out among those that voted for either.

    Raises:
        ValueError: a negative parameter, no round, or a graph and evidence of different numbers of pages.
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

    The paper gives no algorithm for it ("select the most common language by majority vote"): this is algorithm 5.5
    with the direction of the links swapped, see ``inlinks``.

    Args:
        graph: the links.
        evidence: what every page says for itself; only the best language and the length count here.
        min_length: MIN_LENGTH, characters.
        min_ref_length: MIN_REF_LENGTH, characters.
        max_outlinks: MAX_INLINKS, of the pages that a page links to.
        rounds: see ``inlinks``.
        trace: rows to explain, see ``inlinks``.

    Raises:
        ValueError: a negative parameter, no round, or a graph and evidence of different numbers of pages.
    """
    return _vote(graph, evidence, (min_length, min_ref_length, max_outlinks, rounds), trace, inward=False)


def _vote(
    graph: Graph, evidence: Evidence, limits: tuple[int, int, int, int], trace: Sequence[int], *, inward: bool
) -> Answer:
    min_length, min_ref_length, most, rounds = limits
    for name, value, least in zip(
        ("min_length", "min_ref_length", "voters", "rounds"), limits, (0, 0, 0, 1), strict=True
    ):
        if value < least:
            raise ValueError(f"{name} is {value}; it must {'be at least 1' if least else 'not be negative'}")
    if graph.inside != evidence.n:
        raise ValueError(f"the graph has {graph.inside} pages, the evidence {evidence.n}")
    links, length, (text, probability) = canonical(graph), _length(evidence), evidence.best()
    is_short, is_long = length <= min_length, (length >= min_ref_length) & (text >= 0)
    language, confidence, votes = text, probability, is_long
    for number in range(1, rounds + 1):
        ballot = _count_votes(links, evidence, (language, confidence, votes), min_length, most, inward=inward)
        resolved = is_short & (text >= 0) & (ballot.languages[:, 0] >= 0) & ~ballot.abstains
        new = np.where(resolved, ballot.languages[:, 0], text)
        if number == rounds or (np.array_equal(new, language) and np.array_equal(votes, is_long | resolved)):
            break
        language, votes = new, is_long | resolved
        confidence = np.where(resolved, ballot.probabilities[:, 0], probability)
    languages, probabilities = ballot.languages, ballot.probabilities
    alone = (~is_short & (text >= 0)) | ballot.abstains
    languages[ballot.abstains], probabilities[ballot.abstains] = NONE, 0
    width = min(KEEP, evidence.languages.shape[1])
    if width:
        languages[alone, :width] = evidence.languages[alone, :width]
        probabilities[alone, :width] = evidence.probabilities[alone, :width]
    result = answer(languages, probabilities)
    traces = []
    for row in trace:
        cast = ballot.page == row
        voters, kinds, is_abstention = ballot.voter[cast], links.kind[ballot.link[cast]], bool(ballot.abstains[row])
        given = (int(row), result, np.where(np.arange(len(text)) == row, text, language), voters, kinds, evidence)
        traces.append(ballots(*given, min_length, inward=inward, abstains=is_abstention))
    return answer(languages, probabilities, traces=traces)


class _Ballot(NamedTuple):
    """The votes of one round; v votes, n pages."""

    voter: NDArray[np.int32]  #: row, shape (v,)
    page: NDArray[np.int32]  #: row of the page that the vote is for, shape (v,)
    link: NDArray[np.int64]  #: number of the link, shape (v,)
    abstains: NDArray[np.bool_]  #: pages whose voters have no majority, shape (n,)
    languages: NDArray[np.int16]  #: of each page by votes, -1 padding, shape (n, KEEP)
    probabilities: NDArray[np.float32]  #: shares of the votes, shape (n, KEEP)


def _count_votes(
    links: Links,
    evidence: Evidence,
    voters: tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.bool_]],
    min_length: int,
    most: int,
    *,
    inward: bool,
) -> _Ballot:
    """Count the votes for short pages; ``voters`` has the language of each page, its confidence, and if it votes."""
    language, confidence, votes = voters
    n, count, text, probability = evidence.n, len(evidence.codes), *evidence.best()
    voter, page = (links.source, links.target) if inward else (links.target, links.source)
    length = _length(evidence)
    is_short = padded(length <= min_length, links.n, fill=False)
    link = np.flatnonzero((page < n) & is_short[page] & padded(votes, links.n, fill=False)[voter])
    voter, page = voter[link], page[link]
    # by page; then longest, surest, code
    alphabetical = np.empty(count, np.int32)
    alphabetical[sorted(range(count), key=evidence.codes.__getitem__)] = np.arange(count, dtype=np.int32)
    order = np.lexsort((alphabetical[language[voter]], -confidence[voter], -length[voter], page))
    voter, page, link = voter[order], page[order], link[order]
    rank = np.arange(len(page)) - np.searchsorted(page, page)
    chosen = rank < most
    voter, page, link = voter[chosen], page[chosen], link[chosen]
    itself = np.flatnonzero((length <= min_length) & (text >= 0))
    # one row for each page and language that got a vote
    pages = np.concatenate([page, itself])
    voted = np.concatenate([language[voter], text[itself]]).astype(np.int64)
    certainty = np.concatenate([confidence[voter], probability[itself]])
    key, inverse = np.unique(pages.astype(np.int64) * count + voted, return_inverse=True)
    count_of = np.bincount(inverse, minlength=len(key)).astype(np.int64)
    strength: NDArray[np.float64] = np.round(
        np.bincount(inverse, certainty, minlength=len(key)), 6
    )  # rounded: free of the order of the sum
    who, what = np.divmod(key, max(count, 1))
    ranked = _ranked(n, who, what, count_of, strength, alphabetical, text)
    return _Ballot(voter, page, link, _without_majority(n, page, language[voter]), *ranked)


def _without_majority(n: int, page: NDArray[np.int32], language: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Whether the voters of each page are in different languages, of which one may come twice; shape (n,).

    Args:
        n: pages.
        page: that each vote is for, shape (v,).
        language: of each voter, shape (v,).

    >>> import numpy as np
    >>> page = np.repeat(np.int32([0, 1, 2, 3]), [4, 3, 1, 2])
    >>> _without_majority(4, page, np.int16([5, 5, 6, 7, 5, 5, 6, 5, 5, 6])).tolist()
    [True, False, False, True]
    """
    voters = np.bincount(page, minlength=n)
    different = np.bincount(np.unique(np.stack([page, language.astype(np.int32)]), axis=1)[0], minlength=n)
    return np.asarray((voters > 1) & (voters - different <= (voters >= FOUR)))


def _length(evidence: Evidence) -> NDArray[np.int32]:
    """Characters of each page, labelled pages before all others; shape (n,)."""
    return np.where(evidence.is_labelled(), np.int32(np.iinfo(np.int32).max), evidence.length)


def _ranked(  # noqa: PLR0917  internal, called once
    n: int,
    who: NDArray[np.int64],
    what: NDArray[np.int64],
    votes: NDArray[np.int64],
    strength: NDArray[np.float64],
    alphabetical: NDArray[np.int32],
    language: NDArray[np.int16],
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Languages of each page by votes; of those tied for the first place the page's own answer comes first."""
    languages, probabilities = np.full((n, KEEP), NONE, np.int16), np.zeros((n, KEEP), np.float32)
    if not len(who):
        return languages, probabilities
    most = np.zeros(n, np.int64)
    np.maximum.at(most, who, votes)
    mine = (votes == most[who]) & (what == language[who])
    order = np.lexsort((alphabetical[what], -strength, -votes, ~mine, who))
    who, what, votes = who[order], what[order], votes[order]
    rank = np.arange(len(who)) - np.searchsorted(who, who)
    total = np.bincount(who, votes, minlength=n)
    kept = rank < KEEP
    languages[who[kept], rank[kept]] = what[kept]
    probabilities[who[kept], rank[kept]] = (votes / total[who])[kept]
    return languages, probabilities


def ballots(  # noqa: PLR0917  all that a vote is made of
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
    """Account of one page's vote; pages of more than ``min_length`` characters answer for themselves.

    Where the vote abstains, the voters are listed with a weight of 0.

    Args:
        row: the page.
        result: of the vote.
        language: of each page by its text, -1 none, shape (n,).
        voters: rows of the pages that voted, shape (v,).
        kinds: of their links, shape (v,).
        evidence: what every page says for itself.
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
    if _length(evidence)[row] > min_length:
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
