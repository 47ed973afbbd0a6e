"""Arguments and options that several verbs share."""

from __future__ import annotations

import functools
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem

from graphlang.arguments import MOST_WORKERS
from graphlang.db.snapshot import parse_moment
from graphlang.maps.selection import FLOOR
from graphlang.plugins import VARIABLE, use_plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: The greatest integer of SQLite, and of an index in Python.
_LARGEST: Final = min(sys.maxsize, 2**63 - 1)
#: Where a command's context keeps the path of its database.
DATABASE: Final = "graphlang.database"


class WholeNumber(click.IntRange):
    """A whole number from a minimum to a maximum, or to what a database and an index hold; ``unit`` multiplies it."""

    name = "whole number"

    def __init__(self, minimum: int, maximum: int | None = None, *, unit: int = 1) -> None:
        super().__init__(min=minimum, max=maximum)
        self._largest = _LARGEST // unit

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return what the help shows for the value."""
        del param, ctx
        return "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; fail where it is too large."""
        number = super().convert(value, param, ctx)
        if number > self._largest:
            self.fail(f"{value} is too large.", param, ctx)
        return number


class Finite(click.FloatRange):
    """A number in a range: `nan` compares with nothing, and is in no range."""

    name = "number"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return what the help shows for the value."""
        del param, ctx
        return "X"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; fail where it is not finite."""
        try:
            number = float(super().convert(value, param, ctx))
        except OverflowError:  # a whole number in a file of weights
            number = math.inf
        if not math.isfinite(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class Advanced(click.Option):
    """An option that few users need; its verb is `WithAdvanced`."""


class WithAdvanced(click.Command):
    """A verb whose help lists the options that few users need after the others, under a heading of their own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the two lists."""
        for heading, advanced in (("Options", False), ("Advanced", True)):
            options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
            listed = [option.get_help_record(ctx) for option in options if isinstance(option, Advanced) is advanced]
            with formatter.section(heading):
                formatter.write_dl(list(filter(None, listed)))


def apply(options: Iterable[Callable[..., Any]], function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb options, in the order in which its help lists them."""
    for option in reversed(list(options)):
        function = option(function)
    return function


def is_on_command_line(name: str) -> bool:
    """Return whether the user typed an option of the current verb, by the name of its parameter."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def remember_database(ctx: click.Context, param: click.Parameter, value: Path) -> Path:
    """Keep the path of the database, whose content may cause an error; a callback of arguments and options."""
    if value == Path():
        raise click.BadParameter("the name of the database is empty.", ctx, param)
    ctx.meta[DATABASE] = value
    return value


#: Database of verbs that name none, if the working folder has it.
DEFAULT: Final = "crawl.db"


class _Database(click.Argument):
    """The first argument of most verbs; where it is missing, `DEFAULT` if that exists.

    One argument where two are needed is the second, unless it is a file: ``graphlang explain URL``.
    """

    def consume_value(self, ctx: click.Context, opts: Any) -> tuple[Any, Any]:
        value, source = super().consume_value(ctx, opts)
        arguments = [param for param in ctx.command.params if isinstance(param, click.Argument)]
        if not Path(DEFAULT).is_file():
            return value, source
        missing = not isinstance(value, (str, Path))
        second = arguments[1].name if len(arguments) > 1 and arguments[1].nargs == 1 else None
        if second is not None and not missing and not isinstance(opts.get(second), str) and not Path(value).exists():
            missing, opts[second] = True, value
        if missing and (len(arguments) == 1 or second is not None):
            return DEFAULT, click.core.ParameterSource.DEFAULT
        return value, source


database = click.argument(
    "db", cls=_Database, type=click.Path(dir_okay=False, path_type=Path), callback=remember_database
)

new_database = click.option(
    "--db",
    "db",
    default=DEFAULT,
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    callback=remember_database,
    help="The database; created if it does not exist.",
)

seed = click.option(
    "--seed", type=WholeNumber(1), metavar="RUN", help="Content run to start from; by default the chosen one."
)

keep_chosen = click.option("--keep-chosen", is_flag=True, help="Do not change the run that the views show.")

shares = click.option(
    "--shares/--no-shares",
    default=None,
    help="Find pages in several languages, with the share of letters in each (table page_shares). On by default "
    "for nfc and models of its kind.",
)

choose_run = click.option(
    "--run", "run_id", type=WholeNumber(1), metavar="RUN", help="Run to use; by default the chosen one."
)

gold = click.option(
    "--gold",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Table (tabs, commas or semicolons) with a header line and the columns url and language.",
)

identify_workers = click.option(
    "--workers",
    type=WholeNumber(1, MOST_WORKERS),
    help="Threads that identify texts, at most eight; by default all cores. URLs and methods of other packages "
    "use one. The result does not depend on it.",
)


def refuse_value_errors(param_hint: str, function: Callable[..., Any], *values: Any) -> Any:
    """Call a function; a ValueError is wrong usage of an option."""
    try:
        return function(*values)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=param_hint) from error


def parse_moment_option(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return a moment in its usual form; a callback of options."""
    del ctx
    return None if value is None else refuse_value_errors(param.opts[0], lambda: parse_moment(value).text)


at = click.option(
    "--at",
    callback=parse_moment_option,
    metavar="MOMENT",
    help="Use the capture of each page nearest to MOMENT: 2012, 2012-05, 2012-05-03 or 2012-05-03T12:00:00Z. The "
    "run that the views show stays the same.",
)


def _use_plugins(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del ctx, param
    if value:
        use_plugins()


#: Of verbs that read archives or identify texts; eager, since other options name what a plug-in adds.
plugins = click.option(
    "--plugins",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_use_plugins,
    envvar=VARIABLE,
    help=f"Load the readers and methods that other installed packages add: their code is run [env: {VARIABLE}].",
)


def tags(values: Iterable[str], option: str = "--language") -> list[str]:
    """Return the languages that an option names, several times or with commas between them, and check each.

    An empty name, as of an empty variable of the shell, must not mean all languages.
    """
    names: list[str] = []
    for value in values:
        named = [tag for item in value.split(",") if (tag := item.strip())]
        if not named:
            raise click.BadParameter(f"{value!r} names no language", param_hint=option)
        names += named
    from graphlang.collection.page_filter import languages  # noqa: PLC0415 - verbs without such an option do without

    refuse_value_errors(option, languages, names)
    return names


def complete_codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the codes of the default model that continue a list of codes, or whose names begin like its last word."""
    del ctx, param
    from graphlang.codes import languages  # noqa: PLC0415 - of completion alone
    from graphlang.content.registry import path  # noqa: PLC0415
    from graphlang.modelfile import read_header  # noqa: PLC0415

    before, comma, word = incomplete.rpartition(",")
    names = {label: languages.name(label) for label in read_header(path("nfc"))[1]}
    beginning = word.casefold()
    chosen = [item for item in names.items() if any(text.casefold().startswith(beginning) for text in item)]
    return [CompletionItem(f"{before}{comma}{label}", help=name) for label, name in chosen]


def codes(*names: str, help: str) -> Callable[..., Any]:  # noqa: A002 - as click names it
    """Return an option that takes languages, several times or with commas between them."""

    def callback(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[str]:
        del ctx
        return tags(values, param.opts[0])

    about: dict[str, Any] = {"shell_complete": complete_codes, "metavar": "CODES", "help": help}
    return click.option(*names, multiple=True, callback=callback, **about)


def _statuses(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[int, ...]:
    del ctx, param
    from graphlang.collection.page_filter import http_status  # noqa: PLC0415

    try:
        numbers = [int(item) for value in values for item in value.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"{','.join(values)} is not a list of numbers", param_hint="--status") from error
    return tuple(refuse_value_errors("--status", http_status, number) for number in numbers)


def _media_types(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    del ctx, param
    from graphlang.collection.page_filter import media_type  # noqa: PLC0415

    names = [item.strip() for value in values for item in value.split(",")]
    return tuple(refuse_value_errors("--mime", media_type, name) for name in names)


language = codes(
    "--language",
    help="Only these languages: any usual codes or names, separated by commas; repeatable. A script counts: "
    "zho_Hant, zh-TW, sr-Latn.",
)
below = click.option("--below", type=Finite(0, 1), metavar="C", help="Only pages with less confidence.")
min_confidence = click.option(
    "--min-confidence", type=Finite(0, 1), default=FLOOR, show_default=True, help="Count pages below this as und."
)

_SELECTS: Final = (
    language,
    below,
    click.option("--min-length", type=WholeNumber(0), metavar="N", help="Only pages of N characters or more."),
    click.option("--max-length", type=WholeNumber(0), metavar="N", help="Only pages of N characters or fewer."),
    click.option(
        "--status",
        multiple=True,
        callback=_statuses,
        metavar="CODES",
        help="Only these HTTP statuses, instead of 200.",
    ),
    click.option(
        "--mime",
        multiple=True,
        callback=_media_types,
        metavar="TYPES",
        help="Only these media types (image/* is all images).",
    ),
    click.option(
        "--all",
        "everything",
        is_flag=True,
        help="Count captures of all kinds, including images, redirects and error pages, and unfetched URLs.",
    ),
    click.option("--fetched/--unfetched", default=None, help="Only fetched pages; only unfetched URLs."),
    min_confidence,
)
#: Parameters of these options: the names in `graphlang.collection.page_filter.PageFilter`.
FILTER: Final = (
    *("language", "below", "min_length", "max_length", "status", "mime", "everything", "fetched", "min_confidence"),
)


def selects(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options that select pages to a verb; it gets ``pages``, a `PageFilter`."""

    @functools.wraps(function)
    def call(*args: Any, **values: Any) -> None:
        from graphlang.collection.page_filter import check_lengths  # noqa: PLC0415

        pages = {name: values.pop(name) for name in FILTER}
        refuse_value_errors("--min-length and --max-length", check_lengths, pages["min_length"], pages["max_length"])
        function(*args, pages=pages, **values)

    return apply(_SELECTS, call)


_CAPTURES: Final = (
    click.option(
        "--captures",
        type=click.Choice(("own", "all")),
        default="own",
        show_default=True,
        help="own: the main capture of each page. all: every capture, with its date, text and language.",
    ),
    click.option(
        "--at",
        callback=parse_moment_option,
        metavar="MOMENT",
        help="Use the capture of each page nearest to MOMENT (2012, 2012-05, ...), with the languages of that "
        "time (see 'graphlang propagate --at').",
    ),
)


def selects_captures(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options that select captures of a page to a verb, before those of `selects`."""

    @functools.wraps(function)
    def call(*args: Any, captures: str, at: str | None, **values: Any) -> None:
        if captures != "own" and at is not None:
            raise click.UsageError("--captures all and --at exclude each other: --at takes one capture of each page")
        function(*args, captures=captures, at=at, **values)

    return apply(_CAPTURES, selects(call))
