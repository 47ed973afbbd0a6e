"""The vote of Hayati 2004: a short page takes the language of most pages that link to it (or that it links to)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import canonical, padded
from graphlang.graph.data import NONE, Answer, Contribution, Trace, answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
        trace: rows to explain; their ``Trace`` lists every vote, with ``log_odds`` log votes of answer over runner-up
            shared out among those that voted for either.

    Raises:
        ValueError: a negative parameter, or a graph and evidence of different numbers of pages.
    """
    return _vote(graph, evidence, min_length, min_ref_length, max_inlinks, trace, inward=True)


def outlinks(
    graph: Graph,
    evidence: Evidence,
    *,
    min_length: int = MIN_LENGTH,
    min_ref_length: int = MIN_REF_LENGTH,
    max_outlinks: int = MAX_INLINKS,
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
        trace: rows to explain, see ``inlinks``.

    Raises:
        ValueError: a negative parameter, or a graph and evidence of different numbers of pages.
    """
    return _vote(graph, evidence, min_length, min_ref_length, max_outlinks, trace, inward=False)


def _vote(  # noqa: PLR0917  the two methods' parameters
    graph: Graph,
    evidence: Evidence,
    min_length: int,
    min_ref_length: int,
    most: int,
    trace: Sequence[int],
    *,
    inward: bool,
) -> Answer:
    for name, value in (("min_length", min_length), ("min_ref_length", min_ref_length), ("voters", most)):
        if value < 0:
            raise ValueError(f"{name} is {value}; it must not be negative")
    if graph.inside != evidence.n:
        raise ValueError(f"the graph has {graph.inside} pages, the evidence {evidence.n}")
    n, count = evidence.n, len(evidence.codes)
    language, probability = evidence.best()
    links = canonical(graph)
    voter, page = (links.source, links.target) if inward else (links.target, links.source)
    own_length = _length(evidence)
    length, known = padded(own_length, links.n, 0), padded(language, links.n, NONE) >= 0
    numbers = np.flatnonzero(
        (page < n) & (length[page] <= min_length) & (length[voter] >= min_ref_length) & known[voter]
    )
    voter, page = voter[numbers], page[numbers]
    # by page; then longest, surest, code
    alphabetical = np.empty(count, np.int32)
    alphabetical[sorted(range(count), key=evidence.codes.__getitem__)] = np.arange(count, dtype=np.int32)
    order = np.lexsort((alphabetical[language[voter]], -probability[voter], -own_length[voter], page))
    voter, page, numbers = voter[order], page[order], numbers[order]
    rank = np.arange(len(page)) - np.searchsorted(page, page)
    chosen = rank < most
    voter, page, numbers = voter[chosen], page[chosen], numbers[chosen]
    abstains = _without_majority(n, page, language[voter])
    own = np.flatnonzero((own_length <= min_length) & (language >= 0))
    # one row for each page and language that got a vote
    pages = np.concatenate([page, own])
    voted = np.concatenate([language[voter], language[own]]).astype(np.int64)
    certainty = np.concatenate([probability[voter], probability[own]])
    key, inverse = np.unique(pages.astype(np.int64) * count + voted, return_inverse=True)
    votes = np.bincount(inverse, minlength=len(key)).astype(np.int64)
    strength: NDArray[np.float64] = np.round(
        np.bincount(inverse, certainty, minlength=len(key)), 6
    )  # rounded: free of the order of the sum
    who, what = np.divmod(key, max(count, 1))
    languages, probabilities = _ranked(n, who, what, votes, strength, alphabetical, language)
    alone = ((own_length > min_length) & (language >= 0)) | abstains
    languages[abstains], probabilities[abstains] = NONE, 0
    width = min(KEEP, evidence.languages.shape[1])
    if width:
        languages[alone, :width] = evidence.languages[alone, :width]
        probabilities[alone, :width] = evidence.probabilities[alone, :width]
    result = answer(languages, probabilities)
    traces = [
        ballots(
            int(row),
            result,
            language,
            voter[page == row],
            links.kind[numbers[page == row]],
            evidence,
            min_length,
            inward=inward,
            abstains=bool(abstains[row]),
        )
        for row in trace
    ]
    return answer(languages, probabilities, traces=traces)


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
