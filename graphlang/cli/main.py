"""The group of all verbs, and the one place where an error becomes one line and an exit code."""

from __future__ import annotations

import sqlite3
import sys
from typing import Any

import click

import graphlang
from graphlang.cli import collect, convert, crawl, describe, identify, infer, listing, measure, profiles
from graphlang.content.errors import ModelError
from graphlang.db import StoreError

_EPILOG = """
\b
Start here:
  graphlang run crawl.warc.gz --db crawl.db     a language for every page, and the language map
  graphlang pages crawl.db --language swa       the pages in Swahili
  graphlang explain crawl.db URL                why a page has its language
"""


class _Verbs(click.Group):
    """Tells errors that users can cause in one line, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (StoreError, ModelError) as error:
            raise click.ClickException(str(error)) from error
        except sqlite3.Error as error:
            raise click.ClickException(_sqlite_words(error)) from error
        except BrokenPipeError:
            # Whoever reads our output has had enough (head, less): not an error of ours.
            sys.stderr.close()
            ctx.exit(0)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(f"{where}{error.strerror or error}") from error
        except KeyboardInterrupt as error:
            raise click.ClickException("stopped; what was done is kept, and the same command goes on") from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Verbs in the order of the work, not of the alphabet."""
        del ctx
        return list(self.commands)


def _sqlite_words(error: sqlite3.Error) -> str:
    words = str(error)
    if "full" in words:
        return "the disk is full: what was written before is kept; make room and repeat the command to go on"
    if "locked" in words:
        return "the database is in use by another process"
    return f"database error: {words}"


@click.group(
    cls=_Verbs, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(graphlang.__version__, prog_name="graphlang")
def cli() -> None:
    """Find the language of every page of a crawled collection, also of pages too short to tell.

    Files are read into one SQLite database; the text of each page is classified by n-grams; then the links decide
    what the text alone cannot.
    """


for _command in (
    collect.run,
    collect.ingest,
    convert.convert,
    infer.classify,
    infer.vote,
    infer.propagate,
    listing.pages,
    listing.sites,
    describe.explain,
    crawl.frontier,
    identify.identify,
    measure.evaluate,
    measure.compare,
    measure.tune,
    identify.train,
    identify.methods,
    profiles.profiles_,
    listing.runs,
    listing.problems,
    describe.info,
):
    cli.add_command(_command)


def main() -> None:
    """Run the command line."""
    cli(prog_name="graphlang")
