"""The command line: the group of all verbs, whose modules are imported when they are called.

Errors become one line and an exit code. All three standard streams exist, and errors of standard error and of charsets
stop no work.
"""

from __future__ import annotations

import gc
import io
import os
import sys
import time
import warnings
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem

from graphlang.cli.config import name_variables, read_defaults
from graphlang.cli.shared.log import log, put, say
from graphlang.interrupts import watch_signals
from graphlang.printing import visible, visible_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from _typeshed import ReadableBuffer

#: Module -> heading of its verbs, and the verbs in the order of the work: name -> first sentence of the help, in 60
#: characters at most. A verb is a function with `_` for `-`, and with a final one where Python has the name.
GROUPS: Final = {
    "start": (
        "Start here",
        {
            "run": "Find the language of every page and print the language map.",
            "identify": "Identify the language of texts, or of URLs.",
        },
    ),
    "manage": (
        "Make and keep a collection",
        {
            "ingest": "Read FILES into DB.",
            "info": "Count the files, pages, links and languages in DB.",
            "problems": "List what could not be read: file, offset, URL and reason.",
            "runs": "List all runs, or choose the one that the views show.",
            "remove": "Remove pages, and keep later readings from restoring them.",
            "check": "Check DB for damage, one finding a row.",
            "convert": "Copy all records of an archive to a store file or WARC.",
        },
    ),
    "infer": (
        "Find languages step by step",
        {
            "classify": "Classify the pages in DB by their text, or by their URLs.",
            "vote": "Let the inlinks of short pages vote (Hayati 2004).",
            "propagate": "Infer the language of every page from its text and links.",
        },
    ),
    "look": (
        "Look at the languages",
        {
            "pages": "List pages and their languages, by the chosen run.",
            "sites": "The language map: pages by site and language.",
            "languages": "List the languages of DB: pages, sites, scripts, encodings.",
            "language-graph": "Count links between languages, or between sites.",
            "explain": "Print why a page has its language.",
            "frontier": "Rank URLs to fetch next by the languages that you want.",
        },
    ),
    "by_hand": (
        "Check and correct",
        {
            "review": "List the pages that are most useful to check, or random ones.",
            "correct": "Set the language of pages by hand.",
            "corrections": "List the corrections that apply.",
        },
    ),
    "publish": (
        "Publish",
        {
            "report": "Write a report: one HTML file that needs no other.",
            "serve": "Browse DB with Datasette, read-only, on this machine.",
            "texts": "Write the texts of pages with language, URL and date.",
            "export": "Write files for other programs: tables, graphs, archives.",
        },
    ),
    "measure": (
        "Measure and compare",
        {
            "evaluate": "Compare the languages of DB with gold labels.",
            "compare": "List pages that changed: between runs, years or databases.",
            "tune": "Fit the weights of the inference on labelled pages.",
            "score": "Score a URL method on labelled URLs (Baykan et al. 2008).",
        },
    ),
    "models": (
        "Methods and models",
        {
            "methods": "List the methods that identify languages, or one's card.",
            "train": "Train MODEL from CORPUS, a folder of texts for each label.",
            "profiles": "List the profiles of MODEL, or change some of them.",
            "tree": "Print the decision tree of LANGUAGE (Baykan et al. 2008).",
        },
    ),
    "on_spark": (
        "On a cluster",
        {
            "cluster": "Do the main job on Spark; tables are written as Parquet.",
            "import": "Make DB from the tables that 'cluster run' wrote.",
        },
    ),
}


_EPILOG = """
\b
Examples:
  graphlang run crawl.warc.gz --db crawl.db   a language for every page
  graphlang pages crawl.db --language swa     the pages in Swahili
  graphlang explain crawl.db URL              why a page has its language

Exit codes: 0 done; 1 done, with problems; 2 wrong usage; 3 database or model cannot be used; 4 disk or memory full;
5 another process is writing to the database; 130 interrupted.
"""
_INTERRUPTED = 130
#: What an argument too many of a verb may be, and how to write it.
EXTRA: Final = {
    "sites": "units are separated by commas (--by domain,year); --language names a language",
    "pages": "--language names a language, --host a host",
    "languages": "--language names a language",
    "frontier": "--want names a language",
    "texts": "--language names a language, -o the file",
    "export": "--what names what to write, -o the file",
    "report": "-o names the file",
    "classify": "--method names the method",
    "remove": "--url names a URL, --host a host, --domain a domain",
    "review": "--language names a language, -o the file",
    "evaluate": "--gold names the file of labels",
}
#: Verbs in modules with more imports than their group needs.
_ELSEWHERE = {"language-graph": "link_graphs"}


class _Commands(MutableMapping[str, click.Command]):
    """Commands by name; each is imported when it is looked up."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = dict(modules)
        self._imported: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._imported:
            module = import_module(f"graphlang.cli.{_ELSEWHERE.get(name, self._modules[name])}")
            self._imported[name] = getattr(module, name.replace("-", "_") + "_" * iskeyword(name))
        return self._imported[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._modules[name] = ""
        self._imported[name] = command

    def __delitem__(self, name: str) -> None:
        del self._modules[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class Verbs(click.Group):
    """The group of all verbs, listed by their groups; user errors are printed on one line, without a traceback."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.commands = _Commands({name: module for module, (_, verbs) in GROUPS.items() for name in verbs})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of the work."""
        del ctx
        return list(self.commands)

    def summary(self, name: str) -> str:
        """Return the first sentence of a verb's help."""
        return next(verbs[name] for _, verbs in GROUPS.values() if name in verbs)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return verbs or options that begin like the text; without importing a verb."""
        if not incomplete or incomplete[0].isalnum():
            return [
                CompletionItem(name, help=self.summary(name)) for name in self.commands if name.startswith(incomplete)
            ]
        return super().shell_complete(ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs under their headings, one line each, in columns of equal width."""
        del ctx
        widest = max(map(len, self.commands))
        for heading, verbs in GROUPS.values():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), summary) for name, summary in verbs.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments; ``help VERB`` is ``VERB --help``."""
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        return super().parse_args(ctx, args)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Parse options; write errors without control characters."""
        try:
            return super().make_context(*args, **options)
        except click.ClickException as error:
            raise _write_message(error) from None
        except OSError as error:  # help and version are written here
            reported = None if isinstance(error, BrokenPipeError) else _explain_failure(error)
            raise reported or error from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; turn errors that a user can cause into a line and an exit code."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _say_warning  # type: ignore[assignment]  # it has no use for the rest
                return super().invoke(ctx)
        except BrokenPipeError:
            # The reader of our output has seen enough (head, less): not an error.
            sys.stderr.close()
            ctx.exit(0)
        except (Exception, KeyboardInterrupt) as error:
            from_click = isinstance(error, (click.ClickException, click.exceptions.Exit))
            reported = error if from_click else _explain_failure(error, ctx)
            if isinstance(reported, click.ClickException) and log().json:
                facts = {"message": reported.format_message(), "exit_code": reported.exit_code}
                put(reported.format_message(), "error", facts, as_json=True)
                ctx.exit(reported.exit_code)
            if isinstance(reported, click.ClickException):
                _write_message(reported)
            if reported is None or from_click:
                raise
            raise reported from error


def _explain_failure(error: BaseException, ctx: click.Context | None = None) -> click.ClickException | None:
    from graphlang.cli.failures import describe_damage, explain_failure  # noqa: PLC0415 - most commands succeed

    reported = explain_failure(error)
    return describe_damage(ctx, error) if reported is None and ctx is not None else reported


def _say_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
    """Write a warning on one line; one of graphlang is for the user, wherever the program raises it."""
    for_user = category.__module__.startswith("graphlang.")
    say(f"Warning: {message}" if for_user else f"{filename}:{lineno}: {category.__name__}: {message}", "warning")


def _write_message(error: click.ClickException) -> click.ClickException:
    """Write the message of an error on one line, without the control characters of names that it repeats."""
    message = error.format_message()
    if isinstance(error, click.MissingParameter):  # click lists the choices on lines of their own
        message = " ".join(message.split())
    elif isinstance(error, click.NoSuchOption) and error.option_name == "--db" and error.ctx is not None:
        message = f"No such option '--db': name the database without it, 'graphlang {error.ctx.info_name} crawl.db'"
    elif isinstance(error, click.UsageError) and message.startswith("Got unexpected extra") and error.ctx is not None:
        hint = EXTRA.get(error.ctx.info_name or "")
        message += f": {hint}" if hint else ""
    message = visible_lines(message)
    error.format_message = lambda: message  # type: ignore[method-assign]  # each class formats its own message
    return error


@click.group(
    cls=Verbs,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(None, "-V", "--version", package_name="graphlang", prog_name="graphlang")
@click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    envvar="GRAPHLANG_CONFIG",
    help="Options of a project, in TOML; by default graphlang.toml, or [tool.graphlang] in pyproject.toml, in the"
    " working folder.",
)
@click.option("--no-config", is_flag=True, help="Ignore configuration files.")
@click.pass_context
def cli(ctx: click.Context, config: Path | None, *, no_config: bool) -> None:
    """Find the language of every page of a crawled collection, also of pages with too little text.

    Files are read into one SQLite database; the text of each page is classified by n-grams; then the links decide
    what the text alone cannot.
    """
    _check_epoch(ctx)
    if ctx.invoked_subcommand is not None:
        name_variables(cli.commands[ctx.invoked_subcommand], ctx.invoked_subcommand)
    if no_config:
        return
    values = read_defaults(cli, ctx.invoked_subcommand, config)
    if values is not None:
        ctx.default_map = values


def _check_epoch(ctx: click.Context) -> None:
    """Refuse a SOURCE_DATE_EPOCH that is not a time: importing numpy and scipy fails at it with a traceback."""
    value = os.environ.get("SOURCE_DATE_EPOCH", "0")
    if not value:  # as if it were not set
        del os.environ["SOURCE_DATE_EPOCH"]
        return
    try:
        time.gmtime(int(value))  # as numpy does
    except (ValueError, OverflowError, OSError):
        message = f"SOURCE_DATE_EPOCH is '{visible(value)}', which is not a time in seconds since 1970"
        raise click.UsageError(message, ctx) from None


def main() -> None:
    """Run the command line."""
    watch_signals()
    prepare_streams()
    if "train" not in sys.argv[1:2]:
        # Only this verb multiplies large matrices. Threads that wait for some take a core from those that read or
        # infer, and a small product waits for them in turn. It has to be set before numpy is imported.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Few objects are garbage in cycles: collecting every thousand objects, and all modules at the end, takes a tenth of
    # the time of `--help`, and a twentieth of that of `languages --known` and of a small `ingest`.
    gc.set_threshold(200_000, 50, 50)
    try:
        cli(prog_name="graphlang")
    except KeyboardInterrupt:  # before or after the work of a verb
        sys.exit(_INTERRUPTED)
    finally:
        gc.freeze()


class _Droppable(io.FileIO):
    """A file whose failing writes are dropped: a log on a full disk, a pipe without a reader."""

    def write(self, data: ReadableBuffer) -> int:
        """Write bytes, or drop them; return how many are done with."""
        try:
            written: int | None = super().write(data)
        except OSError:
            written = None
        return memoryview(data).nbytes if written is None else written


def prepare_streams() -> None:
    """Let writes to standard error never fail, and characters that a charset lacks be escapes.

    Messages matter less than the work, which continues without them, and has its own exit code.
    """
    _open_closed_streams()
    if isinstance(sys.stderr, io.TextIOWrapper):
        try:
            droppable = _Droppable(sys.stderr.fileno(), "w", closefd=False)
        except (OSError, ValueError):  # not a file of the operating system: the program runs inside another one
            pass
        else:
            encoding = sys.stderr.encoding
            sys.stderr = io.TextIOWrapper(io.BufferedWriter(droppable), encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # characters that the charset lacks are escapes
            stream.reconfigure(errors="backslashreplace")


def _open_closed_streams() -> None:
    """Open streams that the shell closed (``>&-``) on the null device, so that no other file gets their numbers."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - until the program ends
