"""The languages of a collection, with pages, sites, scripts and encodings (the questions of Zavarsky et al. 2005)."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages
from graphlang.maps import shares
from graphlang.maps.gathered import gather, has_answered_history
from graphlang.maps.poisson_binomial import any_at_all, interval
from graphlang.maps.selection import content_run, total

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from graphlang.maps.selection import Selection

_STEPS: Final = 1_000  # classes of confidence


class LanguageRow(NamedTuple):
    """A language of a collection.

    ``expected``, ``low``, ``high`` and ``certainty`` follow from the confidences: a page is in its language with its
    confidence, and in its runner-up with that one's. See `graphlang.maps.poisson_binomial`. They are of the pages' main
    language.
    """

    #: ISO 639-3; where a script was asked for, with that of the pages (``zho_Hant``), which alone count
    language: str
    name: str  #: in English
    pages: int  #: that were read and have this language
    share: float  #: of all pages that were read, those in several languages by their shares
    #: pages in this language: the sum of the probabilities; where a script was asked for, without those of runners-up
    expected: float
    low: int  #: their number lies between these two with 95 %
    high: int  #: the greater of them
    certainty: float  #: probability that there is one at all
    confidence: float  #: mean, of the pages that were read
    unfetched: int  #: pages that were only linked to
    sites: int  #: registered domains with a page that was read
    length: int  #: characters of visible text
    scripts: str  #: each with its pages, the commonest first: ``Cyrl 12, Latn 3``
    encodings: str  #: the same of charsets
    also: int  #: pages that were read, are in another language, and in this one in part


#: One language in one year: the year, then the fields of `LanguageRow`.
YearRow: Final = NamedTuple("YearRow", [("year", str), *LanguageRow.__annotations__.items()])  # type: ignore[misc]


class _Sum:
    def __init__(self) -> None:
        self.pages = self.unfetched = self.length = 0
        self.also = 0
        self.confidence = 0.0
        self.gained = 0.0  # pages, of those in another language
        self.scripts: Counter[str] = Counter()
        self.charsets: Counter[str] = Counter()
        self.chances: Counter[float] = Counter()  # pages by their probability


def list_languages(connection: sqlite3.Connection, selection: Selection) -> list[LanguageRow]:
    """List the languages of the pages that count, the commonest first; ``und`` and ``zxx`` have no probability."""
    with nullcontext(selection) if selection.gathered else gather(connection, selection) as at_hand:
        return _languages_of(connection, at_hand)


def _languages_of(
    connection: sqlite3.Connection, selection: Selection, *, of_captures: bool = False
) -> list[LanguageRow]:
    source, values = selection.source(with_languages=False)
    sums: defaultdict[str, _Sum] = defaultdict(_Sum)
    scripts = any(choice.script for choice in selection.choices)

    def named(language: str, script: str | None) -> str:
        return f"{language}_{script}" if scripts and script else language

    rows = connection.execute(
        f"SELECT language, script, charset, fetched, COUNT(*), {total('confidence')}, SUM(COALESCE(length, 0))"
        f" FROM {source} GROUP BY language, script, charset, fetched, CAST(confidence * {_STEPS} AS INTEGER)"
        f" ORDER BY language, script, charset, fetched, CAST(confidence * {_STEPS} AS INTEGER)",
        values,
    )
    for language, script, charset, fetched, pages, confidence, length in rows:
        total_of = sums[named(language, script)]
        if not fetched:
            total_of.unfetched += pages
            continue
        total_of.pages += pages
        total_of.length += length
        total_of.confidence += confidence
        total_of.chances[confidence / pages] += pages
        total_of.scripts[script or ""] += pages
        total_of.charsets[charset or ""] += pages
    runners_up = connection.execute(
        f"SELECT runner_up, COUNT(*), {total('runner_up_confidence')} FROM {source}"
        " WHERE fetched = 1 AND runner_up IS NOT NULL AND runner_up <> language"
        f" GROUP BY runner_up, CAST(runner_up_confidence * {_STEPS} AS INTEGER)"
        f" ORDER BY runner_up, CAST(runner_up_confidence * {_STEPS} AS INTEGER)",
        values,
    )
    for language, pages, confidence in runners_up:
        sums[language].chances[confidence / pages] += pages
    of_both = "script" if scripts else "NULL"
    sites = {
        named(language, script): count
        for language, script, count in connection.execute(
            f"SELECT language, {of_both}, COUNT(DISTINCT domain) FROM {source} WHERE fetched = 1 GROUP BY 1, 2", values
        )
    }
    values["own"] = content_run(connection)
    of_both = "parts.script, pages.script" if scripts else "NULL, NULL"
    for language, answer, script, of_answer, pages, share in connection.execute(
        f"SELECT parts.language, pages.language, {of_both}, COUNT(DISTINCT pages.page), {total('page_shares.share')}"
        f"{shares.join_shares(source, of_captures=of_captures, scripts=scripts)}"
        " GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
        values,
    ):
        total_of = sums[named(language, script)]
        total_of.also += pages
        total_of.gained += share
        sums[named(answer, of_answer)].gained -= share
    whole = sum(total_of.pages for total_of in sums.values())
    listed = [
        _row(language, total_of, whole, sites.get(language, 0))
        for language, total_of in sums.items()
        if (total_of.pages or total_of.unfetched or total_of.also) and _takes(selection, language)
    ]
    listed.sort(key=lambda row: (-row.pages, -row.unfetched, -row.also, row.language))
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
            for row in _languages_of(connection, replace(at_hand, year=year), of_captures=of_captures)
        ]


def _takes(selection: Selection, label: str) -> bool:
    language, _, script = label.partition("_")
    return selection.takes(language, script or None)


def _row(language: str, its: _Sum, total: int, sites: int) -> LanguageRow:
    p, n = list(its.chances), list(its.chances.values())
    expected, (low, high), certainty = sum(map(float.__mul__, p, map(float, n))), interval(p, n), any_at_all(p, n)
    if language in (languages.UND, languages.ZXX):
        expected, low, high, certainty = float(its.pages), its.pages, its.pages, float(bool(its.pages))
    return LanguageRow(
        language=language,
        name=languages.name(language),
        pages=its.pages,
        share=(its.pages + its.gained) / total if total else 0.0,
        expected=expected,
        low=low,
        high=high,
        certainty=certainty,
        confidence=its.confidence / its.pages if its.pages else 0.0,
        unfetched=its.unfetched,
        sites=sites,
        length=its.length,
        scripts=_counted(its.scripts),
        encodings=_counted(its.charsets),
        also=its.also,
    )


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {pages}" for name, pages in sorted(counts.items(), key=_rank) if name)


def _rank(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


class Known(NamedTuple):
    """A language that a model knows."""

    language: str  #: ISO 639-3
    script: str  #: ISO 15924
    name: str  #: in English
    tag: str  #: BCP 47


def known(labels: Iterable[str]) -> list[Known]:
    """List what labels of a model mean, by name, without ``und``.

    >>> [(one.name, one.language, one.script, one.tag) for one in known(["srp_Latn", "deu"])]
    [('German', 'deu', 'Latn', 'de'), ('Serbian (Latin)', 'srp', 'Latn', 'sr-Latn')]
    """
    languages_known = [
        Known(*languages.split(label), languages.name(label), languages.bcp47(label))
        for label in labels
        if label not in (languages.UND, languages.ZXX)
    ]
    return sorted(languages_known, key=lambda row: (row.name, row.script))
