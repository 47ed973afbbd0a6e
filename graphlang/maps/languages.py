"""The languages of a collection, with pages, sites, scripts and encodings (the questions of Zavarsky et al. 2005)."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages
from graphlang.maps import shares
from graphlang.maps.page_counts import PageCounts, write_spread_query
from graphlang.maps.selection import find_content_run, gather, has_answered_history, write_total

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from graphlang.maps.selection import Selection

_STEPS: Final = 1_000  # classes of confidence


class LanguageRow(NamedTuple):
    """A language of a collection.

    ``expected``, ``low``, ``high`` and ``certainty`` follow from the confidences: a page is in its language with its
    confidence, and in its runner-up with that one's. See `graphlang.maps.page_counts`. They are about the main
    language of pages.
    """

    language: str  #: ISO 639-3; with --language zh-TW with the script (``zho_Hant``), whose pages alone count
    name: str  #: in English
    expected: float  #: expected number of pages: the sum of the probabilities (with a script, without runners-up)
    low: int  #: lower end of a 95 % interval for the number of pages
    high: int  #: upper end
    share: float  #: of the expected pages of all languages; pages in several languages count by their shares
    pages: int  #: fetched pages with this answer
    certainty: float  #: probability that at least one page is in the language
    confidence: float  #: mean, of the fetched pages
    also: int  #: fetched pages with another answer that are in this language in part
    sites: int  #: registered domains with a fetched page
    unfetched: int  #: URLs that were only linked to
    length: int  #: characters of visible text
    scripts: str  #: each with its pages, the commonest first: ``Cyrl 12, Latn 3``
    encodings: str  #: the same of charsets


#: One language in one year: the year, then the fields of `LanguageRow`.
YearRow: Final = NamedTuple("YearRow", [("year", str), *LanguageRow.__annotations__.items()])  # type: ignore[misc]


class _LanguageCounts(PageCounts):
    def __init__(self, language: str) -> None:
        super().__init__(language)
        self.scripts: Counter[str] = Counter()
        self.charsets: Counter[str] = Counter()


def list_languages(connection: sqlite3.Connection, selection: Selection) -> list[LanguageRow]:
    """List the languages of the pages that count, the commonest first; ``und`` and ``zxx`` have no probability."""
    with nullcontext(selection) if selection.gathered else gather(connection, selection) as subset:
        return _read_languages(connection, subset)


def _read_languages(
    connection: sqlite3.Connection, selection: Selection, *, of_captures: bool = False
) -> list[LanguageRow]:
    source, values = selection.write_source(with_languages=False)
    counts: dict[str, _LanguageCounts] = {}
    scripts = any(choice.script for choice in selection.choices)

    def find_counts(language: str, script: str | None = None) -> _LanguageCounts:
        label = f"{language}_{script}" if scripts and script else language
        return counts.setdefault(label, _LanguageCounts(label))

    rows = connection.execute(
        f"SELECT language, script, charset, fetched, COUNT(*), {write_total('confidence')}, SUM(COALESCE(length, 0))"
        f" FROM {source} GROUP BY language, script, charset, fetched, CAST(confidence * {_STEPS} AS INTEGER)"
        f" ORDER BY language, script, charset, fetched, CAST(confidence * {_STEPS} AS INTEGER)",
        values,
    )
    for language, script, charset, fetched, pages, confidence, length in rows:
        count = find_counts(language, script)
        if not fetched:
            count.unfetched += pages
            continue
        count.add_pages(pages, confidence)
        count.length += length
        count.scripts[script or ""] += pages
        count.charsets[charset or ""] += pages
    runners_up = connection.execute(
        f"SELECT runner_up, COUNT(*), {write_total('runner_up_confidence')} FROM {source}"
        " WHERE fetched = 1 AND runner_up IS NOT NULL AND runner_up <> language"
        f" GROUP BY runner_up, CAST(runner_up_confidence * {_STEPS} AS INTEGER)"
        f" ORDER BY runner_up, CAST(runner_up_confidence * {_STEPS} AS INTEGER)",
        values,
    )
    for language, pages, confidence in runners_up:
        find_counts(language).add_chances(pages, confidence)
    spread = write_spread_query(connection, source, scripts=scripts)
    for language, script, variance, undetermined in connection.execute(spread, values):
        count = find_counts(language, script)
        count.variance, count.undetermined = float(variance), undetermined
    script_column = "script" if scripts else "NULL"
    sites = {
        find_counts(language, script).language: count
        for language, script, count in connection.execute(
            f"SELECT language, {script_column}, COUNT(DISTINCT domain) FROM {source} WHERE fetched = 1 GROUP BY 1, 2",
            values,
        )
    }
    values["own"] = find_content_run(connection)
    for row in connection.execute(shares.write_parts_query(source, of_captures=of_captures, scripts=scripts), values):
        language, answer, script, answer_script, pages, share = row
        count = find_counts(language, script)
        count.also += pages
        count.parts += share
        find_counts(answer, answer_script).parts -= share
    weight = sum(count.weight for count in counts.values())
    unfetched = selection.fetched is False or selection.everything
    counts = {label: count for label, count in counts.items() if count.has_row(weight, unfetched=unfetched)}
    weight = sum(count.weight for count in counts.values())
    listed = [
        _make_row(count, weight, sites.get(label, 0))
        for label, count in counts.items()
        if selection.includes_label(label)
    ]
    listed.sort(key=lambda row: (-round(row.expected, 6), -row.unfetched, -row.also, row.language))
    return listed


def list_languages_by_year(connection: sqlite3.Connection, selection: Selection) -> list[tuple[Any, ...]]:
    """List the languages of each calendar year, ascending, as tuples of the year and the fields of `LanguageRow`."""
    with gather(connection, selection, yearly=True) as subset:
        source, values = subset.write_source()
        of_captures = has_answered_history(connection)
        years = [year for (year,) in connection.execute(f"SELECT DISTINCT year FROM {source} ORDER BY 1", values)]
        return [
            (year, *row)
            for year in years
            for row in _read_languages(connection, replace(subset, year=year), of_captures=of_captures)
        ]


def _make_row(counts: _LanguageCounts, weight: float, sites: int) -> LanguageRow:
    low, high = counts.find_interval()
    return LanguageRow(
        language=counts.language,
        name=languages.name(counts.language),
        expected=counts.expected,
        low=low,
        high=high,
        share=counts.weight / weight if weight else 0.0,
        pages=counts.pages,
        certainty=counts.certainty,
        confidence=counts.confidence / counts.pages if counts.pages else 0.0,
        also=counts.also,
        sites=sites,
        unfetched=counts.unfetched,
        length=counts.length,
        scripts=_list_counts(counts.scripts),
        encodings=_list_counts(counts.charsets),
    )


def _list_counts(counts: Counter[str]) -> str:
    ranking = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {pages}" for name, pages in ranking if name)


class KnownLanguage(NamedTuple):
    """A language that a model knows."""

    language: str  #: ISO 639-3
    script: str  #: ISO 15924
    name: str  #: in English
    tag: str  #: BCP 47


def describe_labels(labels: Iterable[str]) -> list[KnownLanguage]:
    """List the languages of labels of a model by name, without ``und``.

    >>> [(row.name, row.language, row.script, row.tag) for row in describe_labels(["srp_Latn", "deu"])]
    [('German', 'deu', 'Latn', 'de'), ('Serbian (Latin)', 'srp', 'Latn', 'sr-Latn')]
    """
    known_languages = [
        KnownLanguage(*languages.split_label(label), languages.name(label), languages.bcp47(label))
        for label in labels
        if label not in (languages.UND, languages.ZXX)
    ]
    return sorted(known_languages, key=lambda row: (row.name, row.script))
