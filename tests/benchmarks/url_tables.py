"""The tables of Baykan, Henzinger and Weber 2008 on our URLs, and what the shipped URL model does beyond them.

    python tests/benchmarks/url_tables.py paper          tables 4, 6, 7, 8, 9 and figure 1, for en de fr es it
    python tests/benchmarks/url_tables.py curves         learning curves (section 6), domains seen (figure 3)
    python tests/benchmarks/url_tables.py content        training on content (section 7)
    python tests/benchmarks/url_tables.py all            the shipped models on all languages, calibration, speed
    python tests/benchmarks/url_tables.py train FOLDER [METHOD...]   train shipped models anew, into FOLDER
    python tests/benchmarks/url_tables.py pin            write the figures that tests/urls/test_url_baseline.py holds

Data: ``urls/train.tsv`` trains, ``urls/visible.tsv`` tests; no registered domain stands in both. The folder is that of
the environment variable GRAPHLANG_DATA, else ../shared/data beside the checkout.
"""

from __future__ import annotations

import hashlib
import json
import os
import runpy
import sys
import time
from collections import defaultdict
from functools import cache
from itertools import permutations
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from scipy import sparse

from graphlang.urls import cctld, decision_tree, dictionary, maximum_entropy, naive_bayes, published, relative_entropy
from graphlang.urls import model as url_model
from graphlang.urls.corpus import Labelled, read_text, read_urls
from graphlang.urls.custom import Custom
from graphlang.urls.domains import registered_domains
from graphlang.urls.evaluation import balanced_f, calibration_error, confusion, macro_f, measures
from graphlang.urls.features import features
from graphlang.urls.knowledge import signs
from graphlang.urls.merge import improve_precision, improve_recall
from graphlang.urls.methods import load, names
from graphlang.urls.tokens import hashes
from graphlang.urls.train import train
from graphlang.urls.vectors import learn

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[3] / "shared" / "data"))
FIVE = ("eng", "deu", "fra", "spa", "ita")
LEARNERS = {"NB": naive_bayes.fit, "RE": relative_entropy.fit, "ME": maximum_entropy.fit}
SETS = ("words", "trigrams", "custom")
LEAST_URLS = {"url": 10}  # of a language, for a shipped model; 20 for the others


def has_path(url: str) -> bool:
    parts = urlsplit(url)
    return len(parts.path) > 1 or bool(parts.query)


@cache
def rows(name: str) -> tuple[Labelled, ...]:
    return tuple(read_urls(DATA / "urls" / f"{name}.tsv"))


@cache
def text() -> dict[str, list[str]]:
    return read_text(DATA / "train")


class Part:
    """Some labelled URLs of the five languages."""

    def __init__(self, chosen: list[Labelled]) -> None:
        self.urls = [row.url for row in chosen]
        self.language = np.array([row.language for row in chosen])
        self.label = np.array([FIVE.index(row.language) for row in chosen])

    def some(self, keep: np.ndarray) -> Part:
        return Part([Labelled(self.language[n], "", self.urls[n]) for n in np.flatnonzero(keep)])


def five(name: str, *, path: bool) -> Part:
    return Part([row for row in rows(name) if row.language in FIVE and (has_path(row.url) or not path)])


def custom_features(part: Part) -> Custom:
    """The paper's codes, dictionaries of running text, trained dictionaries of this part."""
    return Custom(
        FIVE,
        codes={language: hashes(cctld.PAPER[language]) for language in FIVE},
        words={language: dictionary.common_words(text()[language]) for language in FIVE},
        trained=dict(zip(FIVE, dictionary.trained(part.urls, part.label, len(FIVE)), strict=True)),
    )


def decisions(part: Part, tests: list[Part], chosen: list[tuple[str, str]], seed: int = 0) -> dict:
    """{(set, learner): an array [URLs, five languages] for each test}: five binary classifiers each (section 4.1)."""
    answer = {key: [np.zeros((len(test.urls), len(FIVE)), dtype=bool) for test in tests] for key in chosen}
    chance = np.random.default_rng(seed)
    for number, _ in enumerate(FIVE):
        positive = np.flatnonzero(part.label == number)
        others = np.flatnonzero(part.label != number)
        negative = chance.choice(others, size=min(len(positive), len(others)), replace=False)
        picked = np.concatenate([positive, negative])
        truth = (part.label[picked] == number).astype(np.int64)
        for kind in {kind for kind, _ in chosen}:
            if kind == "custom":
                made = custom_features(part)
                best = made.best
                given = made.values([part.urls[n] for n in picked])[:, best]
                asked = [made.values(test.urls)[:, best] for test in tests]
            else:
                vocabulary = learn(kind, [part.urls[n] for n in picked])
                given = vocabulary.counts([part.urls[n] for n in picked])
                asked = [vocabulary.counts(test.urls) for test in tests]
            for learner in (learner for one, learner in chosen if one == kind):
                if learner == "DT":
                    fitted = decision_tree.grow(given, truth, 2, least=5)
                    results = [fitted.classes(values) for values in asked]
                else:
                    fitted = LEARNERS[learner](sparse.csr_matrix(given), truth, 2)
                    results = [fitted.classes(sparse.csr_matrix(values)) for values in asked]
                for place, result in enumerate(results):
                    answer[kind, learner][place][:, number] = result == 1
    return answer


COMBINATIONS = [(kind, learner) for kind in SETS for learner in LEARNERS] + [("custom", "DT")]


def f_row(decided: np.ndarray, test: Part) -> list[float]:
    return [measures(decided[:, n], test.language == language).f for n, language in enumerate(FIVE)]


def show(title: str, scores: list[float]) -> None:
    print(f"{title:34}", *(f"{score:6.3f}" for score in scores), f"{np.mean(scores):8.3f}")


def paper() -> None:
    part = five("train", path=False)
    tests = {"path": five("visible", path=True), "all": five("visible", path=False)}
    for name, test in tests.items():
        print(f"\nTable 4, ccTLD (ccTLD+ for English), test URLs: {name} ({len(test.urls)})")
        for plus in (False, True):
            answer = cctld.paper(test.urls, plus=plus)
            for language in FIVE if not plus else ("eng",):
                found = measures(answer == language, test.language == language)
                print(f"  {language}{'+' if plus else ' '}", *(f"{x:.2f}" for x in found))
    chosen = list(tests.values())
    made = decisions(part, chosen, COMBINATIONS)
    table_6_and_7(tests, made)
    print("\nTable 8, NB over words" + " " * 12, *FIVE, "average")
    for place, (name, test) in enumerate(tests.items()):
        show(f"  {name}", f_row(made["words", "NB"][place], test))
    table_9(part, tests, made)
    shipped = load("url")
    print("\nThe shipped model, the likeliest of the five" + " " * 3, *FIVE, "average")
    for name, test in tests.items():
        chances = shipped.probabilities(test.urls)
        best = np.array(FIVE)[chances[:, [shipped.labels.index(code) for code in FIVE]].argmax(axis=1)]
        any_language = np.array(shipped.labels)[chances.argmax(axis=1)]
        show(f"  {name}", f_row(best[:, None] == np.array(FIVE), test))
        show(f"  {name}, likeliest of all labels", f_row(any_language[:, None] == np.array(FIVE), test))
    figure_1(part)


def table_6_and_7(tests: dict[str, Part], made: dict) -> None:
    for place, (name, test) in enumerate(tests.items()):
        print(f"\nTable 7, test URLs: {name}. P, R = p(+|+), p(-|-), F")
        for (kind, learner), some in made.items():
            for n, language in enumerate(FIVE):
                found = measures(some[place][:, n], test.language == language)
                print(f"  {kind:9} {learner} {language}", *(f"{x:.3f}" for x in found))
        print(f"\nF of each feature set and learner, test URLs: {name}" + " " * 5, *FIVE, "average")
        for (kind, learner), some in made.items():
            show(f"  {kind} {learner}", f_row(some[place], test))
        print(f"\nTable 6, confusion of NB over words, test URLs: {name}; columns", *FIVE)
        for language, line in zip(FIVE, confusion(made["words", "NB"][place], test.language, FIVE), strict=True):
            print(f"  {language}", *(f"{x:6.1%}" for x in line))


def table_9(part: Part, tests: dict[str, Part], made: dict) -> None:
    """The best pair of each language, chosen on a third of the training domains, never on the test."""
    _, domain = np.unique(registered_domains(part.urls), return_inverse=True)
    third = np.random.default_rng(1).integers(3, size=domain.max() + 1)[domain] == 0
    held_out = part.some(third)
    trial = decisions(part.some(~third), [held_out], COMBINATIONS)
    merges = {"recall": improve_recall, "precision": improve_precision}
    best = []
    for n, language in enumerate(FIVE):
        truth = held_out.language == language
        pairs = [
            (measures(merge(trial[a][0][:, n], trial[b][0][:, n]), truth).f, a, b, how)
            for a, b in permutations(COMBINATIONS, 2)
            for how, merge in merges.items()
            if a < b
        ]
        best.append(max(pairs))
    print("\nTable 9, the best pair for each language" + " " * 2, *FIVE, "average")
    for place, (name, test) in enumerate(tests.items()):
        scores = []
        for n, language in enumerate(FIVE):
            _, a, b, how = best[n]
            merged = merges[how](made[a][place][:, n], made[b][place][:, n])
            scores.append(measures(merged, test.language == language).f)
        show(f"  {name}", scores)
    for language, (_, a, b, how) in zip(FIVE, best, strict=True):
        print(f"  {language}: {' '.join(a)} and {' '.join(b)}, {how} improvement")


def figure_1(part: Part) -> None:
    made = custom_features(part)
    chance = np.random.default_rng(0)
    german = np.flatnonzero(part.language == "deu")
    others = chance.choice(np.flatnonzero(part.language != "deu"), size=len(german), replace=False)
    picked = np.concatenate([german, others])
    values = made.values([part.urls[n] for n in picked])[:, made.best]
    tree = decision_tree.grow(values, (part.language[picked] == "deu").astype(np.int64), 2, depth=4, least=20)
    print("\nFigure 1, the decision tree for German, four questions deep")
    print(tree.text([made.names[n] for n in made.best], ["other", "German"]))


def curves() -> None:
    part, test = five("train", path=False), five("visible", path=True)
    seen_by_test = registered_domains(test.urls)
    chance = np.random.default_rng(0)
    mixed = chance.random(len(part.urls)) < 0.1  # a tenth, domains shared with the rest
    print("F averaged over five languages, test URLs with a path (no domain seen) | a random tenth of train.tsv")
    wanted = [key for key in COMBINATIONS if key[0] != "custom" or key[1] == "DT"]
    print("share of training, URLs, domains seen |", *(" ".join(key) for key in wanted))
    for share in (0.001, 0.01, 0.1, 1.0):
        rest = np.flatnonzero(~mixed)
        keep = np.zeros(len(part.urls), dtype=bool)
        keep[chance.choice(rest, size=int(share * len(rest)), replace=False)] = True
        some, tenth = part.some(keep), part.some(mixed)
        domains = set(registered_domains(some.urls))
        both = (seen_by_test, registered_domains(tenth.urls))
        known = [np.mean([domain in domains for domain in asked]) for asked in both]
        made = decisions(some, [test, tenth], wanted)
        for place, asked in enumerate((test, tenth)):
            scores = [balanced_f(made[key][place], asked.language, FIVE) for key in wanted]
            print(f"{share:6.1%} {len(some.urls):6} {known[place]:6.1%} |", *(f"{score:.3f}" for score in scores))


def content() -> None:
    part, test = five("train", path=False), five("visible", path=True)
    print("Section 7: F with words, trained on URLs (U) and on URLs and running text (Co)", *FIVE, "average")
    chance = np.random.default_rng(0)
    added = [
        Labelled(language, "", "/" + line.replace("%", " "))
        for language in FIVE
        for line in chance.permutation(np.array(text()[language], dtype=object))[:3000]
    ]
    both = Part([Labelled(code, "", url) for code, url in zip(part.language, part.urls, strict=True)] + added)
    for name, some in (("U", part), ("Co", both)):
        made = decisions(some, [test], [("words", "NB"), ("words", "ME")])
        for key, decided in made.items():
            show(f"  {' '.join(key)} {name}", f_row(decided[0], test))


def all_languages() -> None:
    test = rows("visible")
    urls = [row.url for row in test]
    language = np.array([row.language for row in test])
    counts = defaultdict(int)
    for row in rows("train"):
        counts[row.language] += 1
    enough = np.array([counts[code] >= 20 for code in language])
    path = np.array([has_path(url) for url in urls])
    for name in names():
        method = load(name)
        chances = method.probabilities(urls)
        answer = np.array(method.labels)[chances.argmax(axis=1)]
        right = answer == language
        hinted = hints(urls, language)
        begin = time.process_time()
        method.probabilities(urls)
        rate = len(urls) / (time.process_time() - begin)
        print(f"\n{name}: {len(method.labels)} languages, {rate:,.0f} URLs/s of CPU time")
        print(f"  accuracy, languages with 20 training URLs: {right[enough].mean():.4f}, all: {right.mean():.4f}")
        print(f"  macro-F, languages with 20 training URLs: {macro_f(answer[enough], language[enough]):.3f}")
        for title, chosen in (("hint", hinted), ("no hint", ~hinted), ("path", path), ("no path", ~path)):
            some = chosen & enough
            score = macro_f(answer[some], language[some])
            print(f"  {title:8} {some.mean():5.1%} of URLs, accuracy {right[some].mean():.4f}, macro-F {score:.3f}")
        print(f"  expected calibration error {calibration_error(chances.max(axis=1), right):.4f}", end="")
        without = language != "lug"
        print(f", without lug (one domain) {calibration_error(chances.max(axis=1)[without], right[without]):.4f}")
        five_languages = np.isin(language, FIVE)
        decided = answer[:, None] == np.array(FIVE)
        score = balanced_f(decided[five_languages], language[five_languages], FIVE)
        print(f"  balanced F of the five, likeliest label: {score:.4f}")


def hints(urls: list[str], language: np.ndarray) -> np.ndarray:
    """[URLs] whether a known sign of the right language (code, ccTLD, name) stands in the URL."""
    codes = sorted(set(language.tolist()))
    pairs = {(bucket, column) for bucket, column, _ in signs(codes)}
    column = {code: n for n, code in enumerate(codes)}
    found = features(urls)
    answer = np.zeros(len(urls), dtype=bool)
    for kind in ("word", "place"):
        bucket, first = found[kind]
        row = np.repeat(np.arange(len(urls)), np.diff(first))
        for at, one in zip(row.tolist(), bucket.tolist(), strict=True):
            answer[at] |= (one, column[language[at]]) in pairs
    return answer


def train_all(folder: Path, some: list[str]) -> None:
    urls = defaultdict(list)
    for row in rows("train"):
        urls[row.language].append(row.url)
    for name in some:
        if name.startswith("url-cctld"):
            continue  # a rule, no model
        least = LEAST_URLS.get(name, 20)
        enough = {language: some for language, some in urls.items() if len(some) >= least}
        begin = time.perf_counter()
        if name == "url":
            made = train(enough, text())
            digest = url_model.save(folder / f"{name}.npz", made)
        else:
            digest = published.save(folder / f"{name}.npz", published.train(name, enough))
        size = (folder / f"{name}.npz").stat().st_size
        seconds = time.perf_counter() - begin
        print(f"{name}: {len(enough)} languages, {size:,} bytes, {seconds:.0f} s, {digest}", flush=True)


def pin() -> None:
    """Look at the difference before it is committed: a figure that falls has to have a reason."""
    counts = defaultdict(int)
    for row in rows("train"):
        counts[row.language] += 1
    tests = runpy.run_path(str(Path(__file__).parents[1] / "urls" / "test_url_baseline.py"))
    file = tests["BASELINE"]
    baseline = {
        "sha256_of_visible": hashlib.sha256(tests["VISIBLE"].read_bytes()).hexdigest(),
        "languages": sorted(code for code, count in counts.items() if count >= 20),
        "methods": {},
    }
    file.write_text(json.dumps(baseline))
    baseline["methods"] = {name: tests["figures"](name) for name in sorted(names())}
    file.write_text(json.dumps(baseline, indent=1) + "\n")
    print(json.dumps(baseline["methods"], indent=1))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["paper"]:
            paper()
        case ["curves"]:
            curves()
        case ["content"]:
            content()
        case ["all"]:
            all_languages()
        case ["pin"]:
            pin()
        case ["train", folder, *some]:
            train_all(Path(folder), some or list(names()))
        case _:
            print(__doc__)
            sys.exit(2)
