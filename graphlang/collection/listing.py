"""Methods that list: pages, sites, languages, texts, problems, runs, the frontier; and why a page has its language."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from graphlang.analysis.progress import Progress, make_progress
from graphlang.arguments import check_arguments, flag, length, list_texts, probability, run_number, text
from graphlang.collection.opened_file import OpenedFile, require_answers, run_or_chosen
from graphlang.collection.page_filter import languages as parse_languages
from graphlang.collection.page_filter import make_selection

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    from graphlang.analysis.explain import Explanation
    from graphlang.analysis.frontier import FrontierUrl
    from graphlang.collection.page_filter import PageFilter
    from graphlang.db.runs.run import Run
    from graphlang.export.texts import TextRow
    from graphlang.maps.facts import Encoding, Fact, ProblemRow, Totals
    from graphlang.maps.languages import LanguageRow
    from graphlang.maps.pages import PageRow
    from graphlang.maps.sites import SiteRow
    from graphlang.rows import Rows


class Listing(OpenedFile):
    """Lists of a collection, as rows that are read when they are iterated."""

    @check_arguments(host=text, declared_unlike=flag, sort=text)
    def pages(
        self,
        *,
        host: str | None = None,
        declared_unlike: bool = False,
        sort: str = "found",
        progress: Progress | bool = False,
        **pages: Unpack[PageFilter],
    ) -> Rows[PageRow]:
        """List pages and their languages, by the chosen run.

        Languages of URLs that were only linked to are inferred when they are asked for the first time: in the order
        ``found`` as far as the rows are read, in any other before the first row.

        Args:
            host: only pages of this host.
            declared_unlike: only pages that declare languages, none of which is the answer.
            sort: ``found`` (as they were read), ``confidence`` (least certain first), ``length`` or ``url``.
            progress: True draws a bar; an object receives the URLs that were only linked to, where their
                languages are inferred.
            pages: which pages count, see `PageFilter`.

        Raises:
            TypeError: an argument of another type.
            ValueError: an unknown order or host; as for `PageFilter`.
        """
        progress = make_progress(progress)
        from graphlang.ingest.links.canonical import parse_host  # noqa: PLC0415
        from graphlang.maps.pages import PageRow, list_pages  # noqa: PLC0415

        site = None if host is None else parse_host(host)
        chosen = make_selection(pages)
        if chosen.fetched is None and not chosen.everything:
            chosen = replace(chosen, fetched=True)

        def rows(connection: sqlite3.Connection, after: int = 0, until: int | None = None) -> Iterator[tuple[Any, ...]]:
            order: dict[str, Any] = {"sort": sort, "after": after, "until": until}
            return list_pages(connection, chosen, host=site, declared_unlike=declared_unlike, **order)

        if sort == "found" and not chosen.fetched:
            return self._rows_by_id(PageRow._make, PageRow._fields, rows, progress)
        linked = () if chosen.fetched else (None,)
        return self._rows(PageRow._make, PageRow._fields, rows, linked=linked, progress=progress)

    @overload
    def sites(
        self,
        by: Literal["host", "domain", "suffix", "tld", "country", "path", "year"] = "host",
        *,
        scripts: bool = False,
        **pages: Unpack[PageFilter],
    ) -> Rows[SiteRow]: ...
    @overload
    def sites(self, by: str | Sequence[str], *, scripts: bool = False, **pages: Unpack[PageFilter]) -> Rows[Any]: ...
    @check_arguments(by=list_texts, scripts=flag)
    def sites(
        self, by: str | Sequence[str] = "host", *, scripts: bool = False, **pages: Unpack[PageFilter]
    ) -> Rows[SiteRow] | Rows[Any]:
        """Count pages by site and language, by the chosen run: the language map.

        Args:
            by: what counts as one site: host, domain, suffix, tld, country, path or year. With several, in a list or
                with commas between (``"domain,year"``), rows have a column for each instead of `site`.
            scripts: count the scripts of a language apart; languages are labels then (``srp_Cyrl``).
            pages: which pages count, see `PageFilter`.

        Raises:
            TypeError: an argument of another type.
            ValueError: an unknown unit, or one that is named twice (when the rows are read); as for `PageFilter`.
            StoreError: nothing is classified yet (when the rows are read).
        """
        from graphlang.maps.sites import SiteRow, read_site_map  # noqa: PLC0415

        units, chosen = (
            [unit for item in ([by] if isinstance(by, str) else by) for unit in item.split(",")],
            make_selection(pages),
        )
        columns = SiteRow._fields if len(units) == 1 else (*units, *SiteRow._fields[1:])
        kind: Any = SiteRow._make if len(units) == 1 else make_row_function(columns)

        def read(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
            require_answers(connection)
            return read_site_map(connection, units, chosen, scripts=scripts).rows

        return self._rows(kind, columns, read, linked=() if chosen.fetched else (None,))

    def info(self) -> Rows[Fact]:
        """Count what the collection holds: files, pages, links by kind, charsets, languages, problems, runs."""
        from graphlang.maps.facts import Fact, list_facts  # noqa: PLC0415

        return self._rows(Fact._make, Fact._fields, list_facts, linked=(None,))

    def encodings(self) -> Rows[Encoding]:
        """Count pages by language, charset, and what named the charset. The verb is `info --encodings`."""
        from graphlang.maps.facts import Encoding, count_encodings  # noqa: PLC0415

        return self._rows(Encoding._make, Encoding._fields, count_encodings)

    def totals(self) -> Totals:
        """Count pages, languages and URLs as the language map does, by the chosen run."""
        from graphlang.maps.facts import count_totals  # noqa: PLC0415

        with self._reading() as connection:
            return count_totals(connection)

    def pages_by_language(self) -> dict[str, int]:
        """Count the pages that were read by language, the commonest first, as the language map does."""
        from graphlang.maps.facts import count_pages_by_language  # noqa: PLC0415

        with self._reading() as connection:
            return count_pages_by_language(connection)

    @overload
    def languages(self, *, by: None = None, **pages: Unpack[PageFilter]) -> Rows[LanguageRow]: ...
    @overload
    def languages(self, *, by: str, **pages: Unpack[PageFilter]) -> Rows[Any]: ...
    def languages(self, *, by: str | None = None, **pages: Unpack[PageFilter]) -> Rows[LanguageRow] | Rows[Any]:
        """List the languages with their pages, sites, scripts and encodings, and with an interval for the pages.

        Args:
            by: ``year`` for the languages of each calendar year: a page counts once for every year of which a capture
                has an answer (`propagate_each_year`), and rows have the year first.
            pages: which pages count, see `PageFilter`.

        Raises:
            TypeError: an argument of another type.
            ValueError: ``by`` is something else; as for `PageFilter`.
            StoreError: nothing is classified yet (when the rows are read).
        """
        from graphlang.maps.languages import LanguageRow, YearRow, list_languages, list_languages_by_year  # noqa: PLC0415

        if by not in (None, "year"):
            raise ValueError(f"languages are listed by year, or all together, not by {by}")
        chosen = make_selection(pages)
        kind: Any = LanguageRow if by is None else YearRow
        count: Callable[..., list[Any]] = list_languages if by is None else list_languages_by_year

        def read(connection: sqlite3.Connection) -> list[Any]:
            require_answers(connection)
            return count(connection, chosen)

        return self._rows(kind._make, kind._fields, read, linked=() if chosen.fetched else (None,))

    @check_arguments(
        main=flag, unique=flag, near=probability, quality=flag, paragraphs=flag, limit=length, captures=text
    )
    def texts(
        self,
        *,
        main: bool = False,
        unique: bool = False,
        near: float | None = None,
        quality: bool = False,
        paragraphs: bool = False,
        limit: int | None = None,
        captures: str = "own",
        at: str | None = None,
        notes: Callable[[str], object] | None = None,
        **pages: Unpack[PageFilter],
    ) -> Rows[TextRow]:
        """List the texts of pages with URL, date, source, language, confidence and method.

        Args:
            main: the main content alone, without the column ``text``.
            unique: only texts whose main content no earlier page in the language has.
            near: only texts that share less than this part of their runs of five words with each earlier one in the
                language; ``0.8`` finds near duplicates.
            quality: the columns ``letters``, ``repeated``, ``filler`` and ``stopwords`` as well.
            paragraphs: a row for each paragraph with the language that the default method finds, as `ParagraphRow`.
            limit: at most this many rows.
            captures: ``own``: each page's main capture; ``all``: every one, with its date and the language of its time.
            at: a year, month, day or time: of each page the capture nearest to it, with the languages of that time.
            notes: called after the last row with sentences about what is missing, such as texts that were cut.
            pages: which pages count, see `PageFilter`.

        Raises:
            TypeError: an argument of another type.
            ValueError: another value of `captures`; `at` is not a moment; as for `PageFilter`.
            MissingExtraError: `near` without the extra ``near`` (when the rows are read).
        """
        from itertools import islice  # noqa: PLC0415

        from graphlang.content.registry import load  # noqa: PLC0415
        from graphlang.db import snapshot  # noqa: PLC0415
        from graphlang.export.corpora import (  # noqa: PLC0415
            ParagraphRow,
            Quality,
            split_paragraphs,
        )
        from graphlang.export.texts import TextCounts, TextRow, read_texts  # noqa: PLC0415
        from graphlang.maps.pages import describe_missing_answers  # noqa: PLC0415

        chosen = make_selection(pages, captures, at)
        columns = tuple(name for name in TextRow._fields if not main or name != "text")
        columns = ParagraphRow._fields if paragraphs else columns + Quality._fields * quality

        def rows(connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
            counts = TextCounts()
            with snapshot.show_moment(connection, at):
                table = read_texts(
                    connection, chosen, whole=not main, unique=unique, near=near, quality=quality, counts=counts
                )
                if paragraphs:
                    table = split_paragraphs(table, load("nfc"))
                yield from islice(table.rows, limit)
                if notes is not None:
                    for sentence in counts.describe() + describe_missing_answers(connection, chosen):
                        notes(sentence)

        return self._rows(make_row_function(columns) if columns != TextRow._fields else TextRow._make, columns, rows)

    @check_arguments(kind=text)
    def problems(self, *, kind: str | None = None) -> Rows[ProblemRow]:
        """List what could not be read: file, offset, URL and reason.

        Args:
            kind: only problems of this kind.

        Raises:
            TypeError: `kind` is not a text.
        """
        from graphlang.maps.facts import ProblemRow, list_problems  # noqa: PLC0415

        return self._rows(ProblemRow._make, ProblemRow._fields, lambda connection: list_problems(connection, kind=kind))

    def count_problems(self) -> dict[str, int]:
        """Count the problems of each kind, the commonest first. The verb is `problems --count`."""
        from graphlang.maps.facts import count_problems  # noqa: PLC0415

        with self._reading() as connection:
            return dict(count_problems(connection))

    @check_arguments(want=list_texts, saturated=list_texts, run=run_number)
    def frontier(
        self, *, want: str | Sequence[str] = (), saturated: str | Sequence[str] = (), run: int | None = None
    ) -> Rows[FrontierUrl]:
        """Rank URLs that were never fetched by the probability that they are in a wanted language.

        Args:
            want: a language to look for, or several (any usual codes or names); none: all but the saturated ones.
            saturated: languages of which there is enough.
            run: number of a run; the chosen one if not given.

        Raises:
            TypeError: an argument of another type.
            ValueError: an unknown language.
        """
        from graphlang.analysis.frontier import FrontierUrl, rank_frontier  # noqa: PLC0415

        targets, enough = parse_languages(want), parse_languages(saturated)
        return self._rows(
            FrontierUrl._make,
            FrontierUrl._fields,
            lambda connection: rank_frontier(
                connection, want=targets, saturated=enough, run=run_or_chosen(connection, run)
            ),
            linked=(run,),
        )

    def has_anchor_texts(self) -> bool:
        """Return whether the words of links were kept, which `classify` with `anchors` reads."""
        with self._reading() as connection:
            return connection.execute("SELECT 1 FROM anchor_texts LIMIT 1").fetchone() is not None

    def unanswered(self) -> int:
        """Count pages of other years than their main capture's that no run has answered, once for each year.

        `propagate_each_year` answers for them.
        """
        from graphlang.maps.selection import count_unanswered  # noqa: PLC0415

        with self._reading() as connection:
            return count_unanswered(connection)

    def runs(self) -> list[Run]:
        """List all runs with their parameters, oldest first."""
        from graphlang.db.runs.run import read_runs  # noqa: PLC0415

        with self._reading() as connection:
            return read_runs(connection)

    def chosen(self) -> Run | None:
        """Return the run that the views show; None where there is none yet."""
        from graphlang.db.runs.run import get_chosen_run  # noqa: PLC0415

        with self._reading() as connection:
            return get_chosen_run(connection)

    @check_arguments(run=run_number)
    def choose(self, run: int) -> None:
        """Let the views show a run. The verb is `runs --choose`.

        Args:
            run: its number.

        Raises:
            StoreError: there is no such run, or it is not finished.
            TypeError: `run` is not an integer.
        """
        from graphlang.db.runs.run import choose_run  # noqa: PLC0415

        with self._writing("choose") as connection:
            choose_run(connection, run)

    @check_arguments(url=text, run=run_number)
    def explain(self, url: str, *, run: int | None = None, at: str | None = None) -> Explanation:
        """Explain why a page has its language: text, declarations, URL, and the neighbours' weights, round by round.

        Args:
            url: of the page; the scheme, www and a final slash may be missing.
            run: number of a run; the chosen one if not given.
            at: the moment of a run that `propagate` made with it; in place of `run`.

        Raises:
            StoreError: the collection has no such page or run.
            TypeError: `url` is not a text, or `run` not an integer.
            ValueError: `at` is not a moment.
        """
        from graphlang.analysis.explain import explain, find_moment_run, find_url  # noqa: PLC0415

        with self._reading() as connection:
            return explain(
                connection, find_url(connection, url), run=run if at is None else find_moment_run(connection, at)
            )


def make_row_function(columns: Sequence[str]) -> Callable[[Any], Any]:
    """Return what makes a named tuple with these fields of a row."""
    kind = namedtuple("Row", columns)  # type: ignore[misc]  # noqa: PYI024 - the columns are known at run time alone
    return kind._make
