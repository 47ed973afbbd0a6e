"""The default, `nfc`: NFC with improvements that its paper leaves for later work, and vectors trained to discriminate.

As in NFC (`published.nfc`, Hayati 2004) n-grams are chosen by Fisher discriminant, each language has one vector, and a
text's score is the inner product of its own vector with that. Different from the paper:

* n-grams of 1 to 5 letters and whole words instead of trigrams, more than a million, chosen by the languages in turn
  (`training.fisher.in_turn`);
* a text is in one script (`text.scripts`), and only the languages that are written in it take part;
* an n-gram's weight in a language is not its share (formula 0.6) but the log of how much commoner it is there than
  expected, so that the rare ones that decide count for more than the common ones that all close languages have;
* the vectors are then trained by logistic regression (`training.discriminative.logistic_regression`), since it is the
  differences of close languages that count, on texts that are scored as if they had not been counted;
* training learns from frequency lists of words and from lines without diacritics too, corrects for the genre of a text
  (`training.genres`), and takes from the lists what tells close languages apart
  (`training.discriminative.close_languages`);
* a text's vector is the count of each n-gram divided by the root of the number of all of them, which is formula 0.3
  where no n-gram repeats;
* how many people use a language counts for a word or two, and hardly for a long text (`scoring.speaker_prior`);
* of a few words a character language model counts too (`char_lm`): a second inner product, with weights that say what
  is rare in a language as well as what is common;
* a long text is judged by several windows, as a mixture (`text.windows`); where the first few leave doubt, by more;
* a long text that says far more for a small language than texts of a great relative of it do is in the small one,
  however much likelier each of its windows is in the great one (`scoring.relatives`);
* a text that fits even its best language badly may be in none that the model knows (`unknown`), and so may one of whose
  words few are that language's (`stranger`).

Weights are whole numbers of small steps and nearly all 0, so that the model is small, the sums are exact, and an answer
does not depend on the order or the company in which texts come.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.content.discriminative import char_lm, stranger, unknown
from graphlang.content.discriminative.parts import PartsRead
from graphlang.content.discriminative.scores import LENGTHS, Scores
from graphlang.content.discriminative.sparse_weights import unpack
from graphlang.content.discriminative.weight_codec import longest_text
from graphlang.content.identifier import Calibrated
from graphlang.content.ngrams.vocabulary import MAX_ORDER, runs
from graphlang.content.published.nfc import vocabulary
from graphlang.content.scoring import calibration, relatives, speaker_prior
from graphlang.content.text import windows
from graphlang.content.text.normalise import Characters, Letters, characters, fold, sample
from graphlang.content.text.scripts import LATIN, registry
from graphlang.modelfile import Model, ModelError, take

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.content.discriminative.char_lm import CharLMSums
    from graphlang.content.discriminative.sparse_weights import Sums

    Floats = NDArray[np.float32]

_FIRST_LOOK = 4  # windows of a long text
_FIRST_SIZE = 42
_SECOND_LOOK = 8
_SECOND_SIZE = 60
_DOUBT = 0.97  # below this, the second look
_PARTS = 16  # of a text that may be in a relative of its language
_PART_SIZE = 40
#: Rate of texts that nobody would take for what they are: names, quotations (on development lines).
OUTLIERS = 0.008
_LONG_OUTLIERS = 0.005  # the same of long texts
APART = 10.0  # how much less likely than any other a label of another script is, where numbers must be finite
_BATCH = 1 << 16  # characters that are worked on together
_FIT_ORDER = 4  # letters of the n-grams that tell whether a text is in one language
_FIT_STEP = 4  # characters from one of them to the next
_WORDS_ONLY = 0  # letters of n-grams: none of them
_FOREIGN = "eng"
_OF_LABELS = ("base", "bias", "siblings", "prior")


class _Measured(NamedTuple):
    """Texts in one script, and what `Discriminative.measure` says of them."""

    rows: NDArray[np.int64]
    columns: slice
    scores: Floats
    lengths: NDArray[np.int64]
    sums: NDArray[np.int16]  # over the columns, and zeros behind; none where no language is written in the script
    found: NDArray[np.int64]  # features
    letters: Letters  # of all the texts, also those in other scripts


class Discriminative(Calibrated):
    """The default method."""

    each_script = True
    most_log = 20.0

    def __init__(self, model: Model, digest: str, source: str, *, name: str = "nfc") -> None:
        super().__init__(model, digest, source, name=name)
        labels, limit = len(self.labels), self.limit
        with ThreadPoolExecutor(1) as beside:  # kernels let other threads of Python run
            lm = beside.submit(char_lm.unpack, model, source)
            self.vocabulary = vocabulary(model, source)
            self._weights = unpack(model, len(self.vocabulary), source)
        lean = take(model, "lean", "f", (len(calibration.KNOTS),), source, most=char_lm.GREATEST).astype(np.float32)
        step = take(model, "step", "f", (1,), source, most=char_lm.GREATEST).astype(np.float32)
        of_labels = [
            take(model, n, "f", (labels,), source, most=char_lm.GREATEST).astype(np.float32) for n in _OF_LABELS
        ]
        # Where the n-grams of all scripts together would do, those of each do.
        doubtful = limit > longest_text(len(self.vocabulary.orders) or 1, words=self.vocabulary.has_words)
        for first, common, rare, *_ in self._weights.blocks.tolist() if doubtful else ():
            sizes = np.flatnonzero(np.bincount(self.vocabulary.sizes[first : first + common + rare]))
            orders = int(np.count_nonzero(sizes <= MAX_ORDER))
            if limit > longest_text(orders or 1, words=len(sizes) > orders):
                raise ModelError(f"{source}: its weights cannot be summed over its limit of {limit} characters")
        if len(self._inverse_temperature) != len(self._weights.names):
            raise ModelError(f"{source}: its calibration does not fit its scripts")
        try:
            numbers = [registry.number(name) for name in self._weights.names]
        except ValueError as error:
            raise ModelError(f"{source}: {error}") from error
        self._script = np.full(256, len(numbers), dtype=np.uint8)
        self._script[numbers] = np.arange(len(numbers))
        factors = np.stack([calibration.inverse_temperature(logs, LENGTHS) for logs in self._inverse_temperature])
        self._char_lm = lm.result()
        if self._char_lm is not None and not self.closed:
            raise ModelError(f"{source}: its character language model needs a space after the last word")
        self._margin = max(self.vocabulary.margin, 0 if self._char_lm is None else self._char_lm.table.margin)
        self._scores = Scores(float(step[0]), factors, speaker_prior.exponents(lean, LENGTHS), *of_labels)
        self._columns = self._weights.columns()
        self._in_steps = self._scores.base / self._scores.step
        self._asks_words = self.vocabulary.has_words
        self._fit_order = max((order for order in self.vocabulary.orders if order <= _FIT_ORDER), default=0)
        self._relatives = [
            (number, column, own, unknown.RELATIVES[label])
            for number, own in enumerate(self._weights.labels)
            for column in range(*own.indices(labels))
            if (label := self.labels[column]) in unknown.RELATIVES
        ]
        self._smaller = relatives.bounds(self)
        self._before = self._scores.prior * lean[0]
        self._foreign = self.labels.index(_FOREIGN) if _FOREIGN in self.labels and labels > 1 else -1
        others = self._before.copy()
        others[self._foreign] = -np.inf
        self._hosts = calibration.probabilities(others[None])[0]

    def measure(
        self, texts: Sequence[str] | Characters, *, script: int | None = None, prior: bool = True
    ) -> Iterator[tuple[NDArray[np.int64], slice, Floats, NDArray[np.int64]]]:
        """Scores of each text in each language that is written in its script, one script after the other.

        Args:
            texts: Whole, unless they are longer than the limit; or a batch of them, none longer.
            script: That of all the texts (a number of `scripts.registry`), if known.
            prior: Whether the log prior of the languages, what tells close languages apart, and the character language
                model count.

        Yields:
            Rows of the texts in one script, (rows,); columns of the labels in it; their scores times the inverse
            temperature, (rows, columns); and letters and spaces of the texts, (rows,). A text in a script that no
            language here is written in leaves all of them as likely as they are before any text.
        """
        for some in self._measure(texts, script, prior=prior):
            yield some.rows, some.columns, some.scores, some.lengths

    def _measure(
        self,
        texts: Sequence[str] | Characters,
        script: int | NDArray[np.uint8] | None = None,
        *,
        prior: bool = True,
    ) -> Iterator[_Measured]:
        letters, offsets, sums, lm_sums = self._sums(texts, script, lm=prior)
        found = np.diff(offsets)
        known = 0
        for number, rows, own in self._weights.each(sums):
            lengths, columns = letters.lengths[rows], self._weights.labels[number]
            scores = self._scores.linear(own, number, columns, lengths=lengths, found=found[rows], prior=prior)
            if self._char_lm is not None and lm_sums is not None:
                scores += self._char_lm.scores(lm_sums, number, rows, lengths)
            yield _Measured(rows, columns, scores, lengths, own, found[rows], letters)
            known += len(rows)
        if known < len(sums.order):
            rows = sums.order[known:]
            scores, nothing = np.tile(self._before, (len(rows), 1)), np.zeros((0, 0), dtype=np.int16)
            yield _Measured(rows, slice(None), scores, letters.lengths[rows], nothing, found[rows], letters)

    def _sums(
        self, texts: Sequence[str] | Characters, script: int | NDArray[np.uint8] | None = None, *, lm: bool = True
    ) -> tuple[Letters, NDArray[np.int64], Sums, CharLMSums | None]:
        """Letters of some texts, offsets of their features, sums of their weights, and those of the language model."""
        letters = fold(
            texts if isinstance(texts, Characters) else characters([sample(text, self.limit) for text in texts]),
            margin=self._margin,
            closed=self.closed,
            one_script=True,
            wanted=None if script is None else np.broadcast_to(np.uint8(script), len(texts)),
        )
        features, offsets = self.vocabulary.find(letters)
        scripts = self._script[letters.scripts]
        lm_sums = self._char_lm.find(letters, scripts) if lm and self._char_lm is not None else None
        return letters, offsets, self._weights.sums(features, offsets, scripts), lm_sums

    def fit(self, texts: Characters, labels: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
        """How well each text fits one label, at a fraction of what its probabilities cost; from few of its n-grams.

        Args:
            texts: Short ones, of any number.
            labels: Of each text, (texts,).

        Returns:
            What its letters add on average to the label's score, the label's base included: 0 where they are as common
            in it as in no language in particular, and less where it is another one, (texts,); and letters and spaces
            of each text in the label's script, (texts,).
        """
        numbers = np.array([registry.number(name) for name in self._weights.names], dtype=np.uint8)
        wanted = numbers[self._weights.script_of(labels)]
        letters = fold(texts, margin=self._margin, closed=self.closed, one_script=True, wanted=wanted)
        features, offsets = self.vocabulary.find(letters, only=self._fit_order, step=_FIT_STEP)
        steps = self._weights.of_label(features, offsets, labels)
        total = steps * self._scores.step + np.diff(offsets) * self._scores.base[labels]
        return (total / np.maximum(letters.lengths, 1)).astype(np.float32), letters.lengths

    def read(self, texts: Characters) -> PartsRead:
        """Read windows of pages, each in its own script, by few of their n-grams (`parts`).

        Args:
            texts: Short ones, of any number.
        """
        letters = fold(texts, margin=self._margin, closed=self.closed, one_script=True)
        features, offsets = self.vocabulary.find(letters, only=self._fit_order)
        sums = self._weights.sums(features, offsets, self._script[letters.scripts])
        return PartsRead(len(self.labels), self._scores, self._weights, letters.lengths, offsets, sums, OUTLIERS)

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
        """Calibrated probabilities, float32 (texts, labels).

        Rows of texts without letters are all 0, and so are those of texts in a script that no language here is written
        in; others sum to 1. A row depends on its own text alone, not on the batch it comes in.
        """
        answer = np.empty((len(texts), len(self.labels)), dtype=np.float32)
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        short, long = np.flatnonzero(sizes <= self.limit), np.flatnonzero(sizes > self.limit)
        some = [texts[i] for i in short.tolist()] if len(long) else texts
        for begin, end in runs(sizes[short], _BATCH):
            self._short(some[begin:end], short[begin:end], answer)
        answer[long] = 0  # all of a short text's row is filled in
        chosen = [texts[i] for i in long.tolist()]
        scripts = windows.main_scripts(chosen)
        order = np.argsort(scripts, kind="stable")  # what is needed for one script stays at hand
        order = order[self._script[scripts[order]] < len(self._weights.names)]
        self._long(texts, long[order], scripts[order], answer)
        if self._smaller:
            self._settle(texts, long[sizes[long] > (relatives.LEAST_UNITS - 1) * _PART_SIZE], answer)
        return answer

    def _settle(self, texts: Sequence[str], rows: NDArray[np.int64], answer: Floats) -> None:
        """Those of the texts that are in a small relative of their best language change the probabilities of the two.

        As they are changed, the small one is told as surely as the great one was: of a hundred such texts that were
        changed on development lines some four were in neither.
        """
        doubtful = relatives.in_doubt(answer if len(rows) == len(answer) else answer[rows], self._smaller)
        mine = rows[doubtful].tolist()
        some = max(1, _BATCH // (_PARTS * _PART_SIZE))
        for begin in range(0, len(mine), some):
            group = mine[begin : begin + some]
            parts, offsets = windows.cut([texts[i] for i in group], _PARTS, _PART_SIZE)
            chances = np.empty((len(parts), len(self.labels)), dtype=np.float32)
            self._short(parts, np.arange(len(parts)), chances)
            best = answer[group].argmax(axis=1)
            own = relatives.smaller(chances, offsets, best, self._smaller)
            answer[group, best], answer[group, own] = answer[group, own], answer[group, best]

    def _short(self, texts: Sequence[str] | Characters, to: NDArray[np.int64], answer: Floats) -> None:
        """Fill in the answers for texts of one window, in these rows."""
        given = texts if isinstance(texts, Characters) else characters(texts)
        letters, offsets, sums, lm_sums = self._sums(given)
        known = self._scores.probabilities(
            sums,
            self._weights,
            lengths=letters.lengths,
            offsets=offsets,
            outliers=OUTLIERS,
            to=to,
            answer=answer,
            char_lm=self._char_lm,
            lm_sums=lm_sums,
        )
        answer[to[sums.order[known:]]] = 0  # no letters, or a script that no language here is written in
        if self._asks_words and letters.lengths.max(initial=0) >= stranger.FEWEST:
            best = self._scores.best(
                sums, self._weights, letters=letters.lengths, offsets=offsets, to=to, answer=answer
            )
            every = np.arange(len(to) + 1)
            self._doubt_strangers(
                best, letters, every, found=np.diff(offsets), lengths=letters.lengths, to=to, answer=answer
            )
        for number, column, own, share in self._relatives:
            begin = int(sums.counts[:number].sum())
            mine = to[sums.order[begin : begin + int(sums.counts[number])]]
            unknown.doubt_relatives(answer, mine, column, own, share)
        unknown.doubt_rubbish(answer, to, given)
        if self._foreign >= 0:
            windows.share_with_hosts(answer, to, letters.lengths, self._foreign, self._hosts)

    def _doubt_strangers(
        self,
        best: stranger.Best,
        letters: Letters,
        offsets: NDArray[np.int64],
        *,
        found: NDArray[np.int64],
        lengths: NDArray[np.int64],
        to: NDArray[np.int64],
        answer: Floats,
    ) -> Floats:
        """Share what may be in a language that is not there (`stranger`), in place.

        Args:
            best: The best language of each text.
            letters: Windows of the texts.
            offsets: Text t has the windows `offsets[t] : offsets[t + 1]`.
            found: Features of each text, (texts,).
            lengths: Letters of each, (texts,).
            to: Row of `answer` of each, (texts,).
            answer: Probabilities.

        Returns:
            How probable it is that each text is in no language of the model; 0 where it was not asked.
        """
        part = np.zeros(len(to), dtype=np.float32)
        asked = np.flatnonzero(best.label >= 0)
        if not len(asked):
            return part
        number = np.diff(offsets)
        some = np.repeat(best.label >= 0, number)
        first = np.concatenate([[0], np.cumsum(number[asked])])
        features, of_windows = self.vocabulary.find(
            Letters(letters.symbols, letters.starts[some], letters.lengths[some], letters.margin), only=_WORDS_ONLY
        )
        scripts = self._script[letters.scripts[offsets[asked]]].astype(np.int64)
        mine = stranger.Best(best.label[asked], best.fit[asked], best.margin[asked])
        words, own, most = self._weights.regret(
            features, of_windows[first], scripts, mine.label, columns=self._columns, base=self._in_steps
        )
        step = np.float32(self._scores.step)
        _, part[asked] = stranger.share(
            mine,
            script=scripts,
            columns=self._columns,
            letters=lengths[asked],
            found=found[asked],
            words=(words, own * step, most * step),
            base=self._scores.base,
            prior=self._scores.prior,
            to=to[asked],
            answer=answer,
        )
        return part

    def _foreign_in(self, columns: slice) -> int:
        first, last, _ = columns.indices(len(self.labels))
        return self._foreign - first if first <= self._foreign < last else -1

    def _long(self, texts: Sequence[str], rows: NDArray[np.int64], scripts: NDArray[np.uint8], answer: Floats) -> None:
        """Fill in the answers for those of the texts that are long, each in its script."""
        some = max(1, _BATCH // (_FIRST_LOOK * _FIRST_SIZE))
        unsure = [np.zeros(0, dtype=np.int64)]
        for begin in range(0, len(rows), some):
            mine, own = rows[begin : begin + some], scripts[begin : begin + some]
            letters, sure = self._look([texts[i] for i in mine.tolist()], mine, own, _FIRST_LOOK, answer)
            few = letters < _FIRST_LOOK * _FIRST_SIZE * windows.FEW
            for script in sorted(set(own[few].tolist())):
                self._words(texts, mine[few & (own == script)], script, answer)
            unsure.append(begin + np.flatnonzero(~few & (sure < _DOUBT)))
        some = max(1, some * _FIRST_LOOK // _SECOND_LOOK)
        again = np.concatenate(unsure)
        for begin in range(0, len(again), some):
            places = again[begin : begin + some]
            mine = rows[places]
            self._look([texts[i] for i in mine.tolist()], mine, scripts[places], _SECOND_LOOK, answer)

    def _words(self, texts: Sequence[str], rows: NDArray[np.int64], script: int, answer: Floats) -> None:
        """Fill in the answers for texts whose windows have few letters of their script: from all that there are."""
        words = [windows.letters_of(texts[i], script) for i in rows.tolist()]
        short = np.array([len(text) <= self.limit for text in words], dtype=np.bool_)
        if short.any():
            self._short([words[i] for i in np.flatnonzero(short).tolist()], rows[short], answer)
        long = np.flatnonzero(~short)
        answer[rows[long]] = 0  # what was looked at first may have been in another script
        scripts = windows.main_scripts([words[i] for i in long.tolist()])
        known = self._script[scripts] < len(self._weights.names)
        long, scripts = long[known], scripts[known]
        if len(long):
            self._look([words[i] for i in long.tolist()], rows[long], scripts, _SECOND_LOOK, answer)

    def _look(
        self, texts: list[str], rows: NDArray[np.int64], scripts: NDArray[np.uint8], number: int, answer: Floats
    ) -> tuple[NDArray[np.int64], Floats]:
        """Fill in the answers from so many windows of each text, in its script.

        Returns:
            How many letters (and spaces) each text's windows have, and how probable it is that the text is in a
            language that the model knows, and in the best of these, (texts,) each.
        """
        size = min(self.limit, _FIRST_SIZE if number == _FIRST_LOOK else _SECOND_SIZE)
        parts, offsets = windows.cut(texts, number, size)
        counts = np.diff(offsets)
        of_parts = np.repeat(scripts, counts)
        sizes, sure = np.zeros(len(texts), dtype=np.int64), np.zeros(len(texts), dtype=np.float32)
        # What is left of doubt after so many windows of a page is that of a short text; close languages count once.
        prior = self._before + self._scores.close_bias
        best, found_of = stranger.none(len(texts)), np.zeros(len(texts), dtype=np.int64)
        letters: Letters | None = None
        for some in self._measure(parts, of_parts, prior=False):
            columns, mine = some.columns, np.flatnonzero(scripts == of_parts[some.rows[0]])
            ends = np.concatenate(([0], np.cumsum(counts[mine])))
            likely = windows.log_likelihood(some.scores, some.lengths > 0, ends, self._foreign_in(columns))
            sizes[mine] = np.add.reduceat(some.lengths, ends[:-1])
            found = calibration.probabilities(likely, prior[columns], sizes[mine] > 0, outliers=_LONG_OUTLIERS)
            sure[mine] = found.max(axis=1)
            about = {"found": some.found, "offsets": ends, "letters": sizes[mine], "answer": found}
            self._scores.doubt(some.sums, columns, **about)
            answer[rows[mine], columns] = found
            letters, found_of[mine] = some.letters, np.add.reduceat(some.found, ends[:-1])
            if self._asks_words:
                own_best = self._scores.best_of_windows(some.sums, columns, **about)
                best.label[mine], best.fit[mine], best.margin[mine] = own_best
        if letters is not None:
            sure *= 1 - self._doubt_strangers(
                best, letters, offsets, found=found_of, lengths=sizes, to=rows, answer=answer
            )
        for of_script, column, own, share in self._relatives:
            mine = rows[self._script[scripts] == of_script]
            if len(mine):
                unknown.doubt_relatives(answer, mine, column, own, share)
        latin = scripts == LATIN
        if latin.any():
            begins, ends = parts.begins[offsets[:-1][latin]], parts.ends[offsets[1:][latin] - 1]
            unknown.doubt_rubbish(answer, rows[latin], Characters(parts.symbols, begins, ends))
        return sizes, sure
