"""What ``run`` did and found: the language map for people, and facts for programs."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from graphlang.cli.shared.tables.output import write_line
from graphlang.cli.verbs.collection.ingest import counts
from graphlang.maps.facts import pages_by_language, totals
from graphlang.maps.selection import Selection
from graphlang.maps.sites import language_map
from graphlang.printing.counted import counted
from graphlang.visible import visible

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from graphlang.analysis.ingest import Ingested
    from graphlang.cli.shared.messages.progress import Shown
    from graphlang.db.runs.run import Run

_SITES_SHOWN = 30
_LANGUAGES_SHOWN = 6


def facts(
    connection: sqlite3.Connection, db: Path, report: Path | None, done: Ingested, final: Run, shown: Shown
) -> dict[str, Any]:
    """What `run` did, for programs.

    Args:
        connection: the collection.
        db: its path.
        report: where the report was written; None without one.
        done: what was read.
        final: the run that the views show.
        shown: how long each stage took.
    """
    by_language = pages_by_language(connection)
    return {
        "database": str(db),
        "report": None if report is None else str(report),
        "read": counts(done),
        "stages": {name: round(seconds, 2) for name, seconds in shown.seconds.items()},
        "run": final.id,
        "rounds": final.rounds,
        "converged": final.converged,
        **totals(connection, by_language)._asdict(),
        "pages_by_language": by_language,
    }


def print_map(connection: sqlite3.Connection) -> None:
    """Print one line a site: its pages and its languages with their shares, the greatest first.

    Args:
        connection: the collection.
    """
    sites: dict[str, list[tuple[str, float, int]]] = {}
    pages: dict[str, int] = {}
    by_language: dict[str, int] = {}
    # URLs that were only linked to are twenty times as many as pages, and have no language yet.
    for row in language_map(connection, selection=Selection(fetched=True)):
        sites.setdefault(row.site, []).append((row.language, row.share, row.pages))
        pages[row.site] = pages.get(row.site, 0) + row.pages
        if row.pages:
            by_language[row.language] = by_language.get(row.language, 0) + row.pages
    width = max((len(visible(site)) for site in list(sites)[:_SITES_SHOWN]), default=4)
    write_line(f"{'site':<{width}}  {'pages':>8}  languages", bold=True)
    for site, shares in list(sites.items())[:_SITES_SHOWN]:
        shares.sort(key=itemgetter(1), reverse=True)  # rows are in the order of pages, which count for one language
        words = "  ".join(f"{language} {share:.0%}" for language, share, _ in shares[:_LANGUAGES_SHOWN])
        more = sum(1 for _, _, count in shares[_LANGUAGES_SHOWN:] if count)  # as 'read in 39 languages' below
        words += f"  and {more} more" if more > 0 else ""
        write_line(f"{visible(site):<{width}}  {pages[site]:>8,}  {words}")
    if len(sites) > _SITES_SHOWN:
        write_line(f"and {counted(len(sites) - _SITES_SHOWN, 'more site')}: 'graphlang sites' lists all of them")
    its = totals(connection, by_language)
    others = f"; {its.not_counted:,} redirects, errors and files that are no text do not count"
    if its.not_counted == 1:
        others = "; 1 redirect, error or file that is no text does not count"
    write_line(
        f"{counted(its.pages, 'page')} read in {counted(its.languages, 'language')}, {its.undetermined:,} of them"
        f" undetermined; {its.only_linked_to:,} more only linked to{others if its.not_counted else ''}"
    )
