"""A collection as an object: a verb of the command line is a method of the same name."""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from graphlang import former_names
from graphlang.analysis.progress import SILENT, Progress
from graphlang.db import StoreError, create, open_existing
from graphlang.db.runs.choose import choose_run, chosen_run
from graphlang.db.runs.find import all_runs, get_run
from graphlang.graph.propagation.options import FORMER, Options
from graphlang.modelfile import ModelError
from graphlang.rows import Rows
from graphlang.whole_file import OutputError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import networkx as nx
    from scipy import sparse
    from sqlite_utils import Database

    from graphlang.analysis.correct import Corrected
    from graphlang.analysis.explain import Explanation
    from graphlang.analysis.frontier import Candidate
    from graphlang.analysis.ingest import Ingested
    from graphlang.content.adapters.foreign import Classifier
    from graphlang.db.corrections import Correction
    from graphlang.db.remove import Removal
    from graphlang.db.runs.run import Run
    from graphlang.evaluation.compare import Change
    from graphlang.evaluation.evaluate import Evaluation
    from graphlang.export.texts import TextRow
    from graphlang.ingest import Limits
    from graphlang.maps.facts import Fact
    from graphlang.maps.languages import Row as LanguageRow
    from graphlang.maps.pages import PageRow
    from graphlang.maps.problems import ProblemRow
    from graphlang.maps.review import ReviewRow
    from graphlang.maps.sites import Row as SiteRow

_NOTHING_YET = "nothing is classified yet: run 'classify' first"


def open_collection(path: str | Path, *, wait: bool = False) -> Collection:
    """Open the database of a collection; `Collection.ingest` makes it if there is none.

    Args:
        path: the SQLite file.
        wait: whether what writes waits for another writer instead of raising `LockedError`.

    Raises:
        StoreError: the file is something else, or its folder does not exist.
    """
    return Collection(path, wait=wait)


class Collection:
    """A crawled collection in one SQLite file.

    What lists something returns `Rows`, which are read when they are looked at. What computes something stores one run
    and returns it; nothing is overwritten. Every call opens the file anew, so that other processes may use it between
    two calls, and two threads may each call methods of one Collection. There is one writer at a time: what writes
    raises `LockedError` where there is another, or waits for it.

    Args:
        path: the SQLite file. It need not exist before `ingest`.
        wait: whether what writes waits for another writer.

    Raises:
        StoreError: the file exists and is no collection, or its folder does not exist.

    >>> import tempfile
    >>> with Collection(tempfile.mkdtemp() + "/crawl.db") as crawl:
    ...     crawl.ingest("examples/crawl.warc.gz").pages  # doctest: +SKIP
    443
    """

    def __init__(self, path: str | Path, *, wait: bool = False) -> None:
        self.path = Path(path)
        self._patience = None if wait else 0.0
        self._kept: Database | None = None
        if self.path.exists():
            open_existing(self.path).close()
        elif not self.path.absolute().parent.is_dir():
            raise StoreError(f"cannot create {path}: the folder {self.path.parent} does not exist")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Collection({str(self.path)!r})"

    def close(self) -> None:
        """Close what `db` opened; all else is closed when a method returns."""
        if self._kept is not None:
            self._kept.conn.close()
            self._kept = None

    @property
    def db(self) -> Database:
        """The database for queries of your own, read-only, until `close`.

        Raises:
            StoreError: there is no database yet.
        """
        if self._kept is None:
            from sqlite_utils import Database  # noqa: PLC0415  takes as long as all the rest

            connection = open_existing(self.path)
            connection.set_progress_handler(None, 0)  # queries of one's own may take as long as they do
            self._kept = Database(connection)
        return self._kept

    # What computes -------------------------------------------------------------------------------------------------

    def ingest(
        self,
        *files: str | Path,
        keep: str = "all",
        limits: Limits | None = None,
        again: bool = False,
        workers: int = 1,
        follow_links: bool = False,
        progress: Progress = SILENT,
    ) -> Ingested:
        """Read files and folders into the collection; files that it has already are passed over.

        Args:
            files: archives, or folders that hold them.
            keep: which of several captures of a URL are kept, as `graphlang ingest --keep` has it.
            limits: how much of a page is kept.
            again: read files again that were read before, with these limits.
            workers: processes that parse pages; the result is the same with any number.
            follow_links: whether symbolic links within folders are followed; `Ingested.passed` has what is passed over.
            progress: told of bytes, pages and links.

        Raises:
            StoreError: a file cannot be read at all.
            ValueError: an unknown value of `keep`.
        """
        from graphlang.analysis import ingest as reading  # noqa: PLC0415  each verb imports what it needs
        from graphlang.db.write.choose_capture import Keep  # noqa: PLC0415

        how, found = Keep(keep), reading.found(files, follow_links=follow_links)  # before there is a database
        with closing(create(self.path, verb="ingest", patience=self._patience)) as connection:
            return reading.ingest(
                connection, found, keep=how, limits=limits, again=again, workers=workers, progress=progress
            )

    def classify(
        self,
        method: str | Path | Classifier = "nfc",
        *,
        title: bool = True,
        anchors: bool = False,
        workers: int = 1,
        keep_chosen: bool = False,
        at: str | None = None,
        progress: Progress = SILENT,
    ) -> Run:
        """Classify the pages by the content of their text, or by their URLs.

        Args:
            method: a name that `graphlang methods` lists, a model file, or a classifier of your own: an object with
                `labels` and `probabilities(texts)`.
            title: whether the title counts as text.
            anchors: whether the words of links count as text of the pages that they lead to.
            workers: threads that identify texts.
            keep_chosen: leave the run that the views show as it is.
            at: a year, month, day or time: of each page the capture nearest to it is read. The run that the views show
                stays the same.
            progress: told of pages.

        Raises:
            StoreError: there is no database.
            ModelError: there is no such method or model.
            ValueError: `at` is no moment, or cannot go with the method or with `anchors`.
        """
        from graphlang.analysis import classify, dated, declared_run, tld_run  # noqa: PLC0415
        from graphlang.analysis.of_collections import DECLARED, TLD  # noqa: PLC0415
        from graphlang.identification import load  # noqa: PLC0415

        choose = not keep_chosen
        identifier: Any = None if method in (TLD, DECLARED) else load(method)
        of_urls = hasattr(identifier, "decisions")
        if at is not None and (method == TLD or of_urls or anchors):
            raise ValueError("at is for methods that read texts, without anchors")
        with self._writing("classify") as connection:

            def ask() -> Run:
                if method == TLD:
                    return tld_run.classify_tld(connection, choose=choose, progress=progress)
                if method == DECLARED:
                    return declared_run.classify_declared(connection, choose=choose, progress=progress)
                if of_urls:
                    return classify.classify_urls(connection, identifier, choose=choose, progress=progress)
                return classify.classify(
                    connection,
                    identifier,
                    title=title,
                    anchors=anchors,
                    choose=choose,
                    workers=workers,
                    progress=progress,
                )

            return ask() if at is None else dated.of_texts(connection, at, ask)

    def vote(
        self,
        *,
        outlinks: bool = False,
        clueweb09: bool = False,
        seed: int | None = None,
        keep_chosen: bool = False,
        at: str | None = None,
        progress: Progress = SILENT,
        **limits: int,
    ) -> Run:
        """Let the inlinks of short pages vote (INLINKS, Hayati 2004, algorithm 5.5).

        Args:
            outlinks: let the pages vote that a page links to (section 5.3).
            clueweb09: ClueWeb09's rule instead, for URLs that were never fetched.
            seed: the content run to start from; the newest if not given.
            keep_chosen: leave the run that the views show as it is.
            at: a year, month, day or time: of each page the capture nearest to it is read. The run that the views show
                stays the same.
            progress: told of the stage.
            limits: `min_length`, `min_ref_length` and `max_links` of the vote, `min_bytes` of ClueWeb09's rule.

        Raises:
            StoreError: nothing is classified yet.
            TypeError: a limit that the vote does not have.
            ValueError: a negative limit, both kinds of vote at once, or no moment.
        """
        from graphlang.analysis import dated, vote  # noqa: PLC0415

        if outlinks and clueweb09:
            raise ValueError("outlinks and clueweb09 are two votes: choose one")
        kind: dict[str, bool] = {} if clueweb09 else {"outlinks": outlinks}
        ask: Callable[..., Run] = vote.guess if clueweb09 else vote.vote
        with self._writing("vote") as connection:

            def voted(start: int | None) -> Run:
                return ask(connection, seed=start, choose=not keep_chosen, progress=progress, **kind, **limits)

            if at is None:
                return voted(seed)
            return dated.of_links(connection, at, voted, seed=seed, progress=progress)

    def propagate(
        self,
        *,
        weights: Mapping[str, float] | None = None,
        algorithm: str | None = None,
        seed: int | None = None,
        update: bool = False,
        workers: int = 1,
        keep_chosen: bool = False,
        at: str | None = None,
        progress: Progress = SILENT,
    ) -> Run:
        """Infer the language of every page, fetched or only linked to, from its own text and its neighbours' languages.

        Args:
            weights: weights and limits of the inference by the names of the options of `graphlang propagate`, e.g.
                ``{"cctld": 0, "neighbours": 0.5}``; those that are not named keep their defaults.
            algorithm: as `graphlang propagate --algorithm` has it; the inference if not given.
            seed: the content run to start from; the newest if not given.
            update: identify the texts that are new first, and do nothing where nothing has changed.
            workers: threads that identify texts for `update`.
            keep_chosen: leave the run that the views show as it is.
            at: a year, month, day or time: of each page the capture nearest to it is read. The run that the views show
                stays the same.
            progress: told of the stage.

        Raises:
            StoreError: nothing is classified yet.
            ValueError: a weight that does not exist, is negative or no number; no moment; `update` together with `at`.
        """
        from graphlang.analysis import dated, propagate  # noqa: PLC0415

        weights = former_names.renamed(weights or {}, FORMER, "the weight")
        if algorithm is not None:
            algorithm = former_names.current(algorithm, propagate.ALIASES, "the algorithm")
        if update and at is not None:
            raise ValueError("update is for the pages' own captures, without at")
        with self._writing("propagate") as connection:
            inferred = _inference(
                connection,
                weights=weights,
                algorithm=algorithm,
                update=update,
                workers=workers,
                choose=not keep_chosen,
                progress=progress,
            )
            if at is None:
                return inferred(seed)
            return dated.of_links(connection, at, inferred, seed=seed, workers=workers, progress=progress)

    def propagate_each_year(
        self,
        *,
        weights: Mapping[str, float] | None = None,
        algorithm: str | None = None,
        seed: int | None = None,
        workers: int = 1,
        progress: Progress = SILENT,
    ) -> list[Run]:
        """Infer the languages of each calendar year that any capture has: `propagate` with `at` for each.

        Args:
            weights: as for `propagate`.
            algorithm: as for `propagate`.
            seed: the content run whose method reads the texts of each year; the newest if not given.
            workers: threads that identify texts.
            progress: told of the stage.

        Returns:
            The run of each year, ascending.

        Raises:
            StoreError: nothing is classified yet, or no capture has a date.
            ValueError: as for `propagate`.
        """
        from graphlang.analysis import dated, propagate  # noqa: PLC0415

        weights = former_names.renamed(weights or {}, FORMER, "the weight")
        if algorithm is not None:
            algorithm = former_names.current(algorithm, propagate.ALIASES, "the algorithm")
        with self._writing("propagate") as connection:
            inferred = _inference(
                connection, weights=weights, algorithm=algorithm, linked=False, workers=workers, progress=progress
            )
            return list(dated.each_year(connection, inferred, seed=seed, workers=workers, progress=progress))

    def run(
        self,
        *files: str | Path,
        method: str | Path | Classifier = "nfc",
        keep: str = "all",
        limits: Limits | None = None,
        again: bool = False,
        workers: int = 1,
        progress: Progress = SILENT,
    ) -> Run:
        """Find the language of every page: `ingest`, `classify`, `vote` and `propagate` with their defaults.

        Args:
            files: archives, or folders that hold them.
            method: content method, as in `classify`.
            keep: which of several captures of a URL are kept.
            limits: how much of a page is kept.
            again: read files again that were read before, with these limits.
            workers: processes that parse pages, and threads that identify texts.
            progress: told of every stage.

        Returns:
            The run of the propagation, which the views show.

        Raises:
            StoreError: a file cannot be read at all.
            ModelError: there is no such method or model.
        """
        from graphlang.analysis import classify, propagate, vote  # noqa: PLC0415
        from graphlang.analysis.arrays import graph_input  # noqa: PLC0415
        from graphlang.identification import load as identified_by  # noqa: PLC0415

        identifier: Any = identified_by(method)
        if hasattr(identifier, "decisions"):
            raise ModelError(f"{method} reads URLs: run needs a content method")
        self.ingest(*files, keep=keep, limits=limits, again=again, workers=workers, progress=progress)
        with self._writing("run") as connection:
            classify.classify(connection, identifier, workers=workers, progress=progress)
            load = graph_input.CachedLoader()  # both steps read the same links and scores
            vote.vote(connection, linked=False, load=load, progress=progress)
            return propagate.propagate(connection, update=True, linked=False, load=load, progress=progress)

    def correct(
        self,
        *urls: str,
        language: str,
        by: str,
        note: str = "",
        hosts: Sequence[str] = (),
        progress: Progress = SILENT,
    ) -> Corrected:
        """Say what language pages are in, as somebody who looked; the next `propagate` learns from it.

        Args:
            urls: of pages, which need not be in the collection yet.
            language: any usual code or name, ``und`` or ``zxx``.
            by: who says so.
            note: why.
            hosts: all pages of these hosts that the collection has.
            progress: told of URLs that were only linked to, where nothing has asked for their answers yet.

        Returns:
            How many pages were corrected.

        Raises:
            InputError: a URL that is none or was removed, an unknown language, a host without pages.
        """
        from graphlang.analysis import correct  # noqa: PLC0415

        with self._writing("correct") as connection:
            said = [correct.Said(url, language, note) for url in urls]
            said += correct.of_hosts(connection, hosts, language, note)
            return correct.correct(connection, said, by=by, progress=progress)

    def undo_corrections(self, *urls: str, hosts: Sequence[str] = (), by: str = "") -> int:
        """Undo the last correction of pages; one before it counts again. The verb is `correct --undo`.

        Args:
            urls: of pages.
            hosts: all corrected pages of these hosts.
            by: who undoes it.

        Returns:
            How many there were.

        Raises:
            InputError: a URL that is none.
        """
        from graphlang.analysis import correct  # noqa: PLC0415

        with self._writing("correct") as connection:
            return correct.undo(connection, urls, hosts=hosts, by=by)

    # What lists ----------------------------------------------------------------------------------------------------

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
    ) -> Rows[PageRow]:
        """Pages and their languages, by the chosen run.

        Args:
            language: only pages in this language, or in one of these (any usual code or name).
            below: only pages with less confidence.
            host: only pages of this host.
            fetched: True for pages that were read, False for those only linked to.
            min_confidence: pages below count as ``und``.
            declared_unlike: only pages that declare languages, of which none is the one that was found.
            sort: ``found`` (as they were read), ``confidence`` (least sure first), ``length`` or ``url``.

        Raises:
            ValueError: an unknown language or order.
        """
        from graphlang.maps.pages import PageRow, page_rows, wanted_language  # noqa: PLC0415

        tags = [language] if isinstance(language, str) else list(language)
        for tag in tags:
            wanted_language(tag)
        return self._rows(
            PageRow._make,
            PageRow._fields,
            lambda connection: page_rows(
                connection,
                language=tags,
                below=below,
                host=host,
                fetched=fetched,
                min_confidence=min_confidence,
                declared_unlike=declared_unlike,
                sort=sort,
            ),
            linked=() if fetched else (None,),
        )

    def language_map(self, by: str = "host", *, min_confidence: float = 0.0) -> Rows[SiteRow]:
        """Pages counted by site and language, by the chosen run: the verb `sites`.

        Args:
            by: what counts as one site: host, domain, suffix, tld, country, path or year; or several with commas
                between (``"domain,year"``), whose names `site` has with blanks between.
            min_confidence: pages below count as ``und``.

        Raises:
            ValueError: `by` is none of these (when the rows are read).
        """
        from graphlang.maps.sites import Row, language_map  # noqa: PLC0415

        return self._rows(
            Row._make,
            Row._fields,
            lambda connection: language_map(connection, by.split(","), min_confidence=min_confidence),
            linked=(None,),
        )

    sites = language_map

    def corrections(self, *, everything: bool = False) -> Rows[Correction]:
        """What people said of pages: language, who, why, when, and what stood there before.

        Args:
            everything: also corrections that were undone, or gave way to a later one.
        """
        from graphlang.db import corrections  # noqa: PLC0415

        return self._rows(
            corrections.Correction._make,
            corrections.Correction._fields,
            lambda connection: corrections.rows(connection, everything=everything),
        )

    def review(self, *, count: int = 50) -> Rows[ReviewRow]:
        """The pages whose check would teach most, of many hosts and languages.

        Args:
            count: so many at most.
        """
        from graphlang.maps.review import ReviewRow, review_rows  # noqa: PLC0415

        return self._rows(
            ReviewRow._make,
            ReviewRow._fields,
            lambda connection: review_rows(connection, count=count),
            linked=(None,),
        )

    def read_review(self, path: str | Path, *, by: str) -> Corrected:
        """Take the corrections in a table that somebody filled in. The verb is `review --from`.

        Args:
            path: CSV with the columns ``url`` and ``language``, and perhaps ``note``, as `review` gives it.
            by: who filled it in.

        Returns:
            How many pages were corrected.

        Raises:
            InputError: the file cannot be read; a URL that is none or was removed, an unknown language.
        """
        from graphlang.analysis import correct  # noqa: PLC0415
        from graphlang.analysis.read_review import read_review  # noqa: PLC0415

        said = read_review(path)
        with self._writing("review") as connection:
            return correct.correct(connection, said, by=by)

    def info(self) -> Rows[Fact]:
        """What the collection holds, in counts: files, pages, links by kind, charsets, languages, problems, runs."""
        from graphlang.maps.facts import Fact, facts  # noqa: PLC0415

        return self._rows(Fact._make, Fact._fields, facts, linked=(None,))

    def languages(self, *, min_confidence: float = 0.0) -> Rows[LanguageRow]:
        """The languages with their pages, sites, scripts and encodings, and with an interval for the pages.

        Args:
            min_confidence: pages below count as ``und``.
        """
        from graphlang.maps.languages import Row, languages_of  # noqa: PLC0415
        from graphlang.maps.selection import Selection  # noqa: PLC0415

        selection = Selection(min_confidence=min_confidence)
        return self._rows(
            Row._make, Row._fields, lambda connection: languages_of(connection, selection), linked=(None,)
        )

    def texts(self, *, language: str | Sequence[str] = (), min_confidence: float = 0.0) -> Rows[TextRow]:
        """The texts of pages with URL, date, source, language, confidence and method.

        Args:
            language: only pages in this language, or in one of these (any usual code or name; a script counts).
            min_confidence: pages below count as ``und``.

        Raises:
            ValueError: an unknown language.
        """
        from graphlang.codes.wanted import wanted  # noqa: PLC0415
        from graphlang.export.texts import TextRow, texts  # noqa: PLC0415
        from graphlang.maps.selection import Selection  # noqa: PLC0415

        tags = [language] if isinstance(language, str) else language
        selection = Selection(wanted=tuple(map(wanted, tags)), min_confidence=min_confidence)
        return self._rows(TextRow._make, TextRow._fields, lambda connection: texts(connection, selection).rows)

    def problems(self, *, kind: str | None = None) -> Rows[ProblemRow]:
        """What could not be read: file, offset, URL and reason.

        Args:
            kind: only problems of this kind.
        """
        from graphlang.maps.problems import ProblemRow, problem_rows  # noqa: PLC0415

        return self._rows(ProblemRow._make, ProblemRow._fields, lambda connection: problem_rows(connection, kind=kind))

    def frontier(
        self, *, want: Sequence[str] = (), saturated: Sequence[str] = (), run: int | None = None
    ) -> Rows[Candidate]:
        """URLs that were never fetched, ranked by the probability that they are in a wanted language.

        Args:
            want: ISO 639-3 codes to look for; none: all but the saturated ones.
            saturated: codes of which there is enough.
            run: number of a run; the chosen one if not given.
        """
        from graphlang.analysis.frontier import Candidate, frontier  # noqa: PLC0415

        return self._rows(
            Candidate._make,
            Candidate._fields,
            lambda connection: frontier(connection, want=want, saturated=saturated, run=_run(connection, run)),
            linked=(run,),
        )

    def compare(self, before: int, after: int) -> Rows[Change]:
        """Pages whose language differs between two runs.

        Args:
            before: number of the one run.
            after: number of the other.
        """
        from graphlang.evaluation.compare import Change, changes  # noqa: PLC0415

        return self._rows(
            Change._make,
            Change._fields,
            lambda connection: changes(connection, get_run(connection, before), get_run(connection, after)),
            linked=(before, after),
        )

    def runs(self) -> list[Run]:
        """All runs with their parameters, oldest first."""
        with self._reading() as connection:
            return all_runs(connection)

    def chosen(self) -> Run | None:
        """The run that the views show; None where there is none yet."""
        with self._reading() as connection:
            return chosen_run(connection)

    def choose(self, run: int) -> None:
        """Let the views show a run.

        Args:
            run: its number.

        Raises:
            StoreError: there is no such run, or it is not finished.
        """
        with self._writing("choose") as connection:
            choose_run(connection, run)

    # What explains and measures ------------------------------------------------------------------------------------

    def explain(self, url: str, *, run: int | None = None, at: str | None = None) -> Explanation:
        """Why a page has its language: text, declarations, URL, every neighbour that had a say, round by round.

        Args:
            url: of the page.
            run: number of a run; the chosen one if not given.
            at: the moment of a run that `propagate` made with it; in place of `run`.

        Raises:
            StoreError: the collection has no such page or run.
            ValueError: `at` is no moment.
        """
        from graphlang.analysis.explain import explain, run_of  # noqa: PLC0415
        from graphlang.ingest.links.canonical import canonical  # noqa: PLC0415

        with self._reading() as connection:
            return explain(connection, canonical(url) or url, run=run if at is None else run_of(connection, at))

    def evaluate(self, gold: str | Path, *, by: str | None = None, run: int | None = None) -> Evaluation:
        """Accuracy against gold labels: over all pages, by length, and by a column of the file.

        Args:
            gold: tab-separated file with the columns url and language.
            by: another column of it to group by.
            run: number of a run; the chosen one if not given.

        Raises:
            StoreError: nothing is classified yet, or the file cannot be read.
        """
        from graphlang.analysis import linked  # noqa: PLC0415
        from graphlang.evaluation.evaluate import evaluate, read_gold  # noqa: PLC0415

        with closing(linked.opened(self.path, run)) as connection:
            return evaluate(connection, read_gold(connection, Path(gold), by), _run(connection, run), by)

    def language_graph(self, *, by: str = "domain") -> nx.DiGraph[str]:
        """The links between languages, after Caminero and Mikami 2006: a node for each language.

        Nodes have the columns of ``graphlang language-graph --what languages``, edges ``links`` and ``share``.

        Args:
            by: links within one ``domain`` or ``host`` are not counted; ``page``: all are.

        Raises:
            ValueError: `by` is none of these.
        """
        import networkx as nx  # noqa: PLC0415

        from graphlang.analysis import linked  # noqa: PLC0415
        from graphlang.maps.language_graph import language_graph  # noqa: PLC0415
        from graphlang.maps.selection import Selection  # noqa: PLC0415

        if by not in ("domain", "host", "page"):
            raise ValueError(f"cannot group links by {by}; there are domain, host, page")
        with closing(linked.opened(self.path)) as connection:
            found = language_graph(connection, Selection(), unit=by)
        graph: nx.DiGraph[str] = nx.DiGraph()
        for one in found.languages:
            graph.add_node(one.language, **{name: value for name, value in one._asdict().items() if name != "language"})
        graph.add_edges_from((one.source, one.target, {"links": one.links, "share": one.share}) for one in found.pairs)
        return graph

    def export(
        self,
        output: str | Path,
        what: str,
        *,
        format: str | None = None,  # noqa: A002  as the verb has it
        by: str = "host",
        language: str | Sequence[str] = (),
        min_confidence: float = 0.0,
        csv_safe: bool | None = None,
    ) -> list[str]:
        """Write what other programs read: the verb `export`.

        Args:
            output: the file, which is replaced when all is written; a folder for ``vertices-edges`` and
                ``web-languages``.
            what: ``pages``, ``sites``, ``links``, ``hosts``, ``domains``, ``languages``, ``texts``, ``cdxj``,
                ``warc-metadata``, ``wet``, ``vertices-edges`` or ``web-languages``.
            format: if not given, that of the file's name, else the first that there is (`graphlang export --help`).
            by: ``host`` or ``domain``, for ``vertices-edges``.
            language: only pages in this language, or in one of these (any usual code or name; a script counts).
            min_confidence: pages below count as ``und``.
            csv_safe: an apostrophe before CSV cells that begin like a formula; None: where the file is named ``.csv``.

        Returns:
            Sentences about what could not be told, such as archives that are not where they were.

        Raises:
            ValueError: no such export, format or language; a folder where a file is written, or the other way round.
            OutputError: there is nothing to put into the place of a file, or it is one that the database is made of.
        """
        from graphlang.codes.wanted import wanted  # noqa: PLC0415
        from graphlang.export import to_file  # noqa: PLC0415
        from graphlang.maps.selection import Selection  # noqa: PLC0415

        tags = [language] if isinstance(language, str) else language
        selection = Selection(wanted=tuple(map(wanted, tags)), min_confidence=min_confidence)
        how: dict[str, Any] = {"format_": format, "by": by, "selection": selection, "safe": csv_safe}
        with self._answered(Path(output)) as connection:
            return to_file.export(connection, what, Path(output), database=self.path, **how)

    def report(self, output: str | Path, *, title: str | None = None) -> None:
        """Write one HTML page for people that needs nothing else: the verb `report`.

        Args:
            output: the file, which is replaced when all is written.
            title: the page's heading; the database's name if not given.

        Raises:
            OutputError: the file is one that the database is made of.
        """
        from graphlang.report.to_file import write_report  # noqa: PLC0415

        with self._answered(Path(output)) as connection:
            write_report(connection, Path(output), title or self.path.stem)

    def remove(
        self, *urls: str, hosts: Sequence[str] = (), vacuum: bool = False, forget: bool = False
    ) -> Removal | int:
        """Honour takedowns: remove pages, and keep later readings from restoring them.

        Args:
            urls: pages to remove.
            hosts: hosts, all pages of which are removed.
            vacuum: write the file anew, so that nothing is left in any unused part of it.
            forget: remove nothing, but let these URLs and hosts be read again.

        Returns:
            What was removed; with ``forget`` how many of them can be read again.

        Raises:
            ValueError: what is no http(s) URL, or no host.
        """
        from graphlang.db import remove as removal  # noqa: PLC0415
        from graphlang.ingest.links import canonical  # noqa: PLC0415
        from graphlang.ingest.links.named import named_host, named_url  # noqa: PLC0415

        named = [named_url(url) for url in urls], [named_host(host) for host in hosts]
        with self._writing("remove") as connection:
            if forget:
                done: Removal | int = removal.forget(connection, *named)
            else:
                how: dict[str, Any] = {"host_of": canonical.host}
                how["canonical"] = lambda url: canonical.canonical(url) or url
                done = removal.remove(connection, *named, **how)
            removal.scrub(connection, vacuum=vacuum)
        return done

    def links(self) -> sparse.csr_array:
        """All links as a sparse matrix: row and column are a page's id less one, a value its kind.

        The matrix is int8 of shape (pages, pages); a value is one more than the ``id`` in the table ``link_kinds``.
        """
        import numpy as np  # noqa: PLC0415
        from scipy import sparse  # noqa: PLC0415

        from graphlang.db import collection  # noqa: PLC0415

        with self._reading() as connection:
            edges, pages = collection.edges(connection), collection.count_pages(connection)
        kinds = (edges.kind + 1).astype(np.int8)
        return sparse.csr_array((kinds, (edges.source, edges.target)), shape=(pages, pages))

    # ---------------------------------------------------------------------------------------------------------------

    def _reading(self) -> closing[sqlite3.Connection]:
        return closing(open_existing(self.path))

    @contextmanager
    def _answered(self, output: Path) -> Iterator[sqlite3.Connection]:
        """The collection with all answers of the chosen run, to be written to a file that is not its own."""
        from graphlang.analysis import linked  # noqa: PLC0415
        from graphlang.db.own_files import own_files, same_file  # noqa: PLC0415

        for path, words in own_files(self.path):
            if same_file(output, path):
                raise OutputError(f"cannot write to {output}: it is {words}")
        with closing(linked.opened(self.path)) as connection:
            yield connection

    def _writing(self, verb: str) -> closing[sqlite3.Connection]:
        return closing(open_existing(self.path, write=True, verb=verb, patience=self._patience))

    def _rows(
        self,
        kind: Callable[[Any], Any],
        columns: Sequence[str],
        read: Callable[[sqlite3.Connection], Iterable[Any]],
        linked: Sequence[int | None] = (),
    ) -> Rows[Any]:
        """Rows that are read anew each time; ``linked`` names runs whose answers for unfetched URLs they need."""

        def rows() -> Iterable[tuple[Any, ...]]:
            with ExitStack() as stack:
                if linked:
                    from graphlang.analysis import linked as linked_answers  # noqa: PLC0415

                    linked_answers.ready(self.path, *linked)
                connection = stack.enter_context(self._reading())
                yield from read(connection)

        return Rows(kind, columns, rows)


def _inference(
    connection: sqlite3.Connection, *, weights: Mapping[str, float], algorithm: str | None, **how: Any
) -> Callable[[int | None], Run]:
    """The inference with some weights, given a content run."""
    from graphlang.analysis import propagate  # noqa: PLC0415

    given = dict(weights)
    signals = {name: given.pop(name, default) for name, default in propagate.SIGNALS.items()}
    known = {field.name for field in fields(Options)}
    if unknown := sorted(set(given) - known):
        names = ", ".join(sorted(known | set(signals)))
        raise ValueError(f"no weight is called {', '.join(unknown)}; there are {names}")
    numbers: dict[str, Any] = dict(given)
    options = Options(**numbers)

    def inferred(seed: int | None) -> Run:
        return propagate.propagate(
            connection,
            algorithm=algorithm or propagate.ALGORITHMS[0],
            options=options,
            signals=signals,
            seed=seed,
            **how,
        )

    return inferred


def _run(connection: sqlite3.Connection, number: int | None) -> Run:
    run = chosen_run(connection) if number is None else get_run(connection, number)
    if run is None:
        raise StoreError(_NOTHING_YET)
    return run
