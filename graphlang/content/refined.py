"""The default, `nfc`: NFC with the improvements that its paper leaves for later work, and refined vectors.

It is NFC: n-grams chosen by Fisher discriminant, one vector per language, the inner product of a text's vector with
each of them. Against the published setting (module `nfc`):

* n from 1 to 5 instead of 3, and whole words, more than a million of them, which the languages choose in turn
  (`fisher.in_turn`);
* a text is in one script (`scripts`), and only the languages that are written in it take part;
* an n-gram's weight in a language is not its share (0.6) but the log of how much commoner it is there than expected,
  so that the rare ones that decide count for more than the common ones that all close languages have;
* the vectors are then refined by discriminative training (`refine`), since it is the differences of close languages
  that count, on texts that are scored as if they had not been counted;
* training learns from words of frequency lists and from lines without diacritics too, is told what each kind of text
  says of the language by itself (`kinds`), and takes from the lists what tells close languages apart (`siblings`);
* a text's vector is the number of each n-gram divided by the root of the number of all of them, which is formula 0.3
  where no n-gram repeats;
* how many people use a language (`priors`) counts for a word or two, and hardly for a long text;
* of a few words it counts, too, how likely each language spells words so (`spelling`): a second inner product, with
  weights that say what is rare in a language as well as what is common;
* a long text is judged by several pieces, as a mixture (`pieces`); where the first few leave doubt, by more.

Weights are whole numbers of small steps and nearly all 0, so that the model is small, the sums are exact, and an answer
does not depend on the order or the company in which texts come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content import calibrate, pieces, priors, spelling
from graphlang.content.identifier import Calibrated
from graphlang.content.nfc import settings, vocabulary
from graphlang.content.ngrams import MAX_ORDER, runs
from graphlang.content.normalise import Characters, Letters, characters, fold, sample
from graphlang.content.scores import LENGTHS, Scores
from graphlang.content.scripts import registry
from graphlang.content.scriptweights import unpack
from graphlang.content.weights import longest_text
from graphlang.modelfile import Model, ModelError, take

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.content.scriptweights import Sums
    from graphlang.content.spelling import Spelt

    Floats = NDArray[np.float32]

_FIRST_LOOK = 4  # pieces of a long text
_FIRST_SIZE = 42
_SECOND_LOOK = 8
_SECOND_SIZE = 60
_DOUBT = 0.9  # below this, the second look
_ODD = 0.008  # of texts are what nobody would take them for: names, quotations, mistakes (chosen on development lines)
APART = 10.0  # how much less likely than any other a label of another script is, where numbers must be finite
_TOGETHER = 1 << 16  # characters that are worked on together
_GUEST = "eng"
_SHARPEST = 20.0  # log of it
_OF_LABELS = ("base", "bias", "siblings", "prior")


class Refined(Calibrated):
    """The default method.

    Raises:
        ModelError: the model's arrays are not those of this method.
    """

    def __init__(self, model: Model, digest: str, source: str, *, name: str = "nfc") -> None:
        limit, self.closed = settings(model, source)
        labels = len(model.labels)
        super().__init__(
            name=name,
            labels=model.labels,
            digest=digest,
            parameters=dict(model.parameters),
            limit=limit,
            sharpness=take(model, "sharpness", "f", (None, len(calibrate.KNOTS)), source, most=_SHARPEST),
        )
        self.vocabulary = vocabulary(model, source)
        self._weights = unpack(model, len(self.vocabulary), source)
        lean = take(model, "lean", "f", (len(calibrate.KNOTS),), source, most=spelling.GREATEST).astype(np.float32)
        step = take(model, "step", "f", (1,), source, most=spelling.GREATEST).astype(np.float32)
        of_labels = [
            take(model, n, "f", (labels,), source, most=spelling.GREATEST).astype(np.float32) for n in _OF_LABELS
        ]
        # Where the n-grams of all scripts together would do, those of each do.
        doubtful = limit > longest_text(len(self.vocabulary.orders) or 1, words=self.vocabulary.has_words)
        for first, common, rare, *_ in self._weights.blocks.tolist() if doubtful else ():
            sizes = np.flatnonzero(np.bincount(self.vocabulary.sizes[first : first + common + rare]))
            orders = int(np.count_nonzero(sizes <= MAX_ORDER))
            if limit > longest_text(orders or 1, words=len(sizes) > orders):
                raise ModelError(f"{source}: its weights cannot be summed over its limit of {limit} characters")
        if len(self._sharpness) != len(self._weights.names):
            raise ModelError(f"{source}: its calibration does not fit its scripts")
        try:
            numbers = [registry.number(name) for name in self._weights.names]
        except ValueError as error:
            raise ModelError(f"{source}: {error}") from error
        self._script = np.full(256, len(numbers), dtype=np.uint8)
        self._script[numbers] = np.arange(len(numbers))
        sharp = np.stack([calibrate.sharpness(logs, LENGTHS) for logs in self._sharpness])
        self._spelling = spelling.read(model, source)
        if self._spelling is not None and not self.closed:
            raise ModelError(f"{source}: its spelling needs a space after the last word")
        self._margin = max(self.vocabulary.margin, 0 if self._spelling is None else self._spelling.table.margin)
        self._scores = Scores(float(step[0]), sharp, priors.exponents(lean, LENGTHS), *of_labels)
        self._before = self._scores.prior * lean[0]
        self._guest = self.labels.index(_GUEST) if _GUEST in self.labels and labels > 1 else -1
        others = self._before.copy()
        others[self._guest] = -np.inf
        self._hosts = calibrate.softmax(others[None])[0]

    def measure(
        self, texts: Sequence[str] | Characters, *, script: int | None = None, prior: bool = True
    ) -> Iterator[tuple[NDArray[np.int64], slice, Floats, NDArray[np.int64]]]:
        """Inner products of each text with each language that is written in its script, one script after the other.

        Args:
            texts: Whole, unless they are longer than the limit; or a batch of them, none longer.
            script: That of all the texts (`scripts.registry`), if known.
            prior: Whether to add the log of how likely each language is before any text, the less the longer it is,
                what parts siblings, and what the spelling of short texts says.

        Yields:
            Rows of the texts in one script; columns of the labels in it; their inner products, (rows, columns), times
            the sharpness; and the number of letters and spaces of the texts. A text in a script that no language here
            is written in leaves all of them as likely as they are before any text.
        """
        letters, offsets, sums, spelt = self._sums(texts, script, spell=prior)
        found = np.diff(offsets)
        known = 0
        for number, rows, own in self._weights.each(sums):
            lengths, columns = letters.lengths[rows], self._weights.labels[number]
            scores = self._scores.linear(own, number, columns, lengths=lengths, found=found[rows], prior=prior)
            if self._spelling is not None and spelt is not None:
                scores += self._spelling.scores(spelt, number, rows, lengths)
            yield rows, columns, scores, lengths
            known += len(rows)
        if known < len(sums.order):
            rows = sums.order[known:]
            yield rows, slice(None), np.tile(self._before, (len(rows), 1)), letters.lengths[rows]

    def _sums(
        self, texts: Sequence[str] | Characters, script: int | None = None, *, spell: bool = True
    ) -> tuple[Letters, NDArray[np.int64], Sums, Spelt | None]:
        """Letters of some texts, where their features begin and end, the sums of their weights, and their spelling."""
        letters = fold(
            texts if isinstance(texts, Characters) else characters([sample(text, self.limit) for text in texts]),
            margin=self._margin,
            closed=self.closed,
            one_script=True,
            wanted=None if script is None else np.full(len(texts), script, dtype=np.uint8),
        )
        features, offsets = self.vocabulary.find(letters)
        scripts = self._script[letters.scripts]
        spelt = self._spelling.read(letters, scripts) if spell and self._spelling is not None else None
        return letters, offsets, self._weights.sums(features, offsets, scripts), spelt

    def similarities(self, texts: Sequence[str]) -> tuple[Floats, NDArray[np.int64]]:
        """What `measure` finds, (texts, labels); languages of other scripts are `APART` below all others."""
        answer = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        lengths = np.zeros(len(texts), dtype=np.int64)
        for rows, columns, scores, letters in self.measure(texts):
            answer[rows] = scores.min(axis=1, keepdims=True) - APART
            answer[rows, columns] = scores
            lengths[rows] = letters
        return answer, lengths

    def probabilities(self, texts: Sequence[str]) -> Floats:
        """Calibrated probabilities, float32 (texts, labels). Rows of texts without letters are all 0, others sum to 1.

        A row depends on its own text alone, not on the batch it comes in.
        """
        answer = np.empty((len(texts), len(self.labels)), dtype=np.float32)
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        short, long = np.flatnonzero(sizes <= self.limit), np.flatnonzero(sizes > self.limit)
        some = [texts[i] for i in short.tolist()] if len(long) else texts
        for begin, end in runs(sizes[short], _TOGETHER):
            self._short(some[begin:end], short[begin:end], answer)
        answer[long] = 0  # all of a short text's row is filled in
        chosen = [texts[i] for i in long.tolist()]
        scripts = pieces.main_scripts(chosen)
        for script in np.unique(scripts).tolist():
            self._long(texts, long[scripts == script], script, answer)
        return answer

    def _short(self, texts: Sequence[str], places: NDArray[np.int64], answer: Floats) -> None:
        """Fill in the answers for texts of one piece, in their places."""
        letters, offsets, sums, spelt = self._sums(characters(texts))
        known = self._scores.answers(
            sums,
            self._weights,
            lengths=letters.lengths,
            offsets=offsets,
            odd=_ODD,
            places=places,
            answer=answer,
            spelling=self._spelling,
            spelt=spelt,
        )
        others = sums.order[known:]
        before = np.tile(self._before, (len(others), 1))
        answer[places[others]] = calibrate.softmax(before, spoken=letters.lengths[others] > 0, odd=_ODD)
        if self._guest >= 0:
            pieces.as_guests(answer, places, letters.lengths, self._guest, self._hosts)

    def _guest_in(self, columns: slice) -> int:
        first, last, _ = columns.indices(len(self.labels))
        return self._guest - first if first <= self._guest < last else -1

    def _long(self, texts: Sequence[str], rows: NDArray[np.int64], script: int, answer: Floats) -> None:
        """Fill in the answers for those of the texts that are long and in one script."""
        some = max(1, _TOGETHER // (_FIRST_LOOK * _FIRST_SIZE))
        unsure: list[NDArray[np.int64]] = []
        for begin in range(0, len(rows), some):
            mine = rows[begin : begin + some]
            letters = self._look([texts[i] for i in mine.tolist()], mine, script, _FIRST_LOOK, answer)
            few = letters < _FIRST_LOOK * _FIRST_SIZE * pieces.FEW
            self._words(texts, mine[few], script, answer)
            mine = mine[~few]
            unsure.append(mine[answer[mine].max(axis=1) < _DOUBT])
        some = max(1, some * _FIRST_LOOK // _SECOND_LOOK)
        again = np.concatenate(unsure)
        for begin in range(0, len(again), some):
            mine = again[begin : begin + some]
            self._look([texts[i] for i in mine.tolist()], mine, script, _SECOND_LOOK, answer)

    def _words(self, texts: Sequence[str], rows: NDArray[np.int64], script: int, answer: Floats) -> None:
        """Fill in the answers for texts whose pieces have few letters of their script: from all that there are."""
        words = [pieces.letters_of(texts[i], script) for i in rows.tolist()]
        short = np.array([len(text) <= self.limit for text in words], dtype=np.bool_)
        if short.any():
            self._short([words[i] for i in np.flatnonzero(short).tolist()], rows[short], answer)
        long = np.flatnonzero(~short)
        answer[rows[long]] = 0  # what was looked at first may have been in another script
        scripts = pieces.main_scripts([words[i] for i in long.tolist()])
        for own in np.unique(scripts).tolist():
            chosen = long[scripts == own]
            self._look([words[i] for i in chosen.tolist()], rows[chosen], own, _SECOND_LOOK, answer)

    def _look(
        self, texts: list[str], rows: NDArray[np.int64], script: int, number: int, answer: Floats
    ) -> NDArray[np.int64]:
        """Fill in the answers from so many pieces of each text; how many letters (and spaces) each text's have."""
        size = min(self.limit, _FIRST_SIZE if number == _FIRST_LOOK else _SECOND_SIZE)
        parts, offsets = pieces.cut(texts, number, size)
        sizes = np.zeros(len(texts), dtype=np.int64)
        # What is left of doubt after so many pieces of a page is that of a short text; siblings count once.
        prior = self._before + self._scores.siblings
        for _, columns, scores, letters in self.measure(parts, script=script, prior=False):
            likely = pieces.together(scores, letters > 0, offsets, self._guest_in(columns))
            sizes += np.add.reduceat(letters, offsets[:-1])
            answer[rows, columns] = calibrate.softmax(likely, prior[columns], sizes > 0, odd=_ODD)
        return sizes
