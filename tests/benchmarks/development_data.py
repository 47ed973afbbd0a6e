"""The labelled lines of the data, and a content method's answers to them."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[3] / "shared" / "data"))
TOGETHER = 2_000  # texts of one call: more of them cost memory and save no time


class LabelledLine(NamedTuple):
    """A line of ``lid/*.tsv``."""

    file: str
    tag: str
    script: str
    text: str


def read_lines(pattern: str = "*", data: Path = DATA) -> Iterator[LabelledLine]:
    """Yield the lines of the files of test lines; a few of one file are escaped bytes, not text, and are left out."""
    for path in sorted((data / "lid").glob(f"{pattern}.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            tag, script, text = line.split("\t", 2)
            if "\\x" not in text:
                yield LabelledLine(path.stem, tag, script, text)


def flores_by_tag(data: Path = DATA) -> dict[str, list[str]]:
    """FLORES' sentences of each language."""
    sentences: dict[str, list[str]] = defaultdict(list)
    for line in read_lines("flores200_devtest", data):
        sentences[line.tag].append(line.text)
    return dict(sentences)


def answer_texts(identifier: Any, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Number of the best label of each text, -1 where there is none, and its probability."""
    labels, confidences = [], []
    for start in range(0, len(texts), TOGETHER):
        chances = identifier.probabilities(texts[start : start + TOGETHER])
        confidences.append(chances.max(axis=1))
        labels.append(np.where(confidences[-1] > 0, chances.argmax(axis=1), -1))
    return np.concatenate(labels), np.concatenate(confidences)
