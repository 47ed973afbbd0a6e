"""Verbs that hand results on: files, a report, a graph of languages, a matrix of links."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphlang.arguments import flag, probability, several, text
from graphlang.collection.opened_file import OpenedFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    import networkx as nx
    from scipy import sparse


class Publishing(OpenedFile):
    """Results for other programs and for people."""

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
        captures: str = "own",
        at: str | None = None,
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
            captures: ``own``: each page's own capture; ``all``: every one, with its date and the language of its time;
                of ``pages`` (as a table), ``texts``, ``cdxj``, ``warc-metadata`` and ``wet``.
            at: a year, month, day or time: of each page the capture nearest to it, with the languages of that time.

        Returns:
            Sentences about what could not be told, such as archives that are not where they were.

        Raises:
            ValueError: no such export, format or language; a folder where a file is written, or the other way round;
                captures of other times of what has none; `at` is no moment; `min_confidence` is no probability.
            OutputError: there is nothing to put into the place of a file, or it is one that the database is made of.
        """
        from graphlang.codes.wanted import wanted  # noqa: PLC0415
        from graphlang.db import snapshot  # noqa: PLC0415
        from graphlang.export import to_file  # noqa: PLC0415
        from graphlang.maps.captures import which  # noqa: PLC0415
        from graphlang.maps.selection import Selection  # noqa: PLC0415

        min_confidence = probability("min_confidence", min_confidence)
        tags = several("language", language)
        selection = Selection(
            wanted=tuple(map(wanted, tags)), min_confidence=min_confidence, captures=which(captures, at)
        )
        how: dict[str, Any] = {"format_": format, "by": by, "selection": selection}
        how["safe"] = None if csv_safe is None else flag("csv_safe", csv_safe)
        with self._answered(Path(output)) as connection, snapshot.at(connection, at):
            return to_file.export(connection, what, Path(output), database=self.path, **how)

    def report(self, output: str | Path, *, title: str | None = None) -> None:
        """Write one HTML page for people that needs nothing else: the verb `report`.

        Args:
            output: the file, which is replaced when all is written.
            title: the page's heading; the database's name if not given.

        Raises:
            OutputError: the file is one that the database is made of.
            TypeError: `title` is no text.
        """
        if title is not None:
            text("title", title)
        from graphlang.report.to_file import write_report  # noqa: PLC0415

        with self._answered(Path(output)) as connection:
            write_report(connection, Path(output), title or self.path.stem)

    def language_graph(self, *, by: str = "domain", fetched: bool = False) -> nx.DiGraph[str]:
        """The links between languages, after Caminero and Mikami 2006: a node for each language.

        Nodes have the columns of ``graphlang language-graph --what languages``, edges ``links`` and ``share``.

        Args:
            by: links within one ``domain`` or ``host`` are not counted; ``page``: all are.
            fetched: count only pages that were read, as the report does; by default URLs that were only linked to
                count as well, with languages that are guesses from links and addresses.

        Raises:
            ValueError: `by` is none of these.
        """
        import networkx as nx  # noqa: PLC0415

        from graphlang.analysis import linked  # noqa: PLC0415
        from graphlang.maps.graphs.language_graph import language_graph  # noqa: PLC0415
        from graphlang.maps.selection import Selection  # noqa: PLC0415

        fetched = flag("fetched", fetched)
        if by not in ("domain", "host", "page"):
            raise ValueError(f"cannot group links by {by}; there are domain, host, page")
        with self._in_words(), closing(linked.opened(self.path)) as connection:
            found = language_graph(connection, Selection(fetched=True if fetched else None), unit=by)
        graph: nx.DiGraph[str] = nx.DiGraph()
        for one in found.languages:
            graph.add_node(one.language, **{name: value for name, value in one._asdict().items() if name != "language"})
        graph.add_edges_from((one.source, one.target, {"links": one.links, "share": one.share}) for one in found.pairs)
        return graph

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
