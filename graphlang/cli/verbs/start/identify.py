"""``identify``: the language of texts or URLs, without a database."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from graphlang.analysis.of_collections import DECLARED, TLD
from graphlang.cli.shared import options
from graphlang.cli.shared.files.texts_in_files import Texts
from graphlang.cli.shared.files.texts_in_files import encoding as encoding_option
from graphlang.cli.shared.messages.log import say
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.codes import languages
from graphlang.identification import is_url_method, load, predictions, segments
from graphlang.native.threads import cores
from graphlang.printing.counted import counted
from graphlang.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphlang.content.segments import find
    from graphlang.identification import Prediction

    _Predicted: TypeAlias = tuple[tuple[str, str], Prediction]

_COLUMNS = ("input", "language", "script", "confidence", "runner_up", "runner_up_confidence", "characters")


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=str, allow_dash=True, readable=False))
@click.option("--method", default="nfc", show_default=True, help="Method (see 'graphlang methods'), or a model file.")
@click.option("--lines", is_flag=True, help="Every line is a text of its own; without it every file is one.")
@click.option(
    "--shares",
    is_flag=True,
    help="All languages of each text with their shares of its letters, as JSON lines: at most five, none under 3 %.",
)
@click.option(
    "--spans",
    is_flag=True,
    help="Where in each text which language is, as JSON lines: from 'begin' up to 'end', in characters from 0."
    " Letters of a script that the method does not know are 'und'.",
)
@click.option("--text", is_flag=True, help="Give the text back, in a column of its own.")
@click.option(
    "--workers",
    type=WholeNumber(1),
    help="Threads that identify texts, if the method is one of ours, at most eight; all cores by default. URLs need"
    " but one. The result is the same with any number.",
)
@encoding_option
@options.plugins
@output_options
def identify(
    files: tuple[str, ...],
    method: str,
    encoding: str | None,
    format_: str,
    limit: int | None,
    output: str,
    *,
    lines: bool,
    shares: bool,
    spans: bool,
    text: bool,
    workers: int | None,
) -> None:
    """Identify the language of texts, or of URLs.

    FILES are in UTF-8, unless --encoding says otherwise; '-' (or nothing) is standard input.
    Files that cannot be read are listed at the end, the others are identified, and the exit code is 1.

    'und' means that there is no text, or that none of the method's languages is written in its script; 'zxx' that it
    has no letters. A text that was encoded twice (its UTF-8 taken for windows-1252) is identified as it was meant. Of a
    file, or a line, the first MiB is read. With a URL method every line is a URL, the scheme of which may be missing.
    'und' then means that the line is no URL (how many is said at the end), that it names no page (data:, javascript:),
    or that two merged methods ('A or B', 'A and B') accept no language.

    \b
    Examples:
      echo 'Ein kurzer Satz.' | graphlang identify
      graphlang identify --lines --format tsv sentences.txt
      graphlang identify --shares page.txt
      graphlang identify --lines --text --format jsonl --encoding koi8-r old.txt
      graphlang identify --method url --lines urls.txt
    """
    if files.count("-") > 1:
        raise click.UsageError("standard input (-) can be read once")
    if method in (DECLARED, TLD):
        raise click.UsageError(f"{method} is about the pages of a collection: graphlang classify DB --method {method}")
    lines = lines or is_url_method(method)  # a URL is a line, whatever else the file holds
    listed = shares or spans
    if listed and is_url_method(method):
        raise click.UsageError(f"{method} reads URLs, which are in one language each: no --shares and no --spans")
    if listed and format_ in ("csv", "tsv"):
        raise click.UsageError(f"lists do not fit in the cells of {format_}: --shares and --spans are written as jsonl")
    identifier = load(method)
    given = Texts(files or ("-",), encoding)
    texts = given.lines() if lines else given.files()
    if listed:
        columns = ("input", *["shares"] * shares, *["spans"] * spans, *["text"] * text)
        found = segments(identifier, texts, workers=workers or cores())
        rows = _segments(found, shares=shares, spans=spans, text=text)
        write_rows(columns, rows, format_="jsonl", limit=limit, output=output)
    else:
        columns = (*_COLUMNS, *["text"] * text)
        predicted = predictions(identifier, texts, workers=workers or cores())
        strangers = _NoUrls()
        if is_url_method(method):
            predicted = strangers.seen(predicted)
        write_rows(columns, _answers(predicted, text=text), format_=format_, limit=limit, output=output)
        strangers.tell()
    for name in given.unread:
        say(f"Error: {visible(name)}")
    if given.unread:
        sys.exit(1)


class _NoUrls:
    """Lines that are no URLs, where each should be one: how many, and the first of them."""

    def __init__(self) -> None:
        self._count = 0
        self._first = ""

    def seen(self, predicted: Iterable[_Predicted]) -> Iterator[_Predicted]:
        """The same, once looked at."""
        from graphlang.urls.tokens.readable_text import is_url  # noqa: PLC0415 - texts do without

        for one in predicted:
            (name, line), _ = one
            if line.strip() and not is_url(line):
                self._first = self._first or name
                self._count += 1
            yield one

    def tell(self) -> None:
        """Say it, if there are any."""
        if self._count:
            are = "is no URL" if self._count == 1 else "are no URLs"
            say(f"{counted(self._count, 'line')} {are} (first: {visible(self._first)}); und is told of them")


def _answers(predicted: Iterable[_Predicted], *, text: bool) -> Iterator[tuple[Any, ...]]:
    """One row a text, and with `text` the text itself."""
    for (name, own), found in predicted:
        yield name, *found, len(own), *[own] * text


def _segments(
    found: Iterable[tuple[tuple[str, str], list[find.Span]]], *, shares: bool, spans: bool, text: bool
) -> Iterator[tuple[Any, ...]]:
    """One row a text: its name, its shares, its spans, or both; and with `text` the text itself."""
    from graphlang.content.segments import find  # noqa: PLC0415 - one language a text does without

    for (name, whole), own in found:
        told: list[Any] = []
        if shares:
            told.append([{"language": one.language, "share": round(one.share, 4)} for one in find.shares(own)])
        if spans:
            told.append([_span(one) for one in own])
        yield name, *told, *[whole] * text


def _span(span: find.Span) -> dict[str, Any]:
    language, script = languages.split(span.label)
    return {
        "begin": span.begin,
        "end": span.end,
        "language": language,
        "script": script,
        "confidence": round(span.confidence, 4),
    }
