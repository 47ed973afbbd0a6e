"""The walk of README.md from Python, in cells (``# %%``): run it as a script, or cell by cell in an editor.

    python examples/library.py [FOLDER]

It leaves its database and its model in FOLDER, a temporary one if none is given.
"""

# %% Where things are
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import graphlang as gl

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else Path(tempfile.mkdtemp())

# %% Texts, without a database
texts = ["Nebel im Tal", "Nebbia a valle", "Foto 12"]
for text, prediction in zip(texts, gl.identify(texts), strict=True):
    print(text, "->", prediction.language, f"{prediction.confidence:.2f}")

# %% Read the crawl: pages, texts and links into one SQLite file
crawl = gl.open(FOLDER / "library.db")
counts = crawl.ingest(HERE / "crawl.warc.gz")
print(f"{counts.pages} captures, {counts.links} links, {counts.problems} problems")

# %% Classify every text by its n-grams; let the inlinks vote; then let the whole graph decide
content = crawl.classify()
by_vote = crawl.vote()
final = crawl.propagate()
print(f"propagation: {final.rounds} rounds, {'converged' if final.converged else 'stopped at the limit'}")

# %% The same inference with weaker links is one more run; the views keep showing the first
weaker = crawl.propagate(weights={"neighbours": 0.3}, keep_chosen=True)

# %% Measure the runs with the gold labels
for run in (content, by_vote, final, weaker):
    groups = {group.group: group for group in crawl.evaluate(HERE / "crawl.gold.tsv", by="bucket", run=run.id).groups}
    line = " ".join(
        f"{part} {groups[f'bucket {part}'].accuracy:.3f}" for part in ("tiny", "short", "full", "unfetched")
    )
    print(f"run {run.id} {run.method:12} {line}")

# %% The language map of the sites
for site in crawl.sites(by="host").head(10):
    print(f"{site.site:28} {site.name:16} {site.pages:4} pages  {site.share:.0%}")

# %% Why a page has its language
page = "http://radio-nord.example/3/show.php?id=265"
why = crawl.explain(page)
print(why)  # in words, as the verb does
for reason in why.reasons[:5]:  # or as values
    print(f"  {reason.log_odds:+6.2f} {reason.source:8} {reason.language} {reason.url or ''}")

# %% SQL: the views are ordinary tables to read from
query = "SELECT host, COUNT(*) AS languages FROM site_languages WHERE pages > 0 GROUP BY 1 HAVING languages > 1"
for row in crawl.db.query(query):
    print(row["host"], row["languages"])

# %% Train a model on the collection: on the texts of pages that are long and certain
corpus = FOLDER / "corpus"
sentences: defaultdict[str, list[str]] = defaultdict(list)
certain = (
    "SELECT language, text FROM page_languages JOIN texts USING (page)"
    " WHERE confidence > 0.9 AND page_languages.length > 150 ORDER BY page"
)
for row in crawl.db.query(certain):
    sentences[row["language"]] += re.split(r"(?<=[.。।])\s*", row["text"])
for language, lines in sentences.items():
    (corpus / language).mkdir(parents=True, exist_ok=True)
    (corpus / language / "pages.txt").write_text("\n".join(lines), encoding="utf-8")
labels = gl.train(FOLDER / "own.npz", corpus, method="nfc-2004", minimum=500)
own_run = crawl.classify(FOLDER / "own.npz", keep_chosen=True)
print(f"{len(labels)} languages, {own_run.pages} pages classified by run {own_run.id}")

# %% Every run is kept, with all its parameters
for run in crawl.runs():
    print(run.id, run.kind, run.method, run.pages)
crawl.close()
