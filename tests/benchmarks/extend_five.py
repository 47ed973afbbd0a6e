"""`train --extend`: five languages are taken out of the shipped model, added again from their text alone, and compared.

    python tests/benchmarks/extend_five.py

Of different kinds: Tamil (a script of its own), Basque (alone in its family), Faroese (close to a rich sibling), Xhosa
(closer still, most of its text translations of programs), Mossi (little text). Their columns are taken out, which is
near enough to a training without them: n-grams that only they had a weight in go as well, but the others were chosen
with them in mind, and the weights of the other labels were trained beside theirs. What is added is the text that they
were trained on: Basque has a list of words by frequency, Basque and Faroese have common words of dictionaries, which
``tests/content/fetch_words.py`` fetches (DICTIONARIES; without them it says so). With ``--relatives`` lines of
seven close languages that training kept out make the new ones hold back.
Columns: lines of test, accuracy (%) of the shipped model and of the extended one, whole, cut to 49 and to 24
characters; then the other labels.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from development_data import answer_texts, read_lines

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.content import registry
from graphlang.content.nfc.model import Discriminative
from graphlang.content.text.scripts import registry as scripts
from graphlang.training import corpus, derived_text, logistic_regression, model_columns
from graphlang.training.extend import extend_model
from graphlang.training.training_options import TrainingOptions

FIVE = ("tam", "eus", "fao", "xho", "mos")
RELATIVES = ("dan", "isl", "nbl", "nno", "nob", "ssw", "zul")
CUTS = (None, 49, 24)


def five_out(
    data: Path, folder: Path, messages: list[Path], words: Path | None
) -> tuple[modelfile.Model, modelfile.Model]:
    """The shipped model, and one without the five; their training text goes to the folder."""
    path = registry.path("nfc")
    model, digest = modelfile.read(path)
    identifier = Discriminative(model, digest, "nfc")
    often = model_columns.read_occurrences(model, path)
    text = corpus.read_corpus(
        data / "train",
        label=languages.label,
        minimum=lambda _: 0,
        maximum=model.parameters["maximum"],
        messages=messages,
        only=FIVE,
        one_script=True,
    )
    genres = []
    for label in FIVE:
        kept, _ = corpus.hold_out(text.lines[label], model.parameters["held_out"])
        stays = set(kept)
        apart = {kind: [line for line in own if line in stays] for kind, own in text.group_by_genre(label).items()}
        genres.append(apart)
        (folder / label).mkdir()
        for kind, own in apart.items():
            (folder / label / f"{kind}.txt").write_text("\n".join(own), encoding="utf-8")
    derived_text.add_derived_text(genres, FIVE, words, TrainingOptions(), np.random.default_rng(0))
    for label, apart in zip(FIVE, genres, strict=True):
        script = scripts.number(model.parameters["scripts"][int(model.arrays["script"][model.labels.index(label)])])
        every = [line for own in apart.values() for line in own]
        features, _ = logistic_regression.find_features(
            identifier.vocabulary, every, limit=model.parameters["maximum"], closed=True, script=script
        )
        often -= np.bincount(features, minlength=len(often))
    packed = model_columns.pack_occurrences(np.maximum(often, 0).astype(np.int64))
    return model, model_columns.remove_labels(
        replace(model, arrays={**model.arrays, model_columns.OCCURRENCES: packed}), FIVE
    )


def write_held_out(data: Path, folder: Path, messages: list[Path], every: int) -> None:
    """Lines of the relatives that training kept out go to the folder."""
    text = corpus.read_corpus(
        data / "train",
        label=languages.label,
        minimum=lambda _: 0,
        maximum=TrainingOptions().maximum,
        messages=messages,
        only=RELATIVES,
        one_script=True,
    )
    for label in RELATIVES:
        (folder / label).mkdir()
        out = corpus.hold_out(text.lines[label], every)[1]
        (folder / label / "lines.txt").write_text("\n".join(out), encoding="utf-8")


def lines(data: Path, labels: tuple[str, ...]) -> tuple[list[str], np.ndarray]:
    """All lines of test in languages of the model, and their labels."""
    known = [(line.text, label) for line in read_lines(data=data) if (label := languages.label(line.tag)) in labels]
    return [text for text, _ in known], np.array([label for _, label in known])


def answers(model: modelfile.Model, texts: list[str]) -> np.ndarray:
    identifier = Discriminative(model, "", "")
    return np.array([*identifier.labels, ""])[answer_texts(identifier, texts)[0]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("GRAPHLANG_DATA", "../shared/data")))
    parser.add_argument("--dictionaries", type=Path, default=Path("build/model/words"))
    parser.add_argument("--relatives", action="store_true")
    wanted = parser.parse_args()
    messages = [wanted.data / "train-software"]
    if wanted.dictionaries.is_dir():
        messages.append(wanted.dictionaries)
    else:
        print(f"{wanted.dictionaries}: not here; Basque and Faroese are added without the words of dictionaries")
    words = wanted.data / "reference/freqwords"
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as others:
        folder = Path(made)
        model, smaller = five_out(wanted.data, folder, messages, words)
        relatives = Path(others) if wanted.relatives else None
        if relatives is not None:
            write_held_out(wanted.data, relatives, messages, model.parameters["held_out"])
        begin = time.process_time()
        bigger = extend_model(
            folder, base=smaller, path=Path("five-out.npz"), digest="", words=words, relatives=relatives
        )
        print(f"{len(smaller.labels)} labels, {len(bigger.labels)} after {time.process_time() - begin:.1f} s of CPU")
    for label, told in bigger.parameters["extended"][-1]["labels"].items():
        if told.get("bias"):
            print(f"{label} holds back: {told['bias']}")
    texts, gold = lines(wanted.data, model.labels)
    right = {
        (name, cut): answers(one, [text[:cut] for text in texts]) == gold
        for cut in CUTS
        for name, one in (("shipped", model), ("extended", bigger))
    }
    print(f"{'':12}{'lines':>8}" + "".join(f"{cut or 'whole'!s:>7} shipped{'extended':>10}" for cut in CUTS))
    for name, some in [(label, gold == label) for label in FIVE] + [("all others", ~np.isin(gold, FIVE))]:
        shares = [100 * right[which, cut][some].mean() for cut in CUTS for which in ("shipped", "extended")]
        cells = "".join(f"{share:{width}.2f}" for share, width in zip(shares, (15, 10) * len(CUTS), strict=True))
        print(f"{name:12}{some.sum():8}{cells}")
    for cut in CUTS:
        change = {
            label: 100 * float(right["extended", cut][some].mean() - right["shipped", cut][some].mean())
            for label in sorted(set(gold.tolist()) - set(FIVE))
            for some in (gold == label,)
        }
        worse = sorted((points, label) for label, points in change.items() if points < 0)
        told = ", ".join(f"{label} {points:.2f} of {(gold == label).sum()}" for points, label in worse[:8])
        many = sum(points < -0.2 for points, _ in worse)
        print(f"{cut or 'whole'}: {many} of {len(change)} others lose over .2 points: {told}")


if __name__ == "__main__":
    main()
