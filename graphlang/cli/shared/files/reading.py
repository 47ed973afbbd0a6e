"""What ``run`` and ``ingest`` share: the files that the user means, and how they are read."""

from __future__ import annotations

import io
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import click

from graphlang.cli.shared.options import Finite
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.db.records import READ
from graphlang.db.write.choose_capture import Keep
from graphlang.ingest import Limits, PrestartedWorkers, small
from graphlang.native.threads import cores

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from graphlang.analysis.ingest import Ingested
    from graphlang.cli.shared.messages.progress import Shown
    from graphlang.ingest import Found

_MEGABYTE = 1 << 20
_STANDARD_INPUT = "-"


def _characters(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    if value == "none":
        return None
    if not (value.isascii() and value.isdecimal()):
        raise click.BadParameter(f"{value!r} is neither a number of characters nor none")
    return int(WholeNumber(0).convert(value, param, ctx))


class _Named(click.Path):
    """A path that has a name: an empty one (of a variable that is not set) would be the working folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("an empty name, which is no file or folder", param, ctx)
        return super().convert(value, param, ctx)


files = click.argument("files", nargs=-1, type=_Named(path_type=Path))


class Bounds(TypedDict):
    """The options that say how much is read of a page."""

    text_limit: int | None
    max_payload: int
    max_seconds: float
    max_ratio: int
    bytes_: bool
    plain_urls: bool


class How(Bounds):
    """The options of reading."""

    from_: Path | None
    workers: int | None
    keep: str
    follow_links: bool
    verbose: bool
    anchor_texts: bool
    again: bool


max_ratio = click.option(
    "--max-ratio",
    type=WholeNumber(0),
    default=100,
    show_default=True,
    metavar="N",
    help="A compressed file that unpacks to more than N times its size and 256 MB is not read further, and"
    " a problem noted; 0 for no limit.",
)

_LIMITS = (
    click.option(
        "--text-limit",
        callback=_characters,
        default=str(READ),
        show_default=True,
        metavar="CHARACTERS|none",
        help=f"Text kept of each page; none: all of it. Methods read the first {READ:,} characters, the others are kept"
        " deflated.",
    ),
    click.option(
        "--max-payload",
        type=WholeNumber(1, of=_MEGABYTE),
        default=32,
        show_default=True,
        metavar="MB",
        help="Bytes of a page beyond this are not read (the page is kept, and a problem noted).",
    ),
    click.option(
        "--max-seconds",
        type=Finite(min=0),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        help="A page that takes more processor time is given up, and a problem noted; 0 for no limit.",
    ),
    max_ratio,
    click.option(
        "--bytes",
        "bytes_",
        is_flag=True,
        help="Keep the visible bytes of every page for methods over bytes, not only where the charset is in doubt.",
    ),
    click.option(
        "--plain-urls", is_flag=True, help="Drop session ids and tracking parameters (utm_source, fbclid) from URLs."
    ),
)
_OPTIONS = (
    click.option(
        "--from",
        "from_",
        type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
        metavar="LIST",
        help="Read the files that LIST names as well, one a line (# begins a comment); - is standard input.",
    ),
    click.option(
        "--workers",
        type=WholeNumber(1),
        default=None,
        metavar="N",
        help="Processes that decompress and parse; by default one for each core. The result is the same with any"
        " number. A file that was compressed as a whole, not record by record, is decompressed by one process.",
    ),
    click.option(
        "--keep",
        type=click.Choice([one.value for one in Keep]),
        default=Keep.ALL.value,
        show_default=True,
        help="Which captures of a URL are kept: all, each with its date, the best one as the page's own; or only that"
        " one: best is the newest with status 200, longest the one with the most text.",
    ),
    *_LIMITS,
    click.option(
        "--follow-links",
        is_flag=True,
        help="Follow symbolic links within folders. By default only those that you name are: others may lead anywhere.",
    ),
    click.option("--verbose", is_flag=True, help="Name the files of folders that are passed over, and say why."),
    click.option("--anchor-texts", is_flag=True, help="Keep the words of links, for 'graphlang classify --anchors'."),
    click.option(
        "--again",
        is_flag=True,
        help="Read files again that DB has already, with the options given now. What was read before stays until it is"
        " replaced.",
    ),
)


def how(function: Callable[..., None]) -> Callable[..., None]:
    """How much is read of a page, and by how many processes."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def bounds(function: Callable[..., None]) -> Callable[..., None]:
    """How much is read of a page: those of the options of `how` that hold wherever the work is done."""
    for option in reversed(_LIMITS):
        function = option(function)
    return function


def limits_of(wanted: Bounds) -> Limits:
    """The limits that the user wants.

    Args:
        wanted: the options of `bounds`, or of `how`.
    """
    return Limits(
        text_limit=wanted["text_limit"],
        max_payload=wanted["max_payload"] * _MEGABYTE,
        max_seconds=wanted["max_seconds"],
        max_ratio=wanted["max_ratio"],
        all_bytes=wanted["bytes_"],
        anchor_texts=bool(wanted.get("anchor_texts")),
        plain_urls=wanted["plain_urls"],
    )


def option(limit: str) -> str:
    """How a limit of reading is called on the command line.

    Args:
        limit: its name in `Limits`.

    >>> option("all_bytes"), option("text_limit")
    ('--bytes', '--text-limit')
    """
    return f"--{'bytes' if limit == 'all_bytes' else limit.replace('_', '-')}"


def value(limit: str, value: object) -> str:
    """A limit of reading as it is given on the command line.

    Args:
        limit: its name in `Limits`.
        value: what it is.

    >>> value("max_payload", 32 << 20), value("all_bytes", True), value("text_limit", None)
    ('32', 'on', 'none')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "none"
    return str(int(str(value)) // _MEGABYTE) if limit == "max_payload" else str(value)


@contextmanager
def prestart(db: Path, given: tuple[Path, ...], wanted: How) -> Iterator[PrestartedWorkers | None]:
    """Start the processes that will parse, where some are likely to be needed, before this one imports its own.

    For a collection that does not exist yet they begin with the first file at once.

    Args:
        db: where the collection is, or will be.
        given: the files that were named as arguments.
        wanted: the options of reading.

    Yields:
        The processes; None where this one alone will parse.
    """
    workers = wanted["workers"] or cores()
    if workers == 1 or small(given):
        yield None
        return
    started = PrestartedWorkers(workers, limits_of(wanted))
    try:
        if not db.exists():
            started.begin(given[0])
        yield started
    finally:
        started.end()


class Inputs(NamedTuple):
    """What is to be read."""

    found: Found  #: but for standard input
    piped: int | None  #: before which of the files standard input comes; None where it is not read


def inputs(given: tuple[Path, ...], wanted: How) -> Inputs:
    """Find the files that the user named, before a database is made.

    Args:
        given: the files that were named as arguments; ``-`` is standard input.
        wanted: the options of reading.

    Raises:
        click.UsageError: no file was named.
        InputError: one does not exist, or holds nothing to read.
    """
    # While this imports numpy, the prestarted processes come up.
    from graphlang.analysis.ingest import found  # noqa: PLC0415

    paths = list(given)
    if wanted["from_"] is not None:
        paths += map(Path, listed_in(wanted["from_"]))
    if not paths:
        raise click.UsageError("no files: name some, or a list of them with --from")
    piped = paths.index(Path(_STANDARD_INPUT)) if Path(_STANDARD_INPUT) in paths else None
    named = [path for path in paths if path != Path(_STANDARD_INPUT)]
    follow = wanted["follow_links"]
    if piped is not None:
        piped = len(found(named[:piped], follow_links=follow).files)
    return Inputs(found(named, follow_links=follow), piped)


def read(
    connection: sqlite3.Connection,
    db: Path,
    wanted: How,
    shown: Shown,
    *,
    inputs: Inputs,
    prestarted: PrestartedWorkers | None = None,
) -> Ingested:
    """Read what the user named into the collection.

    Args:
        connection: a collection opened for writing.
        db: where it is.
        wanted: the options of reading.
        shown: told of bytes, pages, links and problems.
        inputs: the files.
        prestarted: processes that were started already.

    Raises:
        StoreError: see `graphlang.analysis.ingest.ingest`.
    """
    from graphlang.analysis import ingest as reading  # noqa: PLC0415
    from graphlang.ingest.files.discover import received  # noqa: PLC0415

    names: dict[Path, str] = {}
    paths = list(inputs.found.files)
    with ExitStack() as stack:
        if inputs.piped is not None:
            # Beside the database, where there is room for what is read.
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix=".graphlang-", dir=db.absolute().parent))
            path = received(sys.stdin.buffer, Path(folder))
            names[path] = _STANDARD_INPUT
            paths.insert(inputs.piped, path)
        return reading.ingest(
            connection,
            inputs.found._replace(files=paths),
            names=names,
            keep=Keep(wanted["keep"]),
            limits=limits_of(wanted),
            again=wanted["again"],
            workers=wanted["workers"] or cores(),
            prestarted=prestarted,
            progress=shown,
        )


def listed_in(path: Path) -> list[str]:
    """The files that a list names.

    Args:
        path: of the list; ``-`` is standard input.

    Raises:
        click.UsageError: it names none.
    """
    from graphlang.ingest.files.discover import listed  # noqa: PLC0415
    from graphlang.regular_file import open_text  # noqa: PLC0415

    # Names of files may be any bytes; surrogates stand for those that are no UTF-8, as in sys.argv.
    if str(path) == _STANDARD_INPUT:
        found = listed(io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="surrogateescape"))
    else:
        with open_text(path, errors="surrogateescape") as lines:
            found = listed(lines)
    if not found:
        raise click.UsageError(f"{path} lists no files")
    return found
