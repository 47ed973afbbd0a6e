"""The first two verbs: ``run``, everything at once over files; ``identify``, texts or URLs without a database."""

from __future__ import annotations

import sys
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import click

from graphlang.cli.manage import exit_with_problems, list_counts, say_ingested
from graphlang.cli.shared import archives, options
from graphlang.cli.shared.crawl import describe_end, open_crawl, waits
from graphlang.cli.shared.log import log, logs, say
from graphlang.cli.shared.output import output_options, write_json, write_line, write_rows
from graphlang.cli.shared.paths import refuse_before_work
from graphlang.cli.shared.progress import Timed, bars
from graphlang.cli.shared.text_files import TextFiles
from graphlang.cli.shared.text_files import encoding as encoding_option
from graphlang.native.threads import cores
from graphlang.printing import quantity, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphlang.analysis.ingest import Ingested
    from graphlang.collection import Collection
    from graphlang.content.segments.spans import Share, Span
    from graphlang.db.runs.run import Run
    from graphlang.identification import Prediction
    from graphlang.maps.facts import Totals

    _Predicted: TypeAlias = tuple[tuple[str, str], Prediction]

_SITES = 30  #: lines of the map
_LANGUAGES = 6  #: of a line
_TOP = 8  #: languages with the number of their pages
_COLUMNS = ("input", "language", "script", "confidence", "runner_up", "runner_up_confidence", "characters")


@click.command(cls=options.WithAdvanced)
@archives.files
@options.new_database
@click.option("--method", default="nfc", show_default=True, help="Content method, see 'graphlang methods'.")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write a report: one HTML file, see 'graphlang report'.",
)
@options.shares
@options.plugins
@archives.reading
@waits
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs instead of the map.")
@logs
def run(
    files: tuple[Path, ...],
    db: Path,
    method: str,
    report: Path | None,
    *,
    shares: bool | None,
    as_json: bool,
    **reading: Unpack[archives.ReadingOptions],
) -> None:
    """Find the language of every page and print the language map.

    It reads the files into the database, classifies the text of each page, lets inlinks vote, and propagates over
    the whole graph. The views of the database show the last answer. Interrupt it at any time; run the same command
    again to resume, or with more files to add them. FILES are as in 'graphlang ingest'.

    \b
    Examples:
      graphlang run crawl.warc.gz --db crawl.db --report crawl.html
      graphlang run archive-folder/ more.arc.gz --db crawl.db --workers 2
    """
    if method != "nfc":
        _refuse_without_text(method)
    if report is not None:
        refuse_before_work(report)
    crawl = open_crawl(db)
    read: list[Ingested] = []
    earlier: set[int] = set()  # runs

    def end_reading(ingested: Ingested) -> None:
        read.append(ingested)
        earlier.update(run.id for run in crawl.runs())

    with bars() as progress:
        final = crawl.run(
            *archives.list_inputs(files, reading),
            method=method,
            shares=shares,
            on_ingested=end_reading,
            progress=progress,
            **archives.list_arguments(reading),
        )
    (ingested,) = read
    say_ingested(ingested, progress, verbose=reading["verbose"])
    if final.id in earlier:
        say(f"nothing has changed since run {final.id}", "up to date", run=final.id)
    elif final.rounds is not None:
        say(f"propagation {describe_end(final)}")
    if report is not None:
        crawl.report(report)
    if as_json:
        write_json(_list_facts(crawl, report, ingested, final, progress), indent=1)
    elif not log().quiet:
        print_map(crawl)
        write_line(f"database: {visible(str(db))}")
        if report is not None:
            write_line(f"report: {visible(str(report))}")
    exit_with_problems(ingested)


def _refuse_without_text(method: str) -> None:
    """Refuse a method that reads no texts as such, and not as one that does not exist."""
    from graphlang.analysis.collection_methods import DECLARED, TLD  # noqa: PLC0415
    from graphlang.identification import is_url_method  # noqa: PLC0415

    if method in (DECLARED, TLD) or is_url_method(method):
        instead = f"graphlang classify DB --method {method}"
        raise click.UsageError(f"{method} reads no text, and run begins with texts: {instead}")


def _list_facts(
    crawl: Collection, report: Path | None, ingested: Ingested, final: Run, progress: Timed
) -> dict[str, Any]:
    """Return the results of `run`, for programs."""
    return {
        "database": str(crawl.path),
        "report": None if report is None else str(report),
        "read": list_counts(ingested),
        "stages": {name: round(seconds, 2) for name, seconds in progress.seconds.items()},
        "run": final.id,
        "rounds": final.rounds,
        "converged": final.converged,
        **crawl.totals()._asdict(),
        "pages_by_language": crawl.pages_by_language(),
    }


def print_map(crawl: Collection) -> None:
    """Print one line a site: its pages and its languages with their shares, the greatest first."""
    sites: dict[str, list[tuple[str, float, int]]] = {}
    pages: dict[str, int] = {}
    # URLs that were only linked to are twenty times as many as pages, and have no language yet.
    for row in crawl.sites(fetched=True):
        sites.setdefault(row.site, []).append((row.language, row.share, row.pages))
        pages[row.site] = pages.get(row.site, 0) + row.pages
    if not sites:
        write_line(_write_summary(crawl.totals()))
        return
    width = max((len(visible(site)) for site in list(sites)[:_SITES]), default=4)
    write_line(f"{'site':<{width}}  {'pages':>8}  languages", bold=True)
    for site, shares in list(sites.items())[:_SITES]:
        shares.sort(key=itemgetter(1), reverse=True)  # rows are in the order of pages, which count for one language
        line = "  ".join(f"{language} {share:.0%}" for language, share, _ in shares[:_LANGUAGES])
        rest = sum(1 for _, _, count in shares[_LANGUAGES:] if count)  # as 'read in 39 languages' below
        line += f"  and {rest} more" if rest > 0 else ""
        write_line(f"{visible(site):<{width}}  {pages[site]:>8,}  {line}")
    if len(sites) > _SITES:
        write_line(
            f"and {quantity(len(sites) - _SITES, 'more site')}: 'graphlang sites {crawl.path}' lists all of them"
        )
    _print_languages(crawl)
    write_line(_write_summary(crawl.totals()))


def _print_languages(crawl: Collection) -> None:
    """Print the commonest languages with the expected number of their pages, its interval, and their share."""
    rows = list(crawl.languages(fetched=True))
    width = max((len(row.name) for row in rows[:_TOP]), default=8)
    write_line("")
    write_line(f"{'language':<{width}}  {'pages':>8}  {'between':>15}  {'share':>6}", bold=True)
    for row in rows[:_TOP]:
        between = f"{row.low:,} and {row.high:,}"
        write_line(f"{row.name:<{width}}  {row.expected:>8,.0f}  {between:>15}  {row.share:>6.1%}")
    if len(rows) > _TOP:
        write_line(f"and {len(rows) - _TOP} more: 'graphlang languages {crawl.path}' lists all of them")
    write_line("")


def _write_summary(totals: Totals) -> str:
    ignored = f"; {totals.not_counted:,} redirects, errors and files that are not text do not count"
    if totals.not_counted == 1:
        ignored = "; 1 redirect, error or file that is not text does not count"
    return (
        f"{quantity(totals.pages, 'page')} read in {quantity(totals.languages, 'language')},"
        f" {totals.undetermined:,} of them undetermined; {totals.only_linked_to:,} more only linked"
        f" to{ignored if totals.not_counted else ''}"
    )


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=str, allow_dash=True, readable=False))
@click.option("--method", default="nfc", show_default=True, help="Method (see 'graphlang methods'), or a model file.")
@click.option("--lines", is_flag=True, help="Every line is a text; by default every file is one.")
@click.option(
    "--shares",
    is_flag=True,
    help="Print all languages of each text with their share of letters, as JSON lines: at most five, none under 3 %.",
)
@click.option(
    "--spans",
    is_flag=True,
    help="Print where each language is in each text, as JSON lines: from 'begin' up to 'end', in characters from "
    "0. Letters in an unknown script are 'und'.",
)
@click.option("--top", type=click.IntRange(1), metavar="N", help="List the N most probable languages, as JSON lines.")
@click.option(
    "--min-confidence",
    type=options.Finite(0, 1),
    default=0.0,
    show_default=True,
    help="A text below this is und, and its most probable language is the runner-up.",
)
@click.option(
    "--html",
    is_flag=True,
    help="Every file is HTML: read its title and main content. A file that begins with <!doctype html> or <html> is "
    "read so in any case.",
)
@click.option("--text", is_flag=True, help="Add a column with the text.")
@options.identify_workers
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
    top: int | None,
    min_confidence: float,
    html: bool,
    text: bool,
    workers: int | None,
) -> None:
    """Identify the language of texts, or of URLs.

    FILES are in UTF-8, or in the charset of --encoding; '-' (or nothing) is standard input. A file that cannot be
    read is listed at the end. The others are identified, and the exit code is 1.

    'und' means that there is no text, or that it fits no language of the method; 'zxx' means that it has no
    letters. A text that was encoded twice (UTF-8 read as windows-1252) is repaired first. Only the first MiB of a
    file, or of a line, is read.

    With a URL method every line is a URL, with or without a scheme. 'und' then means that the line is not a URL, or
    names no page (data:, javascript:). With two merged methods ('A or B', 'A and B') it also means that they accept
    no language. Lines that are not URLs are counted at the end.

    \b
    Examples:
      echo 'Ein kurzer Satz.' | graphlang identify
      graphlang identify --lines --format tsv sentences.txt
      graphlang identify --shares page.txt
      graphlang identify --top 3 page.html
      graphlang identify --lines --min-confidence 0.5 titles.txt
      graphlang identify --lines --text --format jsonl --encoding koi8-r old.txt
      graphlang identify --method url --lines urls.txt
    """
    from graphlang.analysis.collection_methods import DECLARED, TLD  # noqa: PLC0415
    from graphlang.identification import Details, find_segments, is_url_method, load, predict  # noqa: PLC0415

    if files.count("-") > 1:
        raise click.UsageError("standard input (-) can be read once")
    if method in (DECLARED, TLD):
        raise click.UsageError(f"{method} is about the pages of a collection: graphlang classify DB --method {method}")
    of_urls = is_url_method(method)
    if (shares or spans) and of_urls:
        raise click.UsageError(f"{method} reads URLs, which are in one language each: no --shares and no --spans")
    listed = shares or spans or top is not None
    if listed and format_ in ("csv", "tsv"):
        raise click.UsageError(
            f"lists do not fit in the cells of {format_}: --shares, --spans and --top are written as jsonl"
        )
    if html and (lines or of_urls):
        raise click.UsageError("--html reads whole files: not with --lines, and not with a URL method")
    identifier = load(method)
    source = TextFiles(files or ("-",), encoding, html=html)
    texts = source.lines() if lines or of_urls else source.files()  # a URL is a line, whatever else the file holds
    texts = _read_first(source, texts, from_terminal=not files and sys.stdin.isatty())
    if (shares or spans) and top is None and not min_confidence:  # without predictions, which cost time
        columns: tuple[str, ...] = ("input", *["shares"] * shares, *["spans"] * spans, *["text"] * text)
        spans_of_texts = find_segments(identifier, texts, workers=workers or cores())
        rows = _list_segments(spans_of_texts, shares=shares, spans=spans, text=text)
        write_rows(columns, rows, format_="jsonl", limit=limit, output=output)
    else:
        columns = (*_COLUMNS, *["top"] * bool(top), *["shares"] * shares, *["spans"] * spans, *["text"] * text)
        details = Details(min_confidence, top or 0, shares, spans)
        predicted = predict(identifier, texts, workers=workers or cores(), details=details)
        not_urls = _NotUrls()
        if of_urls:
            predicted = not_urls.count(predicted)
        format_ = "jsonl" if listed else format_
        write_rows(columns, _list_answers(predicted, text=text), format_=format_, limit=limit, output=output)
        not_urls.say()
    _exit_unread(source)


def _read_first(
    source: TextFiles, texts: Iterator[tuple[str, str]], *, from_terminal: bool
) -> Iterator[tuple[str, str]]:
    """Read the first text before a table begins; exit if none of the files can be read."""
    if from_terminal:
        say("reading a text from the terminal: end it with Ctrl-D")
    begin = list(islice(texts, 1))
    if not begin:
        _exit_unread(source)
    return chain(begin, texts)


def _exit_unread(source: TextFiles) -> None:
    """Print the files that could not be read, and exit if there are any."""
    for reason in source.unread:
        say(f"Error: {visible(reason)}")
    if source.unread:
        sys.exit(1)


class _NotUrls:
    """Lines that are not URLs, where each should be one: how many, and the first of them."""

    def __init__(self) -> None:
        self._total = 0
        self._first = ""

    def count(self, predicted: Iterable[_Predicted]) -> Iterator[_Predicted]:
        """Pass predictions through, and count."""
        from graphlang.urls.readable_text import is_url  # noqa: PLC0415 - texts do without

        for prediction in predicted:
            (name, line), _ = prediction
            if line.strip() and not is_url(line):
                self._first = self._first or name
                self._total += 1
            yield prediction

    def say(self) -> None:
        """Print the number, if there are any."""
        if self._total:
            are = "is not a URL" if self._total == 1 else "are not URLs"
            say(f"{quantity(self._total, 'line')} {are} (first: {visible(self._first)}), and und")


def _list_answers(predicted: Iterable[_Predicted], *, text: bool) -> Iterator[tuple[Any, ...]]:
    """Yield one row a text, with ``text`` also the text itself."""
    for (name, content), prediction in predicted:
        lists: list[Any] = []
        if prediction.top is not None:
            lists.append([{**each._asdict(), "confidence": round(each.confidence, 4)} for each in prediction.top])
        if prediction.shares is not None:
            lists.append(_list_shares(prediction.shares))
        if prediction.spans is not None:
            lists.append(list(map(_list_span, prediction.spans)))
        yield name, *prediction[: len(_COLUMNS) - 2], len(content), *lists, *[content] * text


def _list_segments(
    segments: Iterable[tuple[tuple[str, str], list[Span]]], *, shares: bool, spans: bool, text: bool
) -> Iterator[tuple[Any, ...]]:
    """Yield one row a text: its name, its shares, its spans, or both; with ``text`` also the text itself."""
    from graphlang.content.segments.spans import list_shares  # noqa: PLC0415 - rarely needed

    for (name, content), spans_of_text in segments:
        values: list[Any] = []
        if shares:
            values.append(_list_shares(list_shares(spans_of_text)))
        if spans:
            values.append(list(map(_list_span, spans_of_text)))
        yield name, *values, *[content] * text


def _list_shares(shares: Iterable[Share]) -> list[dict[str, Any]]:
    return [{"language": each.language, "share": round(each.share, 4)} for each in shares]


def _list_span(span: Span) -> dict[str, Any]:
    from graphlang.codes import languages  # noqa: PLC0415 - rarely needed

    language, script = languages.split_label(span.label)
    return {
        "begin": span.begin,
        "end": span.end,
        "language": language,
        "script": script,
        "confidence": round(span.confidence, 4),
    }
