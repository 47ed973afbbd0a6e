"""``score``: a URL method on labelled URLs."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from graphlang.cli.failures import USAGE, Failure
from graphlang.cli.shared.output import output_options, write_rows
from graphlang.codes import languages
from graphlang.urls import registry
from graphlang.urls.training.evaluation import confusion as confusion_of
from graphlang.urls.training.evaluation import measures
from graphlang.urls.training.labelled_urls import read_urls

_BATCH = 65_536


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
    wanted = codes or tuple(sorted({row.language for row in rows} & set(identifier.labels)))
    rows = [row for row in rows if row.language in wanted]
    truth = np.array([row.language for row in rows])
    missing = [code for code in wanted if code not in identifier.labels or code not in truth]
    if missing or len(wanted) < 2:  # noqa: PLR2004
        words = f"{', '.join(missing)}: not in the file, or not known to {method}" if missing else "fewer than two"
        raise Failure(f"languages to score: {words}", USAGE)
    columns = [identifier.labels.index(code) for code in wanted]
    decided = np.zeros((len(rows), len(wanted)), dtype=bool)
    for begin in range(0, len(rows), _BATCH):
        some = [row.url for row in rows[begin : begin + _BATCH]]
        decided[begin : begin + _BATCH] = identifier.decisions(some)[:, columns]
    if confusion:
        shares = confusion_of(decided, truth, wanted)
        found = [(code, *line) for code, line in zip(wanted, shares.tolist(), strict=True)]
        write_rows(("language", *wanted), found, format_=format_, limit=limit, output=output)
        return
    each = [measures(decided[:, number], truth == code) for number, code in enumerate(wanted)]
    lines = [(code, int((truth == code).sum()), *one) for code, one in zip(wanted, each, strict=True)]
    average = tuple(float(np.mean(column)) for column in zip(*each, strict=True))
    names = ("language", "urls", "precision", "recall", "negative", "f")
    write_rows(names, [*lines, ("average", len(rows), *average)], format_=format_, limit=limit, output=output)
