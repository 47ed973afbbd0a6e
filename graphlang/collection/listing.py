"""Verbs that list: pages, sites, languages, texts, problems, the frontier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from graphlang.analysis.progress import SILENT, Progress
from graphlang.arguments import flag, probability, run_number, several, text
from graphlang.collection.opened_file import OpenedFile, run_or_chosen

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from graphlang.analysis.frontier import Candidate
    from graphlang.export.texts import TextRow
    from graphlang.maps.facts import Fact
    from graphlang.maps.languages import Row as LanguageRow
    from graphlang.maps.pages import PageRow
    from graphlang.maps.problems import ProblemRow
    from graphlang.maps.sites import Row as SiteRow
    from graphlang.rows import Rows


class Listing(OpenedFile):
    """What a collection holds, as rows that are read when they are looked at."""

    def pages(
        self,
        *,
        language: str | Sequence[str] = (),
        below: float | None = None,
        host: str | None = None,
        fetched: bool | None = None,
        min_confidence: float = 0.0,
        declared_unlike: bool = False,
        sort: str = "found",
        progress: Progress = SILENT,
    ) -> Rows[PageRow]:
        """Pages and their languages, by the chosen run.

        Languages of URLs that were only linked to are worked out when they are asked for the first time: in the order
        ``found`` as far as the rows are read, in any other before the first row.

        Args:
            language: only pages in this language, or in one of these (any usual code or name; a script counts); an
                empty list names all.
            below: only pages with less confidence.
            host: only pages of this host.
            fetched: True for pages that were read, False for those only linked to.
            min_confidence: pages below count as ``und``.
            declared_unlike: only pages that declare languages, of which none is the one that was found.
            sort: ``found`` (as they were read), ``confidence`` (least sure first), ``length`` or ``url``.
            progress: told of URLs that were only linked to, where nothing has asked for their answers yet.

        Raises:
            TypeError: a truth value or a text that is none.
            ValueError: an unknown language or order; `host` is none; `below` or `min_confidence` is no probability.
        """
        below = None if below is None else probability("below", below)
        min_confidence = probability("min_confidence", min_confidence)
        from graphlang.codes.wanted import wanted  # noqa: PLC0415
        from graphlang.ingest.links.named import named_host  # noqa: PLC0415
        from graphlang.maps.pages import PageRow, page_rows  # noqa: PLC0415

        chosen = tuple(map(wanted, several("language", language)))
        fetched = None if fetched is None else flag("fetched", fetched)
        declared_unlike = flag("declared_unlike", declared_unlike)
        if host is not None:
            text("host", host)
        site = None if host is None else named_host(host)

        def rows(connection: sqlite3.Connection, after: int = 0, until: int | None = None) -> Iterator[tuple[Any, ...]]:
            return page_rows(
                connection,
                wanted=chosen,
                below=below,
                host=site,
                fetched=fetched,
                min_confidence=min_confidence,
                declared_unlike=declared_unlike,
                sort=sort,
                after=after,
                until=until,
            )

        if sort == "found" and not fetched:
            return self._rows_by_id(PageRow._make, PageRow._fields, rows, progress)
        return self._rows(PageRow._make, PageRow._fields, rows, linked=() if fetched else (None,), progress=progress)

    def language_map(self, by: str = "host", *, min_confidence: float = 0.0) -> Rows[SiteRow]:
        """Pages counted by site and language, by the chosen run: the verb `sites`.

        Args:
            by: what counts as one site: host, domain, suffix, tld, country, path or year; or several with commas
                between (``"domain,year"``), whose names `site` has with blanks between.
            min_confidence: pages below count as ``und``.

        Raises:
            ValueError: `by` is none of these (when the rows are read); `min_confidence` is no probability.
        """
        min_confidence = probability("min_confidence", min_confidence)
        text("by", by)
        from graphlang.maps.sites import Row, language_map  # noqa: PLC0415

        return self._rows(
            Row._make,
            Row._fields,
            lambda connection: language_map(connection, by.split(","), min_confidence=min_confidence),
            linked=(None,),
        )

    sites = language_map

    def info(self) -> Rows[Fact]:
        """What the collection holds, in counts: files, pages, links by kind, charsets, languages, problems, runs."""
        from graphlang.maps.facts import Fact, facts  # noqa: PLC0415

        return self._rows(Fact._make, Fact._fields, facts, linked=(None,))

    @overload
    def languages(self, *, by: None = None, min_confidence: float = 0.0) -> Rows[LanguageRow]: ...
    @overload
    def languages(self, *, by: str, min_confidence: float = 0.0) -> Rows[Any]: ...
    def languages(self, *, by: str | None = None, min_confidence: float = 0.0) -> Rows[LanguageRow] | Rows[Any]:
        """The languages with their pages, sites, scripts and encodings, and with an interval for the pages.

        Args:
            by: ``year`` for those of each calendar year: a page counts once for every year of which a capture has an
                answer (`propagate_each_year`), and rows have the year first.
            min_confidence: pages below count as ``und``.

        Raises:
            ValueError: ``by`` is something else; `min_confidence` is no probability.
        """
        min_confidence = probability("min_confidence", min_confidence)
        from graphlang.maps.languages import Row, YearRow, languages_of, languages_of_years  # noqa: PLC0415
        from graphlang.maps.selection import Selection  # noqa: PLC0415

        if by not in (None, "year"):
            raise ValueError(f"languages are listed by year, or all together, not by {by}")
        selection = Selection(min_confidence=min_confidence)
        if by is not None:
            return self._rows(
                YearRow._make,
                YearRow._fields,
                lambda connection: languages_of_years(connection, selection),
                linked=(None,),
            )
        return self._rows(
            Row._make, Row._fields, lambda connection: languages_of(connection, selection), linked=(None,)
        )

    def texts(
        self,
        *,
        language: str | Sequence[str] = (),
        min_confidence: float = 0.0,
        captures: str = "own",
        at: str | None = None,
    ) -> Rows[TextRow]:
        """The texts of pages with URL, date, source, language, confidence and method.

        Args:
            language: only pages in this language, or in one of these (any usual code or name; a script counts); an
                empty list names all.
            min_confidence: pages below count as ``und``.
            captures: ``own``: each page's own capture; ``all``: every one, with its date and the language of its time.
            at: a year, month, day or time: of each page the capture nearest to it, with the languages of that time.

        Raises:
            ValueError: an unknown language; another value of `captures`; `at` is no moment; `min_confidence` is no
                probability.
        """
        min_confidence = probability("min_confidence", min_confidence)
        from graphlang.codes.wanted import wanted  # noqa: PLC0415
        from graphlang.db import snapshot  # noqa: PLC0415
        from graphlang.export.texts import TextRow, texts  # noqa: PLC0415
        from graphlang.maps.captures import which  # noqa: PLC0415
        from graphlang.maps.selection import Selection  # noqa: PLC0415

        tags = several("language", language)
        selection = Selection(
            wanted=tuple(map(wanted, tags)), min_confidence=min_confidence, captures=which(captures, at)
        )

        def rows(connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
            with snapshot.at(connection, at):
                yield from texts(connection, selection).rows

        return self._rows(TextRow._make, TextRow._fields, rows)

    def problems(self, *, kind: str | None = None) -> Rows[ProblemRow]:
        """What could not be read: file, offset, URL and reason.

        Args:
            kind: only problems of this kind.
        """
        if kind is not None:
            text("kind", kind)
        from graphlang.maps.problems import ProblemRow, problem_rows  # noqa: PLC0415

        return self._rows(ProblemRow._make, ProblemRow._fields, lambda connection: problem_rows(connection, kind=kind))

    def frontier(
        self, *, want: str | Sequence[str] = (), saturated: str | Sequence[str] = (), run: int | None = None
    ) -> Rows[Candidate]:
        """URLs that were never fetched, ranked by the probability that they are in a wanted language.

        Args:
            want: a language to look for, or several (any usual codes or names); none: all but the saturated ones.
            saturated: those of which there is enough.
            run: number of a run; the chosen one if not given.

        Raises:
            TypeError: `run` is no whole number.
            ValueError: an unknown language.
        """
        run = None if run is None else run_number("run", run)
        from graphlang.analysis.frontier import Candidate, frontier  # noqa: PLC0415
        from graphlang.codes.wanted import wanted  # noqa: PLC0415

        looked_for = [wanted(tag) for tag in several("want", want)]
        enough = [wanted(tag) for tag in several("saturated", saturated)]
        return self._rows(
            Candidate._make,
            Candidate._fields,
            lambda connection: frontier(
                connection, want=looked_for, saturated=enough, run=run_or_chosen(connection, run)
            ),
            linked=(run,),
        )
