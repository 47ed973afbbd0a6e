"""The walk of README.md from Python, in cells (``# %%``): run it as a script, or cell by cell in an editor.

    python examples/library.py [FOLDER]

It leaves its database and its model in FOLDER, a temporary one if none is given.
"""

# %% Where things are
import re
import sys
import tempfile
from collections import defaultdict
from contextlib import closing
from pathlib import Path

from graphlang.analysis import classify, ingest, propagate, vote
from graphlang.analysis.explain import explain
from graphlang.codes.languages import bcp47, code, name, official
from graphlang.content import registry
from graphlang.content.training.train import train
from graphlang.db import create, open_existing, runs
from graphlang.evaluation.evaluate import evaluate, read_gold
from graphlang.graph.propagation.inference import Options
from graphlang.maps.sites import language_map

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else Path(tempfile.mkdtemp())
DATABASE = FOLDER / "library.db"

# %% One code system: whatever names a language becomes an ISO 639-3 code
print(code("pt-BR"), code("iw"), code("Hungarian"), bcp47("srp_Latn"), official("ch"))

# %% Read the crawl: pages, texts and links into one SQLite file
collection = create(DATABASE)
done = ingest.ingest(collection, [HERE / "crawl.warc.gz"])
print(f"{done.pages} pages, {done.links} links, {done.problems} problems")

# %% Classify every text by its n-grams. A method is anything with a name, labels, and probabilities(texts)
identifier = registry.load("nfc")
for text in ("Nebel im Tal", "Nebbia a valle", "Foto 12"):
    row = identifier.probabilities([text])[0]
    print(text, "->", identifier.labels[int(row.argmax())], f"{row.max():.2f}")
content = classify.classify(collection, identifier)

# %% Let the links decide: the vote of the inlinks, then the propagation
by_vote = vote.vote(collection)
final = propagate.propagate(collection)
print(f"propagation: {final.rounds} rounds, {'converged' if final.converged else 'stopped at the cap'}")

# %% The same inference with weaker links is one more run; the views keep showing the first
weaker = propagate.propagate(collection, options=Options(neighbours=0.3), choose=False)

# %% Compare the runs with the gold labels
gold = read_gold(collection, HERE / "crawl.gold.tsv", by="bucket")
for run in (content, by_vote, final, weaker):
    groups = {group.group: group for group in evaluate(collection, gold, run, by="bucket").groups}
    shown = " ".join(
        f"{part} {groups[f'bucket {part}'].accuracy:.3f}" for part in ("tiny", "short", "full", "unfetched")
    )
    print(f"run {run.id} {run.method:12} {shown}")

# %% The language map of the sites
for site in language_map(collection, by="host")[:10]:
    print(f"{site.site:28} {site.name:16} {site.pages:4} pages  {site.share:.0%}")

# %% Why a page has its language
page = "http://radio-nord.example/3/show.php?id=265"
why = explain(collection, page)
print(f"{page}: {why.language} ({name(why.language)}), confidence {why.confidence:.2f}, text: {why.excerpt!r}")
for reason in why.reasons[:5]:
    print(f"  {reason.log_odds:+6.2f} {reason.source:8} {reason.language} {reason.url or ''}")

# %% SQL: the views are ordinary tables to read from
query = "SELECT host, COUNT(*) FROM site_languages WHERE pages > 0 GROUP BY host HAVING COUNT(*) > 1 ORDER BY 2 DESC"
for host, languages in collection.execute(query).fetchall():
    print(host, languages)

# %% A model trained on what the collection itself says: the texts of the pages that are long and certain
corpus = FOLDER / "corpus"
texts: defaultdict[str, list[str]] = defaultdict(list)
certain = (
    "SELECT language, text FROM page_languages JOIN texts USING (page)"
    " WHERE confidence > 0.9 AND page_languages.length > 150 ORDER BY page"
)
for language, text in collection.execute(certain):
    texts[language] += re.split(r"(?<=[.。।])\s*", text)
for language, own in texts.items():
    (corpus / language).mkdir(parents=True, exist_ok=True)
    (corpus / language / "pages.txt").write_text("\n".join(own), encoding="utf-8")
model = train(corpus, method="nfc-2004", minimum=500)
model.save(FOLDER / "own.npz")
own_run = classify.classify(collection, registry.load(str(FOLDER / "own.npz")), choose=False)
print(f"{len(model.labels)} languages, {own_run.pages} pages classified by run {own_run.id}")
collection.close()

# %% Nothing was overwritten: every run is still there, with all its parameters
with closing(open_existing(DATABASE)) as collection:
    for run in runs.every(collection):
        print(run.id, run.kind, run.method, run.pages)
