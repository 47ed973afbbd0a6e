"""The group of all verbs, and the one place where an error becomes one line and an exit code."""

from __future__ import annotations

import gc
import os
import sqlite3
import sys
from typing import Any

import click

from graphlang.cli.lazily import Verbs

_EPILOG = """
\b
Start here:
  graphlang run crawl.warc.gz --db crawl.db     a language for every page, and the language map
  graphlang pages crawl.db --language swa       the pages in Swahili
  graphlang explain crawl.db URL                why a page has its language
"""


class _Told(Verbs):
    """Tells errors that users can cause in one line, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        from graphlang.db import StoreError  # noqa: PLC0415 - help and version do without

        try:
            return super().invoke(ctx)
        except StoreError as error:
            raise click.ClickException(str(error)) from error
        except ValueError as error:
            from graphlang.modelfile import ModelError  # noqa: PLC0415 - it brings numpy along

            if not isinstance(error, ModelError):
                raise
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


def _sqlite_words(error: sqlite3.Error) -> str:
    words = str(error)
    if "full" in words:
        return "the disk is full: what was written before is kept; make room and repeat the command to go on"
    if "locked" in words:
        return "the database is in use by another process"
    return f"database error: {words}"


#: Verbs in the order of the work: where each is, and the first words of its help.
_VERBS = {
    "run": ("run", "Find the language of every page in FILES and print the language map."),
    "ingest": ("collect", "Read FILES into DB."),
    "convert": (
        "convert",
        "Write all records of SOURCE to TARGET: a store file, or WARC (.warc, .warc.gz), by TARGET's name.",
    ),
    "classify": ("infer", "Classify the pages in DB by the content of their text, or by their URLs."),
    "vote": ("infer", "Let the inlinks of short pages vote (INLINKS, Hayati 2004, algorithm 5.5)."),
    "propagate": (
        "infer",
        "Infer the language of every page, fetched or only linked to, from its own text and its neighbours' languages.",
    ),
    "pages": ("listing", "List pages and their languages, by the chosen run."),
    "sites": ("listing", "The language map: pages by site and language."),
    "explain": (
        "describe",
        "Print why a page has its language: text, declarations, URL, every neighbour that had a say, round by round.",
    ),
    "frontier": ("crawl", "Rank the URLs that were never fetched by the chance that they are in a wanted language."),
    "identify": ("identify", "Identify the language of texts: FILES in UTF-8, '-' (or nothing) for standard input."),
    "evaluate": (
        "measure",
        "Compare the languages of DB with gold labels: accuracy over all pages, by length and by a column of the file.",
    ),
    "compare": ("measure", "List the pages whose language differs between two runs."),
    "tune": (
        "measure",
        "Fit the weights of the inference on labelled pages, and say what they are worth on sites that were held out.",
    ),
    "train": (
        "identify",
        "Train MODEL from CORPUS, a folder with one sub-folder for each label, UTF-8 text files in them.",
    ),
    "score": (
        "urls",
        "Score a URL method on labelled URLs with the measures of Baykan, Henzinger and Weber 2008, section 4.2.",
    ),
    "tree": ("urls", "Print the decision tree of LANGUAGE, as figure 1 of Baykan, Henzinger and Weber 2008 does."),
    "methods": ("identify", "List the methods that identify languages."),
    "profiles": (
        "profiles:profiles_",
        "List the profiles of MODEL (a file, or a method with a model), or change some of them and no other.",
    ),
    "runs": ("listing", "List all runs with their parameters, or choose the one that the views show."),
    "problems": ("listing", "List what could not be read: file, offset, URL and reason."),
    "info": ("describe", "Count what a database holds: files, pages, links by kind, charsets, languages, problems."),
}


@click.group(
    cls=_Told,
    verbs=_VERBS,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="graphlang", prog_name="graphlang")
def cli() -> None:
    """Find the language of every page of a crawled collection, also of pages too short to tell.

    Files are read into one SQLite database; the text of each page is classified by n-grams; then the links decide
    what the text alone cannot.
    """


def main() -> None:
    """Run the command line."""
    if "train" not in sys.argv[1:2]:
        # No verb but this one has large matrices to multiply: threads that wait for some take a core from those that
        # read or infer, and a small product waits for them in turn. It has to be said before numpy is imported.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Hardly anything here is garbage in cycles: looking for some every thousand objects, and among all modules at the
    # end, takes a tenth of the time of reading a small archive.
    gc.set_threshold(50_000, 50, 50)
    try:
        cli(prog_name="graphlang")
    finally:
        gc.freeze()
