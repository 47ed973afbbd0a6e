"""Make the second part of the shipped `nfc`: languages with too little text, or of one kind, for the first part.

    python tests/content/make_further.py corpus DATA FOLDER    # text of these languages, for `graphlang train`
    python tests/content/make_further.py join FOLDER           # fit both stages, and name the second part in the first

FOLDER is that of `make_corpus.py`. FOLDER/further gets the text of each label that the first part lacks: of the corpus,
and of the archive up to `MOST` characters, taken evenly. The last tenth of each file of the archive is held out.

`join` fits the stages of `nfc.further` on held-out lines, cut to 20 to 400 characters at random: those of the further
labels count as one text in a hundred, those of the first part's labels as the others. The first `KEPT` lines of a label
are not used, so that `make_languages.py` can measure accuracy on them. Coefficients, labels and the SHA-256 of the
second part become a parameter of the first.
"""

from __future__ import annotations

import math
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import make_corpus
import numpy as np

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.content.nfc import doubt, further
from graphlang.content.nfc.model import Discriminative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

DATA_FOLDER: Final = Path(__file__).parents[2] / "graphlang" / "data"
FIRST: Final = DATA_FOLDER / "nfc.npz"
MOST: Final = 40_000  #: characters of a label from the archive
KEPT: Final = 40  #: held-out lines of a label that are not used to fit
OF_EACH: Final = 40  #: lines of a label at most
RATE: Final = 0.01  #: of texts in further languages
PULL: Final = 1e-6  #: towards 0, of every term
BATCH: Final = 2_000
OF_SCRIPT: Final = 5  #: labels of a script; one of fewer would win all doubtful texts in the script
LONGEST: Final = 400  #: characters of a line


def read_files(data: Path) -> dict[tuple[str, str], bytes]:
    """Read the files of the archive in languages that the first part lacks, but word lists."""
    known = set(modelfile.read_header(FIRST)[1])
    files: dict[tuple[str, str], bytes] = {}
    for (code, source), content in make_corpus.read_archive(data / make_corpus.ARCHIVE).items():
        label = languages.label(code)
        if label and label not in known and make_corpus.find_kind(source) != make_corpus.WORDS:
            files[code, source] = content
    return files


def write_corpus(data: Path, folder: Path) -> None:
    """Write FOLDER/further, and hold out text of the archive."""
    known = set(modelfile.read_header(FIRST)[1])
    shutil.rmtree(folder / "further", ignore_errors=True)
    for path in sorted((folder / "corpus").glob("*/*.txt")):
        label = languages.label(path.parent.name)
        if label and label not in known:
            lines = path.read_text(encoding="utf-8").splitlines()
            make_corpus.write(folder / "further", path.parent.name, path.stem, make_corpus.take(lines, MOST))
    archive: dict[str, make_corpus.Files] = {}
    for (code, source), content in read_files(data).items():
        training, held_out = make_corpus.split(content.decode("utf-8").splitlines())
        name = f"{make_corpus.find_kind(source)}-{source}"
        archive.setdefault(code, {})[name] = training
        make_corpus.write(folder / "held_out", code, name, held_out)
    for code, files in archive.items():
        for name, lines in make_corpus.limit(files, MOST).items():
            make_corpus.write(folder / "further", code, name, lines)


def read_lines(folder: Path, labels: Sequence[str]) -> list[str]:
    """Read held-out lines of labels, each cut to a random length."""
    lines: dict[str, list[str]] = {label: [] for label in labels}
    for path in sorted((folder / "held_out").glob("*/*.txt")):
        label = languages.label(path.parent.name)
        if label in lines:
            read = path.read_text(encoding="utf-8").splitlines()
            lines[label] += [line for line in read if len(line) >= further.FEWEST]
    random = np.random.default_rng(1)
    chosen: list[str] = []
    for label in sorted(lines):
        fitted = lines[label][KEPT:]
        picked = random.permutation(len(fitted))[:OF_EACH].tolist()
        sizes = np.exp(random.uniform(math.log(further.FEWEST), math.log(LONGEST), len(picked))).astype(int).tolist()
        chosen += [fitted[place][:size] for place, size in zip(picked, sizes, strict=True)]
    return chosen


def measure(
    first: Discriminative, second: Discriminative, columns: NDArray[np.int64], texts: Sequence[str]
) -> NDArray[np.float32]:
    """Measure all signs of texts, with some columns of the second model, (texts, signs)."""
    rows = []
    for begin in range(0, len(texts), BATCH):
        batch = texts[begin : begin + BATCH]
        _, signs = further.measure_signs(first.probabilities(batch), len(first.labels), batch, threshold=2.0)
        best = second.probabilities(batch)[:, columns].max(axis=1)
        rows.append(np.column_stack([signs, further.compute_log_odds(best)]))
    return np.concatenate(rows)


def fit(signs: NDArray[np.float32], truth: NDArray[np.bool_]) -> doubt.Coefficients:
    """Fit the logistic function of signs, and of the products of two, to texts of which `truth` (texts,) are further.

    Newton's method, on texts weighted so that `RATE` of them are further.
    """
    mean, spread = signs.mean(axis=0), signs.std(axis=0)
    scaled = np.clip((signs - mean) / spread, -doubt.CUT, doubt.CUT)
    terms = np.column_stack([np.ones(len(signs)), doubt.append_products(scaled.astype(np.float32))]).astype(np.float64)
    weight = np.where(truth, RATE / truth.sum(), (1 - RATE) / (~truth).sum())
    coefficients = np.zeros(terms.shape[1])
    for _ in range(100):
        chance = 1 / (1 + np.exp(-terms @ coefficients))
        slope = terms.T @ (weight * (chance - truth)) + PULL * coefficients
        curve = (terms.T * (weight * chance * (1 - chance))) @ terms + PULL * np.eye(len(coefficients))
        step = np.linalg.solve(curve, slope)
        coefficients -= step
        if np.abs(step).max() < 1e-8:
            break
    return doubt.Coefficients(*(array.astype(np.float32) for array in (mean, spread, coefficients)))


def join(folder: Path) -> None:
    """Fit the stages, and write them with labels and digest of the second part into the file of the first."""
    model, _ = modelfile.read(FIRST)
    model = replace(model, parameters=further.leave_out(model.parameters))
    first = Discriminative(model, "", str(FIRST))
    content, digest = modelfile.read(DATA_FOLDER / further.FILE)
    scripts = np.bincount(content.arrays["script"])[content.arrays["script"]]
    without = [label for label, number in zip(content.labels, scripts.tolist(), strict=True) if number < OF_SCRIPT]
    second = Discriminative(content, digest, further.FILE)
    columns = np.flatnonzero(scripts >= OF_SCRIPT)
    texts = read_lines(folder, first.labels), read_lines(folder, [content.labels[i] for i in columns.tolist()])
    signs = np.concatenate([measure(first, second, columns, chosen) for chosen in texts])
    truth = np.arange(len(signs)) >= len(texts[0])
    stages: dict[str, Any] = {
        name: {key: array.tolist() for key, array in fit(signs[:, :number], truth)._asdict().items()}
        for name, number in further.STAGES.items()
    }
    parameter = {"sha256": digest, "labels": list(content.labels), further.WITHOUT: without, **stages}
    saved = replace(model, parameters={**model.parameters, further.PARAMETER: parameter}).save(FIRST)
    text = doubt.FILE.read_text(encoding="utf-8")  # fitted with the same weights
    doubt.FILE.write_text(re.sub(r'(?<="model": ")\w+', saved, text), encoding="utf-8")
    sys.stdout.write(f"{FIRST.name}: {len(texts[0])} and {len(texts[1])} texts, sha256 {saved}\n")


if __name__ == "__main__":
    if sys.argv[1] == "corpus":
        write_corpus(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        join(Path(sys.argv[2]))
