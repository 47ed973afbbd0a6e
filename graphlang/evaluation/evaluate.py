"""Accuracy of a run against gold labels: by group, by length, and the confusions."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphlang.codes import languages
from graphlang.db import InputError, collection, corrections, snapshot
from graphlang.db.runs.answers import read_answers, read_labels
from graphlang.evaluation.metrics import calibration_error, macro_f, wilson_interval
from graphlang.ingest.links.canonical import canonical_url
from graphlang.labelled_table import read_labelled_rows
from graphlang.maps.changes import LENGTHS
from graphlang.printing import quantity

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

    from graphlang.db.runs.run import Run


class Group(NamedTuple):
    """Accuracy on some of the gold pages."""

    group: str
    pages: int  #: gold pages that the collection has
    accuracy: float
    low: float  #: ends of a 95 % interval of the accuracy, if the gold pages were drawn at random
    high: float
    answered: float  #: share that got a language (not ``und``)
    macro_f: float  #: F1 averaged over the gold languages of the group
    calibration_error: float  #: expected calibration error over 15 bins of confidence
    linked: int  #: of these pages, those with at least one inlink from another page
    linked_accuracy: float


class LanguageScore(NamedTuple):
    """Precision and recall of a run for one language."""

    language: str
    gold: int  #: gold pages in it
    answered: int  #: gold pages with this answer
    precision: float  #: share of these that are in it; NaN if there are none
    recall: float  #: share of the pages in it with this answer; NaN if there are none
    f1: float  #: harmonic mean of the two: 2 right / (gold + answered)
    precision_low: float  #: intervals of 95 %, as that of a group's accuracy
    precision_high: float
    recall_low: float
    recall_high: float


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation:
    """The result of one run on one gold file."""

    run: Run
    groups: list[Group]
    confusion: list[tuple[str, str, int]]  #: gold language, answer, pages; the wrong ones, commonest first
    languages: list[LanguageScore]  #: of the gold file and of the answers, most gold pages first; without ``und``

    def __repr__(self) -> str:
        whole = self.groups[0]
        pages, between = quantity(whole.pages, "page"), f"{whole.low:.3f} to {whole.high:.3f}"
        return f"<Evaluation of run {self.run.id}: {pages}, accuracy {whole.accuracy:.3f} ({between})>"


@dataclass(slots=True, repr=False)
class Gold:
    """A gold file, matched with a collection."""

    pages: list[int] = field(default_factory=list)  #: page ids
    language: list[str] = field(default_factory=list)
    group: list[str] = field(default_factory=list)
    missing: int = 0  #: lines whose URL the collection does not have
    empty: int = 0  #: lines without a language: the page is not labelled yet
    unknown: Counter[str] = field(default_factory=Counter)  #: unknown codes, with their numbers of lines
    repeated: int = 0  #: lines that repeat a page
    contradicted: int = 0  #: pages with different languages in different lines: no answer could be right

    def __repr__(self) -> str:
        return f"<Gold labels of {quantity(len(self.pages), 'page')}>"


def read_gold(connection: sqlite3.Connection, path: str | Path | Any, by: str | None) -> Gold:
    """Read a gold file or DataFrame: a table with the columns ``url``, ``language`` and the group `by`.

    The file is UTF-8 with a header line, separated by tabs, commas or semicolons. Codes may be of any convention that
    ``graphlang.codes.languages`` reads. A page counts once, however many lines name it; if these contradict each other,
    it does not count. Raise an InputError if the file cannot be read, lacks a column, or has no line.
    """
    gold = Gold()
    lines = matched = 0  # rows, and rows with a page of the collection
    labels: dict[int, tuple[str, str] | None] = {}  # language and group of each page; None if lines contradict
    for row in read_labelled_rows(path, ("url", "language", *([by] if by else []))):
        lines += 1
        url, tag = row["url"].strip(), row["language"].strip()
        if not tag:
            gold.empty += 1
            continue
        code = tag if tag in (languages.UND, languages.ZXX) else languages.code(tag)
        if code is None:
            gold.unknown[tag[:40]] += 1
            continue
        page = collection.find_page(connection, canonical_url(url) or url)
        if page is None:
            gold.missing += 1
            continue
        before = labels.setdefault(page, (code, row[by] if by else ""))
        if before is not None and before[0] != code:
            labels[page] = None
        matched += 1
    if not lines:
        name = path if isinstance(path, str | Path) else "the table"
        msg = f"{name} names no page: it has no line but the header"
        raise InputError(msg)
    for page, answer in labels.items():
        if answer is None:
            gold.contradicted += 1
            continue
        gold.pages.append(page)
        gold.language.append(answer[0])
        gold.group.append(answer[1])
    gold.repeated = matched - len(labels)
    return gold


def evaluate(connection: sqlite3.Connection, gold: Gold, run: Run, by: str | None = None) -> Evaluation:
    """Compare a run with gold labels, grouped by the gold column `by`.

    A page is right if its language (ISO 639-3) is; the script does not count. A page without an answer is wrong, unless
    the gold label is ``und`` too. Pages corrected by hand, now or when the run was made, are not an achievement of the
    method: they are a separate group.
    """
    with snapshot.show_moment(connection, run.at):
        linked, length = _find_linked(connection, gold.pages), _read_lengths(connection, gold.pages)
        changed_pages = set(snapshot.find_changed_pages(connection))
    answers = read_answers(connection, run.id)
    names = {label: language for label, (_, language, _) in read_labels(connection).items()}
    answer_of = {
        page: (names[label], confidence)
        for page, label, confidence in zip(
            answers.pages.tolist(), answers.label.tolist(), answers.confidence.tolist(), strict=True
        )
    }
    table = _GoldTable(
        gold=np.array(gold.language, dtype=object),
        answer=np.array([answer_of.get(page, (languages.UND, 0.0))[0] for page in gold.pages], dtype=object),
        confidence=np.array([answer_of.get(page, (languages.UND, 0.0))[1] for page in gold.pages], dtype=np.float64),
        linked=linked,
    )
    corrected_pages = corrections.find_corrected_pages(connection, run.started) - changed_pages
    corrected = np.array([page in corrected_pages for page in gold.pages], dtype=np.bool_)
    inferred = ~corrected
    groups = [table.score_group("all", inferred)]
    bounds = [*LENGTHS, 2**62]
    for low, high in itertools.pairwise(bounds):
        name = f"length {low}+" if high == bounds[-1] else f"length {low}..{high - 1}"
        groups.append(table.score_group(name, inferred & (length >= low) & (length < high)))
    if by:
        group_of = np.array(gold.group, dtype=object)
        groups += [
            table.score_group(f"{by} {value}", inferred & (group_of == value)) for value in sorted(set(gold.group))
        ]
    groups.append(table.score_group("corrected", corrected))
    wrong = Counter(
        (expected, answer)
        for expected, answer in zip(table.gold[inferred].tolist(), table.answer[inferred].tolist(), strict=True)
        if expected != answer
    )
    confusion = [(*pair, count) for pair, count in sorted(wrong.items(), key=lambda item: (-item[1], item[0]))]
    by_language = _score_languages(table.gold[inferred], table.answer[inferred])
    return Evaluation(run, [group for group in groups if group.pages], confusion, by_language)


def _score_languages(gold: NDArray[np.object_], answer: NDArray[np.object_]) -> list[LanguageScore]:
    expected, answered = Counter(gold.tolist()), Counter(answer.tolist())
    right = Counter(gold[gold == answer].tolist())
    names = sorted({*expected, *answered} - {languages.UND}, key=lambda name: (-expected[name], -answered[name], name))
    return [
        LanguageScore(
            name,
            expected[name],
            answered[name],
            right[name] / answered[name] if answered[name] else float("nan"),
            right[name] / expected[name] if expected[name] else float("nan"),
            2 * right[name] / (expected[name] + answered[name]),
            *wilson_interval(right[name], answered[name]),
            *wilson_interval(right[name], expected[name]),
        )
        for name in names
    ]


@dataclass(frozen=True, slots=True)
class _GoldTable:
    gold: NDArray[np.object_]
    answer: NDArray[np.object_]
    confidence: NDArray[np.float64]
    linked: NDArray[np.bool_]

    def score_group(self, name: str, rows: NDArray[np.bool_]) -> Group:
        right = self.gold == self.answer
        pages = int(rows.sum())
        linked = rows & self.linked
        return Group(
            name,
            pages,
            _compute_mean(right[rows]),
            *wilson_interval(int(right[rows].sum()), pages),
            _compute_mean(self.answer[rows] != languages.UND),
            macro_f(self.gold[rows].astype(np.str_), self.answer[rows].astype(np.str_)),
            calibration_error(self.confidence[rows], right[rows]),
            int(linked.sum()),
            _compute_mean(right[linked]),
        )


def _compute_mean(values: NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _find_linked(connection: sqlite3.Connection, pages: list[int]) -> NDArray[np.bool_]:
    has = np.zeros(collection.count_pages(connection) + 1, dtype=np.bool_)
    cursor = connection.execute("SELECT DISTINCT target FROM links")
    while rows := cursor.fetchmany(100_000):
        has[[target for (target,) in rows]] = True
    return has[np.array(pages, dtype=np.int64)]


def _read_lengths(connection: sqlite3.Connection, pages: list[int]) -> NDArray[np.int64]:
    length = np.zeros(collection.count_pages(connection) + 1, dtype=np.int64)
    cursor = connection.execute("SELECT page, length FROM captures")
    while rows := cursor.fetchmany(100_000):
        table = np.array(rows, dtype=np.int64)
        length[table[:, 0]] = table[:, 1]
    return length[np.array(pages, dtype=np.int64)]
