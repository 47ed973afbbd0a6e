"""What every page says before its neighbours are heard: the prior of its site, its text, its signals.

A page whose text is long keeps what that says (it is *settled*); only the others, the *free* ones, need a belief that
can move. What is kept of the settled ones is their answer, and the few beliefs that leave a doubt. Texts and signals
are turned into tables a block of pages at a time, so that memory grows with the free pages, not with all pages; priors
have a number for each language in play and each host or directory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph import signals, sites, slots, text
from graphlang.graph.evidence import NONE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.evidence import Evidence, Signal
    from graphlang.graph.matrix import Links

BLOCK = 1 << 16  #: pages whose tables are held at once
PLAIN = 0.99  #: a settled page so sure is taken to be wholly sure when it speaks
TINY = 1e-37  #: nothing is less likely than this, so that its logarithm is a number


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how sure a text has to be, and how much the prior counts; see ``propagate.Options``."""

    settled: int
    doubtful: float
    certain_length: int
    certain: float
    site: float
    directory: float


@dataclass(frozen=True, slots=True, eq=False)
class Own:
    """n pages, f of them free; L languages in play, K kept of each page; H hosts, P places (directories or hosts)."""

    playing: NDArray[np.int16]  #: the languages of the columns, shape (L,)
    host: NDArray[np.int32]  #: 0..H-1, shape (n,)
    sites: NDArray[np.float64]  #: languages of each host's pages, shape (H, L)
    everywhere: NDArray[np.float64]  #: of all pages, shape (L,)
    place: NDArray[np.int32]  #: whose prior a page has, shape (n,)
    prior: NDArray[np.float32]  #: shape (P, L)
    label: NDArray[np.int16]  #: column of pages whose text can be trusted, else -1, shape (n,)
    best: NDArray[np.int16]  #: column of the likeliest language of each text, -1 none, shape (n,)
    free: NDArray[np.int64]  #: ascending, shape (f,)
    number: NDArray[np.int32]  #: of each page among the free ones, -1 settled, shape (n,)
    listens: NDArray[np.float64]  #: how far each page hears others at all, shape (n,)
    slots: NDArray[np.int16]  #: columns that each free page keeps, ascending, shape (f, K)
    odds: NDArray[np.float32]  #: of them and of all others together, logarithms up to a constant, shape (f, K + 1)
    silent: NDArray[np.bool_]  #: pages without any evidence, shape (n,)
    plain: NDArray[np.bool_]  #: settled pages that leave no doubt: all of a place and language say the same, shape (n,)
    doubted: NDArray[np.int64]  #: the other settled ones, ascending, shape (d,)
    beliefs: NDArray[np.float32]  #: and what they say, shape (d, L)
    answers: NDArray[np.int16]  #: columns of the settled pages' best languages, best first, shape (n - f, k)
    chances: NDArray[np.float32]  #: shape (n - f, k)
    pieces: Mapping[int, Mapping[str, NDArray[np.float32]]]  #: what ``odds`` is the sum of, for the pages asked for


def own(  # noqa: PLR0917  internal, called once
    evidence: Evidence,
    said: Mapping[str, Signal],
    playing: NDArray[np.int16],
    limits: Limits,
    keep: int,
    rows: Sequence[int],
    links: Links | None,
) -> Own:
    """Put together what all pages say for themselves.

    Args:
        evidence: texts, hosts and directories.
        said: signals by name; those without weight are left out.
        playing: languages of the columns.
        limits: what counts as a long and as a sure text.
        keep: languages of an answer that are kept.
        rows: pages whose pieces are kept.
        links: whose ends tell what languages a page may have besides its own; None where links say nothing.
    """
    tables = _Tables(evidence, playing)
    best, sure, mass = tables.best()
    known = best >= 0
    doubtful = (evidence.length >= limits.settled) & (sure < limits.doubtful)
    length = np.where(doubtful, np.minimum(evidence.length, limits.certain_length), evidence.length)
    settled = known & (evidence.length >= limits.settled) & ~doubtful
    trusted = known & (evidence.length >= limits.certain_length) & (sure >= limits.certain)
    label = np.where(trusted, best, NONE).astype(np.int16)
    hosts, numbers = np.unique(evidence.host, return_inverse=True)
    host: NDArray[np.int32] = numbers.astype(np.int32)
    everywhere = sites.collection(mass, label)
    of_hosts = sites.distributions(label, host, len(hosts), everywhere[None])
    place, prior = host, sites.tempered(of_hosts, limits.site)
    if evidence.directory is not None and limits.directory and limits.site:
        place, prior = sites.directories(evidence.directory, host, label, of_hosts, limits.directory, limits.site)
    priors: NDArray[np.float32] = np.maximum(prior, TINY).astype(np.float32)
    free = np.flatnonzero(~settled)
    number = np.full(evidence.n, NONE, np.int32)
    number[free] = np.arange(len(free), dtype=np.int32)
    listens = 1 / text.weight(length)
    given = {name: _Signal(signal, tables, label, host, len(hosts)) for name, signal in said.items() if signal.weight}
    foreign = text.foreign(evidence.codes, playing)
    silent = ~known
    logs = np.log(priors)

    def said_by(part: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
        """What each piece of evidence says of some free pages, as logarithms; shape (p, L) each."""
        block = {
            "text": text.likelihood(tables.of(part), length[part], *foreign, _repeated(evidence, part)),
            "site": logs[place[part]],
        }
        for name, signal in given.items():
            block[name] = signal.odds(part, priors[place[part]])
            block[name] *= (signal.weight * listens[part]).astype(np.float32)[:, None]
            silent[part] &= ~signals.speaks(block[name])
        return block

    kept = min(len(playing), slots.MOST)
    columns, odds = np.empty((len(free), kept), np.int16), np.empty((len(free), kept + 1), np.float32)
    guess = best.copy()  # likeliest language by all evidence
    pieces: dict[int, dict[str, NDArray[np.float32]]] = {}
    for at in range(0, len(free), BLOCK):
        part = free[at : at + BLOCK]
        block = said_by(part)
        total = np.asarray(sum(block.values(), np.zeros((), np.float32)))
        guess[part] = np.where(silent[part], NONE, total.argmax(axis=1))
        columns[at : at + BLOCK] = slots.choose(total)
        odds[at : at + BLOCK] = slots.pack(total, columns[at : at + BLOCK])
        for row in rows:
            if part[0] <= row <= part[-1] and not settled[row]:
                pieces[row] = {name: table[number[row] - at].copy() for name, table in block.items()}
    if kept < len(playing) and links is not None:
        nearby = slots.Nearby(links, guess, len(playing))
        for at in range(0, len(free), BLOCK):
            shares = nearby.shares(free[at : at + BLOCK])
            some = at + np.flatnonzero(slots.missed(shares, columns[at : at + BLOCK]))
            total = np.asarray(sum(said_by(free[some]).values(), np.zeros((), np.float32)))
            columns[some] = slots.choose(text.softmax(total) + slots.NEAR * shares[some - at])
            odds[some] = slots.pack(total, columns[some])
    return Own(
        *(playing, host, of_hosts, everywhere, place, priors, label, best),
        *(free, number, listens, columns, odds, silent),
        *_settled(tables, np.flatnonzero(settled), text.weight(evidence.length), keep),
        pieces,
    )


def _repeated(evidence: Evidence, pages: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    return None if evidence.copies is None else evidence.copies[pages] > 1


def _settled(
    tables: _Tables, settled: NDArray[np.int64], weight: NDArray[np.float64], keep: int
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.float32], NDArray[np.int16], NDArray[np.float32]]:
    """The last fields of ``Own`` but one."""
    plain = np.zeros(len(weight), bool)
    answers, chances = np.empty((len(settled), keep), np.int16), np.empty((len(settled), keep), np.float32)
    beliefs = [np.zeros((0, len(tables.playing)), np.float32)]
    for at in range(0, len(settled), BLOCK):
        part = settled[at : at + BLOCK]
        full = text.sharpened(tables.of(part), weight[part])
        order = top(full, keep)
        answers[at : at + BLOCK], chances[at : at + BLOCK] = order, np.take_along_axis(full, order, 1)
        sure = full.max(axis=1) >= PLAIN
        plain[part] = sure
        beliefs.append(full[~sure])
    doubted = settled[~plain[settled]]
    return plain, doubted, np.concatenate(beliefs), answers, chances


class _Tables:
    """Lists of scores as tables with a column for each language in play, for some of the pages at a time."""

    def __init__(self, evidence: Evidence, playing: NDArray[np.int16]) -> None:
        self.evidence, self.playing, self.count = evidence, playing, len(evidence.codes)

    def of(self, pages: NDArray[np.int64], of: Evidence | Signal | None = None) -> NDArray[np.float32]:
        lists = self.evidence if of is None else of
        return text.columns(lists.languages[pages], lists.probabilities[pages], self.playing, self.count)

    def best(self) -> tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.float64]]:
        """Likeliest column of each text, -1 none, its score, shape (n,) each, and the scores of all, shape (L,)."""
        n = self.evidence.n
        best, sure = np.full(n, NONE, np.int16), np.zeros(n, np.float32)
        mass = np.zeros(len(self.playing))
        for at in range(0, n, BLOCK):
            part = np.arange(at, min(n, at + BLOCK))
            scores = self.of(part)
            first = scores.argmax(axis=1)
            sure[part] = np.take_along_axis(scores, first[:, None], 1)[:, 0]
            best[part] = np.where(sure[part] > 0, first, NONE)
            mass += scores.sum(axis=0, dtype=np.float64)
        return best, sure, mass


class _Signal:
    """One signal, and how far the collection bears it out on each host."""

    def __init__(
        self, signal: Signal, tables: _Tables, label: NDArray[np.int16], host: NDArray[np.int32], hosts: int
    ) -> None:
        self.signal, self.tables, self.weight = signal, tables, signal.weight
        self.background = None
        if signal.background is not None:
            self.background = signals.background(signal.background, tables.playing)
        labelled = np.flatnonzero(label >= 0)
        given: list[NDArray[Any]] = [np.zeros(0, np.int64)]
        right = [np.zeros(0, np.float32)]
        for at in range(0, len(labelled), BLOCK):
            part = labelled[at : at + BLOCK]
            scores = tables.of(part, signal)
            speaks = np.flatnonzero(scores.sum(axis=1) > 0)
            given.append(part[speaks])
            right.append(scores[speaks, label[part[speaks]]])
        self.right = signals.reliability(np.concatenate(right), host[np.concatenate(given)], hosts)
        self.host = host

    def odds(self, pages: NDArray[np.int64], prior: NDArray[np.float32]) -> NDArray[np.float32]:
        against = prior if self.background is None else self.background
        return signals.log_odds(self.tables.of(pages, self.signal), against, self.right[self.host[pages]])


def top(belief: NDArray[np.float32], keep: int) -> NDArray[np.int64]:
    """Columns of the most probable languages of each page, best first, ties by column; shape (n, keep)."""
    left = belief.copy()
    best = np.empty((len(belief), keep), np.int64)
    rows = np.arange(len(belief))
    for rank in range(keep):
        best[:, rank] = left.argmax(axis=1)
        left[rows, best[:, rank]] = -1
    return best
