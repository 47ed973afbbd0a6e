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
    with nullcontext(selection) if selection.gathered else gather(connection, selection) as at_hand:
        return _read_languages(connection, at_hand)


def _read_languages(
    connection: sqlite3.Connection, selection: Selection, *, of_captures: bool = False
) -> list[LanguageRow]:
    source, values = selection.source(with_languages=False)
    counts: dict[str, _LanguageCounts] = {}
    scripts = any(choice.script for choice in selection.choices)

    def find(language: str, script: str | None = None) -> _LanguageCounts:
        label = f"{language}_{script}" if scripts and script else language
        return counts.setdefault(label, _LanguageCounts(label))

    rows = connection.execute(
        f"SELECT language, script, charset, fetched, COUNT(*), {write_total('confidence')}, SUM(COALESCE(length, 0))"
        f" FROM {source} GROUP BY language, script, charset, fetched, CAST(confidence * {_STEPS} AS INTEGER)"
        f" ORDER BY language, script, charset, fetched, CAST(confidence * {_STEPS} AS INTEGER)",
        values,
    )
    for language, script, charset, fetched, pages, confidence, length in rows:
        of_language = find(language, script)
        if not fetched:
            of_language.unfetched += pages
            continue
        of_language.add_pages(pages, confidence)
        of_language.length += length
        of_language.scripts[script or ""] += pages
        of_language.charsets[charset or ""] += pages
    runners_up = connection.execute(
        f"SELECT runner_up, COUNT(*), {write_total('runner_up_confidence')} FROM {source}"
        " WHERE fetched = 1 AND runner_up IS NOT NULL AND runner_up <> language"
        f" GROUP BY runner_up, CAST(runner_up_confidence * {_STEPS} AS INTEGER)"
        f" ORDER BY runner_up, CAST(runner_up_confidence * {_STEPS} AS INTEGER)",
        values,
    )
    for language, pages, confidence in runners_up:
        find(language).add_chances(pages, confidence)
    spread = write_spread_query(connection, source, scripts=scripts)
    for language, script, variance, undetermined in connection.execute(spread, values):
        of_language = find(language, script)
        of_language.variance, of_language.undetermined = float(variance), undetermined
    script_column = "script" if scripts else "NULL"
    sites = {
        find(language, script).language: count
        for language, script, count in connection.execute(
            f"SELECT language, {script_column}, COUNT(DISTINCT domain) FROM {source} WHERE fetched = 1 GROUP BY 1, 2",
            values,
        )
    }
    values["own"] = find_content_run(connection)
    for row in connection.execute(shares.write_parts_query(source, of_captures=of_captures, scripts=scripts), values):
        language, answer, script, of_answer, pages, share = row
        of_language = find(language, script)
        of_language.also += pages
        of_language.parts += share
        find(answer, of_answer).parts -= share
    weight = sum(of_language.weight for of_language in counts.values())
    unfetched = selection.fetched is False or selection.everything
    counts = {label: each for label, each in counts.items() if each.has_row(weight, unfetched=unfetched)}
    weight = sum(of_language.weight for of_language in counts.values())
    listed = [
        _make_row(of_language, weight, sites.get(label, 0))
        for label, of_language in counts.items()
        if selection.includes_label(label)
    ]
    listed.sort(key=lambda row: (-round(row.expected, 6), -row.unfetched, -row.also, row.language))
    return listed


def list_languages_by_year(connection: sqlite3.Connection, selection: Selection) -> list[tuple[Any, ...]]:
    """List the languages of each calendar year, ascending, as tuples of the year and the fields of `LanguageRow`."""
    with gather(connection, selection, yearly=True) as at_hand:
        source, values = at_hand.source()
        of_captures = has_answered_history(connection)
        years = [year for (year,) in connection.execute(f"SELECT DISTINCT year FROM {source} ORDER BY 1", values)]
        return [
            (year, *row)
            for year in years
            for row in _read_languages(connection, replace(at_hand, year=year), of_captures=of_captures)
        ]


def _make_row(counts: _LanguageCounts, weight: float, sites: int) -> LanguageRow:
    low, high = counts.interval()
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


class Known(NamedTuple):
    """A language that a model knows."""

    language: str  #: ISO 639-3
    script: str  #: ISO 15924
    name: str  #: in English
    tag: str  #: BCP 47


def describe_labels(labels: Iterable[str]) -> list[Known]:
    """List what labels of a model mean, by name, without ``und``.

    >>> [(one.name, one.language, one.script, one.tag) for one in describe_labels(["srp_Latn", "deu"])]
    [('German', 'deu', 'Latn', 'de'), ('Serbian (Latin)', 'srp', 'Latn', 'sr-Latn')]
    """
    languages_known = [
        Known(*languages.split(label), languages.name(label), languages.bcp47(label))
        for label in labels
        if label not in (languages.UND, languages.ZXX)
    ]
    return sorted(languages_known, key=lambda row: (row.name, row.script))
