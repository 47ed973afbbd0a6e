"""``identify``: the language of texts or URLs, without a database."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from graphlang.analysis.of_collections import DECLARED, TLD
from graphlang.cli.shared import options
from graphlang.cli.shared.log import say
from graphlang.cli.shared.output import output_options, write_rows
from graphlang.codes import languages
from graphlang.identification import is_url_method, load, predictions, segments
from graphlang.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from graphlang.content.identifier import Identifier
    from graphlang.content.segments import find
    from graphlang.urls.identifier import UrlIdentifier


_COLUMNS = ("input", "language", "script", "confidence", "runner_up", "runner_up_confidence", "characters")


#: A file, or a line, is identified by at most so many bytes from its start.
_BYTES = 1 << 20


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=str, allow_dash=True))
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
    help="Where in each text which language is, as JSON lines: from 'begin' up to 'end', in characters from 0.",
)
@options.plugins
@output_options
def identify(
    files: tuple[str, ...],
    method: str,
    format_: str,
    limit: int | None,
    output: str,
    *,
    lines: bool,
    shares: bool,
    spans: bool,
) -> None:
    """Identify the language of texts, or of URLs.

    FILES are in UTF-8; '-' (or nothing) is standard input.
    Files that cannot be read are listed at the end, the others are identified, and the exit code is 1.

    'und' means that there is no text, or that none of the method's languages is written in its script; 'zxx' that it
    has no letters. Of a file, or a line, the first MiB is read. With a URL method every line is a URL. 'und' then means
    that the URL names no page (data:, javascript:), or that two merged methods ('A or B', 'A and B') accept no
    language.

    \b
    Examples:
      echo 'Ein kurzer Satz.' | graphlang identify
      graphlang identify --lines --format tsv sentences.txt
      graphlang identify --shares page.txt
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
    unread: list[str] = []
    texts = (_lines if lines else _files)(files or ("-",), unread)
    if listed:
        columns = ("input", *["shares"] * shares, *["spans"] * spans)
        rows = _segments(identifier, texts, shares=shares, spans=spans)
        write_rows(columns, rows, format_="jsonl", limit=limit, output=output)
    else:
        write_rows(_COLUMNS, _answers(identifier, texts), format_=format_, limit=limit, output=output)
    for name in unread:
        say(f"Error: {name}")
    if unread:
        sys.exit(1)


def _answers(identifier: Identifier | UrlIdentifier, texts: Iterable[tuple[str, str]]) -> Iterator[tuple[Any, ...]]:
    """One row a text."""
    for (name, text), found in predictions(identifier, texts):
        yield name, *found, len(text)


def _segments(
    identifier: Identifier, texts: Iterable[tuple[str, str]], *, shares: bool, spans: bool
) -> Iterator[tuple[Any, ...]]:
    """One row a text: its name, and its shares, its spans, or both."""
    from graphlang.content.segments import find  # noqa: PLC0415 - one language a text does without

    for (name, _), own in segments(identifier, texts):
        told: list[Any] = []
        if shares:
            told.append([{"language": one.language, "share": round(one.share, 4)} for one in find.shares(own)])
        if spans:
            told.append([_span(one) for one in own])
        yield name, *told


def _span(span: find.Span) -> dict[str, Any]:
    language, script = languages.split(span.label)
    return {
        "begin": span.begin,
        "end": span.end,
        "language": language,
        "script": script,
        "confidence": round(span.confidence, 4),
    }


def _open(name: str) -> BinaryIO:
    return sys.stdin.buffer if name == "-" else open_regular(name)


def _files(names: Iterable[str], unread: list[str]) -> Iterator[tuple[str, str]]:
    """The beginning of each file; what cannot be read, and why, is added to `unread`."""
    for name in names:
        try:
            with _open(name) as file:
                data = file.read(_BYTES)
        except OSError as error:
            unread.append(f"{name}: {error.strerror or error}")
            continue
        yield name, _decode(data)


def _lines(names: Iterable[str], unread: list[str]) -> Iterator[tuple[str, str]]:
    """The lines of each file; what cannot be read, and why, is added to `unread`."""
    for name in names:
        try:
            with _open(name) as file:
                yield from _lines_of(file, name)
        except OSError as error:
            unread.append(f"{name}: {error.strerror or error}")


def _lines_of(file: BinaryIO, name: str) -> Iterator[tuple[str, str]]:
    number = 0
    while line := file.readline(_BYTES):
        number += 1
        text = _decode(line)
        while not line.endswith(b"\n") and (line := file.readline(_BYTES)):
            continue  # the rest of a line that is longer than any language needs
        yield f"{name}:{number}", text


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r\n")
