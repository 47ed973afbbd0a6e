"""Verbs by which people have their say: corrections, what is worth a look, takedowns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphlang.analysis.progress import SILENT, Progress
from graphlang.arguments import flag, several, text, whole_number
from graphlang.collection.opened_file import OpenedFile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graphlang.analysis.correct import Corrected
    from graphlang.db.corrections import Correction
    from graphlang.db.remove import Removal
    from graphlang.maps.review import ReviewRow
    from graphlang.maps.sample import SampleRow
    from graphlang.rows import Rows


class Correcting(OpenedFile):
    """What people say of pages."""

    def correct(
        self,
        *urls: str,
        language: str,
        by: str,
        note: str = "",
        hosts: str | Sequence[str] = (),
        progress: Progress = SILENT,
    ) -> Corrected:
        """Say what language pages are in, as somebody who looked; the next `propagate` learns from it.

        Args:
            urls: of pages, which need not be in the collection yet.
            language: any usual code or name, ``und`` or ``zxx``.
            by: who says so.
            note: why.
            hosts: all pages of this host, or of these, that the collection has.
            progress: told of URLs that were only linked to, where nothing has asked for their answers yet.

        Returns:
            How many pages were corrected.

        Raises:
            InputError: a URL that is none or was removed, an unknown language, a host without pages.
            TypeError: one of the arguments is no text.
        """
        text("language", language)
        text("by", by)
        text("note", note)
        from graphlang.analysis import correct  # noqa: PLC0415

        with self._writing("correct") as connection:
            said = [correct.Said(url, language, note) for url in several("urls", urls)]
            said += correct.of_hosts(connection, several("hosts", hosts), language, note)
            return correct.correct(connection, said, by=by, progress=progress)

    def undo_corrections(self, *urls: str, hosts: str | Sequence[str] = (), by: str = "") -> int:
        """Undo the last correction of pages; one before it counts again. The verb is `correct --undo`.

        Args:
            urls: of pages.
            hosts: all corrected pages of this host, or of these.
            by: who undoes it.

        Returns:
            How many there were.

        Raises:
            InputError: a URL that is none.
            TypeError: one of the arguments is no text.
        """
        text("by", by)
        from graphlang.analysis import correct  # noqa: PLC0415

        with self._writing("correct") as connection:
            return correct.undo(connection, several("urls", urls), hosts=several("hosts", hosts), by=by)

    def corrections(self, *, everything: bool = False) -> Rows[Correction]:
        """What people said of pages: language, who, why, when, and what stood there before.

        Args:
            everything: also corrections that were undone, or gave way to a later one.
        """
        everything = flag("everything", everything)
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

        Raises:
            TypeError: `count` is no whole number.
            ValueError: `count` is below 1.
        """
        count = whole_number("count", count)
        from graphlang.maps.review import ReviewRow, review_rows  # noqa: PLC0415

        return self._rows(
            ReviewRow._make,
            ReviewRow._fields,
            lambda connection: review_rows(connection, count=count),
            linked=(None,),
        )

    def sample(self, *, count: int = 50, draw: int = 1, language: str | Sequence[str] = ()) -> Rows[SampleRow]:
        """Fetched pages drawn at random, for somebody to label, without the answers. The verb is `review --random`.

        They are those that `languages` counts: text with status 200, or without a status.

        Args:
            count: so many at most.
            draw: from 0 on; another number draws other pages.
            language: only pages that the chosen run takes for this language, or one of these.

        Raises:
            TypeError: `count` or `draw` is no whole number.
            ValueError: `count` is below 1; `draw` is negative, or has more than 64 bits; an unknown language.
        """
        count, draw = whole_number("count", count), whole_number("draw", draw, least=0, most=(1 << 64) - 1)
        from graphlang.codes.wanted import wanted  # noqa: PLC0415
        from graphlang.maps.sample import SampleRow, sample_rows  # noqa: PLC0415

        chosen = tuple(map(wanted, several("language", language)))
        return self._rows(
            SampleRow._make,
            SampleRow._fields,
            lambda connection: sample_rows(connection, count=count, draw=draw, wanted=chosen),
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
            TypeError: `by` is no text.
        """
        text("by", by)
        from graphlang.analysis import correct  # noqa: PLC0415
        from graphlang.analysis.read_review import read_review  # noqa: PLC0415

        said = read_review(path)
        with self._writing("review") as connection:
            return correct.correct(connection, said, by=by)

    def remove(
        self, *urls: str, hosts: str | Sequence[str] = (), vacuum: bool = False, forget: bool = False
    ) -> Removal | int:
        """Honour takedowns: remove pages, and keep later readings from restoring them.

        Args:
            urls: pages to remove.
            hosts: a host, or several, all pages of which are removed.
            vacuum: write the file anew, so that nothing is left in any unused part of it.
            forget: remove nothing, but let these URLs and hosts be read again.

        Returns:
            What was removed; with ``forget`` how many of them can be read again.

        Raises:
            TypeError: a URL or host that is no text; `vacuum` or `forget` is no truth value.
            ValueError: what is no http(s) URL, or no host.
        """
        vacuum, forget = flag("vacuum", vacuum), flag("forget", forget)
        from graphlang.db import remove as removal  # noqa: PLC0415
        from graphlang.ingest.links import canonical  # noqa: PLC0415
        from graphlang.ingest.links.named import named_host, named_url  # noqa: PLC0415

        named = (
            [named_url(url) for url in several("urls", urls)],
            [named_host(host) for host in several("hosts", hosts)],
        )
        with self._writing("remove") as connection:
            if forget:
                done: Removal | int = removal.forget(connection, *named)
            else:
                how: dict[str, Any] = {"host_of": canonical.host}
                how["canonical"] = lambda url: canonical.canonical(url) or url
                done = removal.remove(connection, *named, **how)
            removal.scrub(connection, vacuum=vacuum)
        return done
