"""Methods for corrections by hand: what to check, what is right, and takedowns."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from graphlang.analysis.progress import Progress, make_progress
from graphlang.arguments import check_arguments, flag, list_texts, text, whole_number
from graphlang.collection.opened_file import OpenedFile
from graphlang.collection.page_filter import PageFilter, make_selection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graphlang.analysis.correct import CorrectionCounts
    from graphlang.db.corrections import Correction
    from graphlang.db.remove import Removal
    from graphlang.maps.review import ReviewRow, SampleRow
    from graphlang.rows import Rows


class Correcting(OpenedFile):
    """Languages of pages by hand, and takedowns."""

    @check_arguments(language=text, by=text, note=text, hosts=list_texts)
    def correct(
        self,
        *urls: str | tuple[str, str],
        language: str | None = None,
        by: str,
        note: str = "",
        hosts: str | Sequence[str] = (),
        progress: Progress | bool = False,
    ) -> CorrectionCounts:
        """Set the language of pages by hand; the next `propagate` learns from it.

        Args:
            urls: of pages, which need not be in the collection yet; or pairs of a URL and its language.
            language: any usual code or name, ``und`` or ``zxx``; of URLs without a language of their own, and of
                `hosts`.
            by: who corrects.
            note: why.
            hosts: all pages of this host, or of these, that the collection has.
            progress: True draws a bar; an object receives the URLs that were only linked to, where their
                languages are inferred.

        Returns:
            How many pages were corrected.

        Raises:
            InputError: something that is not a URL or was removed, an unknown language, a host without pages.
            TypeError: an argument of another type, or no language.
        """
        from graphlang.analysis import correct  # noqa: PLC0415

        pairs = [(url, language) if isinstance(url, str) else url for url in _check_urls(urls)]
        if (hosts and language is None) or any(tag is None for _, tag in pairs):
            raise TypeError("correct() needs language")
        with self._writing("correct") as connection:
            corrections = [correct.PageLabel(url, tag or "", note) for url, tag in pairs]
            corrections += correct.label_hosts(connection, list_texts("hosts", hosts), language or "", note)
            return correct.correct(connection, corrections, by=by, progress=make_progress(progress))

    @check_arguments(hosts=list_texts, by=text)
    def undo_corrections(self, *urls: str, hosts: str | Sequence[str] = (), by: str = "") -> int:
        """Undo the last correction of pages; one before it counts again. The verb is `correct --undo`.

        Args:
            urls: of pages.
            hosts: all corrected pages of this host, or of these.
            by: who undoes it.

        Returns:
            How many corrections were undone.

        Raises:
            InputError: something that is not a URL.
            TypeError: an argument of another type.
        """
        from graphlang.analysis import correct  # noqa: PLC0415

        with self._writing("correct") as connection:
            return correct.undo(connection, list_texts("urls", urls), hosts=list_texts("hosts", hosts), by=by)

    @check_arguments(everything=flag)
    def corrections(self, *, everything: bool = False) -> Rows[Correction]:
        """List corrections: language, by whom, why and when, and the answer before.

        Args:
            everything: also corrections that were undone, or replaced by a later one.

        Raises:
            TypeError: `everything` is not a truth value.
        """
        from graphlang.db import corrections  # noqa: PLC0415

        return self._rows(
            corrections.Correction._make,
            corrections.Correction._fields,
            lambda connection: corrections.read_corrections(connection, everything=everything),
        )

    @check_arguments(count=whole_number)
    def review(self, *, count: int = 50, **pages: Unpack[PageFilter]) -> Rows[ReviewRow]:
        """List the pages that are most useful to check, on many hosts and in many languages.

        Args:
            count: at most this many.
            pages: which pages count, see `PageFilter`.

        Raises:
            TypeError: `count` is not an integer.
            ValueError: `count` is below 1; as for `PageFilter`.
        """
        from graphlang.maps.review import ReviewRow, list_pages_to_review  # noqa: PLC0415

        chosen = make_selection(pages)
        return self._rows(
            ReviewRow._make,
            ReviewRow._fields,
            lambda connection: list_pages_to_review(connection, count=count, selection=chosen),
            linked=(None,),
        )

    @check_arguments(count=whole_number, draw=partial(whole_number, minimum=0, maximum=(1 << 64) - 1))
    def sample(self, *, count: int = 50, draw: int = 1, **pages: Unpack[PageFilter]) -> Rows[SampleRow]:
        """Draw fetched pages at random, to be labelled, without the answers. The verb is `review --random`.

        They are those that `languages` counts: text with status 200, or without a status.

        Args:
            count: at most this many.
            draw: from 0 on; another number draws other pages.
            pages: which pages count, see `PageFilter`; only fetched ones are drawn.

        Raises:
            TypeError: `count` or `draw` is not an integer.
            ValueError: `count` is below 1; `draw` is negative, or has more than 64 bits; as for `PageFilter`.
        """
        from graphlang.maps.review import SampleRow, sample_rows  # noqa: PLC0415

        chosen = make_selection(pages)
        return self._rows(
            SampleRow._make,
            SampleRow._fields,
            lambda connection: sample_rows(connection, count=count, draw=draw, selection=chosen),
        )

    @check_arguments(by=text)
    def read_review(self, path: str | Path, *, by: str, progress: Progress | bool = False) -> CorrectionCounts:
        """Correct pages by a table that was filled in. The verb is `review --from`.

        Args:
            path: CSV with the columns ``url`` and ``language``, and optionally ``note``, as `review` gives it.
            by: who filled it in.
            progress: True draws a bar; an object receives the URLs that were only linked to, where their
                languages are inferred.

        Returns:
            How many pages were corrected.

        Raises:
            InputError: the file cannot be read; something that is not a URL or was removed, an unknown language.
            TypeError: `by` is not a text.
        """
        from graphlang.analysis import correct  # noqa: PLC0415
        from graphlang.analysis.correct import read_review  # noqa: PLC0415

        corrections = read_review(path)
        with self._writing("review") as connection:
            return correct.correct(connection, corrections, by=by, progress=make_progress(progress))

    @check_arguments(hosts=list_texts, domains=list_texts, vacuum=flag, forget=flag)
    def remove(
        self,
        *urls: str,
        hosts: str | Sequence[str] = (),
        domains: str | Sequence[str] = (),
        vacuum: bool = False,
        forget: bool = False,
    ) -> Removal | int:
        """Remove pages, and keep later readings from restoring them.

        Args:
            urls: pages to remove.
            hosts: a host, or several, all pages of which are removed.
            domains: a registered domain, or several, whose hosts are all removed.
            vacuum: rewrite the file, so that nothing is left in its unused parts.
            forget: remove nothing, but let these URLs and hosts be read again.

        Returns:
            What was removed; with ``forget`` how many of them can be read again.

        Raises:
            TypeError: an argument of another type.
            ValueError: something that is not an http(s) URL, not a host, or below no registered domain.
        """
        from graphlang.db import remove as removal  # noqa: PLC0415
        from graphlang.ingest.links.canonical import canonical_url, host, parse_host, parse_url  # noqa: PLC0415
        from graphlang.public_suffix import find_registered_domain  # noqa: PLC0415

        host_names = [parse_host(name) for name in hosts]
        for name in map(parse_host, domains):
            if find_registered_domain(name) is None:
                raise ValueError(f"{name} is not a registered domain, nor below one")
            host_names.append(f"*.{name}")
        names = [parse_url(url) for url in list_texts("urls", urls)], host_names
        with self._writing("remove") as connection:
            if forget:
                removed: Removal | int = removal.forget(connection, *names)
            else:
                options: dict[str, Any] = {"host_of": host}
                options["canonical"] = lambda url: canonical_url(url) or url
                removed = removal.remove(connection, *names, **options)
            removal.scrub(connection, vacuum=vacuum)
        return removed


def _check_urls(urls: Sequence[Any]) -> list[str | tuple[str, str]]:
    """Check URLs, or pairs of a URL and its language."""
    checked_urls: list[str | tuple[str, str]] = []
    for number, url in enumerate(urls):
        if isinstance(url, tuple) and len(url) == 2:  # noqa: PLR2004 - a pair
            checked_urls.append((text(f"urls[{number}]", url[0]), text(f"urls[{number}]", url[1])))
        else:
            checked_urls.append(text(f"urls[{number}]", url))
    return checked_urls
