"""``score``: a URL method on labelled URLs."""

from __future__ import annotations

from pathlib import Path

import click

from graphlang.cli.failures import USAGE, Failure
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.codes import languages
from graphlang.urls import registry
from graphlang.urls.training.evaluation import Measures, decide
from graphlang.urls.training.labelled_urls import read_urls


def _codes(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    del context, parameter
    if value is None:
        return None
    codes = tuple(dict.fromkeys(_code(tag.strip()) for tag in value.split(",")))
    if len(codes) < 2:  # noqa: PLR2004
        raise click.BadParameter("name two languages or more")
    return codes


def _code(tag: str) -> str:
    code = languages.code(tag)
    if code is None:
        raise click.BadParameter(f"unknown language {tag!r}")
    return code


@click.command()
@click.argument("urls", type=click.Path(exists=True, path_type=Path))
@click.option("--method", default=registry.DEFAULT, show_default=True, help="URL method, model file, or two merged.")
@click.option(
    "--languages",
    "codes",
    callback=_codes,
    metavar="CODES",
    help="Only URLs of these languages, with commas between them; otherwise all that the file and the method share.",
)
@click.option("--confusion", is_flag=True, help="Shares of yes: a row for each language, a column for each classifier.")
@output_options
def score(
    urls: Path,
    method: str,
    codes: tuple[str, ...] | None,
    format_: str,
    limit: int | None,
    output: str,
    *,
    confusion: bool,
) -> None:
    """Score a URL method on labelled URLs (Baykan et al. 2008).

    URLS is a table with the columns lang (or language) and url, or a folder with one sub-folder per language. For every
    URL and language the method says yes or no. Precision and F are computed as if half of the URLs were in the
    language. "negative" is the share of the URLs in other languages for which the method rightly says no. The paper
    defines these measures in section 4.2.

    \b
    Examples:
      graphlang score urls.tsv --method url --languages en,de,fr,es,it
      graphlang score urls.tsv --method 'url-words-me or url-words-re' --confusion
    """
    identifier = registry.load(method)
    try:
        rows = read_urls(urls)
    except ValueError as error:
        raise Failure(f"{urls}: {error}", USAGE) from error
    try:
        found = decide(identifier, rows, codes)
    except ValueError as error:
        raise Failure(f"languages to score: {error}", USAGE) from error
    if confusion:
        write_rows(("language", *found.languages), found.confusion(), format_=format_, limit=limit, output=output)
        return
    names = ("language", "urls", *Measures._fields)
    lines = [(code, count, *one) for code, count, one in found.measures()]
    write_rows(names, lines, format_=format_, limit=limit, output=output)
