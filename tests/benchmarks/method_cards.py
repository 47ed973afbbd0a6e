"""The figures on the method cards: writes ``graphlang/data/method-figures.json``.

    python tests/benchmarks/method_cards.py                  # every method; minutes
    python tests/benchmarks/method_cards.py nfc url          # these anew, the others as they are

Content methods answer every line of ``lid``, whole and cut to 49 and to 24 characters, in languages that the method
has. Methods that come without a model are trained for this, and they and other programs' identifiers (left out, and
named, where they are not installed) answer every tenth line. URL methods answer ``urls/visible.tsv``. Methods over the
graph start from the default content method on two collections of ``web``.

A card names the hash of the model that was measured. When a shipped model changes, a test asks for this program.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import os
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import lid_peers
import numpy as np
from development_data import answer_texts
from graph_tables import hide
from paper_tables import trained
from url_data import has_path

from graphlang.analysis.classify import classify
from graphlang.analysis.collection_methods import classify_tld
from graphlang.analysis.ingest import ingest
from graphlang.analysis.propagate import propagate
from graphlang.analysis.vote import guess, vote
from graphlang.codes.languages import code
from graphlang.content import registry as content_methods
from graphlang.content.adapters import ADAPTERS
from graphlang.db import create
from graphlang.evaluation.evaluate import evaluate, read_gold
from graphlang.evaluation.metrics import calibration_error, macro_f
from graphlang.graph.baselines import CLUEWEB09
from graphlang.method_cards.card import FIGURES_FILE, read_figures
from graphlang.modelfile import ModelError
from graphlang.urls import url_methods
from graphlang.urls.labelled_urls import read_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

COMMAND: Final = "python tests/benchmarks/method_cards.py"
SHIPPED: Final = ("nfc", "nfc-2004", "nfc-2004-11", "byte-trigrams")
CUTS: Final = {"whole lines": None, "first 49 characters": 49, "first 24 characters": 24}
#: Collections, and whether a fifth of the pages is hidden, cut or whole (`graph_tables.hide`); then only these count.
SETS: Final = {"docs-short30": False, "httpd2006-short30": False, "docs-full": True}
BUCKETS: Final = {
    "cut<25": "cut to fewer than 25 characters",
    "cut<50": "cut to 25 to 49",
    "full": "whole pages",
    "hidden": "pages never read",
}
WEIGHTS: Final = FIGURES_FILE.with_name("weights.json")
EVERY: Final = 10  # one line in so many, of methods that are slow or trained for this
CHARACTERS: Final = 20_000  # of training text for a language, where a model is trained for this
CONFUSIONS: Final = 12
PAIR: Final = ("url-words-me", "url-words-re")  # what stands for any two merged methods
Figures = dict[str, Any]


def digest(paths: Iterable[Path]) -> str:
    """SHA-256 of files, one after the other."""
    found = hashlib.sha256()
    for path in paths:
        found.update(path.read_bytes())
    return found.hexdigest()


def scored(name: str, gold: NDArray[np.str_], answer: NDArray[np.str_], sure: NDArray[np.floating]) -> Figures:
    right = gold == answer
    return {
        "on": name,
        "tested": len(gold),
        "accuracy": round(float(right.mean()), 4),
        "macro_f": round(macro_f(gold, answer), 4),
        "calibration_error": round(calibration_error(np.clip(sure, 0, 1), right), 4),
    }


def confusions(gold: NDArray[np.str_], answer: NDArray[np.str_]) -> list[Figures]:
    """What is taken for what, the commonest first."""
    texts = Counter(gold.tolist())
    wrong = Counter(pair for pair in zip(gold.tolist(), answer.tolist(), strict=True) if pair[0] != pair[1])
    return [
        {"language": one, "taken_for": other, "tested": texts[one], "share": round(number / texts[one], 4)}
        for (one, other), number in sorted(wrong.items(), key=lambda item: (-item[1], item[0]))[:CONFUSIONS]
    ]


def of_languages(gold: NDArray[np.str_], columns: list[NDArray[np.bool_]]) -> dict[str, list[float]]:
    """By language how many were tested, and the accuracy in each column."""
    return {
        name: [int((gold == name).sum()), *(round(float(right[gold == name].mean()), 4) for right in columns)]
        for name in np.unique(gold).tolist()
    }


def answers(identifier: Any, texts: list[str]) -> tuple[NDArray[np.str_], NDArray[np.float32]]:
    names = np.array([*(code(label) or "und" for label in identifier.labels), "und"])
    labels, confidences = answer_texts(identifier, texts)
    return names[labels], confidences


def content(identifier: Any, lines: list[tuple[str, str, str]], **told: str) -> Figures:
    known = {code(label) for label in identifier.labels} - {None, "und"}
    lines = [line for line in lines if line[1] in known]
    gold = np.array([language for _, language, _ in lines])
    rows, columns, taken = [], [], []
    for name, cut in CUTS.items():
        answer, sure = answers(identifier, [text[:cut] for _, _, text in lines])
        rows.append(scored(name, gold, answer, sure))
        columns.append(answer == gold)
        taken = taken or confusions(gold, answer)
    return {
        "test": "lid",
        "model": "" if told else identifier.hash,  # only that of a shipped model names anything that others have
        **told,
        "labels": len(identifier.labels) - ("und" in identifier.labels),
        "accuracy": rows,
        "confusions": taken,
        "languages": of_languages(gold, columns),
    }


def contents(data: Path, wanted: set[str]) -> dict[str, Figures]:
    lines, _ = lid_peers.lines(data, 0)
    found = {}
    for name in content_methods.names():
        if name not in wanted:
            continue
        if name in SHIPPED:
            found[name] = content(content_methods.load(name), lines)
        elif name in ADAPTERS:
            try:
                peer = content_methods.load(name)
            except ModelError as error:
                print(f"{name}: left out ({error})")
                continue
            about = peer.describe()
            found[name] = content(peer, lines[::EVERY], measured=f"with {about['package']} {about['version']}")
        else:
            made = trained(data, lambda _path: True, name, maximum=CHARACTERS)
            how = f"with a model trained for this, from at most {CHARACTERS:,} characters of each language"
            found[name] = content(made, lines[::EVERY], measured=how)
        print(name, found[name]["accuracy"], flush=True)
    return found


def urls(data: Path, wanted: set[str]) -> dict[str, Figures]:
    pairs = {merged: merged.replace("A", PAIR[0]).replace("B", PAIR[1]) for merged in url_methods.MERGED}
    rows = read_urls(data / "urls" / "visible.tsv")
    found = {}
    for name in [*url_methods.list_methods(), *pairs]:
        if name not in wanted:
            continue
        method = url_methods.load(pairs.get(name, name))
        some = [row for row in rows if row.language in set(method.labels)]
        gold = np.array([row.language for row in some])
        path = np.array([has_path(row.url) for row in some])
        answer, sure = answers(method, [row.url for row in some])
        parts = {"all URLs": path | ~path, "URLs with a path": path, "bare hosts": ~path}
        found[name] = {
            "test": "urls",
            "model": "" if name in pairs else method.hash,
            "labels": 0 if name in pairs else len(set(method.labels) - {"und"}),
            "accuracy": [scored(title, gold[part], answer[part], sure[part]) for title, part in parts.items()],
            "confusions": confusions(gold, answer),
            "languages": of_languages(gold, [answer == gold]),
        }
        if name in pairs:
            found[name]["measured"] = f"with {pairs[name]}"
        print(name, found[name]["accuracy"], flush=True)
    return found


GRAPH: Final[dict[str, Callable[..., Any]]] = {
    "tld": classify_tld,
    "inlinks": vote,
    "outlinks": lambda connection: vote(connection, outlinks=True),
    CLUEWEB09: guess,
    "label-spreading": lambda connection: propagate(connection, algorithm="label-spreading"),
    "propagation": propagate,
}


def graphs(data: Path, wanted: set[str]) -> dict[str, Figures]:
    found: dict[str, Figures] = {}
    default = content_methods.load(content_methods.DEFAULT)
    for name, hidden in SETS.items():
        with tempfile.TemporaryDirectory() as folder, closing(create(Path(folder) / "web.db")) as connection:
            ingest(connection, [data / "web" / f"{name}.warc.gz"], workers=1)
            gold = read_gold(connection, data / "web" / f"{name}.gold.tsv", "bucket")
            if hidden:
                hide(connection, gold)
            seed = classify(connection, default)
            for method, run in GRAPH.items():
                if method not in wanted or (method == CLUEWEB09 and not hidden):
                    continue  # the rule is for URLs that were never fetched
                table = evaluate(connection, gold, run(connection), "bucket")
                alone = {group.group: group for group in evaluate(connection, gold, seed, "bucket").groups}
                own = found.setdefault(
                    method,
                    {
                        "test": "web",
                        "model": default.hash,
                        "measured": f"from the answers of {default.name}; right: of the pages with an inlink",
                        "weights": digest([WEIGHTS]) if method == "propagation" else "",
                        "labels": 0,
                        "accuracy": [],
                        "confusions": [],
                        "languages": {},
                    },
                )
                for group in table.groups:
                    bucket = BUCKETS.get(group.group.removeprefix("bucket "))
                    if bucket and group.linked and hidden == (bucket == BUCKETS["hidden"]):
                        own["accuracy"].append(
                            {
                                "on": f"{name}, {bucket}",
                                "tested": group.linked,
                                "accuracy": round(group.linked_accuracy, 4),
                                "text_alone": round(alone[group.group].linked_accuracy, 4),
                            }
                        )
                if not own["confusions"]:
                    texts = Counter(gold.language)
                    own["confusions"] = [
                        {"language": one, "taken_for": other, "tested": texts[one], "share": round(n / texts[one], 4)}
                        for one, other, n in table.confusion[:CONFUSIONS]
                    ]
                print(name, method, own["accuracy"], flush=True)
    return found


def training_urls(data: Path) -> list[Figures]:
    """The URLs that the shipped URL models were trained on, by source and kind."""
    lines = (data / "urls" / "train.tsv").read_text(encoding="utf-8").splitlines()[1:]
    cells = [line.split("\t", 3)[:3] for line in lines]
    counts = Counter((source, kind) for _, source, kind in cells)
    return [
        {
            "source": source,
            "kind": kind,
            "urls": number,
            "languages": len({language for language, *where in cells if where == [source, kind]}),
        }
        for (source, kind), number in counts.most_common()
    ]


def tests_of(data: Path) -> Figures:
    lid = sorted((data / "lid").glob("*.tsv"))
    web = [data / "web" / f"{name}.{suffix}" for name in SETS for suffix in ("warc.gz", "gold.tsv")]
    return {
        "lid": {"what": f"lines of {', '.join(path.stem for path in lid)}", "sha256": digest(lid)},
        "urls": {
            "what": "labelled URLs; no registered domain is one of training",
            "sha256": digest([data / "urls" / "visible.tsv"]),
        },
        "web": {
            "what": "pages of real sites (short30: URLs made opaque, 30 % of the pages cut short)",
            "sha256": digest(web),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", help="all if none is named")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("GRAPHLANG_DATA", "../shared/data")))
    asked = parser.parse_args()
    every = {*content_methods.names(), *url_methods.list_methods(), *url_methods.MERGED, *GRAPH}
    wanted = set(asked.methods) or every
    if wanted - every:
        parser.error(f"no such method: {', '.join(sorted(wanted - every))}")
    before = read_figures()["methods"] if asked.methods and FIGURES_FILE.exists() else {}
    # Found anew and kept, in the order of the list of methods.
    both = before | contents(asked.data, wanted) | urls(asked.data, wanted) | graphs(asked.data, wanted)
    order = [*content_methods.names(), *url_methods.list_methods(), *url_methods.MERGED, *GRAPH]
    written = {
        "command": COMMAND,
        "date": f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}",
        "tests": tests_of(asked.data),
        "training_urls": training_urls(asked.data),
        "methods": {name: both[name] for name in order if name in both},
    }
    text = json.dumps(written, ensure_ascii=False, separators=(",", ":"))
    FIGURES_FILE.write_text(text.replace('},"', '},\n"') + "\n")


if __name__ == "__main__":
    main()
