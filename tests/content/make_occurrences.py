"""Write the file beside the shipped model that says how often its n-grams stand in its training text.

    python tests/content/make_occurrences.py ../shared/data

Models that `train` makes now hold these numbers themselves; one that does needs no such file. The text must be the one
that the model was trained on, with translated messages or without, which its labels tell.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.content import registry, speaker_prior
from graphlang.content.nfc.model import Discriminative
from graphlang.content.text.scripts import registry as scripts
from graphlang.training import corpus, logistic_regression, model_columns
from graphlang.training.training_options import TrainingOptions


def text(data: Path, model: modelfile.Model) -> corpus.Corpus:
    """The training text of the model, by its labels: single files may have been mended since."""
    options = TrainingOptions()
    for messages in ([], [data / "train-software"]):
        found = corpus.read_corpus(
            data / "train",
            label=languages.label,
            minimum=lambda label: options.minimum // (2 if speaker_prior.count_speakers(label) else 1),
            maximum=options.maximum,
            messages=messages,
            one_script=True,
        )
        if set(found.lines) == set(model.labels):
            return found
    raise SystemExit(f"{data}: has not the labels of the model")


def main() -> None:
    path = registry.path("nfc")
    model, digest = modelfile.read(path)
    identifier = Discriminative(model, digest, "nfc")
    found = text(Path(sys.argv[1]), model)
    often = np.zeros(len(identifier.vocabulary), dtype=np.int64)
    for label, number in zip(model.labels, model.arrays["script"].tolist(), strict=True):
        kept, _ = corpus.hold_out(found.lines.get(label, ()), model.parameters["held_out"])
        script = scripts.number(model.parameters["scripts"][number])
        features, _ = logistic_regression.find_features(
            identifier.vocabulary, kept, limit=model.parameters["maximum"], closed=identifier.closed, script=script
        )
        often += np.bincount(features, minlength=len(often))
    parameters = {"ngrams": model_columns.digest_ngrams(model), "corpus": found.digest}
    made = modelfile.Model(
        model_columns.OCCURRENCES_METHOD,
        model.labels,
        parameters,
        {model_columns.OCCURRENCES: model_columns.pack_occurrences(often)},
    )
    made.save(model_columns.locate_occurrences(path))


if __name__ == "__main__":
    main()
