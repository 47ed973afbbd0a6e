"""Labelled URLs for the benchmarks of the URL methods, and tables in Markdown.

``urls/train.tsv`` trains, ``urls/visible.tsv`` tests; no registered domain stands in both.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
from development_data import DATA

from graphlang.papers import baykan2008_training
from graphlang.training.url_examples import read_text
from graphlang.urls.labelled_urls import LabelledUrl, measure_decisions, read_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FIVE = ("eng", "deu", "fra", "spa", "ita")


class Part:
    """Some labelled URLs."""

    def __init__(self, rows: Sequence[LabelledUrl]) -> None:
        self.rows = list(rows)
        self.urls = [row.url for row in rows]
        self.language = np.array([row.language for row in rows])

    def some(self, keep: np.ndarray) -> Part:
        return Part([self.rows[number] for number in np.flatnonzero(keep)])

    def by_language(self) -> dict[str, list[str]]:
        found = defaultdict(list)
        for row in self.rows:
            found[row.language].append(row.url)
        return dict(found)


def has_path(url: str) -> bool:
    parts = urlsplit(url)
    return len(parts.path) > 1 or bool(parts.query)


@cache
def rows(name: str) -> tuple[LabelledUrl, ...]:
    return tuple(read_urls(DATA / "urls" / f"{name}.tsv"))


@cache
def text() -> dict[str, list[str]]:
    return read_text(DATA / "train")


def five(name: str, *, path: bool) -> Part:
    """The URLs of the paper's five languages, all of them or those with a path."""
    return Part([row for row in rows(name) if row.language in FIVE and (has_path(row.url) or not path)])


def decisions(part: Part, tests: Sequence[Part], names: Iterable[str]) -> dict[str, list[np.ndarray]]:
    """{method: the yes and no of five binary classifiers [URLs, five] for each test}, trained on ``part``."""
    answer = {}
    for name in names:
        model = baykan2008_training.train_classifier(name, part.by_language(), least=1, binary=True)
        columns = [model.labels.index(code) for code in FIVE]
        answer[name] = [model.decisions(test.urls)[:, columns] for test in tests]
    return answer


def f_of(decided: np.ndarray, test: Part) -> list[float]:
    """F of each of the five classifiers."""
    return [measure_decisions(decided[:, number], test.language == code).f for number, code in enumerate(FIVE)]


def table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> None:
    """Print a table in Markdown; numbers with three digits."""
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in line) + " |")
    print(flush=True)
