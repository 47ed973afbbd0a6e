"""The language of every page from its own evidence and its neighbours' beliefs, round by round.

Each page's belief is (prior of its site) x (likelihood of its text) x (its signals) x (a message from every neighbour,
along and against the links). ``sites``, ``text``, ``signals``, ``couplings`` and ``messages`` say what each factor is.
Beliefs and messages are worked out in turn until nothing moves. What made the difference on the development
collections, in this order:

- whole lists of scores, not best labels, with the chance that a short text is foreign (``text``);
- couplings learned from the collection itself, with languages that links lead to where they leave the language,
  and with exclusion where links list *other* languages (``couplings``);
- proper bookkeeping of priors: a belief is divided by its prior before it travels (``messages``);
- a long text does not listen: from ``settled`` characters on a page keeps what its text says, and below that the
  neighbours count less the more text there is. A full page therefore never fares worse than by its text alone.

Neighbours agree with each other for reasons of their own (one navigation bar, one link farm), so that those of a host,
and all hosts together, share the weight of ``degree`` bonds (``shares``). Unlike in loopy belief propagation, what a
page said is not taken out of what comes back: that would need a belief for every link, and the messages of undecided
pages are weak as it is.

The equations may have several solutions where pages that know little lean on each other, and the one that is found
from the pages' own evidence is the best we know: from even beliefs the development collections fare up to six points
worse. An answer is therefore worked out from the evidence each time, never from an earlier answer.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphlang.graph import couplings, messages, shares, signals, text, voices
from graphlang.graph import sites as sites_
from graphlang.graph.answer import Answer, Contribution, Trace, answer
from graphlang.graph.evidence import NONE, Signal
from graphlang.graph.matrix import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.evidence import Evidence, Graph
    from graphlang.graph.matrix import Links

START, SLOWER, FASTER, SLOWEST = 0.0, 0.3, -0.2, 0.9  #: damping of a page, and how it changes
PLAIN = 0.99  #: a settled page so sure is taken to be wholly sure when it speaks
KEEP = 5  #: languages of the answer that are kept
BLOCK = 100_000  #: links worked on at once
TINY = 1e-37  #: nothing is less likely than this, so that its logarithm is a number


@dataclass(frozen=True, slots=True)
class Options:
    """Weights and limits of the inference; a weight of 0 switches its part off.

    Raises:
        ValueError: a number that is negative or not a number.
    """

    rounds: int = 200  #: cap on rounds
    tolerance: float = 1e-3  #: converged when no probability moves by more in a round
    neighbours: float = 1.0  #: weight of the links
    site: float = 0.5  #: power of the languages of the site as the prior
    directory: float = 1.0  #: power of the languages of the directory, relative to the site's
    hreflang: float = 1.0  #: weight of the languages that links announce for their targets
    degree: float = 6.0  #: bonds beyond so many share their weight, for each host and in all
    settled: int = 200  #: a page with so many characters of text keeps what its text says ...
    doubtful: float = 0.0  #: ... unless its text is less sure than this: it then listens like a page of certain_length
    certain_length: int = 150  #: couplings, priors and reliabilities are learned from pages with so many characters ...
    certain: float = 0.5  #: ... whose text is so sure

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{field.name} is {value}; it must be a number that is not negative")


def propagate(graph: Graph, evidence: Evidence, *, options: Options | None = None, trace: Sequence[int] = ()) -> Answer:
    """Infer the language of every page, fetched or not.

    Args:
        graph: the links.
        evidence: what every page says for itself; ``length`` should count letters, so that digits do not pass for text.
        options: weights and limits.
        trace: rows to explain: the contributions of a page's text, site, signals and neighbours sum to its final
            log-odds.

    Returns:
        an Answer; pages of which neither text, signals nor neighbours say anything have no language.

    Raises:
        ValueError: a graph and evidence of different numbers of pages.
    """
    options = options or Options()
    if graph.n != evidence.n:
        raise ValueError(f"the graph has {graph.n} pages, the evidence {evidence.n}")
    links = canonical(graph)
    said = dict(evidence.signals)
    if options.hreflang and (links.hreflang >= 0).any():
        said["hreflang"] = Signal(*signals.announced(links, len(evidence.codes)), options.hreflang)
    playing = text.in_play(evidence, said, evidence.length >= options.certain_length)
    if not len(playing):
        return answer(np.full((graph.n, KEEP), NONE, np.int16), np.zeros((graph.n, KEEP), np.float32), rounds=0)
    return _Inference(links, evidence, said, playing, options, trace).run()


class _Inference:
    """One run: what does not change between rounds is worked out once. L languages in play."""

    def __init__(  # noqa: PLR0915, PLR0917  internal, called once
        self,
        links: Links,
        evidence: Evidence,
        said: dict[str, Signal],
        playing: NDArray[np.int16],
        options: Options,
        trace: Sequence[int],
    ) -> None:
        self.links, self.playing, self.options, self.rows = links, playing, options, trace
        count, self.size = len(evidence.codes), len(playing)
        scores = text.columns(evidence.languages, evidence.probabilities, playing, count)
        first = scores.argmax(axis=1)
        sure = np.take_along_axis(scores, first[:, None], 1)[:, 0]
        known = sure > 0
        best = np.where(known, first, NONE)
        doubtful = (evidence.length >= options.settled) & (sure < options.doubtful)
        length = np.where(doubtful, np.minimum(evidence.length, options.certain_length), evidence.length)
        self.settled = known & (evidence.length >= options.settled) & ~doubtful
        trusted = known & (evidence.length >= options.certain_length) & (sure >= options.certain)
        label = np.where(trusted, best, NONE).astype(np.int16)
        hosts, numbers = np.unique(evidence.host, return_inverse=True)
        host: NDArray[np.int32] = numbers.astype(np.int32)
        everywhere = sites_.collection(scores, label)
        sites = sites_.distributions(label, host, len(hosts), everywhere[None])
        place, prior = host, sites_.tempered(sites, options.site)
        if evidence.directory is not None and options.directory and options.site:
            place, prior = sites_.directories(evidence.directory, host, label, sites, options.directory, options.site)
        self.prior = prior.astype(np.float32)
        self.place = place
        # own evidence, piece by piece: the trace shows the pieces
        free = ~self.settled
        self.text = np.zeros(scores.shape, np.float32)
        self.text[free] = text.likelihood(scores[free], length[free], *text.foreign(evidence.codes, playing))
        listens = 1 / text.weight(length)
        self.signals: dict[str, NDArray[np.float32]] = {}
        for name, signal in said.items():
            if signal.weight:
                table = text.columns(signal.languages, signal.probabilities, playing, count)
                right = signals.reliability(table, label, host, len(hosts))[host]
                against = self.prior[place]
                if signal.background is not None:
                    against = signals.background(signal.background, playing)
                odds = signals.log_odds(table, against, right)
                odds *= (signal.weight * listens).astype(np.float32)[:, None]
                self.signals[name] = odds
        # links that reach a page which still listens
        self.wanted = (
            np.flatnonzero(free[links.source] | free[links.target]) if options.neighbours else np.zeros(0, int)
        )
        self.source, self.target = links.source[self.wanted], links.target[self.wanted]
        self.couplings = couplings.learn(links, self.wanted, host, label, sites, everywhere)
        self.tables = messages.tables(self.couplings)
        followed = couplings.followed(links.kind[self.wanted])
        self.shares = shares.shares(
            self.source, self.target, self.couplings.bond, host, options.degree, followed=followed
        )
        self.scale = options.neighbours * listens * self.shares.page
        self.scale[self.settled] = 0
        self.scale = self.scale.astype(np.float32)
        own = self.text + np.log(self.prior)[place] + sum(self.signals.values(), np.zeros((), np.float32))
        full = text.sharpened(scores[self.settled], text.weight(evidence.length[self.settled]))
        own[self.settled] = np.log(np.maximum(full, TINY, out=full), out=full)
        self.own = own.astype(np.float32, copy=False)
        self.belief = text.softmax(self.own)
        # settled pages that leave no doubt all say the same
        plain = self.settled & (self.belief.max(axis=1) >= PLAIN)
        self.belief[plain] = np.eye(self.size, dtype=np.float32)[best[plain]]
        kin = np.empty(links.n, np.int64)
        _, kin[plain] = np.unique(place[plain].astype(np.int64) * self.size + best[plain], return_inverse=True)
        kin[~plain] = np.arange(int((~plain).sum())) + kin[plain].max(initial=-1) + 1
        level, home = voices.level(self.couplings.bond), self.couplings.group
        self.bond = voices.LEVELS[level]
        inlinks = (self.source, self.target, self.shares.along)
        outlinks = (self.target, self.source, self.shares.against)
        self.voices: list[voices.Voices] = []
        for sender, receiver, share in (inlinks, outlinks):
            part = np.flatnonzero(free[receiver])
            given = (receiver[part], sender[part], share[part], home[part], level[part])
            self.voices.append(voices.voices(*given, kin, host, free))
        self.silent = ~known
        for said_of in self.signals.values():
            self.silent &= ~signals.speaks(said_of)

    def run(self) -> Answer:
        """Exchange messages until no belief moves, or the cap on rounds is reached."""
        belief = self.belief
        self.path = {int(row): [self._step(belief[row])] for row in self.rows}
        free = np.flatnonzero(~self.settled)
        heard = np.zeros((len(belief), self.size), np.float32)
        spoken = [np.zeros((len(v.sender), self.size), np.float32) for v in self.voices]
        number = np.cumsum(~self.settled) - 1  # place of each free page in ``free``
        moving = free  # rows whose belief moved in the last round
        damping = np.full((len(free), 1), START, np.float32)
        last = np.zeros((len(free), self.size), np.float32)
        rounds, moved = 0, np.inf
        final = belief[free]
        active = np.arange(len(free))  # places in ``free`` of the pages to be worked out again
        while True:
            touched = self._hear(heard, spoken, belief, moving, first=rounds == 0)
            if rounds:
                active = number[voices.places(np.concatenate([moving, touched]), len(belief))[0]]
            rows = free[active]
            final[active] = text.softmax(self.own[rows] + self.scale[rows, None] * heard[rows])
            rounds += 1
            step = final[active] - belief[rows]
            moved = float(np.abs(step).max(initial=0))
            for row, steps in self.path.items():
                steps.append(self._step(belief[row] if self.settled[row] else final[number[row]]))
            if moved <= self.options.tolerance or rounds >= self.options.rounds:
                break
            # pages that exclude each other's languages swing to and fro: who turns back is slowed down
            turned = (step * last[active]).sum(axis=1, keepdims=True) < 0
            damping[active] = np.clip(damping[active] + np.where(turned, SLOWER, FASTER), 0, SLOWEST)
            step *= 1 - damping[active]
            moves = np.abs(step).max(axis=1) > self.options.tolerance / 10
            step[~moves] = 0
            last[active] = step
            belief[rows] += step
            moving = rows[moves]
        mixed, belief = belief, text.softmax(self.own)
        belief[free] = final
        final = belief
        traces = [self.explain(row, mixed, final) for row in self.path]
        final[self._unheard()] = 0
        keep = min(KEEP, self.size)
        order = _top(final, keep)
        return answer(
            self.playing[order],
            np.take_along_axis(final, order, 1),
            rounds=rounds,
            converged=moved <= self.options.tolerance,
            traces=traces,
        )

    def _unheard(self) -> NDArray[np.bool_]:
        """Pages without evidence that no chain of links joins to a page with evidence."""
        silent = self.silent
        touching = silent[self.source] | silent[self.target]
        # all pages with evidence count as one: page n
        one = len(silent)
        ends = [np.where(silent[end], end, one) for end in (self.source[touching], self.target[touching])]
        ones = np.ones(int(touching.sum()), np.int8)
        joined = sparse.csr_matrix((ones, (ends[0], ends[1])), shape=(one + 1, one + 1))
        _, part = csgraph.connected_components(joined, directed=False)
        return np.asarray(silent & (part[:-1] != part[one]))

    def _step(self, belief: NDArray[np.float32]) -> tuple[int, float]:
        return int(self.playing[belief.argmax()]), float(belief.max())

    def _hear(
        self,
        total: NDArray[np.float32],
        spoken: list[NDArray[np.float32]],
        belief: NDArray[np.float32],
        moving: NDArray[np.int64],
        *,
        first: bool,
    ) -> NDArray[np.int64]:
        """Bring the unscaled sum of the messages to each page up to date, shape (n, L), where the senders moved.

        Returns:
            the pages whose sum changed, each at least once.
        """
        touched = [np.zeros(0, np.int64)]
        for inward, voice, said in zip((True, False), self.voices, spoken, strict=True):
            changed = np.arange(len(voice.sender)) if first else voice.of(moving)
            for at in range(0, len(changed), BLOCK):
                part = changed[at : at + BLOCK]
                sender = voice.sender[part]
                speak = messages.along if inward else messages.against
                evidence = belief[sender] / self.prior[self.place[sender]]
                now = speak(self.tables, voice.host[part], voice.bond[part], evidence)
                heard = voice.heard[:, part]
                rows, place = voices.places(heard.indices, len(total))
                few = sparse.csc_matrix((heard.data, place, heard.indptr), shape=(len(rows), len(part)))
                total[rows] += few @ (now - said[part])
                touched.append(rows)
                said[part] = now
        return np.concatenate(touched)

    def message(self, belief: NDArray[np.float32], part: NDArray[np.int64], *, inward: bool) -> NDArray[np.float32]:
        """Log messages through some of the wanted links, to their targets (inward) or back to their sources."""
        sender = (self.source if inward else self.target)[part]
        said = belief[sender] / self.prior[self.place[sender]]
        speak = messages.along if inward else messages.against
        return speak(self.tables, self.couplings.group[part], self.bond[part], said)

    def explain(self, row: int, belief: NDArray[np.float32], final: NDArray[np.float32]) -> Trace:
        """What moved a page, in log-odds of its answer over its runner-up; the contributions sum to the final ones."""
        ranking = np.argsort(-final[row], kind="stable")
        best, second = int(ranking[0]), int(ranking[min(1, self.size - 1)])

        def odds(scores: NDArray[np.floating]) -> float:
            return float(scores[best]) - float(scores[second])

        def top(scores: NDArray[np.floating]) -> int:
            return int(self.playing[scores.argmax()]) if np.ptp(scores) > 0 else NONE

        if self.settled[row]:
            parts = [Contribution("text", NONE, NONE, top(self.own[row]), 1.0, odds(self.own[row]))]
        else:
            prior = np.log(self.prior[self.place[row]])
            parts = [Contribution("text", NONE, NONE, top(self.text[row]), 1.0, odds(self.text[row]))]
            parts.append(Contribution("site", NONE, NONE, top(prior), self.options.site, odds(prior)))
            parts += [Contribution(n, NONE, NONE, top(s[row]), 1.0, odds(s[row])) for n, s in self.signals.items()]
        inlinks = ("inlink", True, self.target, self.shares.along)
        outlinks = ("outlink", False, self.source, self.shares.against)
        for name, inward, ends, share in (inlinks, outlinks):
            part = np.flatnonzero(ends == row)
            sender = (self.source if inward else self.target)[part]
            moved = self.message(belief, part, inward=inward).astype(np.float64)
            moved *= self.scale[row] * share[part][:, None]
            parts += [
                Contribution(
                    name,
                    int(neighbour),
                    int(self.links.kind[self.wanted[link]]),
                    top(belief[neighbour]),
                    float(self.couplings.keeps[link]),
                    odds(shift),
                )
                for link, neighbour, shift in zip(part, sender, moved, strict=True)
            ]
        return Trace(row, tuple(parts), sum(part.log_odds for part in parts), tuple(self.path[row]))


def _top(belief: NDArray[np.float32], keep: int) -> NDArray[np.int64]:
    """Columns of the most probable languages of each page, best first, ties by column; shape (n, keep)."""
    left = belief.copy()
    best = np.empty((len(belief), keep), np.int64)
    rows = np.arange(len(belief))
    for rank in range(keep):
        best[:, rank] = left.argmax(axis=1)
        left[rows, best[:, rank]] = -1
    return best
