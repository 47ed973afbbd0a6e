"""The verbs and their groups, as ``graphlang --help`` shows them.

To add a verb: write its function in the module of its group, and its line here: the first sentence of its help, in 60
characters at most.
"""

from __future__ import annotations

from typing import Final

#: Module -> heading of its verbs, and the verbs in the order of the work: name -> first sentence of the help. A verb is
#: a function with `_` for `-`, and with a final one where Python has the name.
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
        "Past one machine",
        {
            "cluster": "Do the same on Spark; tables are written as Parquet.",
            "import": "Make DB of the tables that 'cluster run' wrote.",
        },
    ),
}
