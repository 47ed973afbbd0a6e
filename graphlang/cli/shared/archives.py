"""Options of the verbs that read archives: which files, and how much of each page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

import click

from graphlang.arguments import MOST_WORKERS
from graphlang.cli.shared.options import Advanced, Finite, WholeNumber, apply
from graphlang.cli.shared.paths import STANDARD_INPUT, read_file_list
from graphlang.db.records import READ
from graphlang.db.write.choose_capture import Keep
from graphlang.ingest.limits import Limits
from graphlang.native.threads import cores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MEGABYTE = 1 << 20


def _characters(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    if value == "none":
        return None
    if not (value.isascii() and value.isdecimal()):
        raise click.BadParameter(f"{value!r} is neither a number of characters nor none")
    return int(WholeNumber(0).convert(value, param, ctx))


def _charset(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if value:
        try:
            Limits(charset=value)
        except ValueError as error:
            raise click.BadParameter(str(error), ctx, param) from error
    return value


class _Named(click.Path):
    """A path with a name: an empty one, as of an empty variable, would be the working folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("an empty name is not a file or folder", param, ctx)
        return super().convert(value, param, ctx)


files = click.argument("files", nargs=-1, type=_Named(path_type=Path))


class Bounds(TypedDict):
    """Options that limit how much of a page is read."""

    text_limit: int | None
    max_payload: int
    max_seconds: float
    max_ratio: int
    bytes_: bool
    plain_urls: bool
    charset: str
    ignore_server_charset: bool
    pdf: bool


class ReadingOptions(Bounds):
    """The options of reading."""

    from_: Path | None
    workers: int | None
    keep: str
    follow_links: bool
    verbose: bool
    anchor_texts: bool
    again: bool


from_list = click.option(
    "--from",
    "from_",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    metavar="LIST",
    help="Also read the files in LIST, one a line (# begins a comment); - is standard input.",
)
max_ratio = click.option(
    "--max-ratio",
    cls=Advanced,
    type=WholeNumber(0),
    default=100,
    show_default=True,
    metavar="N",
    help="Stop reading a compressed file when it unpacks to more than N times its size and 256 MB, and list "
    "it as a problem. 0: no limit.",
)

_LIMITS: Final = (
    click.option(
        "--text-limit",
        cls=Advanced,
        callback=_characters,
        default=str(READ),
        show_default=True,
        metavar="CHARACTERS|none",
        help=f"Text kept of each page; none: all of it. Methods read the first {READ:,} characters, the rest is kept"
        " compressed.",
    ),
    click.option(
        "--max-payload",
        cls=Advanced,
        type=WholeNumber(1, unit=_MEGABYTE),
        default=32,
        show_default=True,
        metavar="MB",
        help="Read at most this much of a page (the page is kept, and a problem recorded).",
    ),
    click.option(
        "--max-seconds",
        cls=Advanced,
        type=Finite(min=0),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        help="Skip a page that takes more processor time, and record a problem; 0 for no limit.",
    ),
    max_ratio,
    click.option(
        "--bytes",
        "bytes_",
        cls=Advanced,
        is_flag=True,
        help="Keep the visible bytes of every page for methods over bytes; by default only if the charset is doubtful.",
    ),
    click.option(
        "--charset",
        cls=Advanced,
        callback=_charset,
        default="",
        metavar="NAME",
        help="Read pages in this charset, such as koi8-r, whatever they declare. Pages in UTF-8, and pages that do not"
        " decode in it, are read as without the option.",
    ),
    click.option(
        "--ignore-server-charset",
        cls=Advanced,
        is_flag=True,
        help="Do not use the charset of the HTTP header: some servers send the same one with every page. By default it"
        " counts, unless another charset fits the bytes far better.",
    ),
    click.option("--pdf", cls=Advanced, is_flag=True, help="Read the text of PDF documents; needs graphlang[pdf]."),
    click.option(
        "--plain-urls",
        cls=Advanced,
        is_flag=True,
        help="Drop session ids and tracking parameters (utm_source, fbclid) from URLs.",
    ),
)
_READING: Final = (
    from_list,
    click.option(
        "--workers",
        type=WholeNumber(1, MOST_WORKERS),
        default=None,
        metavar="N",
        help="Processes that decompress and parse; by default one for each core. The result does not depend on "
        "it. A file that was compressed as a whole is decompressed by one process.",
    ),
    click.option(
        "--keep",
        type=click.Choice([choice.value for choice in Keep]),
        default=Keep.ALL.value,
        show_default=True,
        help="Captures of a URL to keep. all: every capture, with the best one as the page's main capture. Others"
        " keep one: best is the newest with status 200, longest the one with the most text.",
    ),
    *_LIMITS,
    click.option(
        "--follow-links",
        cls=Advanced,
        is_flag=True,
        help="Follow symbolic links within folders. By default only links that you name are followed.",
    ),
    click.option("--verbose", is_flag=True, help="Name the skipped files of folders, with the reason."),
    click.option(
        "--anchor-texts",
        cls=Advanced,
        is_flag=True,
        help="Keep the words of links, for 'graphlang classify --anchors'.",
    ),
    click.option(
        "--again",
        is_flag=True,
        help="Read files again that DB already has, with the options given now. Earlier pages stay until they are"
        " replaced.",
    ),
)


def reading(function: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the options of reading; see `ReadingOptions`."""
    return apply(_READING, function)


def bounds(function: Callable[..., None]) -> Callable[..., None]:
    """Give a verb those of them that hold wherever the work is done; see `Bounds`."""
    return apply(_LIMITS, function)


def make_limits(options: Bounds) -> Limits:
    """Return the limits of reading that options say."""
    return Limits(
        text_limit=options["text_limit"],
        max_payload=options["max_payload"] * _MEGABYTE,
        max_seconds=options["max_seconds"],
        max_ratio=options["max_ratio"],
        all_bytes=options["bytes_"],
        anchor_texts=bool(options.get("anchor_texts")),
        plain_urls=options["plain_urls"],
        charset=options["charset"],
        ignore_server_charset=options["ignore_server_charset"],
        pdf=options["pdf"],
    )


def list_inputs(paths: Sequence[Path], options: ReadingOptions) -> list[Any]:
    """Return the files to read, those in a list after the others; standard input as an open file."""
    names = list(paths)
    if options["from_"] is not None:
        names += map(Path, read_file_list(options["from_"]))
    if not names:
        db = click.get_current_context().params["db"]
        raise click.UsageError(f"no files to read into {db}: name some, or a list of them with --from")
    if names.count(Path(STANDARD_INPUT)) > 1:
        raise click.UsageError("standard input (-) can be read once")
    return [sys.stdin.buffer if name == Path(STANDARD_INPUT) else name for name in names]


def list_arguments(options: ReadingOptions) -> dict[str, Any]:
    """Return the arguments of `Collection.ingest` that the options say."""
    return {
        "keep": options["keep"],
        "limits": make_limits(options),
        "again": options["again"],
        "workers": options["workers"] or cores(),
        "follow_links": options["follow_links"],
    }


def name_option(limit: str) -> str:
    """Return the option of a limit in `Limits`.

    >>> name_option("all_bytes"), name_option("text_limit")
    ('--bytes', '--text-limit')
    """
    return f"--{'bytes' if limit == 'all_bytes' else limit.replace('_', '-')}"


def format_value(limit: str, value: object) -> str:
    """Return the value of a limit in `Limits` as its option takes it.

    >>> format_value("max_payload", 32 << 20), format_value("all_bytes", True), format_value("text_limit", None)
    ('32', 'on', 'none')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "none"
    return str(int(str(value)) // _MEGABYTE) if limit == "max_payload" else str(value)
