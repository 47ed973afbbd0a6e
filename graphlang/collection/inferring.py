"""Verbs that compute languages: ``classify``, ``vote`` and ``propagate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphlang import former_names
from graphlang.analysis.progress import SILENT, Progress
from graphlang.arguments import flag, mapping, run_number, text, whole_number
from graphlang.collection.opened_file import OpenedFile
from graphlang.graph.propagation.options import FORMER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from graphlang.content.adapters.foreign import Classifier
    from graphlang.db.runs.run import Run


class Inferring(OpenedFile):
    """What computes languages; each call stores one run and returns it."""

    def classify(
        self,
        method: str | Path | Classifier = "nfc",
        *,
        title: bool = True,
        anchors: bool = False,
        shares: bool | None = None,
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
            shares: whether the languages of pages in several are told, with the part that each has. None: where the
                method's answers about a few words can be relied on, as those of ``nfc``.
            workers: threads that identify texts.
            keep_chosen: leave the run that the views show as it is.
            at: a year, month, day or time: of each page the capture nearest to it is read. The run that the views show
                stays the same.
            progress: told of pages.

        Raises:
            StoreError: there is no database.
            ModelError: there is no such method or model.
            TypeError: a truth value or a number that is none.
            ValueError: `at` is no moment, or cannot go with the method or with `anchors`; `workers` is below 1.
        """
        workers, title, anchors = whole_number("workers", workers), flag("title", title), flag("anchors", anchors)
        shares = None if shares is None else flag("shares", shares)
        from graphlang.analysis import classify, dated, declared_run, tld_run  # noqa: PLC0415
        from graphlang.analysis.of_collections import DECLARED, TLD  # noqa: PLC0415
        from graphlang.identification import load  # noqa: PLC0415

        choose = not flag("keep_chosen", keep_chosen)
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
                    shares=shares,
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
            TypeError: a limit that the vote does not have, or that is no whole number, as `seed` must be; a truth value
                that is none.
            ValueError: a negative limit, both kinds of vote at once, or no moment.
        """
        seed, choose = None if seed is None else run_number("seed", seed), not flag("keep_chosen", keep_chosen)
        outlinks, clueweb09 = flag("outlinks", outlinks), flag("clueweb09", clueweb09)
        limits = {name: whole_number(name, limit, least=0) for name, limit in limits.items()}
        from graphlang.analysis import dated, vote  # noqa: PLC0415

        if outlinks and clueweb09:
            raise ValueError("outlinks and clueweb09 are two votes: choose one")
        kind: dict[str, bool] = {} if clueweb09 else {"outlinks": outlinks, "linked": False}
        ask: Callable[..., Run] = vote.guess if clueweb09 else vote.vote
        with self._writing("vote") as connection:

            def voted(start: int | None) -> Run:
                return ask(connection, seed=start, choose=choose, progress=progress, **kind, **limits)

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
            TypeError: an argument of another type.
            ValueError: a weight that does not exist, is negative or no number; no moment; `update` together with `at`;
                `workers` is below 1.
        """
        workers = whole_number("workers", workers)
        seed = None if seed is None else run_number("seed", seed)
        weights = {} if weights is None else weights
        mapping("weights", weights)
        from graphlang.analysis import dated, propagate  # noqa: PLC0415
        from graphlang.collection.weights import inference  # noqa: PLC0415

        weights = former_names.renamed(weights, FORMER, "the weight")
        if algorithm is not None:
            text("algorithm", algorithm)
            algorithm = former_names.current(algorithm, propagate.ALIASES, "the algorithm")
        update, choose = flag("update", update), not flag("keep_chosen", keep_chosen)
        if update and at is not None:
            raise ValueError("update is for the pages' own captures, without at")
        with self._writing("propagate") as connection:
            inferred = inference(
                connection,
                weights=weights,
                algorithm=algorithm,
                update=update,
                workers=workers,
                choose=choose,
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
        workers = whole_number("workers", workers)
        seed = None if seed is None else run_number("seed", seed)
        weights = {} if weights is None else weights
        mapping("weights", weights)
        from graphlang.analysis import dated, propagate  # noqa: PLC0415
        from graphlang.collection.weights import inference  # noqa: PLC0415

        weights = former_names.renamed(weights, FORMER, "the weight")
        if algorithm is not None:
            text("algorithm", algorithm)
            algorithm = former_names.current(algorithm, propagate.ALIASES, "the algorithm")
        with self._writing("propagate") as connection:
            inferred = inference(connection, weights=weights, algorithm=algorithm, workers=workers, progress=progress)
            return list(dated.each_year(connection, inferred, seed=seed, workers=workers, progress=progress))
