"""The kernels of the graph in plain Python, as their headers describe them: the reference for the compiled ones."""

from __future__ import annotations

import math
from collections import Counter

Rows = list[list[float]]


def starts(ends: list[int], pages: int) -> list[int]:
    return [sum(end < page for end in ends) for page in range(pages + 1)]


def sources(source: list[int], target: list[int], pages: int) -> list[int]:
    return [s for page in range(pages) for s, t in zip(source, target, strict=True) if t == page]


def order(target: list[int], pages: int) -> list[int]:
    return [i for page in range(pages) for i, t in enumerate(target) if t == page]


def hash_of_keys(one: int, other: int) -> int:
    """What links are drawn by, of the keys of both pages."""
    mixed = (one * 3 ^ other) * 0xBF58476D1CE4E5B9 % 2**64
    return mixed ^ mixed >> 32


def reached(pairs: list[tuple[int, int]], no_evidence: list[bool]) -> list[bool]:
    known = {page for page, empty in enumerate(no_evidence) if not empty}
    for _ in no_evidence:
        known |= {a for pair in pairs for a, b in (pair, pair[::-1]) if b in known}
    return [page in known and empty for page, empty in enumerate(no_evidence)]


def edge_features(pairs: set[tuple[int, int]], pages: int, longest: int) -> Rows:
    """Of the links in ascending order; lists longer than ``longest`` have nothing in common with any."""
    outs = {p: {t for s, t in pairs if s == p} for p in range(pages)}
    ins = {p: {s for s, t in pairs if t == p} for p in range(pages)}
    out, into = ({p: some if len(some) <= longest else set() for p, some in of.items()} for of in (outs, ins))
    found = []
    for s, t in sorted(pairs):
        targets, origins, detours = len(out[s] & out[t]), len(into[s] & into[t]), len(out[s] & into[t])
        degrees = [len(outs[s]), len(ins[t]), len(outs[t]), len(ins[s])]
        logs = [math.log1p(degree) for degree in degrees]
        mutual = [len(outs[p] & ins[p]) for p in (s, t)]
        found.append(
            [
                float((t, s) in pairs),
                *logs,
                *map(math.log1p, mutual),
                abs(logs[0] - logs[2]),
                abs(logs[3] - logs[1]),
                *map(math.log1p, (targets, origins, detours)),
                targets / max(1, len(outs[s]) + len(outs[t]) - targets),
                origins / max(1, len(ins[s]) + len(ins[t]) - origins),
            ]
        )
    return found


def coupling(log_odds: float, chance: float, least: float, most: float) -> tuple[float, float]:
    """How likely a link keeps the language, and how likely it does so on purpose."""
    same = min(max(1 / (1 + math.exp(-log_odds)), least), most)
    return same, min(max((same - chance) / (1 - chance), 0), most)


def degree_cap(
    pairs: list[tuple[int, int]], coupling: list[float], host: list[int], degree: float
) -> tuple[list[float], list[float], list[float]]:
    """Weights of the messages to targets and back to sources, and of all messages to each page."""

    def weight(total: float) -> float:
        return degree / total if total > degree else 1.0

    def of_host(page: int, other: int) -> float:
        """Couplings of all links between a page and the host of another one."""
        return sum(
            k
            for (s, t), k in zip(pairs, coupling, strict=True)
            for end, far in ((s, t), (t, s))
            if end == page and host[far] == host[other]
        )

    to_target = [weight(of_host(t, s)) for s, t in pairs]
    to_source = [weight(of_host(s, t)) for s, t in pairs]
    heard = [0.0] * len(host)
    for (s, t), k, there, back in zip(pairs, coupling, to_target, to_source, strict=True):
        heard[t] += k * there
        heard[s] += k * back
    return to_target, to_source, [weight(total) for total in heard]


def contexts(  # noqa: PLR0917
    ordinals: dict[tuple[int, int], int],
    host: list[int],
    label: list[int],
    chosen: list[bool],
    languages: int,
    farthest: int,
    *,
    backwards: bool,
) -> list[tuple[int, int]]:
    """Pages that lists name, and their contexts, list by list."""
    found = []
    for page, home in enumerate(host):
        if not chosen[home]:
            continue
        its = sorted((at, t) for (s, t), at in ordinals.items() if s == page and at >= 0 and host[t] == home)
        names = [t for _, t in its]
        if backwards:
            names.reverse()
        for at, t in enumerate(names):
            known = [back for back in range(1, at + 1) if label[names[at - back]] >= 0]
            distance, language = (known[0], label[names[at - known[0]]]) if known else (at + 1, languages)
            key = (home * farthest + min(distance, farthest) - 1) * (languages + 1) + language
            found.append((t, key))
    return found


def join_links(
    receiver: list[int], message_class: list[int], weight: list[float], classes: int
) -> list[list[tuple[int, float]]]:
    """Receivers of each class and their weights, in the order in which each receiver first gets it."""
    found: list[dict[int, float]] = [{} for _ in range(classes)]
    for to, one, loud in zip(receiver, message_class, weight, strict=True):
        found[one][to] = found[one].get(to, 0.0) + loud
    return [list(one.items()) for one in found]


def message(  # noqa: PLR0917
    source_marginal: list[float],
    switch_to: list[float],
    exclusion: list[float],
    coupling: list[float],
    prior: list[float],
    belief: list[float],
    noise: float,
    *,
    to_target: bool,
) -> list[float]:
    """Bayes' rule over P(t = b | s = a) = k [a = b] + (1 - k) D(b) (1 - x [a = b]) / (1 - x D(a)), sum by sum.

    k and x are those of a.
    """
    every = range(len(prior))

    def switched(a: int, b: int) -> float:
        same, k, x = float(a == b), coupling[a], exclusion[a]
        return k * same + (1 - k) * switch_to[b] * (1 - x * same) / (1 - x * switch_to[a])

    evidence = [b / q for b, q in zip(belief, prior, strict=True)]
    found = []
    for x in every:
        if to_target:  # P(s = a | t = x) is in proportion to P(s = a) P(t = x | s = a)
            joint = [source_marginal[a] * switched(a, x) for a in every]
            told = sum(evidence[a] * joint[a] for a in every) / sum(joint)
        else:
            told = sum(evidence[a] * switched(x, a) for a in every)
        found.append((1 - noise) * told + noise)
    return found


def accumulated(
    receivers: list[list[tuple[int, float]]],
    candidates: list[list[int]],
    numbers: list[int],
    messages: Rows,
    incoming: Rows,
) -> Rows:
    """The sums with some messages added: of the candidates of each receiver, and of all other languages."""
    found = [list(row) for row in incoming]
    for number, said in zip(numbers, messages, strict=True):
        for to, loud in receivers[number]:
            for place, language in enumerate([*candidates[to], -1]):
                found[to][place] += loud * said[language]
    return found


def score_table(lists: list[list[tuple[int, float]]], column: list[int], columns: int) -> Rows:
    """The lists as a table: a language's probability in its column, where it has one."""
    found = [[0.0] * columns for _ in lists]
    for row, one in zip(found, lists, strict=True):
        for language, probability in one:
            if language >= 0 and column[language] >= 0:
                row[column[language]] += probability
    return found


def best_columns(row: list[float], keep: int) -> list[int]:
    """The columns of the largest numbers, largest first; the first of those with the same number before the others."""
    return sorted(range(len(row)), key=lambda column: -row[column])[:keep]


def neighbour_log_odds(incoming: list[float], weight: float, most: float, own: list[float] | None) -> list[float]:
    """What a page takes from its neighbours, and its own potential with it."""
    said = [weight * each for each in incoming]
    bounded = [max(each, max(said) - most) for each in said]
    return bounded if own is None else [one + other for one, other in zip(bounded, own, strict=True)]


def moved(
    belief: list[float], final: list[float], last: list[float], damping: float, least: float
) -> tuple[list[float], list[float], float, bool]:
    """A page's new belief, how it moved, its new damping, and whether it moves: .3 slower where it turns back."""
    step = [to - own for to, own in zip(final, belief, strict=True)]
    turned = sum(one * other for one, other in zip(step, last, strict=True)) < 0
    damping = min(max(damping + (0.3 if turned else -0.2), 0), 0.9)
    step = [(1 - damping) * each for each in step]
    moves = max(map(abs, step)) > least
    step = step if moves else [0.0] * len(step)
    return [own + by for own, by in zip(belief, step, strict=True)], step, damping, moves


def context_shares(entries: list[tuple[int, int]], pages: int) -> list[dict[int, float]]:
    """Of each page its contexts and their shares of its entries."""
    own = [Counter(context for page, context in entries if page == number) for number in range(pages)]
    return [{context: times / times_of.total() for context, times in times_of.items()} for times_of in own]


def context_counts(shares: list[dict[int, float]], labels: list[int], contexts: int) -> list[dict[int, float]]:
    """Of each context the labels of the pages that have it, and the sums of their shares."""
    found: list[dict[int, float]] = [{} for _ in range(contexts)]
    for own, label in zip(shares, labels, strict=True):
        for context, share in own.items():
            if label >= 0:
                found[context][label] = found[context].get(label, 0.0) + share
    return found
