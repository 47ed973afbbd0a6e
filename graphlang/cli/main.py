"""The group of all verbs, and the one place where an error becomes one line and an exit code."""

from __future__ import annotations

import gc
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import click

from graphlang.cli.config import defaults, name_variables
from graphlang.cli.failures import INTERRUPTED, failure
from graphlang.cli.lazy_group import Verbs
from graphlang.cli.shared.messages.log import log, put, say
from graphlang.cli.streams import prepare
from graphlang.cli.verbs import GROUPS
from graphlang.interrupts import note
from graphlang.visible import visible, visible_lines

_EPILOG = """
\b
Examples:
  graphlang run crawl.warc.gz --db crawl.db   a language for every page
  graphlang pages crawl.db --language swa     the pages in Swahili
  graphlang explain crawl.db URL              why a page has its language

Exit codes: 0 done; 1 done, with problems; 2 wrong usage; 3 database or model unfit; 4 no more disk or memory; 5 another
process is writing to the database; 130 interrupted.
"""


class _Told(Verbs):
    """Tells errors that users can cause in one line, without a traceback."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        try:
            return super().make_context(*args, **kwargs)
        except click.ClickException as error:
            raise _inert(error) from None
        except OSError as error:  # help and version are written here
            told = None if isinstance(error, BrokenPipeError) else failure(error)
            raise told or error from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show  # type: ignore[assignment]  # it has no use for the rest
                return super().invoke(ctx)
        except BrokenPipeError:
            # Whoever reads our output has had enough (head, less): not an error of ours.
            sys.stderr.close()
            ctx.exit(0)
        except (Exception, KeyboardInterrupt) as error:
            ours = isinstance(error, (click.ClickException, click.exceptions.Exit))
            told = error if ours else failure(error) or _unsound(ctx, error)
            if isinstance(told, click.ClickException) and log().json:
                facts = {"message": told.format_message(), "exit_code": told.exit_code}
                put(told.format_message(), "error", facts, as_json=True)
                ctx.exit(told.exit_code)
            if isinstance(told, click.ClickException):
                _inert(told)
            if told is None or ours:
                raise
            raise told from error


def _unsound(ctx: click.Context, error: BaseException) -> click.ClickException | None:
    from graphlang.cli.unsound import unsound  # noqa: PLC0415 - most commands end well

    return unsound(ctx, error)


def _show(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
    """Say a warning in one line: ours is for the user, whatever line of the program it comes from."""
    ours = category.__module__.startswith("graphlang.")
    say(f"Warning: {message}" if ours else f"{filename}:{lineno}: {category.__name__}: {message}", "warning")


def _inert(error: click.ClickException) -> click.ClickException:
    """The same error, whose words cannot steer a terminal: there are names in it, of files, hosts or options."""
    words = visible_lines(error.format_message())
    error.format_message = lambda: words  # type: ignore[method-assign]  # each class puts its words together by itself
    return error


@click.group(
    cls=_Told,
    groups=GROUPS,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="graphlang", prog_name="graphlang")
@click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    envvar="GRAPHLANG_CONFIG",
    help="Options of a project, in TOML; by default graphlang.toml, or [tool.graphlang] in pyproject.toml, in the"
    " working folder.",
)
@click.option("--no-config", is_flag=True, help="Look for no such file.")
@click.pass_context
def cli(ctx: click.Context, config: Path | None, *, no_config: bool) -> None:
    """Find the language of every page of a crawled collection, also of pages too short to tell.

    Files are read into one SQLite database; the text of each page is classified by n-grams; then the links decide
    what the text alone cannot.
    """
    _check_moment(ctx)
    if ctx.invoked_subcommand is not None:
        name_variables(cli.commands[ctx.invoked_subcommand], ctx.invoked_subcommand)
    if no_config:
        return
    found = defaults(cli, ctx.invoked_subcommand, config)
    if found is not None:
        ctx.default_map = found


def _check_moment(ctx: click.Context) -> None:
    """Refuse a time of reproducible builds that is none: numpy, where scipy is imported, stops with a traceback at it.

    Raises:
        click.UsageError: ``SOURCE_DATE_EPOCH`` is no whole number, or greater than a time can be.
    """
    written = os.environ.get("SOURCE_DATE_EPOCH", "0")
    if not written:  # as if it were not there
        del os.environ["SOURCE_DATE_EPOCH"]
        return
    try:
        time.gmtime(int(written))  # as numpy does
    except (ValueError, OverflowError, OSError):
        told = f"SOURCE_DATE_EPOCH is '{visible(written)}', which is no time in seconds since 1970"
        raise click.UsageError(told, ctx) from None


def main() -> None:
    """Run the command line."""
    note()
    prepare()
    if "train" not in sys.argv[1:2]:
        # No verb but this one has large matrices to multiply: threads that wait for some take a core from those that
        # read or infer, and a small product waits for them in turn. It has to be said before numpy is imported.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Hardly anything here is garbage in cycles: looking for some every thousand objects, and among all modules at the
    # end, takes 5 ms of the 46 of `--help`, and a twentieth of the time of `languages --known` and of a small `ingest`.
    gc.set_threshold(200_000, 50, 50)
    try:
        cli(prog_name="graphlang")
    except KeyboardInterrupt:  # before or after the work of a verb
        sys.exit(INTERRUPTED)
    finally:
        gc.freeze()
