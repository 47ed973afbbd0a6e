"""Methods that publish and measure: exports, reports, graphs of links, accuracy, weights, differences of runs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from graphlang.analysis.progress import Progress, make_progress
from graphlang.arguments import check_arguments, flag, probability, run_number, text
from graphlang.collection.opened_file import OpenedFile, require_answers, run_or_chosen
from graphlang.collection.page_filter import PageFilter, make_selection
from graphlang.db import StoreError
from graphlang.printing import quantity

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable
    from typing import BinaryIO

    import networkx as nx
    from scipy import sparse

    from graphlang.evaluation.evaluate import Evaluation, Gold
    from graphlang.evaluation.tune import Tuned
    from graphlang.maps.changes import Change, ChangeCount, PageChange, PageChangeCount
    from graphlang.maps.language_graph import LanguageGraph
    from graphlang.maps.site_graph import SiteGraph
    from graphlang.rows import Rows

_UNITS = ("domain", "host", "page")


class Publishing(OpenedFile):
    """Results for other programs and for people, and how good they are."""

    @check_arguments(main=flag, unique=flag, near=probability, quality=flag, paragraphs=flag, csv_safe=flag)
    def export(
        self,
        output: str | Path,
        what: str,
        *,
        format: str | None = None,  # noqa: A002 - the option's name
        by: str = "host",
        main: bool = False,
        unique: bool = False,
        near: float | None = None,
        quality: bool = False,
        paragraphs: bool = False,
        csv_safe: bool | None = None,
        captures: str = "own",
        at: str | None = None,
        on_written: Callable[[int], object] | None = None,
        **pages: Unpack[PageFilter],
    ) -> list[str]:
        """Write files for other programs: the verb `export`.

        Args:
            output: the file, which is replaced when all is written; a folder for ``vertices-edges`` and
                ``web-languages``. Lines are compressed if its name ends in ``.gz`` or ``.zst``. Texts get a file for
                each language if its name has ``{language}`` in it.
            what: ``pages``, ``sites``, ``links``, ``hosts``, ``domains``, ``languages``, ``texts``,
                ``translations``, ``cdxj``, ``warc-metadata``, ``wet``, ``vertices-edges``,
                ``web-languages`` or ``share``.
            format: if not given, that of the file's name, else the first one (`graphlang export --help`).
            by: ``host`` or ``domain``, for ``vertices-edges``.
            main: of ``texts`` and ``wet`` the main content alone.
            unique: of ``texts`` and ``wet`` those whose main content no earlier page in the language has.
            near: of ``texts`` and ``wet`` those that share less than this part of their runs of five words with each
                earlier one.
            quality: of ``texts`` the columns ``letters``, ``repeated``, ``filler`` and ``stopwords`` as well.
            paragraphs: of ``texts`` a row for each paragraph, with its language; ``{language}`` is that of paragraphs.
            csv_safe: an apostrophe before CSV cells that begin like a formula; None: where the file is named ``.csv``.
            captures: ``own``: each page's main capture; ``all``: every one, with its date and the language of its time;
                of ``pages`` (as a table), ``texts``, ``cdxj``, ``warc-metadata`` and ``wet``.
            at: a year, month, day or time: of each page the capture nearest to it, with the languages of that time.
            on_written: called with the number of rows, nodes or records that were written.
            pages: which pages count, see `PageFilter`.

        Returns:
            Sentences about what is missing, such as archives that have moved.

        Raises:
            TypeError: an argument of another type.
            ValueError: no such export, format or language; a folder where a file is written, or the other way round;
                captures of other times of what has none; `at` is not a moment; as for `PageFilter`.
            OutputError: there is nothing to put into the place of a file, or it is one that the database consists of.
        """
        from graphlang.db import snapshot  # noqa: PLC0415
        from graphlang.export import to_file  # noqa: PLC0415

        options: dict[str, Any] = {"format_": format, "by": by, "safe": csv_safe, "database": self.path}
        options |= {"main": main, "unique": unique, "near": near, "quality": quality, "paragraphs": paragraphs}
        options |= {"selection": make_selection(pages, captures, at), "on_written": on_written}
        self._refuse_own_files(output)
        with self._open_answered() as connection, snapshot.show_moment(connection, at):
            return to_file.export(connection, what, Path(output), **options)

    @check_arguments(title=text, replay_prefix=text)
    def report(
        self, output: str | Path | BinaryIO, *, title: str | None = None, replay_prefix: str | None = None
    ) -> None:
        """Write one HTML page for people that needs no other file: the verb `report`.

        Args:
            output: the file, which is replaced when all is written; or an open binary file.
            title: the page's heading; the database's name if not given.
            replay_prefix: address of a replay tool; URLs become links to it followed by the URL.

        Raises:
            OutputError: the file is one that the database consists of.
            StoreError: nothing is classified yet.
            TypeError: `title` or `replay_prefix` is not a text.
            ValueError: `replay_prefix` does not begin with http:// or https://.
        """
        from graphlang.report.page import render_bytes, write_report  # noqa: PLC0415

        if replay_prefix is not None and not replay_prefix.startswith(("http://", "https://")):
            raise ValueError(f"replay_prefix is {replay_prefix!r}; it must begin with http:// or https://")

        heading = title or self.path.stem
        if isinstance(output, str | Path):
            self._refuse_own_files(output)
        with self._reading() as connection:
            require_answers(connection)
            if isinstance(output, str | Path):
                write_report(connection, Path(output), heading, replay_prefix=replay_prefix)
            else:
                output.write(render_bytes(connection, heading, replay_prefix=replay_prefix))

    def language_graph(self, *, by: str = "domain", **pages: Unpack[PageFilter]) -> nx.DiGraph[str]:
        """Return the links between languages, after Caminero and Mikami 2006: a node for each language.

        Nodes have the columns of ``graphlang language-graph --what languages``, edges ``links`` and ``share``. URLs
        that were only linked to count, with languages inferred from links and addresses; with ``fetched=True`` they do
        not, as in the report.

        Args:
            by: links within one ``domain`` or ``host`` are not counted; ``page``: all are.
            pages: which pages count, see `PageFilter`.

        Raises:
            TypeError: an argument of another type.
            ValueError: `by` is none of these; as for `PageFilter`.
        """
        import networkx as nx  # noqa: PLC0415

        links = self.links_of_languages(by=by, **pages)
        graph: nx.DiGraph[str] = nx.DiGraph()
        for node in links.languages:
            values = node._asdict()
            graph.add_node(values.pop("language"), **values)
        graph.add_edges_from(
            (pair.source, pair.target, {"links": pair.links, "share": pair.share}) for pair in links.pairs
        )
        return graph

    @check_arguments(components=flag)
    def links_of_languages(
        self, *, by: str = "domain", components: bool = True, **pages: Unpack[PageFilter]
    ) -> LanguageGraph:
        """Count the links between languages: the verb `language-graph`, as lists of rows.

        Args:
            by: as for `language_graph`.
            components: whether to find the components of a language; else their columns are 0.
            pages: which pages count, see `PageFilter`.

        Raises:
            TypeError: an argument of another type.
            ValueError: as for `language_graph`.
        """
        from graphlang.maps.language_graph import read_language_graph  # noqa: PLC0415

        chosen = make_selection(pages)
        if by not in _UNITS:
            raise ValueError(f"cannot group links by {by}; there are {', '.join(_UNITS)}")
        with self._open_answered() as connection:
            return read_language_graph(connection, chosen, unit=by, components=components)

    @check_arguments(measures=flag)
    def links_of_sites(self, *, by: str = "domain", measures: bool = True, **pages: Unpack[PageFilter]) -> SiteGraph:
        """Count the links between sites: the verb `language-graph --what sites`, as lists of rows.

        Args:
            by: what a site is: ``domain`` or ``host``.
            measures: whether to compute betweenness and components; else their columns are 0.
            pages: which pages count, see `PageFilter`.

        Raises:
            TypeError: an argument of another type.
            ValueError: `by` is none of these; as for `PageFilter`.
        """
        from graphlang.maps.site_graph import read_site_graph  # noqa: PLC0415

        chosen = make_selection(pages)
        if by not in _UNITS[:2]:
            raise ValueError(f"cannot group sites by {by}; there are {', '.join(_UNITS[:2])}")
        with self._open_answered() as connection:
            return read_site_graph(connection, chosen, unit=by, measures=measures)

    def links(self) -> sparse.csr_array:
        """Return all links as a sparse matrix: row and column are a page's id less one, a value its kind.

        The matrix is int8 of shape (pages, pages); a value is one more than the ``id`` in the table ``link_kinds``.
        """
        import numpy as np  # noqa: PLC0415
        from scipy import sparse  # noqa: PLC0415

        from graphlang.db import collection  # noqa: PLC0415

        with self._reading() as connection:
            edges, pages = collection.read_edges(connection), collection.count_pages(connection)
        kinds = (edges.kind + 1).astype(np.int8)
        return sparse.csr_array((kinds, (edges.source, edges.target)), shape=(pages, pages))

    @check_arguments(by=text)
    def read_gold(self, path: str | Path | Any, *, by: str | None = None) -> Gold:
        """Read gold labels, and match them with the pages of the collection.

        Args:
            path: table with a header line and the columns url and language, separated by tabs, commas or semicolons;
                or a DataFrame of pandas or polars, or dictionaries, with these columns.
            by: another column of it to group by.

        Raises:
            StoreError: the file cannot be read, or labels no page of the collection.
            TypeError: `by` is not a text.
        """
        from graphlang.evaluation.evaluate import read_gold  # noqa: PLC0415

        with self._reading() as connection:
            gold = read_gold(connection, path, by)
        if not gold.pages:
            raise StoreError(_explain_no_pages(path, gold))
        return gold

    @check_arguments(by=text, run=run_number)
    def evaluate(self, gold: str | Path | Gold | Any, *, by: str | None = None, run: int | None = None) -> Evaluation:
        """Measure the accuracy against gold labels: over all pages, by length, and by a column of the file.

        Args:
            gold: a file or DataFrame, as for `read_gold`, or what that returned.
            by: another column of the file to group by.
            run: number of a run; the chosen one if not given.

        Raises:
            StoreError: nothing is classified yet, or the file cannot be read.
            TypeError: `run` is not an integer, or `by` not a text.
        """
        from graphlang.evaluation.evaluate import Gold, evaluate  # noqa: PLC0415

        with self._open_answered(run) as connection:
            chosen = run_or_chosen(connection, run)  # an error comes before those of the file
            labels = gold if isinstance(gold, Gold) else self.read_gold(gold, by=by)
            return evaluate(connection, labels, chosen, by)

    @check_arguments(even=flag, seed=run_number)
    def tune(
        self,
        gold: str | Path | Gold | Any,
        *,
        also: Iterable[tuple[Publishing, str | Path | Gold | Any]] = (),
        even: bool = False,
        seed: int | None = None,
        progress: Progress | bool = False,
    ) -> Tuned:
        """Fit the weights of the inference on labelled pages; measure them on held-out sites.

        Args:
            gold: a file or DataFrame of gold labels, as for `read_gold`, or what that returned.
            also: other collections with their gold labels, to fit on them together.
            even: start from weights of 1 instead of the shipped ones.
            seed: the content run to start from; the chosen one if not given.
            progress: True draws a bar; an object receives the stage.

        Raises:
            StoreError: nothing is classified yet, the file cannot be read, or names no page of the collection.
            TypeError: an argument of another type.
        """
        from graphlang.analysis import graph_input, signals  # noqa: PLC0415
        from graphlang.evaluation import tune as tuning  # noqa: PLC0415
        from graphlang.evaluation.evaluate import Gold  # noqa: PLC0415

        start = self.start_weights(even=even)
        labelled = []
        for crawl, labels in ((self, gold), *also):
            answers = labels if isinstance(labels, Gold) else crawl.read_gold(labels)
            with crawl._reading() as connection:  # noqa: SLF001 - another collection
                run = graph_input.find_seed_run(connection, seed)
                labelled.append((graph_input.load(connection, run, dict.fromkeys(signals.NAMES, 1.0)), answers))
        return tuning.tune(labelled, start, progress=make_progress(progress))

    @staticmethod
    @check_arguments(even=flag)
    def start_weights(*, even: bool = False) -> dict[str, float]:
        """Return the weights and limits of the inference by name, as `propagate` takes them if no others are given.

        Args:
            even: weights of 1, limits as they are.

        Raises:
            TypeError: `even` is not a truth value.
        """
        from graphlang.analysis.propagate import SIGNALS  # noqa: PLC0415
        from graphlang.evaluation import tune as tuning  # noqa: PLC0415
        from graphlang.graph.options import Options  # noqa: PLC0415

        weights = {**asdict(Options()), **SIGNALS}
        return weights | dict.fromkeys(tuning.WEIGHTS, 1.0) if even else weights

    @check_arguments(before=run_number, after=run_number, fetched=flag)
    def compare(self, before: int, after: int, *, fetched: bool = False) -> Rows[Change]:
        """List pages whose language differs between two runs.

        A content run has no answer for URLs that were only linked to (``und``): all of them differ from a later run.

        Args:
            before: number of the one run.
            after: number of the other.
            fetched: only pages that were read.

        Raises:
            StoreError: there is no such run (when the rows are read).
            TypeError: a run is not an integer, or `fetched` not a truth value.
        """
        from graphlang.db.runs.run import get_run  # noqa: PLC0415
        from graphlang.maps.changes import Change, list_changes  # noqa: PLC0415

        return self._rows(
            Change._make,
            Change._fields,
            lambda connection: list_changes(
                connection, get_run(connection, before), get_run(connection, after), fetched=fetched
            ),
            linked=(before, after),
        )

    @check_arguments(before=run_number, after=run_number, fetched=flag)
    def count_changes(self, before: int, after: int, *, fetched: bool = False) -> Rows[ChangeCount]:
        """Count such pages by pair of languages and length of text: the verb `compare --count`.

        Args:
            before: number of the one run.
            after: number of the other.
            fetched: only pages that were read.

        Raises:
            StoreError: there is no such run (when the rows are read).
            TypeError: a run is not an integer, or `fetched` not a truth value.
        """
        from graphlang.db.runs.run import get_run  # noqa: PLC0415
        from graphlang.maps.changes import ChangeCount, count_changes  # noqa: PLC0415

        return self._rows(
            ChangeCount._make,
            ChangeCount._fields,
            lambda connection: count_changes(
                connection, get_run(connection, before), get_run(connection, after), fetched=fetched
            ),
            linked=(before, after),
        )

    @check_arguments(by=text)
    def compare_years(
        self, before: int | str, after: int | str, *, by: str | None = None, **pages: Unpack[PageFilter]
    ) -> Rows[Any]:
        """List the pages that differ between two calendar years: gained, lost, or in another language.

        A page counts once for every year of which a capture has an answer (`propagate_each_year`). The verb is
        `compare --years`.

        Args:
            before: the earlier year.
            after: the later year.
            by: count by ``language``, ``host`` or ``domain`` instead, the greatest changes first.
            pages: which pages count, see `PageFilter`.

        Raises:
            StoreError: there is no capture of a year, or nothing is classified yet (when the rows are read).
            TypeError: an argument of another type.
            ValueError: another value of `by`; as for `PageFilter`.
        """
        from graphlang.maps import changes  # noqa: PLC0415

        chosen, years = replace(make_selection(pages), fetched=True), (str(before), str(after))
        kind = _change_class(by)

        def read(connection: sqlite3.Connection) -> Iterable[Any]:
            require_answers(connection)
            changes.require_years(connection, years)
            if by is None:
                return changes.list_year_changes(connection, years, chosen)
            return changes.count_year_changes(connection, years, chosen, by)

        return self._rows(kind._make, kind._fields, read)

    @check_arguments(by=text)
    def compare_with(self, later: str | Path, *, by: str | None = None, **pages: Unpack[PageFilter]) -> Rows[Any]:
        """List the pages that differ between this collection and a later one: gained, lost, or in another language.

        Pages are the same if their URLs are. The verb is `compare DB DB`.

        Args:
            later: database of the later collection.
            by: count by ``language``, ``host`` or ``domain`` instead, the greatest changes first.
            pages: which pages count, see `PageFilter`.

        Raises:
            StoreError: `later` is not a database, or nothing is classified yet (when the rows are read).
            TypeError: an argument of another type.
            ValueError: another value of `by`; as for `PageFilter`.
        """
        from graphlang.db import open_existing  # noqa: PLC0415
        from graphlang.maps import changes  # noqa: PLC0415

        chosen, kind = replace(make_selection(pages), fetched=True), _change_class(by)

        def read(connection: sqlite3.Connection) -> Iterable[Any]:
            require_answers(connection)
            with closing(open_existing(later)) as other:
                require_answers(other)
                if by is None:
                    yield from changes.list_collection_changes(connection, other, chosen)
                else:
                    yield from changes.count_collection_changes(connection, other, chosen, by)

        return self._rows(kind._make, kind._fields, read)


def _change_class(by: str | None) -> type[PageChange | PageChangeCount]:
    from graphlang.maps.changes import UNITS, PageChange, PageChangeCount  # noqa: PLC0415

    if by is not None and by not in UNITS:
        raise ValueError(f"cannot count changes by {by}; there are {', '.join(UNITS)}")
    return PageChange if by is None else PageChangeCount


def _explain_no_pages(table: str | Path | Any, gold: Gold) -> str:
    path = table if isinstance(table, str | Path) else "the table"
    unknown = sum(gold.unknown.values())
    if gold.empty and not (gold.missing or unknown or gold.contradicted):
        return f"{path} names no language: the column 'language' is empty in {quantity(gold.empty, 'line')}"
    reasons = [f"{quantity(gold.missing, 'URL')} that it does not have"]
    if unknown:
        reasons.append(f"{quantity(unknown, 'line')} with an unknown language code")
    if gold.contradicted:
        reasons.append(f"{quantity(gold.contradicted, 'page')} with different languages on several lines")
    return f"none of the pages of {path} is in this database: {', and '.join(reasons)}"
