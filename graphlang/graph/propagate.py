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

Memory goes with the pages that listen (for each of the few languages that a page keeps, see ``slots``, four numbers:
what it says for itself, what it hears, its belief and how that moved last), and with the links that reach one of them;
settled pages cost next to nothing. Hosts and directories have some numbers for each language in play.

The equations may have several solutions where pages that know little lean on each other, and the one that is found
from the pages' own evidence is the best we know: from even beliefs the development collections fare up to six points
worse. An answer is therefore worked out from the evidence each time, never from an earlier answer.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph import couplings, listed, messages, native, shares, signals, text, voices
from graphlang.graph.answer import Answer, answer
from graphlang.graph.evidence import LARGEST, NONE, Signal
from graphlang.graph.matrix import canonical
from graphlang.graph.own import Limits, own, top
from graphlang.graph.tracing import explain
from graphlang.graph.weights import WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.evidence import Evidence, Graph
    from graphlang.graph.matrix import Links

START, SLOWER, FASTER, SLOWEST = 0.0, 0.3, -0.2, 0.9  #: damping of a page, and how it changes
KEEP = 5  #: languages of the answer that are kept
BLOCK = 1 << 16  #: pages or voices worked on at once
LINKS = 1 << 22  #: links looked at at once


@dataclass(frozen=True, slots=True)
class Options:
    """Weights and limits of the inference; a weight of 0 switches its part off.

    Raises:
        ValueError: a number that is negative or not a number, a weight above ``LARGEST``.
    """

    rounds: int = 200  #: cap on rounds
    tolerance: float = 1e-3  #: converged when no probability moves by more in a round
    neighbours: float = WEIGHTS["neighbours"]  #: weight of the links
    site: float = WEIGHTS["site"]  #: power of the languages of the site as the prior
    directory: float = WEIGHTS["directory"]  #: power of the languages of the directory, relative to the site's
    hreflang: float = WEIGHTS["hreflang"]  #: weight of the languages that links announce for their targets
    listed: float = WEIGHTS["listed"]  #: weight of the page's place in the lists that name it
    degree: float = WEIGHTS["degree"]  #: bonds beyond so many share their weight, for each host and in all
    settled: int = 200  #: a page with so many characters of text keeps what its text says ...
    doubtful: float = 0.0  #: ... unless its text is less sure than this: it then listens like a page of certain_length
    certain_length: int = 150  #: couplings, priors and reliabilities are learned from pages with so many characters ...
    certain: float = 0.5  #: ... whose text is so sure

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{field.name} is {value}; it must be a number that is not negative")
            if field.name in WEIGHTS and field.name != "degree" and value > LARGEST:
                raise ValueError(f"{field.name} is {value}; no weight can be above {LARGEST:g}")


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
    if options.listed and links.place is not None:
        certain = (evidence.length >= options.certain_length) & (evidence.best()[1] >= options.certain)
        said["listed"] = Signal(*listed.listed(links, evidence, certain), options.listed)
    playing = text.in_play(evidence, said, evidence.length >= options.certain_length)
    if not len(playing):
        return answer(np.full((graph.n, KEEP), NONE, np.int16), np.zeros((graph.n, KEEP), np.float32), rounds=0)
    return Inference(links, evidence, said, playing, options, trace).run()


class Inference:
    """One run: what does not change between rounds is worked out once. L languages in play, f pages that listen."""

    def __init__(  # noqa: PLR0917  internal, called once
        self,
        links: Links,
        evidence: Evidence,
        said: dict[str, Signal],
        playing: NDArray[np.int16],
        options: Options,
        trace: Sequence[int],
    ) -> None:
        self.links, self.evidence, self.playing, self.options, self.rows = links, evidence, playing, options, trace
        self.weights = {"site": options.site, **{name: signal.weight for name, signal in said.items()}}
        self.size, self.keep = len(playing), min(KEEP, len(playing))
        limits = Limits(*(getattr(options, field.name) for field in fields(Limits)))
        self.own = given = own(evidence, said, playing, limits, self.keep, trace, links if options.neighbours else None)
        self.settled = given.number < 0
        # links that reach a page which still listens
        self.wanted = _reaching(links, given.number) if options.neighbours else np.zeros(0, np.int32)
        self.source, self.target = links.source[self.wanted], links.target[self.wanted]
        self.couplings = couplings.learn(
            links, self.wanted, given.host, given.label, given.sites, given.everywhere, evidence.length
        )
        followed = couplings.followed(links.kind[self.wanted])
        self.shares = shares.shares(
            self.source, self.target, self.couplings.bond, given.host, options.degree, followed=followed
        )
        self.scale = (options.neighbours * given.listens * self.shares.page).astype(np.float32)
        self.scale[self.settled] = 0
        # who speaks: one row for each language (settled pages that leave no doubt), then for each of the others
        whole = np.concatenate([np.eye(self.size, dtype=np.float32), given.beliefs])
        self.messages = messages.Messages(self.couplings, given.prior, whole, given.slots)
        self.whole = whole
        self.speaker = np.where(given.plain, given.best, given.number + np.int32(len(whole)))
        self.speaker[given.doubted] = self.size + np.arange(len(given.doubted))
        self.belief = np.empty_like(given.odds)
        for at in range(0, len(self.belief), BLOCK):
            self.belief[at : at + BLOCK] = text.softmax(given.odds[at : at + BLOCK])
        self.voices = self._voices()

    def _voices(self) -> list[voices.Voices]:
        """Of the inlinks and of the outlinks."""
        given = self.own
        level = voices.level(self.couplings.bond)
        self.bond = voices.LEVELS[level]
        places = len(given.prior)
        key = self.speaker.astype(np.int64) + (places - 1) * self.size
        key[given.plain] = given.place[given.plain].astype(np.int64) * self.size + given.best[given.plain]
        kin, _ = voices.numbered(key, places * self.size + len(self.whole) + len(self.belief))
        order = self.shares.order
        inlinks = order[given.number[self.target[order]] >= 0]  # side by side for each page
        outlinks = np.flatnonzero(given.number[self.source] >= 0).astype(np.int32)
        of_links, of_pages = (self.couplings.group, level), (kin, given.host, given.number)
        return [
            voices.voices(inlinks, self.target, self.source, self.shares.along, *of_links, *of_pages),
            voices.voices(outlinks, self.source, self.target, self.shares.against, *of_links, *of_pages),
        ]

    def run(self) -> Answer:
        """Exchange messages until no belief moves, or the cap on rounds is reached."""
        own, options = self.own, self.options
        self.path = {int(row): [self._step(self.believed(row))] for row in self.rows}
        count = len(own.free)
        belief = self.belief
        heard, last = np.zeros(belief.shape), np.zeros_like(belief)
        damping = np.full((count, 1), START, np.float32)
        self._hear(heard, np.arange(count), None)
        active = np.arange(count)  # pages to be worked out again
        rounds = 0
        while True:
            rounds += 1
            largest, moving, before = 0.0, [active[:0]], [belief[:0]]
            for at in range(0, len(active), BLOCK):
                part = active[at : at + BLOCK]
                final = self.final(heard, part)
                if not np.isfinite(final).all():
                    raise ValueError("the weights are so large that nothing can be told any more")
                step = final - belief[part]
                most = np.abs(step).max(axis=1)
                largest = max(largest, float(most.max()))
                # pages that exclude each other's languages swing to and fro: who turns back is slowed down
                turned = (step * last[part]).sum(axis=1, keepdims=True) < 0
                damping[part] = np.clip(damping[part] + np.where(turned, SLOWER, FASTER), 0, SLOWEST)
                step *= 1 - damping[part]
                moves = np.abs(step).max(axis=1) > options.tolerance / 10
                step[~moves] = 0
                last[part] = step
                moving.append(part[moves])
                before.append(belief[part[moves]])
                belief[part] += step
            moved, old = np.concatenate(moving), np.concatenate(before)
            self._follow(heard)
            if largest <= options.tolerance or rounds >= options.rounds:
                belief[moved] = old  # what was heard is what these said
                break
            touched = self._hear(heard, moved, old)
            touched[moved] = 1
            active = np.flatnonzero(touched)
        del last, moved, old, before
        found = self._answer(heard)
        traces = [explain(self, row, heard) for row in self.path]
        return answer(*found, rounds=rounds, converged=largest <= options.tolerance, traces=traces)

    def final(self, heard: NDArray[np.float64], part: NDArray[np.int64]) -> NDArray[np.float32]:
        """What some of the free pages would believe, of the languages they keep and of all others, shape (p, K + 1)."""
        logs = (heard[part] * self.scale[self.own.free[part], None]).astype(np.float32)
        logs += self.own.odds[part]
        return text.softmax(logs)

    def _follow(self, heard: NDArray[np.float64]) -> None:
        for row, steps in self.path.items():
            if self.settled[row]:
                steps.append(steps[0])
            else:
                number = self.own.number[[row]].astype(np.int64)
                steps.append(self._step(self.opened(row, self.final(heard, number)[0])))

    def _answer(self, heard: NDArray[np.float64]) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
        own = self.own
        columns = np.empty((len(self.settled), self.keep), np.int16)
        chances = np.empty(columns.shape, np.float32)
        columns[self.settled], chances[self.settled] = own.answers, own.chances
        for at in range(0, len(own.free), BLOCK):
            part = np.arange(at, min(at + BLOCK, len(own.free)))
            final = self.final(heard, part)
            order = top(final[:, :-1], self.keep)
            columns[own.free[part]] = np.take_along_axis(own.slots[part], order, 1)
            chances[own.free[part]] = np.take_along_axis(final, order, 1)
        # pages without evidence that no chain of links joins to a page with evidence
        chances[own.silent & ~native.reached(self.source, self.target, own.silent)] = 0
        return self.playing[columns], chances

    def opened(self, row: int, belief: NDArray[np.float32]) -> NDArray[np.float32]:
        """A free page's belief with a column for each language: the others share what they have by the prior."""
        slots = self.own.slots[self.own.number[row]]
        found: NDArray[np.float32] = self.own.prior[self.own.place[row]].copy()
        found[slots] = 0
        found *= belief[-1] / max(float(found.sum()), 1e-9)
        found[slots] = belief[:-1]
        return found

    def believed(self, row: int) -> NDArray[np.float32]:
        """What a page believes now, shape (L,)."""
        speaker = int(self.speaker[row])
        if speaker < len(self.whole):
            return np.asarray(self.whole[speaker])
        return self.opened(row, self.belief[speaker - len(self.whole)])

    def _step(self, belief: NDArray[np.float32]) -> tuple[int, float]:
        return int(self.playing[belief.argmax()]), float(belief.max())

    def _hear(
        self, total: NDArray[np.float64], moved: NDArray[np.int64], old: NDArray[np.float32] | None
    ) -> NDArray[np.uint8]:
        """Bring the unscaled sum of the messages to each free page up to date, shape (f, K + 1).

        Args:
            total: the sum.
            moved: free pages whose belief moved, by their number, shape (p,).
            old: what they believed before, shape (p, K + 1); None: nothing was said yet, and all pages speak.

        Returns:
            1 for each free page whose sum changed, shape (f,).
        """
        touched = np.zeros(len(total), np.uint8)
        for inward, voice in zip((True, False), self.voices, strict=True):
            changed, whose = (np.arange(len(voice.sender)), None) if old is None else voice.of(moved)
            for at in range(0, len(changed), BLOCK):
                part = changed[at : at + BLOCK]
                sender = voice.sender[part]
                speaker = self.speaker[sender]
                given = (voice.host[part], voice.bond[part], speaker, self.own.place[sender])
                said = self.messages.logs(*given, self.belief, speaker - len(self.whole), inward=inward)
                if old is not None and whose is not None:
                    said -= self.messages.logs(*given, old, whose[at : at + BLOCK], inward=inward)
                self.messages.hear(voice, part, said, total, touched)
        return touched

    def message(self, part: NDArray[np.int64], *, inward: bool) -> NDArray[np.float32]:
        """Log messages through some of the wanted links, to their targets (inward) or back to their sources."""
        sender = (self.source if inward else self.target)[part]
        speaker = self.speaker[sender]
        given = (self.couplings.group[part], self.bond[part], speaker, self.own.place[sender], self.belief)
        return self.messages.logs(*given, speaker - len(self.whole), inward=inward)[:, :-1]


def _reaching(links: Links, number: NDArray[np.int32]) -> NDArray[np.int32]:
    """Numbers of the links with an end at a free page, ascending."""
    found = [np.zeros(0, np.int32)]
    for at in range(0, links.m, LINKS):
        part = slice(at, at + LINKS)
        reaches = (number[links.source[part]] >= 0) | (number[links.target[part]] >= 0)
        found.append((np.flatnonzero(reaches) + at).astype(np.int32))
    return np.concatenate(found)
