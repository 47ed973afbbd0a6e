"""The group of all verbs, and the one place where an error becomes one line and an exit code."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

import click

from graphlang.cli.failures import INTERRUPTED, failure
from graphlang.cli.lazy_group import Verbs

_EPILOG = """
\b
Start here:
  graphlang run crawl.warc.gz --db crawl.db     a language for every page, and the language map
  graphlang pages crawl.db --language swa       the pages in Swahili
  graphlang explain crawl.db URL                why a page has its language

\b
Exit codes: 0 done; 1 done, with problems; 2 wrong usage; 3 database or model unfit; 4 no more disk or
memory; 5 another process is writing to the database; 130 interrupted.
"""


class _Told(Verbs):
    """Tells errors that users can cause in one line, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Whoever reads our output has had enough (head, less): not an error of ours.
            sys.stderr.close()
            ctx.exit(0)
        except (Exception, KeyboardInterrupt) as error:
            told = None if isinstance(error, (click.ClickException, click.exceptions.Exit)) else failure(error)
            if told is None:
                raise
            raise told from error


#: Verbs in the order of the work: where each is, and the first words of its help.
_VERBS = {
    "run": ("run", "Find the language of every page in FILES and print the language map."),
    "ingest": ("ingest", "Read FILES into DB."),
    "convert": (
        "convert",
        "Write all records of SOURCE to TARGET: a store file, or WARC (.warc, .warc.gz), by TARGET's name.",
    ),
    "classify": ("classify", "Classify the pages in DB by the content of their text, or by their URLs."),
    "vote": ("vote", "Let the inlinks of short pages vote (INLINKS, Hayati 2004, algorithm 5.5)."),
    "propagate": (
        "propagate",
        "Infer the language of every page, fetched or only linked to, from its own text and its neighbours' languages.",
    ),
    "pages": ("pages", "List pages and their languages, by the chosen run."),
    "sites": ("sites", "The language map: pages by site and language."),
    "languages": ("languages", "List the languages of DB: pages, sites, characters, scripts and encodings."),
    "language-graph": (
        "language_graph:language_graph",
        "Links between languages, after Caminero and Mikami 2006: counts and shares of the links between sites.",
    ),
    "report": ("report", "Write a report: one HTML file that needs nothing else and asks nobody for anything."),
    "serve": ("serve", "Browse DB with Datasette (needs graphlang[serve]), read-only, on this machine alone."),
    "texts": ("texts", "Write the texts of pages with URL, date, source, language, confidence and method."),
    "export": (
        "export",
        "Write what other programs read, row by row, so that memory does not grow with the collection.",
    ),
    "explain": (
        "explain",
        "Print why a page has its language: text, declarations, URL, every neighbour that had a say, round by round.",
    ),
    "frontier": ("frontier", "Rank the URLs that were never fetched by the chance that they are in a wanted language."),
    "identify": ("identify", "Identify the language of texts: FILES in UTF-8, '-' (or nothing) for standard input."),
    "evaluate": (
        "evaluate",
        "Compare the languages of DB with gold labels: accuracy over all pages, by length and by a column of the file.",
    ),
    "compare": ("compare", "List the pages whose language differs between two runs."),
    "tune": (
        "tune",
        "Fit the weights of the inference on labelled pages, and say what they are worth on sites that were held out.",
    ),
    "train": (
        "train",
        "Train MODEL from CORPUS, a folder with one sub-folder for each label, UTF-8 text files in them.",
    ),
    "score": (
        "score",
        "Score a URL method on labelled URLs with the measures of Baykan, Henzinger and Weber 2008, section 4.2.",
    ),
    "tree": ("tree", "Print the decision tree of LANGUAGE, as figure 1 of Baykan, Henzinger and Weber 2008 does."),
    "methods": ("methods", "List the methods that identify languages."),
    "profiles": (
        "profiles:profiles_",
        "List the profiles of MODEL (a file, or a method with a model), or change some of them and no other.",
    ),
    "remove": (
        "remove",
        "Remove pages with all that was read and computed of them, and keep later readings from bringing them back.",
    ),
    "runs": ("runs", "List all runs with their parameters, or choose the one that the views show."),
    "problems": ("problems", "List what could not be read: file, offset, URL and reason."),
    "info": ("info", "Count what a database holds: files, pages, links by kind, charsets, languages, problems."),
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
    except KeyboardInterrupt:  # before or after the work of a verb
        sys.exit(INTERRUPTED)
    finally:
        gc.freeze()
