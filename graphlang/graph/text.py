"""What the text of a page is worth: full lists of scores, sharpened by length, blunted by the noise of short texts.

Two facts shape it. A long text holds many independent hints, so that its scores deserve more than they say; and a short
text may simply not be in the language of its page: a menu word, a product's name, a line of code on a Korean page looks
English, and no classifier can help it. So the likelihood of the text of page i under language x is

    (1 - e) c_i(x)^w + e sum over z of N(z) c_i(z)

with c the content scores, w growing and e, the chance of foreign text, falling with length, and N the languages that
foreign text is in (most of it English). A text that stands on several pages of a site word for word ("Search results",
"This page was moved") is the template's, and untranslated more often than not. Without the second term one foreign word
outvotes any number of neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from graphlang.graph.evidence import NONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.evidence import Evidence, Signal

Float = TypeVar("Float", np.float32, np.float64)

PLAYS = 0.3  #: a language takes part when some page's text is at least so likely in it, or a long text most likely is
SPOKEN = 1000  #: a language that no text is in takes part if a signal gives it to one in so many pages
FLOOR = 0.002  #: probability left to all languages that a list of scores does not name, at least
SHARED = 100  #: they share it as if they were so many, at least
GROWTH = 100.0  #: characters at which a text counts twice
SHARPEST = 20.0  #: no text counts more often than this
LENGTHS = (0, 6, 12, 25, 50, 100, 200)  #: characters from which ``FOREIGN`` holds
FOREIGN = (0.15, 0.13, 0.1, 0.06, 0.06, 0.04, 1e-4)  #: chance that the text is not in the language of its page
REPEATED = 0.7  #: the same, at least, where another page of the host has the very same text
ENGLISH = "eng"
ENGLISH_SHARE = 0.9
ENGLISH_PAGES = 0.1  #: how much rarer text in another language is on an English page than on any other


def in_play(evidence: Evidence, said: Mapping[str, Signal], long: NDArray[np.bool_]) -> NDArray[np.int16]:
    """Languages that some page may well be in, ascending: the columns of everything that follows.

    A single one is followed by -1, any other language, so that there is something to be told from.
    """
    best, sure = evidence.best()
    found = np.unique(best[(best >= 0) & ((sure >= PLAYS) | long)])
    if not len(found):
        found = np.unique(best[best >= 0])
    more = [_announced(signal) for signal in said.values() if signal.weight and signal.languages.size]
    found = np.unique(np.concatenate([found, *more]).astype(np.int16))
    return np.append(found, NONE).astype(np.int16) if len(found) == 1 else found


def _announced(signal: Signal) -> NDArray[np.int16]:
    """Languages that a signal brings into play: those of one in ``SPOKEN`` of the pages that it speaks of.

    Every language costs memory for every page, and a few odd URLs can sound like any of a hundred.
    """
    best = signal.languages[:, 0][(signal.probabilities[:, 0] >= PLAYS) & (signal.languages[:, 0] >= 0)]
    found, pages = np.unique(best, return_counts=True)
    return found[pages * SPOKEN >= len(best)].astype(np.int16)


def columns(
    languages: NDArray[np.int16], probabilities: NDArray[np.float32], playing: NDArray[np.int16], count: int
) -> NDArray[np.float32]:
    """Lists of scores as a matrix with a column for each language in play; the others are dropped."""
    where = np.full(count + 1, -1, np.int64)
    where[playing[playing >= 0]] = np.arange(int((playing >= 0).sum()))
    place = where[languages]  # -1 finds the last entry, which is -1
    scores = np.zeros((len(languages), len(playing)), np.float32)
    rows, ranks = np.nonzero((place >= 0) & (probabilities > 0))
    np.add.at(scores, (rows, place[rows, ranks]), probabilities[rows, ranks])
    return scores


def weight(length: NDArray[np.int32]) -> NDArray[np.float64]:
    """How often a text of that length counts: 1 when short, 2 at ``GROWTH`` characters, at most ``SHARPEST``."""
    return np.asarray(np.minimum(1 + (length / GROWTH) ** 2, SHARPEST))


def likelihood(
    scores: NDArray[np.float32],
    length: NDArray[np.int32],
    foreign: NDArray[np.float64],
    rarer: NDArray[np.float64],
    repeated: NDArray[np.bool_] | None = None,
) -> NDArray[np.float32]:
    """Log likelihood of each page's text under each language in play; a row of 0 where there is no evidence.

    Args:
        scores: content scores in the columns of the languages in play, shape (n, L).
        length: characters, shape (n,).
        foreign: N above, shape (L,).
        rarer: what the chance of foreign text is multiplied by on pages of each language, shape (L,).
        repeated: pages whose text another page of the host has, too; shape (n,).
    """
    known = scores.sum(axis=1) > 0
    share = sharpened(scores, np.ones(len(scores))) @ foreign.astype(np.float32)
    chance = np.array(FOREIGN, np.float32)[np.searchsorted(LENGTHS, length, side="right") - 1][:, None]
    if repeated is not None:
        chance = np.where(repeated[:, None], np.maximum(chance, np.float32(REPEATED)), chance)
    chance = chance * rarer.astype(np.float32)
    mixed = sharpened(scores, weight(length))
    mixed += chance * (share[:, None] - mixed)
    return np.where(known[:, None], np.log(mixed, out=mixed), np.float32(0))


def sharpened(scores: NDArray[np.float32], power: NDArray[np.float64]) -> NDArray[np.float32]:
    """Scores with something left for every language, to a power, each row summing to 1."""
    rest = np.maximum(1 - np.einsum("ij->i", scores), np.float32(FLOOR)) / np.float32(max(scores.shape[1], SHARED))
    logs = scores + rest[:, None]
    np.log(logs, out=logs)
    logs *= power[:, None].astype(np.float32)
    return softmax(logs)


def foreign(codes: tuple[str, ...], playing: NDArray[np.int16]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The languages of foreign text (N above), and how much rarer it is on pages of each language; both (L,)."""
    english = np.array([i >= 0 and codes[i] == ENGLISH for i in playing], bool)
    share = ENGLISH_SHARE * english.any()
    languages = share * english + (1 - share) / max(len(playing), 1)
    return np.asarray(languages), np.where(english, ENGLISH_PAGES, 1.0)


def softmax(logs: NDArray[Float]) -> NDArray[Float]:
    """Probabilities in proportion to exp(logs), row by row."""
    odds = logs - logs.max(axis=1, keepdims=True)
    np.exp(odds, out=odds)
    odds /= np.einsum("ij->i", odds)[:, None]  # several times as fast as sum on short rows
    return cast("NDArray[Float]", odds)
