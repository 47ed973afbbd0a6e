"""Verbs about runs: which there are, which is shown, how they differ, how good they are, and why."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from graphlang.arguments import flag, run_number, text
from graphlang.collection.opened_file import OpenedFile, run_or_chosen
from graphlang.db.runs.run import all_runs, choose_run, chosen_run, get_run

if TYPE_CHECKING:
    from graphlang.analysis.explain import Explanation
    from graphlang.db.runs.run import Run
    from graphlang.evaluation.compare import Change
    from graphlang.evaluation.evaluate import Evaluation
    from graphlang.rows import Rows


class Judging(OpenedFile):
    """Runs and what to think of them."""

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
            TypeError: `run` is no whole number.
        """
        run = run_number("run", run)
        with self._writing("choose") as connection:
            choose_run(connection, run)

    def compare(self, before: int, after: int, *, fetched: bool = False) -> Rows[Change]:
        """Pages whose language differs between two runs.

        A content run says nothing of URLs that were only linked to: from ``und`` to whatever another says, all differ.

        Args:
            before: number of the one run.
            after: number of the other.
            fetched: only pages that were read.

        Raises:
            StoreError: there is no such run (when the rows are read).
            TypeError: one of them is no whole number, or `fetched` no truth value.
        """
        before, after = run_number("before", before), run_number("after", after)
        fetched = flag("fetched", fetched)
        from graphlang.evaluation.compare import Change, changes  # noqa: PLC0415

        return self._rows(
            Change._make,
            Change._fields,
            lambda connection: changes(
                connection, get_run(connection, before), get_run(connection, after), fetched=fetched
            ),
            linked=(before, after),
        )

    def explain(self, url: str, *, run: int | None = None, at: str | None = None) -> Explanation:
        """Why a page has its language: text, declarations, URL, every neighbour that had a say, round by round.

        Args:
            url: of the page.
            run: number of a run; the chosen one if not given.
            at: the moment of a run that `propagate` made with it; in place of `run`.

        Raises:
            StoreError: the collection has no such page or run.
            TypeError: `url` is no text, or `run` no whole number.
            ValueError: `at` is no moment.
        """
        text("url", url)
        run = None if run is None else run_number("run", run)
        from graphlang.analysis.explain import explain, run_of  # noqa: PLC0415
        from graphlang.ingest.links.canonical import canonical  # noqa: PLC0415

        with self._reading() as connection:
            return explain(connection, canonical(url) or url, run=run if at is None else run_of(connection, at))

    def evaluate(self, gold: str | Path, *, by: str | None = None, run: int | None = None) -> Evaluation:
        """Accuracy against gold labels: over all pages, by length, and by a column of the file.

        Args:
            gold: table with a header line and the columns url and language, separated by tabs, commas or semicolons.
            by: another column of it to group by.
            run: number of a run; the chosen one if not given.

        Raises:
            StoreError: nothing is classified yet, or the file cannot be read.
            TypeError: `run` is no whole number, or `by` no text.
        """
        run = None if run is None else run_number("run", run)
        if by is not None:
            text("by", by)
        from graphlang.analysis import linked  # noqa: PLC0415
        from graphlang.evaluation.evaluate import evaluate, read_gold  # noqa: PLC0415

        with self._in_words(), closing(linked.opened(self.path, run)) as connection:
            return evaluate(connection, read_gold(connection, Path(gold), by), run_or_chosen(connection, run), by)
