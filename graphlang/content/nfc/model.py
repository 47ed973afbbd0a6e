"""The default method, `nfc`: NFC with improvements that its paper leaves to later work, and trained vectors.

As in NFC (`nfc_2004`, Hayati 2004), the Fisher discriminant selects n-grams, each language has one vector, and the
score of a text is the inner product of its vector with that. Differences from the paper:

* more than a million n-grams of 1 to 5 letters and whole words instead of trigrams, chosen by the languages in turn
  (`training.fisher.choose_in_turn`);
* a text has one script (`text.scripts`), and only languages of that script are compared;
* the weight of an n-gram in a language is not its share (formula 0.6) but the log of its observed over its expected
  frequency: a rare, distinctive n-gram counts more than a common one that all close languages have;
* logistic regression then trains the vectors to discriminate close languages (`training.logistic_regression`); each
  text is scored as if its own n-grams had not been counted;
* training also uses frequency lists of words and lines without diacritics, corrects for the genre of a text
  (`training.excerpts`), and takes distinctive words of close languages from the lists (`training.close_languages`); a
  small language whose text has many words of a relative is trained again on more genres (`training.contrast`);
* the vector of a text has the count of each n-gram divided by the square root of their number, which is formula 0.3 if
  no n-gram repeats;
* a prior by number of speakers matters for a word or two, and little for a long text (`speaker_prior`);
* for a few words a character language model counts, too (`char_lm`): a second inner product, whose
  weights also count what is rare in a language;
* repeated words are read once each, and so are drawn-out letters (`short_texts`);
* a long text is a mixture of several windows (`text.windows`), of more if the first few leave doubt;
* a long text gets a small language instead of its large relative if its score for the small one is far above those of
  texts in the large one, even if each window prefers the large one (`relatives`);
* a text may be in an unknown language, or in no language at all (`doubt`);
* languages with no other training text than a Bible are in a second model, for texts that this one doubts (`further`).

Weights are small integers times a step, nearly all 0. So the model is small, sums are exact, and an answer does not
depend on the other texts of its batch or their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang import modelcache
from graphlang.content import relatives
from graphlang.content.identifier import Calibrated
from graphlang.content.native import scores as _kernels
from graphlang.content.nfc.doubt import OpenSet
from graphlang.content.nfc.further import PARAMETER, find_further
from graphlang.content.nfc.long_texts import LongTexts
from graphlang.content.nfc.model_parts import BATCH, PACKED, list_large_arrays, list_makers, load
from graphlang.content.nfc.names import SURE, doubt_names, without_names
from graphlang.content.nfc.rubbish import doubt_filler
from graphlang.content.nfc.short_texts import OUTLIERS, ShortTexts
from graphlang.content.nfc.spelling import Spelling
from graphlang.content.text import windows
from graphlang.content.text.normalise import Characters, cut_runs, fold
from graphlang.content.text.scripts import registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.content.nfc.scores import Scores
    from graphlang.content.nfc.sparse_weights import ScriptWeights, Sums
    from graphlang.modelfile import Model

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

APART = 10.0  #: how far labels of other scripts score below all others, if scores must be finite
_FIT_ORDER = 4  # length of the n-grams that estimate the fit
_FIT_STEP = 4  # characters from one of them to the next


class Discriminative(Calibrated):
    """The default method; `parts` has the content of its model file."""

    each_script = True
    most_log = 20.0

    def __init__(self, model: Model, digest: str, source: str, *, name: str = "nfc") -> None:
        self._further = find_further(model, source)
        further = self._further.labels if self._further else ()
        super().__init__(model, digest, source, name=name, labels=(*model.labels, *further))
        if self._further:
            self._parameters[PARAMETER] = self._further.digest
        self.parts = load(
            model,
            source,
            labels=model.labels,
            limit=self.limit,
            closed=self.closed,
            log_inverse_temperature=self._inverse_temperature,
            further=len(further),
        )
        if model.cached is not None and not model.cached:
            modelcache.store_tables(model.identity, list_makers(), list_large_arrays(self.parts), PACKED, digest=digest)
        self.vocabulary = self.parts.vocabulary
        open_set = OpenSet(self.parts)
        self._short = ShortTexts(self.parts, open_set)
        self._long = LongTexts(self.parts, open_set, self._short, relatives.find_bounds(self))
        self._spelling = Spelling(self.labels)
        self._latin = self.labels.index("lat") if "lat" in self.labels else -1
        self._fit_order = max((order for order in self.vocabulary.orders if order <= _FIT_ORDER), default=0)

    def measure(
        self, texts: Sequence[str] | Characters, *, script: int | None = None, prior: bool = True
    ) -> Iterator[tuple[Ints, slice, Floats, Ints]]:
        """Compute the scores of texts in the labels of their script, one script after the other.

        Args:
            texts: Strings, of which `limit` characters are read; or a batch of texts that are no longer.
            script: Of all the texts (a number of `scripts.registry`), if known.
            prior: Whether the log prior, the bias between close languages and the character language model count.

        Yields:
            Rows of the texts in one script, (rows,); columns of its labels; their scores times the inverse temperature,
            (rows, columns); letters and spaces of the texts, (rows,). A text in a script without labels
            gets the prior of all labels.
        """
        yield from self.parts.measure(self.parts.sum_weights(texts, script, lm=prior), prior=prior)

    def fit(self, texts: Characters, labels: Ints) -> tuple[Floats, Ints]:
        """Estimate how well each short text fits one label, at a fraction of the cost of its probabilities.

        Return the mean that a letter adds to the label's score, base included, from a few n-grams, (texts,), and the
        number of letters and spaces of each text in the label's script, (texts,). The mean is 0 if the n-grams are as
        frequent in the label as on average, and lower for another language.
        """
        first = len(self.parts.labels)
        if self._further and (further := labels >= first).any():
            fits, lengths = np.zeros(len(labels), np.float32), np.zeros(len(labels), np.int64)
            columns = np.append(np.arange(first), self._further.columns)[labels]
            for rows, identifier in ((~further, self), (further, self._further.identifier)):
                chosen = Characters(texts.symbols, texts.begins[rows], texts.ends[rows])
                fits[rows], lengths[rows] = identifier.fit(chosen, columns[rows])
            return fits, lengths
        weights, scores = self.parts.weights, self.parts.scores
        numbers = np.array([registry.number(name) for name in weights.names], dtype=np.uint8)
        label_scripts = numbers[weights.find_scripts(labels)]
        letters = fold(texts, margin=self.parts.margin, closed=self.closed, one_script=True, row_scripts=label_scripts)
        features, offsets = self.vocabulary.find(letters, only=self._fit_order, step=_FIT_STEP)
        steps = weights.sum_label(features, offsets, labels)
        total = steps * scores.step + np.diff(offsets) * scores.base[labels]
        return (total / np.maximum(letters.lengths, 1)).astype(np.float32), letters.lengths

    def read(self, texts: Characters) -> WindowSums:
        """Sum the weights of a few n-grams of windows of pages, each window in its own script."""
        parts = self.parts
        letters = fold(texts, margin=parts.margin, closed=self.closed, one_script=True)
        features, offsets = self.vocabulary.find(letters, only=self._fit_order)
        sums = parts.weights.sum_features(features, offsets, parts.script[letters.scripts])
        return WindowSums(len(self.labels), parts.scores, parts.weights, letters.lengths, offsets, sums, OUTLIERS)

    def similarities(self, texts: Sequence[str]) -> tuple[Floats, Ints]:
        """Compute the scores of `measure`, (texts, labels); labels of other scripts are `APART` below all others."""
        answer = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        lengths = np.zeros(len(texts), dtype=np.int64)
        for rows, columns, scores, letters in self.measure(texts):
            answer[rows] = scores.min(axis=1, keepdims=True) - APART
            answer[rows, columns] = scores
            lengths[rows] = letters
        return answer, lengths

    def probabilities(self, texts: Sequence[str]) -> Floats:
        """Compute calibrated probabilities, float32 (texts, labels).

        Rows of texts without letters, or in a script without labels, are all 0; others sum to 1. A row does not depend
        on the other texts of the batch.
        """
        return self._probabilities(texts, pages=False)

    def page_probabilities(self, texts: Sequence[str]) -> Floats:
        """Compute probabilities of pages: one with a few English words may be in any language (`text.windows`)."""
        return self._probabilities(texts, pages=True)

    def part_probabilities(self, texts: Sequence[str], *, pages: bool) -> Floats:
        """Compute probabilities without the second model, and without the rules for names and spelling."""
        return self._probabilities(texts, pages=pages, once=True)

    def _probabilities(self, texts: Sequence[str], *, pages: bool, once: bool = False) -> Floats:
        answer = np.empty((len(texts), len(self.labels)), dtype=np.float32)
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        padded = np.flatnonzero(sizes > self.limit).tolist()
        if padded:
            texts = list(texts)
            for place in padded:
                texts[place] = windows.trim(texts[place])
            sizes[padded] = [len(texts[place]) for place in padded]
        short, long = np.flatnonzero(sizes <= self.limit), np.flatnonzero(sizes > self.limit)
        short_ones = [texts[i] for i in short.tolist()] if len(long) else texts
        for begin, end in cut_runs(sizes[short], BATCH):
            self._short.answer(short_ones[begin:end], short[begin:end], answer, pages=pages)
        answer[long] = 0  # short texts fill in all of their rows
        self._long.answer(texts, long, answer, pages=pages)
        if once:
            return answer
        if not pages:
            self._read_without_names(answer, texts, short)
        if self._further:
            self._further.answer(texts, answer, pages=pages)
        self._spelling.apply(answer, texts)
        if self._latin >= 0:
            doubt_filler(answer, texts, self._latin)
        if not pages:
            doubt_names(answer, texts, self.parts.scores.prior)
        return answer

    def _read_without_names(self, answer: Floats, texts: Sequence[str], short: Ints) -> None:
        """Identify doubtful texts among the `short` ones again without names, and take the mean, in place."""
        best = answer.max(axis=1)
        doubtful = short[(best[short] > 0) & (best[short] < SURE)].tolist()
        others = {row: words for row in doubtful if (words := without_names(texts[row]))}
        if not others:
            return
        second = np.empty((len(others), answer.shape[1]), dtype=np.float32)
        self._short.answer(list(others.values()), np.arange(len(others)), second)
        known = second.any(axis=1)
        rows = np.fromiter(others, dtype=np.int64, count=len(others))[known]
        answer[rows] = (answer[rows] + second[known]) / 2


@dataclass(frozen=True, slots=True)
class WindowSums:
    """Sums of weights of windows of pages, from a few of their n-grams (`segments.readers.Reading`).

    The sums of several windows add up to those of their joint text, so no window is read twice.
    """

    labels: int  #: number of labels of the model
    scores: Scores
    weights: ScriptWeights
    lengths: Ints  #: letters and spaces of each window, (windows,)
    offsets: Ints  #: window w has `offsets[w + 1] - offsets[w]` features, (windows + 1,)
    sums: Sums
    outliers: float  #: the part of the probability that all labels of a script share

    def probabilities(self) -> Floats:
        """Compute probabilities, (windows, labels); 0 without letters, or in a script without labels."""
        answer = np.empty((len(self.lengths), self.labels), dtype=np.float32)
        answered = self.scores.fill_probabilities(
            self.sums,
            self.weights,
            lengths=self.lengths,
            offsets=self.offsets,
            outliers=self.outliers,
            to=np.arange(len(answer)),
            answer=answer,
        )
        answer[self.sums.order[answered:]] = 0
        return answer

    def label_groups(self, groups: Ints, members: Ints, labels: Ints) -> Ints:
        """Find the likeliest label of groups of windows, among the labels of the group's script, (groups,).

        Group g has the windows `members[groups[g] : groups[g + 1]]`; `labels` (groups,) are the presumed ones.
        """
        answer, number = labels.copy(), np.diff(self.offsets)
        group, script = np.repeat(np.arange(len(labels)), np.diff(groups)), self.weights.find_scripts(labels)
        for current, rows, table in self.weights.iterate_scripts(self.sums):
            place = np.full(len(self.lengths), -1)
            place[rows] = np.arange(len(rows))
            in_script = (script[group] == current) & (place[members] >= 0)
            windows_, group_numbers = members[in_script], group[in_script]
            if not len(windows_):
                continue
            first = np.flatnonzero(np.diff(group_numbers, prepend=-1))
            total = add_rows(table, place[windows_], np.append(first, len(windows_)))
            columns = self.weights.labels[current]
            score = self.scores.compute_scores(
                total,
                current,
                columns,
                lengths=np.add.reduceat(self.lengths[windows_], first),
                features=np.add.reduceat(number[windows_], first),
                prior=True,
            )
            answer[group_numbers[first]] = columns.start + score.argmax(axis=1)
        return answer


def add_rows(sums: NDArray[np.int16], members: Ints, offsets: Ints) -> NDArray[np.int16]:
    """Sum rows by groups, clipped to 16 bits, (groups, columns); group g is `members[offsets[g] : offsets[g + 1]]`.

    Raise a KernelError if an offset or a member is out of range.

    >>> rows = np.array([[1, 2], [30, 40], [32_000, 0]], dtype=np.int16)
    >>> add_rows(rows, np.array([1, 2, 0, 2]), np.array([0, 1, 4]))
    array([[   30,    40],
           [32767,     2]], dtype=int16)
    """
    totals = np.empty((len(offsets) - 1, sums.shape[1]), dtype=np.int16)
    _kernels.scores_add(sums=sums, members=members, offsets=offsets, totals=totals)
    return totals
