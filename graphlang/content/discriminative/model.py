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
* a few words said again and again are read once each (`text.repeats`);
* a long text is judged by several windows, as a mixture (`text.windows`); where the first few leave doubt, by more;
* a long text that says far more for a small language than texts of a great relative of it do is in the small one,
  however much likelier each of its windows is in the great one (`scoring.relatives`);
* a text that fits even its best language badly may be in none that the model knows (`unknown`), and so may one of whose
  words few are that language's (`stranger`).

Weights are whole numbers of small steps and nearly all 0, so that the model is small, the sums are exact, and an answer
does not depend on the order or the company in which texts come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang import modelcache
from graphlang.content.discriminative import small_relatives
from graphlang.content.discriminative.doubts import Doubts
from graphlang.content.discriminative.long_texts import LongTexts
from graphlang.content.discriminative.parts import PartsRead
from graphlang.content.discriminative.short_texts import OUTLIERS, ShortTexts
from graphlang.content.discriminative.trained import BATCH, PACKED, load, makers, worked_out
from graphlang.content.identifier import Calibrated
from graphlang.content.scoring import relatives
from graphlang.content.text import windows
from graphlang.content.text.batches import runs
from graphlang.content.text.normalise import Characters, fold
from graphlang.content.text.scripts import registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.content.discriminative.short_texts import Hosts
    from graphlang.modelfile import Model

    Floats = NDArray[np.float32]

APART = 10.0  # how much less likely than any other a label of another script is, where numbers must be finite
_FIT_ORDER = 4  # letters of the n-grams that tell whether a text is in one language
_FIT_STEP = 4  # characters from one of them to the next


class Discriminative(Calibrated):
    """The default method.

    Attributes:
        trained: What its file holds.
    """

    each_script = True
    most_log = 20.0

    def __init__(self, model: Model, digest: str, source: str, *, name: str = "nfc") -> None:
        super().__init__(model, digest, source, name=name)
        self.trained = load(
            model,
            source,
            labels=self.labels,
            limit=self.limit,
            closed=self.closed,
            log_inverse_temperature=self._inverse_temperature,
        )
        if model.kept is not None and not model.kept:
            modelcache.keep(digest, makers(), worked_out(self.trained), PACKED)
        self.vocabulary = self.trained.vocabulary
        doubts = Doubts(self.trained)
        self._short = ShortTexts(self.trained, doubts)
        self._long = LongTexts(self.trained, doubts, self._short)
        self._fit_order = max((order for order in self.vocabulary.orders if order <= _FIT_ORDER), default=0)
        self._smaller = relatives.bounds(self)

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
        yield from self.trained.measure(self.trained.sums(texts, script, lm=prior), prior=prior)

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
        weights, scores = self.trained.weights, self.trained.scores
        numbers = np.array([registry.number(name) for name in weights.names], dtype=np.uint8)
        wanted = numbers[weights.script_of(labels)]
        letters = fold(texts, margin=self.trained.margin, closed=self.closed, one_script=True, wanted=wanted)
        features, offsets = self.vocabulary.find(letters, only=self._fit_order, step=_FIT_STEP)
        steps = weights.of_label(features, offsets, labels)
        total = steps * scores.step + np.diff(offsets) * scores.base[labels]
        return (total / np.maximum(letters.lengths, 1)).astype(np.float32), letters.lengths

    def read(self, texts: Characters) -> PartsRead:
        """Read windows of pages, each in its own script, by few of their n-grams (`parts`).

        Args:
            texts: Short ones, of any number.
        """
        trained = self.trained
        letters = fold(texts, margin=trained.margin, closed=self.closed, one_script=True)
        features, offsets = self.vocabulary.find(letters, only=self._fit_order)
        sums = trained.weights.sums(features, offsets, trained.script[letters.scripts])
        return PartsRead(len(self.labels), trained.scores, trained.weights, letters.lengths, offsets, sums, OUTLIERS)

    def part_probabilities(self, texts: Sequence[str]) -> Floats:
        """As `probabilities`, of parts of texts: no language of another script has quoted them."""
        return self._probabilities(texts, hosts="script")

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
        return self._probabilities(texts, hosts="all")

    def _probabilities(self, texts: Sequence[str], *, hosts: Hosts) -> Floats:
        answer = np.empty((len(texts), len(self.labels)), dtype=np.float32)
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        padded = np.flatnonzero(sizes > self.limit).tolist()
        if padded:
            texts = list(texts)
            for place in padded:
                texts[place] = windows.trim(texts[place])
            sizes[padded] = [len(texts[place]) for place in padded]
        short, long = np.flatnonzero(sizes <= self.limit), np.flatnonzero(sizes > self.limit)
        some = [texts[i] for i in short.tolist()] if len(long) else texts
        for begin, end in runs(sizes[short], BATCH):
            self._short.answer(some[begin:end], short[begin:end], answer, hosts=hosts)
        answer[long] = 0  # all of a short text's row is filled in
        self._long.answer(texts, long, answer)
        if self._smaller:
            many = long[sizes[long] > small_relatives.LONG_ENOUGH]
            small_relatives.settle(texts, many, answer, self._smaller, self._short)
        return answer
