"""Infer the language of every page from its own evidence and its neighbours' beliefs, in rounds.

The belief of page i in language x is

    b_i(x) ~ phi_i(x) * product over neighbours j of m_ji(x) ^ (w_i w_ji)

    phi_i(x) = prior of the site(x) * likelihood of the text(x) * signals(x)
    m_ji(x)  = sum over a of b_j(a) / prior_j(a) * P(a at j | x at i, link)

Each stage is a frozen dataclass that the next one takes:

    graph, evidence -> roles and learned -> node potentials -> edge compatibility -> message weights
                    -> messages, rounds -> answers, traces

``roles`` separates clamped from latent pages: a long text keeps its own answer, which links cannot make worse. The
parameters that pages share are in ``learned``. ``potentials`` is phi, ``compatibility`` P, ``message_weights`` the
weights w, and ``messages`` m. ``rounds`` computes b and m in turn until nothing changes. Messages go in both directions
of a link. These parts gained most on the development collections, in this order:

- score lists instead of best labels, with the outlier rate of short texts;
- compatibility learned from the collection: the languages of switching links, and exclusion where links list *other*
  languages;
- beliefs are divided by their prior before they are sent;
- clamped pages.

Unlike in loopy belief propagation, a message to a page includes what that page sent: removing it would need a belief
per link. Instead b_j above is the evidence of page j itself, with little of its messages (``rounds.RELAY``). Its answer
uses them in full.

Memory grows with the latent pages and the links that reach them. Each candidate takes four numbers: potential,
messages, belief and its last change. Hosts and directories have some numbers for each active language. Clamped pages
cost little.

The equations can have several solutions where pages with little evidence depend on each other. The iteration starts
from the pages' own evidence, which gave the best results: starting from uniform beliefs is up to six points worse on
the development collections. For the same reason it never starts from earlier answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import sort_links
from graphlang.graph.data import NONE, Answer, Contribution, Graph, Signal, Trace, make_answer
from graphlang.graph.options import Options
from graphlang.graph.propagation import candidates, likelihoods, link_order
from graphlang.graph.propagation.candidates import find_active_languages
from graphlang.graph.propagation.edge_features import EdgeFeatures
from graphlang.graph.propagation.learned import Learned, learn_from
from graphlang.graph.propagation.link_regressions import is_followed
from graphlang.graph.propagation.message_weights import compute_message_weights, halve_mutual, mute_doubtful
from graphlang.graph.propagation.messages import release_memory
from graphlang.graph.propagation.potentials import compute_potentials
from graphlang.graph.propagation.roles import assign_roles
from graphlang.graph.propagation.rounds import BLOCK, Exchange
from graphlang.graph.tables import ListTable, ScoreTables, find_best_columns
from graphlang.native.threads import run_blocks, run_both

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import SortedLinks
    from graphlang.graph.data import Evidence, FixedBeliefs
    from graphlang.graph.propagation.compatibility import EdgeCompatibility
    from graphlang.graph.propagation.learned import Elsewhere
    from graphlang.graph.propagation.potentials import NodePotentials
    from graphlang.graph.propagation.roles import PageRoles
    from graphlang.graph.propagation.rounds import Outcome

__all__ = [
    "Options",
    "build_model",
    "learn",
    "learn_hosts",
    "make_exchange",
    "prepare",
    "propagate",
    "read",
    "run_rounds",
    "to_answer",
]

KEEP = 5  #: languages per page in the answer


def propagate(
    graph: Graph,
    evidence: Evidence,
    *,
    options: Options | None = None,
    learned: Learned | None = None,
    fixed: FixedBeliefs | None = None,
    elsewhere: Elsewhere | None = None,
    trace: Sequence[int] = (),
) -> Answer:
    """Infer the language of every page, fetched or not.

    Args:
        graph: the links.
        evidence: texts and signals; ``length`` should count letters, so that digits do not count as text.
        options: weights and limits.
        learned: parameters of the collection that these pages are a part of, see ``learn``; learned from these pages
            if None. Host numbers must be the same. Parameters of unknown hosts are learned from their pages here.
        fixed: pages with a constant belief, such as those of other partitions; a row of -1 has no evidence.
        elsewhere: counts of the whole collection, if these pages are a partition of it.
        trace: rows to explain: contributions of text, site, signals and neighbours sum to the final log-odds.

    Returns:
        an Answer; pages without evidence of text, signals or neighbours have no language.

    Raises:
        ValueError: graph and evidence have different numbers of pages; fixed pages or languages are out of range; the
            parameters were learned with other languages.
    """
    options = options or Options()
    exchange = prepare(graph, evidence, options=options, learned=learned, fixed=fixed, elsewhere=elsewhere, trace=trace)
    return run_rounds(exchange, options, evidence.n, trace)


def run_rounds(exchange: Exchange | None, options: Options, pages: int, trace: Sequence[int] = ()) -> Answer:
    """Run the rounds and return the answers: all stages after ``prepare``.

    Args:
        exchange: result of ``prepare``; its rounds can be run once.
        options: as in ``prepare``.
        pages: rows of the answer.
        trace: rows to explain, as in ``prepare``.
    """
    if exchange is None:
        return make_answer(np.full((pages, KEEP), NONE, np.int16), np.zeros((pages, KEEP), np.float32), rounds=0)
    if not trace:
        exchange.free_traces()
    outcome = exchange.run(options.rounds, options.tolerance, trace)
    return to_answer(exchange, outcome, options, trace)


def prepare(
    graph: Graph,
    evidence: Evidence,
    *,
    options: Options,
    learned: Learned | None = None,
    fixed: FixedBeliefs | None = None,
    elsewhere: Elsewhere | None = None,
    trace: Sequence[int] = (),
) -> Exchange | None:
    """Run all stages before the rounds; return None without evidence. Arguments as in ``propagate``."""
    model = build_model(
        graph, evidence, options=options, learned=learned, fixed=fixed, elsewhere=elsewhere, trace=trace
    )
    return None if model is None else make_exchange(model, options, fixed)


@dataclass(frozen=True, slots=True, eq=False)
class InferenceModel:
    """Potentials of the pages and compatibility of their links; graph and evidence can be freed."""

    potentials: NodePotentials
    edges: EdgeCompatibility
    by_target: tuple[NDArray[np.int32], NDArray[np.int64]]  #: see ``message_weights``
    roles: PageRoles
    mutual: NDArray[np.bool_]  #: mutual links, shape (w,)


def build_model(
    graph: Graph,
    evidence: Evidence,
    *,
    options: Options,
    learned: Learned | None = None,
    fixed: FixedBeliefs | None = None,
    elsewhere: Elsewhere | None = None,
    trace: Sequence[int] = (),
) -> InferenceModel | None:
    """Run the stages that need graph and evidence; return None without evidence. Arguments as in ``propagate``."""
    links, signals = read(graph, evidence, options, fixed)
    active = _active(evidence, signals, options) if learned is None else learned.active
    if not len(active):
        return None
    release_memory()
    tables = ScoreTables(evidence, active)
    roles = assign_roles(tables, options, fixed, graph.pages)
    numbers = _latent_links(links, roles) if options.neighbours else np.zeros(0, np.int32)
    longest = None if learned is None else learned.compatibility.longest
    features = EdgeFeatures(links, numbers, longest, None if elsewhere is None else elsewhere.degrees)
    if fixed is None:  # only neighbours of latent pages are used below
        links = links.drop_sources()
    arguments = (tables, signals, roles, links, features)
    learn_parameters = partial(learn_from, *arguments) if learned is None else partial(learned.extend_to, *arguments)
    parameters, selected = run_both(learn_parameters, partial(links.select, numbers))
    release_memory()
    learned = parameters if elsewhere is None else elsewhere.update_sites(parameters, roles.hosts)
    edges = learned.compatibility.apply(selected, features, numbers, roles.host, explained=bool(trace))
    # single precision for the messages
    edges = replace(
        edges, source_marginal=edges.source_marginal.astype(np.float32), switch_to=edges.switch_to.astype(np.float32)
    )
    learned = replace(learned, compatibility=learned.compatibility.select_hosts(np.zeros(0, np.int64)))  # applied above
    by_target, mutual = (selected.order, selected.in_start), features.links_back(numbers)
    del features, numbers, arguments, learn_parameters, parameters, selected
    release_memory()
    keep = min(KEEP, len(active))
    neighbour_links = links if options.neighbours and len(active) > candidates.MOST else None
    if neighbour_links is not None and fixed is None:
        neighbour_links = _index(edges, evidence.n)
    directories = None if elsewhere is None else elsewhere.directories.table(active, len(evidence.codes))
    linked = np.zeros(evidence.n, np.bool_)
    linked[edges.source], linked[edges.target] = True, True
    potentials = compute_potentials(
        *(tables, signals, roles, learned, options, neighbour_links, linked),
        keep=keep,
        rows=trace,
        fixed=fixed,
        directories=directories,
    )
    return InferenceModel(potentials, edges, by_target, roles, mutual)


def make_exchange(model: InferenceModel, options: Options, fixed: FixedBeliefs | None = None) -> Exchange:
    """Weight the messages; return the pages ready to exchange them. Arguments as in ``build_model``."""
    release_memory()
    potentials, edges, roles = model.potentials, model.edges, model.roles
    link_arrays = (edges.source, edges.target, edges.coupling, roles.host, options.degree)
    forwards, latent = is_followed(edges.kind), roles.number >= 0
    weights = compute_message_weights(*link_arrays, followed=forwards, receives=latent, by_target=model.by_target)
    if fixed is not None:
        latent = latent.copy()
        latent[fixed.rows] = True
    mute_doubtful(weights, *link_arrays, roles.doubtful, latent, forwards)
    halve_mutual(weights, model.mutual & ~forwards)
    return Exchange(potentials, edges, weights, roles.host, options.neighbours)


def learn_hosts(
    graph: Graph, evidence: Evidence, learned: Learned, elsewhere: Elsewhere | None, options: Options
) -> Learned:
    """Learn the parameters of the hosts of these pages, so that ``prepare`` needs no learning."""
    links, signals = read(graph, evidence, options)
    tables = ScoreTables(evidence, learned.active)
    roles = assign_roles(tables, options, pages=graph.pages)
    degrees = None if elsewhere is None else elsewhere.degrees
    features = EdgeFeatures(links, np.zeros(0, np.int32), learned.compatibility.longest, degrees)
    return learned.extend_to(tables, signals, roles, links, features)


def to_answer(exchange: Exchange, outcome: Outcome, options: Options, trace: Sequence[int] = ()) -> Answer:
    """Return the answers after the rounds, and the traces of some rows."""
    languages, probabilities = _answers(exchange, outcome, min(KEEP, len(exchange.potentials.active)))
    signal_weights = exchange.potentials.weights
    term_weights = {"site": options.site, **signal_weights}
    traces = [_explain(exchange, outcome, term_weights, int(row)) for row in trace]
    return make_answer(languages, probabilities, rounds=outcome.rounds, converged=outcome.converged, traces=traces)


def learn(graph: Graph, evidence: Evidence, *, options: Options | None = None) -> Learned:
    """Learn the parameters that pages of a collection share, from all of it or from some hosts.

    ``propagate(graph, evidence, learned=learn(graph, evidence))`` equals ``propagate(graph, evidence)``.

    Args:
        graph: the links.
        evidence: texts and signals.
        options: lengths and probabilities of certain texts, and weights of signals.

    Raises:
        ValueError: graph and evidence have different numbers of pages; no text or signal names a language.
    """
    options = options or Options()
    links, signals = read(graph, evidence, options, None)
    active = _active(evidence, signals, options)
    if not len(active):
        raise ValueError("no evidence: no text or signal names a language")
    tables = ScoreTables(evidence, active)
    roles = assign_roles(tables, options, pages=graph.pages)
    numbers = _latent_links(links, roles) if options.neighbours else np.zeros(0, np.int32)
    return learn_from(tables, signals, roles, links, EdgeFeatures(links, numbers))


def read(
    graph: Graph, evidence: Evidence, options: Options, fixed: FixedBeliefs | None = None
) -> tuple[SortedLinks, dict[str, Signal]]:
    """Return sorted links, and all signals: those of the evidence, hreflang and the order of links.

    The order of links is not computed if the evidence has a signal ``link_order``.

    Args:
        graph: the links.
        evidence: texts and signals.
        options: weights of hreflang and the order of links.
        fixed: pages with a constant belief.

    Raises:
        ValueError: graph and evidence have different numbers of pages; fixed pages or languages are out of range.
    """
    if graph.inside != evidence.n:
        raise ValueError(f"the graph has {graph.inside} pages, the evidence {evidence.n}")
    if fixed is not None:
        fixed.check(evidence.n, len(evidence.codes))
    links = sort_links(graph)
    signals = dict(evidence.signals)
    if options.hreflang and (links.hreflang >= 0).any():
        languages, shares = likelihoods.find_most_announced(links, len(evidence.codes))
        inside = slice(evidence.n)
        signals["hreflang"] = Signal(languages[inside].copy(), shares[inside].copy(), options.hreflang)
    if options.link_order and links.ordinal is not None and link_order.NAME not in signals:
        certain = evidence.long(options.certain_length) & (evidence.best()[1] >= options.certain)
        languages, shares = link_order.infer_from_order(links, evidence, certain, graph.outside)
        signals[link_order.NAME] = Signal(
            ListTable.from_table(languages, NONE), ListTable.from_table(shares, 0), options.link_order
        )
    return links, signals


def _active(evidence: Evidence, signals: dict[str, Signal], options: Options) -> NDArray[np.int16]:
    return find_active_languages(evidence, signals, evidence.long(options.certain_length))


def _latent_links(links: SortedLinks, roles: PageRoles) -> NDArray[np.int32]:
    """Return the numbers of the links with a latent end, ascending.

    Raise a ValueError if the other is an excluded page.
    """
    latent = np.zeros(links.n, np.bool_)
    latent[: len(roles.number)] = roles.number >= 0
    numbers = links.find_incident(latent)
    if links.n > len(roles.number):
        source, target = links.source[numbers], links.target[numbers]
        beyond = np.flatnonzero(np.maximum(source, target) >= len(roles.number))
        if len(beyond):
            first = beyond[0]
            raise ValueError(
                f"link {numbers[first]}, {source[first]} -> {target[first]}, joins a latent page to an excluded one"
            )
    return numbers


def _index(edges: EdgeCompatibility, pages: int) -> SortedLinks:
    """Index the links of latent pages, to find neighbours of both directions."""
    none = np.full(len(edges.source), NONE, np.int16)
    return sort_links(Graph(pages, edges.source, edges.target, edges.kind, none))


def _answers(exchange: Exchange, outcome: Outcome, keep: int) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Return the most probable languages of each page and their probabilities; shape (n, keep) each."""
    potentials, latent = exchange.potentials, exchange.potentials.latent
    clamped = potentials.number < 0
    columns = np.zeros((len(clamped), keep), np.int16)
    probabilities = np.zeros(columns.shape, np.float32)
    width = min(keep, potentials.candidates.shape[1])
    columns[clamped], probabilities[clamped] = potentials.clamped.answers, potentials.clamped.probabilities

    def fill(block: slice) -> None:
        pages = np.arange(block.start, block.stop)
        final = exchange.final_belief(outcome.incoming, pages)
        order = find_best_columns(final[:, :-1], width)
        columns[latent[pages], :width] = np.take_along_axis(potentials.candidates[pages], order, 1)
        probabilities[latent[pages], :width] = np.take_along_axis(final, order, 1)

    list(run_blocks(len(latent), BLOCK, fill))
    probabilities[exchange.find_unreached() & ~potentials.urls.stands_out] = 0
    return potentials.active[columns], probabilities


def _explain(exchange: Exchange, outcome: Outcome, weights: Mapping[str, float], row: int) -> Trace:
    """Return the contributions to a page's log-odds of answer over runner-up; they sum to the final ones.

    ``weights`` are those of the potential's terms, by name, default 1. ``row`` is one of the rows whose path was
    recorded.
    """
    potentials, active = exchange.potentials, exchange.potentials.active
    number = int(potentials.number[row])
    terms = potentials.terms[row]
    if number < 0:
        (final,) = terms.values()
    else:
        final = exchange.full_distribution(row, exchange.final_belief(outcome.incoming, np.array([number]))[0])
        # only candidates have exact sums
        final[np.setdiff1d(np.arange(len(active)), potentials.candidates[number])] = -1
    ranking = np.argsort(-final, kind="stable")
    best, second = int(ranking[0]), int(ranking[min(1, len(active) - 1)])

    def log_odds(logs: NDArray[np.floating]) -> float:
        return float(logs[best]) - float(logs[second])

    def most_likely(logs: NDArray[np.floating]) -> int:
        return int(active[logs.argmax()]) if np.ptp(logs) > 0 else NONE

    contributions = [
        Contribution(name, NONE, NONE, most_likely(logs), weights.get(name, 1.0), log_odds(logs))
        for name, logs in terms.items()
    ]
    edges = exchange.edges
    inlinks = ("inlink", True, edges.target, edges.source, exchange.weights.to_target)
    outlinks = ("outlink", False, edges.source, edges.target, exchange.weights.to_source)
    factor = 0.0 if number < 0 else _message_factor(exchange, outcome, number, best, second)
    for name, to_target, receivers, senders, weight in (inlinks, outlinks):
        links = np.flatnonzero(receivers == row)
        shifts = exchange.message(links, to_target=to_target).astype(np.float64)
        shifts *= factor * weight[links][:, None]
        contributions += [
            Contribution(
                name,
                int(senders[link]),
                int(edges.kind[link]),
                most_likely(exchange.belief_of(int(senders[link]))),
                float(edges.p_same[link]),
                log_odds(shift),
            )
            for link, shift in zip(links, shifts, strict=True)
        ]
    path = tuple((int(active[column]), probability) for column, probability in outcome.path[row])
    return Trace(row, tuple(contributions), sum(contribution.log_odds for contribution in contributions), path)


def _message_factor(exchange: Exchange, outcome: Outcome, number: int, best: int, second: int) -> float:
    """Return the factor of a latent page's incoming log-odds: its weight, and less where the bound applies."""
    places = np.searchsorted(exchange.potentials.candidates[number], [best, second])
    sums = outcome.incoming[number, places]
    if sums[0] == sums[1]:
        return float(exchange.neighbour_weight[exchange.potentials.latent[number]])
    bounded = exchange.neighbour_log_odds(outcome.incoming, np.array([number]))[0, places].astype(np.float64)
    return float((bounded[0] - bounded[1]) / (sums[0] - sums[1]))
