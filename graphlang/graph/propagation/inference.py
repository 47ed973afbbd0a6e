"""The language of every page from its own evidence and its neighbours' beliefs, round by round.

The belief of page i in language x is

    b_i(x) ~ phi_i(x) * product over neighbours j of m_ji(x) ^ (w_i w_ji)

    phi_i(x) = prior of the site(x) * likelihood of the text(x) * signals(x)
    m_ji(x)  = sum over a of b_j(a) / prior_j(a) * P(a at j | x at i, link)

and the way there is one, each stage a frozen dataclass that the next one takes:

    graph, evidence -> roles and learned -> node potentials -> edge compatibility -> message weights
                    -> messages, rounds -> answers, traces

``roles`` separates clamped pages from latent ones (a long text keeps its own answer, and so never fares worse than by
its text alone), ``learned`` has what is common to many pages, ``potentials`` is phi, ``compatibility`` P,
``message_weights`` the weights w, ``messages`` m, and ``rounds`` computes b and m in turn until nothing moves. Messages
go along the links and against them. What made the difference on the development collections, in this order:

- whole lists of scores, not best labels, with the outlier rate of short texts;
- compatibility learned from the collection itself, with the languages that links lead to where they switch, and with
  exclusion where links list *other* languages;
- proper bookkeeping of priors: a belief is divided by its prior before it travels;
- clamped pages.

Unlike in loopy belief propagation, what a page said is not taken out of what comes back: that would need a belief for
every link. Instead b_j above is what page j knows itself, and little of what it heard (``rounds.RELAY``); its answer
takes all of it.

Memory goes with the latent pages (for each candidate four numbers: potential, incoming messages, belief and how that
moved last), and with the links that reach one of them; clamped pages cost next to nothing. Hosts and directories have
some numbers for each active language.

The equations may have several solutions where pages that know little lean on each other, and the one that is found from
the pages' own evidence is the best we know: from even beliefs the development collections fare up to six points worse.
An answer is therefore worked out from the evidence each time, never from an earlier answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import canonical
from graphlang.graph.data import NONE, Answer, Graph, Signal, answer
from graphlang.graph.language_tables import ScoreTables, best_columns
from graphlang.graph.lists import ListTable
from graphlang.graph.propagation import candidates, link_order, reliability
from graphlang.graph.propagation.candidates import active_languages
from graphlang.graph.propagation.edge_features import EdgeFeatures
from graphlang.graph.propagation.learned import Learned, learn_from
from graphlang.graph.propagation.link_regressions import followed
from graphlang.graph.propagation.message_weights import hear_the_sure, message_weights, share_mutual
from graphlang.graph.propagation.messages import give_back
from graphlang.graph.propagation.options import Options
from graphlang.graph.propagation.potentials import node_potentials
from graphlang.graph.propagation.roles import page_roles
from graphlang.graph.propagation.rounds import BLOCK, Exchange
from graphlang.graph.propagation.trace import explain
from graphlang.native.threads import both, in_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links
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

KEEP = 5  #: languages of the answer that are kept


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
        evidence: what every page says for itself; ``length`` should count letters, so that digits do not pass for text.
        options: weights and limits.
        learned: what was learned of the collection that these pages are a part of, see ``learn``; if not given, it is
            learned from these pages. Hosts have to have the same numbers. What it does not know of a host is learned
            from the host's pages, as far as they are here.
        fixed: pages whose belief is given and stays, such as those that another partition of the collection answers
            for. One of which nothing is known has a row of -1.
        elsewhere: what was counted in the whole collection of which these pages are a partition.
        trace: rows to explain: the contributions of a page's text, site, signals and neighbours sum to its final
            log-odds.

    Returns:
        an Answer; pages of which neither text, signals nor neighbours say anything have no language.

    Raises:
        ValueError: a graph and evidence of different numbers of pages; fixed pages or languages that are not there;
            something that was learned of other languages.
    """
    options = options or Options()
    exchange = prepare(graph, evidence, options=options, learned=learned, fixed=fixed, elsewhere=elsewhere, trace=trace)
    return run_rounds(exchange, options, evidence.n, trace)


def run_rounds(exchange: Exchange | None, options: Options, pages: int, trace: Sequence[int] = ()) -> Answer:
    """Run the rounds and return the answers: all stages after ``prepare``.

    Args:
        exchange: of ``prepare``; its rounds can be run once.
        options: that it was prepared with.
        pages: rows of the answer.
        trace: rows to explain, that it was prepared with.
    """
    if exchange is None:
        return answer(np.full((pages, KEEP), NONE, np.int16), np.zeros((pages, KEEP), np.float32), rounds=0)
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
    """Take all stages before the rounds; return None where neither text nor signal names a language.

    Args:
        graph: as in ``propagate``.
        evidence: as in ``propagate``.
        options: weights and limits.
        learned: as in ``propagate``.
        fixed: as in ``propagate``.
        elsewhere: as in ``propagate``.
        trace: rows that will be explained.
    """
    model = build_model(
        graph, evidence, options=options, learned=learned, fixed=fixed, elsewhere=elsewhere, trace=trace
    )
    return None if model is None else make_exchange(model, options, fixed)


@dataclass(frozen=True, slots=True, eq=False)
class InferenceModel:
    """Potentials of the pages and compatibility of their links; graph and evidence are not needed any more."""

    potentials: NodePotentials
    edges: EdgeCompatibility
    by_target: tuple[NDArray[np.int32], NDArray[np.int64]]  #: see ``message_weights``
    roles: PageRoles
    mutual: NDArray[np.bool_]  #: links whose target links back, shape (w,)


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
    """Take the stages that need graph and evidence; return None where neither text nor signal names a language.

    Args:
        graph: as in ``propagate``.
        evidence: as in ``propagate``.
        options: weights and limits.
        learned: as in ``propagate``.
        fixed: as in ``propagate``.
        elsewhere: as in ``propagate``.
        trace: rows that will be explained.
    """
    links, given = read(graph, evidence, options, fixed)
    active = _active(evidence, given, options) if learned is None else learned.active
    if not len(active):
        return None
    give_back()
    tables = ScoreTables(evidence, active)
    roles = page_roles(tables, options, fixed, graph.pages)
    wanted = _reaching(links, roles) if options.neighbours else np.zeros(0, np.int32)
    longest = None if learned is None else learned.compatibility.longest
    features = EdgeFeatures(links, wanted, longest, None if elsewhere is None else elsewhere.degrees)
    if fixed is None:  # none but latent pages will be asked for their neighbours, and the links that reach them tell
        links = links.drop_sources()
    of_all = (tables, given, roles, links, features)
    learn_it = partial(learn_from, *of_all) if learned is None else partial(learned.for_pages, *of_all)
    found, ends = both(learn_it, partial(links.select, wanted))
    give_back()
    learned = found if elsewhere is None else elsewhere.sites_of(found, roles.hosts)
    edges = learned.compatibility.of_links(ends, features, wanted, roles.host, explained=bool(trace))
    # as messages take them
    edges = replace(
        edges, source_marginal=edges.source_marginal.astype(np.float32), switch_to=edges.switch_to.astype(np.float32)
    )
    learned = replace(learned, compatibility=learned.compatibility.of_hosts(np.zeros(0, np.int64)))  # all was told
    by_target, mutual = (ends.order, ends.in_start), features.links_back(wanted)
    del features, wanted, of_all, learn_it, found, ends
    give_back()
    keep = min(KEEP, len(active))
    talk = links if options.neighbours and len(active) > candidates.MOST else None
    if talk is not None and fixed is None:
        talk = _index(edges, evidence.n)
    directories = None if elsewhere is None else elsewhere.directories.table(active, len(evidence.codes))
    linked = np.zeros(evidence.n, np.bool_)
    linked[edges.source], linked[edges.target] = True, True
    potentials = node_potentials(
        *(tables, given, roles, learned, options, talk, linked),
        keep=keep,
        rows=trace,
        fixed=fixed,
        directories=directories,
    )
    return InferenceModel(potentials, edges, by_target, roles, mutual)


def make_exchange(model: InferenceModel, options: Options, fixed: FixedBeliefs | None = None) -> Exchange:
    """Weigh the messages; return the pages ready to exchange them.

    Args:
        model: of `build_model`.
        options: that it was built with.
        fixed: that it was built with.
    """
    give_back()
    potentials, edges, roles = model.potentials, model.edges, model.roles
    links = (edges.source, edges.target, edges.coupling, roles.host, options.degree)
    shown, latent = followed(edges.kind), roles.number >= 0
    weights = message_weights(*links, followed=shown, receives=latent, by_target=model.by_target)
    if fixed is not None:
        latent = latent.copy()
        latent[fixed.rows] = True
    hear_the_sure(weights, *links, roles.doubtful, latent, shown)
    share_mutual(weights, model.mutual & ~shown)
    return Exchange(potentials, edges, weights, roles.host, options.neighbours)


def learn_hosts(
    graph: Graph, evidence: Evidence, learned: Learned, elsewhere: Elsewhere | None, options: Options
) -> Learned:
    """Return what was learned with the hosts of these pages, so that ``prepare`` has nothing left to learn.

    Args:
        graph: as in ``propagate``.
        evidence: as in ``propagate``.
        learned: as in ``propagate``.
        elsewhere: as in ``propagate``.
        options: weights and limits.
    """
    links, given = read(graph, evidence, options)
    tables = ScoreTables(evidence, learned.active)
    roles = page_roles(tables, options, pages=graph.pages)
    degrees = None if elsewhere is None else elsewhere.degrees
    features = EdgeFeatures(links, np.zeros(0, np.int32), learned.compatibility.longest, degrees)
    return learned.for_pages(tables, given, roles, links, features)


def to_answer(exchange: Exchange, outcome: Outcome, options: Options, trace: Sequence[int] = ()) -> Answer:
    """Return the answers after the rounds, and the traces of some rows.

    Args:
        exchange: after its rounds.
        outcome: where they ended.
        options: that it was prepared with.
        trace: rows to explain, that it was prepared and run with.
    """
    languages, probabilities = _answers(exchange, outcome, min(KEEP, len(exchange.potentials.active)))
    given = exchange.potentials.weights
    of_terms = {"site": options.site, **given}
    traces = [explain(exchange, outcome, of_terms, int(row)) for row in trace]
    return answer(languages, probabilities, rounds=outcome.rounds, converged=outcome.converged, traces=traces)


def learn(graph: Graph, evidence: Evidence, *, options: Options | None = None) -> Learned:
    """Learn what is common to the pages of a collection, from all of it or from some of its hosts.

    ``propagate(graph, evidence, learned=learn(graph, evidence))`` is ``propagate(graph, evidence)``.

    Args:
        graph: the links.
        evidence: what every page says for itself.
        options: what counts as certain, and which signals have a weight.

    Raises:
        ValueError: a graph and evidence of different numbers of pages; neither text nor signal names a language.
    """
    options = options or Options()
    links, given = read(graph, evidence, options, None)
    active = _active(evidence, given, options)
    if not len(active):
        raise ValueError("no evidence: no text or signal names a language")
    tables = ScoreTables(evidence, active)
    roles = page_roles(tables, options, pages=graph.pages)
    wanted = _reaching(links, roles) if options.neighbours else np.zeros(0, np.int32)
    return learn_from(tables, given, roles, links, EdgeFeatures(links, wanted))


def read(
    graph: Graph, evidence: Evidence, options: Options, fixed: FixedBeliefs | None = None
) -> tuple[Links, dict[str, Signal]]:
    """Links in their order, and all signals: those of the evidence, and what links say of their targets.

    Args:
        graph: the links.
        evidence: if it has a signal ``link_order``, that one is not worked out.
        options: weights of what links say.
        fixed: pages whose belief is given.

    Raises:
        ValueError: a graph and evidence of different numbers of pages; fixed pages or languages that are not there.
    """
    if graph.inside != evidence.n:
        raise ValueError(f"the graph has {graph.inside} pages, the evidence {evidence.n}")
    if fixed is not None:
        fixed.check(evidence.n, len(evidence.codes))
    links = canonical(graph)
    found = dict(evidence.signals)
    if options.hreflang and (links.hreflang >= 0).any():
        languages, shares = reliability.announced(links, len(evidence.codes))
        inside = slice(evidence.n)
        found["hreflang"] = Signal(languages[inside].copy(), shares[inside].copy(), options.hreflang)
    if options.link_order and links.ordinal is not None and link_order.NAME not in found:
        certain = evidence.long(options.certain_length) & (evidence.best()[1] >= options.certain)
        languages, shares = link_order.from_link_order(links, evidence, certain, graph.outside)
        found[link_order.NAME] = Signal(
            ListTable.from_table(languages, NONE), ListTable.from_table(shares, 0), options.link_order
        )
    return links, found


def _active(evidence: Evidence, given: dict[str, Signal], options: Options) -> NDArray[np.int16]:
    return active_languages(evidence, given, evidence.long(options.certain_length))


def _reaching(links: Links, roles: PageRoles) -> NDArray[np.int32]:
    """Numbers of the links with an end at a latent page, ascending.

    Raises:
        ValueError: the other end is a page that is left out.
    """
    latent = np.zeros(links.n, np.bool_)
    latent[: len(roles.number)] = roles.number >= 0
    found = links.find_incident(latent)
    if links.n > len(roles.number):
        source, target = links.source[found], links.target[found]
        beyond = np.flatnonzero(np.maximum(source, target) >= len(roles.number))
        if len(beyond):
            one = beyond[0]
            raise ValueError(f"link {found[one]}, {source[one]} -> {target[one]}, joins a latent page to one left out")
    return found


def _index(edges: EdgeCompatibility, pages: int) -> Links:
    """The links that reach a latent page, for whoever looks at its neighbours."""
    none = np.full(len(edges.source), NONE, np.int16)
    return canonical(Graph(pages, edges.source, edges.target, edges.kind, none))


def _answers(exchange: Exchange, outcome: Outcome, keep: int) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """The most probable languages of each page, best first, and how probable they are; shape (n, keep) each."""
    given, latent = exchange.potentials, exchange.potentials.latent
    clamped = given.number < 0
    columns = np.zeros((len(clamped), keep), np.int16)
    probabilities = np.zeros(columns.shape, np.float32)
    few = min(keep, given.candidates.shape[1])
    columns[clamped], probabilities[clamped] = given.clamped.answers, given.clamped.probabilities

    def tell(block: slice) -> None:
        part = np.arange(block.start, block.stop)
        final = exchange.final(outcome.incoming, part)
        order = best_columns(final[:, :-1], few)
        columns[latent[part], :few] = np.take_along_axis(given.candidates[part], order, 1)
        probabilities[latent[part], :few] = np.take_along_axis(final, order, 1)

    list(in_blocks(len(latent), BLOCK, tell))
    probabilities[exchange.unreached() & ~given.urls.stands_out] = 0
    return given.active[columns], probabilities
