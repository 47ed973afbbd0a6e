"""``pages``, ``sites``, ``runs`` and ``problems``: verbs that list rows."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from graphlang import languages
from graphlang.cli import options
from graphlang.cli.output import output_options, write_rows
from graphlang.db import StoreError, open_existing
from graphlang.db import runs as stored_runs
from graphlang.maps.sites import UNITS, Row, language_map

if TYPE_CHECKING:
    from pathlib import Path

_PAGE_COLUMNS = (
    "url",
    "language",
    "script",
    "confidence",
    "runner_up",
    "runner_up_confidence",
    "method",
    "fetched",
    "status",
    "length",
)
_SHOWN = 120  #: characters of parameters in a table
_RUN_COLUMNS = (
    "chosen",
    "id",
    "kind",
    "method",
    "model_hash",
    "seeds",
    "pages",
    "rounds",
    "converged",
    "started",
    "finished",
    "parameters",
)
_PROBLEM_COLUMNS = ("file", "offset", "url", "kind", "reason")


@click.command()
@options.database
@click.option("--language", metavar="CODE", help="Only pages in this language (any usual code or name).")
@click.option("--below", type=click.FloatRange(0, 1), metavar="C", help="Only pages with less confidence.")
@click.option("--host", help="Only pages of this host.")
@click.option("--fetched/--unfetched", default=None, help="Only pages that were read; only pages that were not.")
@options.min_confidence
@output_options
def pages(
    db: Path,
    language: str | None,
    below: float | None,
    host: str | None,
    min_confidence: float,
    format_: str,
    limit: int | None,
    output: str,
    *,
    fetched: bool | None,
) -> None:
    """List pages and their languages, by the chosen run.

    \b
    Examples:
      graphlang pages crawl.db --language sw --format csv -o swahili.csv
      graphlang pages crawl.db --below 0.6 --limit 20
    """
    conditions: list[str] = []
    values: dict[str, Any] = {"least": min_confidence}
    if language is not None:
        values["language"] = _language(language)
        conditions.append("language = :language")
    if below is not None:
        values["below"] = below
        conditions.append("confidence < :below")
    if host is not None:
        values["host"] = host.lower()
        conditions.append("host = :host")
    if fetched is not None:
        conditions.append("fetched" if fetched else "NOT fetched")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    columns = ", ".join(_PAGE_COLUMNS)
    # The threshold comes before the filters, so that --language und finds what it makes undetermined.
    chosen = columns.replace("language", "CASE WHEN confidence < :least THEN 'und' ELSE language END AS language", 1)
    chosen = chosen.replace("script", "CASE WHEN confidence < :least THEN NULL ELSE script END AS script", 1)
    with closing(open_existing(db)) as connection:
        rows = connection.execute(
            f"SELECT {columns} FROM (SELECT {chosen}, page, host FROM page_languages){where} ORDER BY page", values
        )
        write_rows(_PAGE_COLUMNS, rows, format_=format_, limit=limit, output=output)


def _language(tag: str) -> str:
    if tag in (languages.UND, languages.ZXX):
        return tag
    code = languages.code(tag)
    if code is None:
        raise click.BadParameter(f"unknown language {tag!r}", param_hint="--language")
    return code


@click.command()
@options.database
@click.option("--by", type=click.Choice(UNITS), default="host", show_default=True, help="What counts as one site.")
@options.min_confidence
@output_options
def sites(db: Path, by: str, min_confidence: float, format_: str, limit: int | None, output: str) -> None:
    """The language map: pages by site and language.

    \b
    Examples:
      graphlang sites crawl.db
      graphlang sites crawl.db --by tld --format csv -o countries.csv
    """
    with closing(open_existing(db)) as connection:
        rows = language_map(connection, by, min_confidence=min_confidence)
        write_rows(Row._fields, rows, format_=format_, limit=limit, output=output)


@click.command()
@options.database
@click.option("--choose", type=click.IntRange(min=1), metavar="RUN", help="Let the views show this run.")
@output_options
def runs(db: Path, choose: int | None, format_: str, limit: int | None, output: str) -> None:
    """List all runs with their parameters, or choose the one that the views show.

    The table shows the beginning of long parameters; the other formats have them whole.

    \b
    Examples:
      graphlang runs crawl.db
      graphlang runs crawl.db --choose 2
    """
    with closing(open_existing(db, write=choose is not None)) as connection:
        if choose is not None:
            stored_runs.choose(connection, choose)
        chosen = stored_runs.chosen(connection)
        rows = [_run_row(run, chosen) for run in stored_runs.every(connection)]
    if format_ == "table":  # a trained model has pages of them
        rows = [[*row[:-1], _short(row[-1])] for row in rows]
    write_rows(_RUN_COLUMNS, rows, format_=format_, limit=limit, output=output)


def _short(words: str) -> str:
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]} …"


def _run_row(run: stored_runs.Run, chosen: stored_runs.Run | None) -> list[Any]:
    return [
        "*" if chosen is not None and run.id == chosen.id else "",
        run.id,
        run.kind,
        run.method,
        run.model_hash[:12] if run.model_hash else None,
        " ".join(map(str, run.seeds)),
        run.pages,
        run.rounds,
        None if run.converged is None else int(run.converged),
        run.started,
        run.finished,
        json.dumps(run.parameters, ensure_ascii=False),
    ]


@click.command()
@options.database
@click.option("--kind", help="Only problems of this kind.")
@click.option("--count", is_flag=True, help="Only how many there are of each kind.")
@output_options
def problems(db: Path, kind: str | None, format_: str, limit: int | None, output: str, *, count: bool) -> None:
    """List what could not be read: file, offset, URL and reason.

    \b
    Examples:
      graphlang problems crawl.db
      graphlang problems crawl.db --count
    """
    where = " WHERE problems.kind = :kind" if kind is not None else ""
    with closing(open_existing(db)) as connection:
        if (
            kind is not None
            and not connection.execute("SELECT 1 FROM problems WHERE kind = ? LIMIT 1", (kind,)).fetchone()
        ):
            known = [name for (name,) in connection.execute("SELECT DISTINCT kind FROM problems ORDER BY kind")]
            msg = f"no problem of kind {kind!r}; there are: {', '.join(known) or 'none at all'}"
            raise StoreError(msg)
        if count:
            rows = connection.execute(
                f"SELECT kind, COUNT(*) FROM problems{where} GROUP BY kind ORDER BY 2 DESC, 1", {"kind": kind}
            )
            write_rows(("kind", "problems"), rows, format_=format_, limit=limit, output=output)
            return
        rows = connection.execute(
            "SELECT sources.name, problems.offset, problems.url, problems.kind, problems.reason FROM problems"
            f" JOIN sources ON sources.id = problems.source{where} ORDER BY problems.id",
            {"kind": kind},
        )
        write_rows(_PROBLEM_COLUMNS, rows, format_=format_, limit=limit, output=output)
