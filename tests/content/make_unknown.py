"""Makes ``graphlang/data/unknown.json``: what tells a language that is not there from the one that it resembles.

    python tests/content/make_unknown.py DATA FOLDER

FOLDER is that of `make_corpus.py`.

Labels are left out of the shipped `nfc`, a tenth of them at a time, and asked for their text: lines that training kept
out, FLORES, Tatoeba, lingua's sentences and pages of docs-full, whole, joined to 400 characters and cut to 24 to 180.
With rubbish, and text of languages that were never trained, whose n-grams the vocabulary was not chosen for, they are
the unknown texts: languages with too little text, and those of which the archive has a Bible alone. The known ones are
the same, those of all labels, asked of the whole model, where it answers rightly. Texts of one half of the labels alone
are used (English, which stands in pages of all languages, is of that half), so that the other half can judge
(``tests/benchmarks/honest_doubt.py --half 1``). Signs of long texts are taken at both looks. What is usual of a label
is measured on the lines that training kept out.
"""

from __future__ import annotations

import json
import random
import sys
import zlib
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unittest import mock

import make_corpus
import numpy as np

import graphlang
from graphlang import modelfile
from graphlang.codes import languages
from graphlang.content import page_input, registry
from graphlang.content.nfc import doubt, long_texts
from graphlang.content.nfc.long_texts import LongTexts
from graphlang.content.nfc.model import Discriminative
from graphlang.content.nfc.short_texts import ShortTexts
from graphlang.content.text.normalise import fold, join_texts
from graphlang.content.text.scripts import registry as scripts
from graphlang.training import corpus
from graphlang.training.model_columns import remove_labels

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FOLDS: Final = 10
FITTED: Final = 0.1  #: share of the texts to fit on that are unknown
SHARES: Final = {"letters": 0.012, "ngrams": 0.02, "likelihood": 0.021}  #: of texts anywhere, as the constants take it
UNTRAINED: Final = 0.2  #: share of languages that were never trained in the unknown texts
LONG: Final = 0.6  #: what a joined text of these counts
USED: Final = 0.1  #: a known text counts as the probability of its language beforehand has it, to that power
PULL: Final = 10.0  #: towards 0, of every term
OF_EACH: Final = 12  # texts of a label, kind and source
OF_UNTRAINED: Final = 30
OF_ARCHIVE: Final = 200  # lines of a file of a language that was never trained
LEAST_CHARACTERS: Final = 15  # of a line, and one more
CUTS: Final = (24, 36, 49, 80, 120, 180)
JOINED: Final = 400
USUAL: Final = 160  # characters of a text of which the likelihood is measured
MOST_USUAL: Final = 100  # such texts of a label
FEWEST_USUAL: Final = 3
SHORTEST: Final = 12  # letters: fewer than of a text that is asked about, for the fit not to end there
LEAST_SURE: Final = 0.3  # what is told with less needs no doubt
#: Coefficients before any are fitted.
BEFORE: Final = doubt.Coefficients(np.zeros(1, np.float32), np.ones(1, np.float32), np.zeros(3, np.float32))
_SOURCES: Final = ("flores200_devtest", "laser_tatoeba", "lingua_sentences")


KNOWN, LEFT, NEVER = range(3)  # groups of texts: of the model's labels, of those left out, of those never trained


class Made(NamedTuple):
    """The signs, (texts, signs), the group, (texts,), and what counts within the unknown ones, (texts,)."""

    signs: Floats
    group: NDArray[np.int64]
    counts: Floats


def first_half(label: str) -> bool:
    """Whether a label is one of those that the coefficients are fitted on."""
    return label == "eng" or zlib.crc32(label.encode()) % 2 == 0


def join_lines(lines: list[str]) -> list[str]:
    made, current = [], ""
    for line in lines:
        current += f"{line} "
        if len(current) >= JOINED:
            made.append(current)
            current = ""
    return made


def lines_of(data: Path, folder: Path) -> Mapping[str, Sequence[str]]:
    """The lines of every label of the corpus."""
    read = corpus.read_corpus(
        folder / "corpus",
        label=languages.label,
        minimum=lambda _: 0,
        maximum=400_000,
        messages=[data / "train-software"],
        one_script=True,
    )
    return read.lines


def usual(identifier: Discriminative, lines: Mapping[str, Sequence[str]]) -> dict[str, list[float]]:
    """What a letter of each label's held-out text adds to its log-likelihood on average, and what every letter does.

    Args:
        identifier: The model.
        lines: Of each label.
    """
    trained, found = identifier.parts, {}
    lm, weights = trained.char_lm, trained.weights
    if lm is None:
        return {}
    for place, label in enumerate(identifier.labels):
        own = [line for line in corpus.hold_out(tuple(lines.get(label, ())), 10)[1] if len(line) > LEAST_CHARACTERS]
        random.Random(label).shuffle(own)  # noqa: S311
        whole = " ".join(own)
        some = [whole[i : i + USUAL] for i in range(0, len(whole) - USUAL + 1, USUAL)][:MOST_USUAL]
        if len(some) < FEWEST_USUAL or not lm.letter[place]:
            continue
        labels = np.full(len(some), place)
        wanted = np.array([scripts.number(weights.names[i]) for i in weights.find_scripts(labels)], dtype=np.uint8)
        letters = fold(join_texts(some), margin=trained.margin, closed=True, one_script=True, row_scripts=wanted)
        told, full = lm.estimate_likelihood(letters, labels), letters.lengths > USUAL / 2
        if np.count_nonzero(full) >= FEWEST_USUAL:
            usual_one = float(told[full].sum() / letters.lengths[full].sum())
            found[label] = [round(usual_one, 4), round(float(lm.letter[place]), 5)]
    return found


def read_untrained(data: Path, labels: Collection[str]) -> dict[str, list[str]]:
    """Read lines of languages that are in the archive of further text, and not in the model."""
    lines: dict[str, list[str]] = {}
    for (code, source), content in make_corpus.read_archive(data / make_corpus.ARCHIVE).items():
        label = languages.label(code)
        if label and label not in labels and make_corpus.find_kind(source) != make_corpus.WORDS:
            lines.setdefault(label, []).extend(content.decode("utf-8").splitlines()[:OF_ARCHIVE])
    return lines


def texts(data: Path, lines: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Labels of the first half that were trained and their texts."""
    sources = {"training": {label: list(corpus.hold_out(tuple(own), 10)[1]) for label, own in lines.items()}}
    for name in _SOURCES:
        by_label: dict[str, list[str]] = defaultdict(list)
        for line in (data / "lid" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            tag, _, text = line.split("\t", 2)
            if (label := languages.label(tag)) and "\\x" not in text:
                by_label[str(label)].append(text)
        sources[name] = by_label
    for by_name in sources.values():
        for label, every in sorted(by_name.items()):
            if not first_half(label):
                continue
            own = [line for line in every if len(line) > LEAST_CHARACTERS]
            random.Random(label).shuffle(own)  # noqa: S311
            yield from ((label, text) for text in join_lines(own)[:OF_EACH])
            yield from ((label, text) for text in own[:OF_EACH])
            for turn, size in enumerate(CUTS, 1):
                yield from ((label, text[:size]) for text in own[turn * OF_EACH : (turn + 1) * OF_EACH])
    yield from pages(data / "web" / "docs-full.warc.gz", data / "web" / "docs-full.gold.tsv")


def untrained(lines: Mapping[str, Sequence[str]], labels: Collection[str]) -> Iterator[tuple[str, str]]:
    """Labels of the first half that the model does not have, and their texts, as ``honest_doubt.py`` cuts them.

    Args:
        lines: Of every label of the corpus.
        labels: The model's.
    """
    for label in sorted(lines.keys() - labels):
        if first_half(label):
            own = [line for line in lines[label] if len(line) > LEAST_CHARACTERS]
            random.Random(label).shuffle(own)  # noqa: S311
            yield from ((label, text) for text in join_lines(own)[:OF_UNTRAINED])
            for size in (None, 49, 24):
                yield from ((label, text[:size]) for text in own[:OF_UNTRAINED])


def pages(archive: Path, gold: Path, most: int = 3_000) -> Iterator[tuple[str, str]]:
    lines = (line.split("\t") for line in gold.read_text(encoding="utf-8").splitlines()[1:])
    label_of = {url: languages.label(tag) for url, tag, *_ in lines}
    found = [page for page in graphlang.read(str(archive)) if isinstance(page, graphlang.Page)]
    random.Random(1).shuffle(found)  # noqa: S311
    for page in found[:most]:
        label = label_of.get(page.url)
        if label and first_half(label):
            [text] = page_input.join_parts(
                page_input.Material([page.title], [page.text], [page.main_length], [b""], [""])
            )
            yield label, text


def rubbish(number: int = 300) -> list[str]:
    draw = random.Random(3)  # noqa: S311
    kinds = ("0123456789abcdef", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHabcdefghijklmnopqrstuvwxyz0123456789+/")
    return [
        " ".join("".join(draw.choices(kinds[i % 3], k=draw.randint(2, 40))) for _ in range(draw.randint(5, 60)))
        for i in range(number)
    ]


@contextmanager
def recorded(kept: dict[int, list[NDArray[np.float32]]]) -> Iterator[None]:
    """Keep the features of every text at both looks, and discount nothing."""
    discount = doubt.discount

    def record(best: doubt.BestLabels, ngrams: Any, *, to: Any, answer: Any, **rest: Any) -> tuple[Any, Any, Any]:
        signs, part, again = discount(best, ngrams, to=to, answer=answer.copy(), **rest)
        if ngrams is None or rest.get("more"):
            return signs, part, again
        for row, own, label in zip(to.tolist(), signs, best.label.tolist(), strict=True):
            if label >= 0:
                kept.setdefault(row, []).append(own)
        return signs, np.zeros_like(part), again

    with (
        mock.patch.object(doubt, "discount", record),
        mock.patch.object(doubt, "read_coefficients", return_value=BEFORE),
        mock.patch.object(doubt, "ASK", 0.0),
        mock.patch.object(doubt, "ASK_LIKELIHOOD", 0.0),
        mock.patch.object(doubt, "SURE", 0.0),
        mock.patch.object(doubt, "FEWEST_LETTERS", SHORTEST),
        mock.patch.object(long_texts, "_DOUBT", 2.0),
        mock.patch.object(ShortTexts, "_weigh_scripts", lambda _self, _batch, letters, *_: letters.lengths),
        mock.patch.object(LongTexts, "_answer_by_parts"),  # rows of parts are no rows of texts
        mock.patch.object(LongTexts, "_compare_relatives"),
    ):
        yield


def ask(identifier: Discriminative, some: list[str]) -> tuple[NDArray[np.str_], Floats, dict[int, list[Any]]]:
    """The best label, its probability, and the signs of each text."""
    best, sure, kept = [], [], {}
    for begin in range(0, len(some), 500):
        own: dict[int, list[Any]] = {}
        with recorded(own):
            found = identifier.probabilities(some[begin : begin + 500])
        best.append(found.argmax(axis=1))
        sure.append(found.max(axis=1))
        kept |= {begin + row: signs for row, signs in own.items()}
    return np.array(identifier.labels)[np.concatenate(best)], np.concatenate(sure), kept


def fit(made: Made, stage: doubt.Stage) -> dict[str, list[float]]:
    """Coefficients of the greatest likelihood, by Newton's method."""
    signs, unknown, weight = made.signs[:, : doubt.STAGES[stage]], made.group != KNOWN, weights(made)
    mean, spread = np.average(signs, axis=0, weights=weight), signs.std(axis=0)
    x = np.clip((signs - mean) / spread, -doubt.CUT, doubt.CUT)
    x = np.column_stack([np.ones(len(x)), doubt.append_products(x)])
    terms = np.zeros(x.shape[1])
    pull = np.full(len(terms), PULL)
    pull[0] = 0
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(x @ terms, -30, 30)))
        slope = x.T @ (weight * (chance - unknown)) + pull * terms
        curve = (x * (weight * chance * (1 - chance))[:, None]).T @ x + np.diag(pull)
        step = np.linalg.solve(curve, slope)
        terms -= step * min(1.0, 4 / np.abs(step).max())
    share = SHARES[stage]
    terms[0] += np.log(share / (1 - share)) - np.log(FITTED / (1 - FITTED))
    return {"mean": mean.round(5).tolist(), "spread": spread.round(5).tolist(), "terms": terms.round(5).tolist()}


def collect(data: Path, model: modelfile.Model, lines: Mapping[str, Sequence[str]]) -> Made:
    """Signs of all texts.

    Args:
        data: Where FLORES and the others are.
        model: The shipped one.
        lines: Of every label of the corpus.
    """
    given = [(label, text) for label, text in texts(data, lines) if label in model.labels]
    of, some = np.array([label for label, _ in given]), [text for _, text in given]
    identifier = Discriminative(model, "", "nfc")
    best, sure, kept = ask(identifier, some)
    known = [own for row, signs in kept.items() if best[row] == of[row] and sure[row] >= LEAST_SURE for own in signs]
    order, left = list(model.labels), []
    random.Random(1).shuffle(order)  # noqa: S311
    for turn in range(FOLDS):
        gone = order[turn::FOLDS]
        rows = np.flatnonzero(np.isin(of, gone))
        mine = [some[row] for row in rows.tolist()] + (rubbish() if turn == 0 else [])
        _, sure, kept = ask(Discriminative(remove_labels(model, set(gone)), "", ""), mine)
        left += [own for row, signs in kept.items() if sure[row] >= LEAST_SURE for own in signs]
    others = [text for _, text in untrained({**lines, **read_untrained(data, model.labels)}, model.labels)]
    _, sure, kept = ask(identifier, others)
    asked = [(row, own) for row, signs in kept.items() if sure[row] >= LEAST_SURE for own in signs]
    never, long = [own for _, own in asked], [LONG if len(others[row]) >= JOINED else 1.0 for row, _ in asked]
    group = np.repeat(np.array([KNOWN, LEFT, NEVER]), [len(known), len(left), len(never)])
    counts = np.concatenate([np.ones(len(known) + len(left)), long])
    return Made(np.array(known + left + never, dtype=np.float64), group, counts)


def weights(made: Made) -> Floats:
    """Of each text, so that unknown ones are `FITTED` of all, as many in sum as there are texts."""
    common = np.exp(USED * made.signs[:, doubt.FEATURES.index("prior")])
    part = np.zeros(len(made.group))
    for group, share in ((KNOWN, 1 - FITTED), (LEFT, FITTED * (1 - UNTRAINED)), (NEVER, FITTED * UNTRAINED)):
        own = (common if group == KNOWN else made.counts) * (made.group == group)
        part += share * own / own.sum()
    return np.asarray(part * len(part), dtype=np.float64)


def main(data: Path, folder: Path) -> None:
    model, digest = modelfile.read(registry.path("nfc"))
    lines = lines_of(data, folder)
    with mock.patch.object(doubt, "_read_file", return_value={"usual": {}}):
        measured = usual(Discriminative(model, "", "nfc"), lines)
    with mock.patch.object(doubt, "_read_file", return_value={"usual": measured}):
        made = collect(data, model, lines)
    found = {"model": digest, "signs": list(doubt.FEATURES)} | {stage: fit(made, stage) for stage in doubt.STAGES}
    rows = ",\n".join(f'  "{label}": {json.dumps(own)}' for label, own in measured.items())
    text = json.dumps(found, indent=1).removesuffix("\n}")
    doubt.FILE.write_text(f'{text},\n "usual": {{\n{rows}\n }}\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
