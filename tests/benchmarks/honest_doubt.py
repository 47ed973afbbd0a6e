"""What `nfc` says of texts that it cannot know (languages left out, rubbish), and what that costs the others.

    python tests/benchmarks/honest_doubt.py

Labels are left out one in ten at a time: their columns are taken out of the shipped model, which is as if they had
never been trained, but for the choice of n-grams. Then their FLORES lines are asked for, whole, cut, and several joined
to 400 characters and more. A language has a close relative where the model without it gives most of its joined lines to
one other label with .9 and more, doubt left aside; the shares are given without those languages, too, and without those
between two relatives (most of their lines go to two other labels: Moroccan Arabic to standard and Algerian Arabic, Zulu
to Xhosa and Southern Ndebele). Which languages there are decides more than anything else: the interval holds 95 % of
the shares of as many languages drawn from these. `--who` lists whose texts are told at .9, and as what. Then languages
that the model has never had, whose n-grams nothing was chosen for: labels of FLORES, and those of the corpus with too
little text to be trained. All of them, and without those that it has under another code: in a script of its label
(`hak_Hant` is `hak`), or as its macrolanguage (ISO 639-3, as the registry of IANA has them: `dip` is a Dinka, `din`).
`--never` prints that alone. Then rubbish, and the lines of known languages: accuracy, share at .9 and more, calibration
error, each without doubt and with it.
"""

from __future__ import annotations

import argparse
import base64
import os
import random
import zlib
from collections import Counter, defaultdict
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import numpy as np
from development_data import answer_texts, read_lines
from langcodes.data_dicts import MACROLANGUAGES

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.content import registry
from graphlang.content.nfc import doubt, rubbish
from graphlang.content.nfc.model import Discriminative
from graphlang.content.text.normalise import normalise
from graphlang.content.text.scripts import registry as scripts
from graphlang.evaluation.metrics import calibration_error
from graphlang.training import corpus
from graphlang.training.model_columns import remove_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDS = 10
LINES = 30
SHORTEST = 16  # characters of a line of the corpus
JOINED = 400
SHARE = 10  # one of so many texts is in an unknown language
SURE = 0.9
DRAWS = 10_000
CUTS = {"whole": None, "49": 49, "24": 24}
NEVER = np.array([-80, *[0] * 7], dtype=np.float32)
Answers = tuple[np.ndarray, np.ndarray]


@contextmanager
def without_doubt() -> Iterator[None]:
    with (
        mock.patch.object(doubt, "COEFFICIENTS", NEVER),
        mock.patch.multiple(rubbish, THIRD_LETTERS=2.0, CODE=2.0, GARBLED=0),
        mock.patch.object(doubt, "FEWEST_LETTERS", 1 << 40),
    ):
        yield


def ask(identifier: Discriminative, texts: list[str]) -> Answers:
    """The best label of each text, empty where there is none, and its confidence."""
    labels, confidences = answer_texts(identifier, texts)
    return np.array([*identifier.labels, ""])[labels], confidences


def join_lines(lines: list[str]) -> list[str]:
    made, current = [], ""
    for line in lines:
        current += f"{line} "
        if len(current) >= JOINED:
            made.append(current)
            current = ""
    return made


def flores(data: Path) -> dict[str, dict[str, list[str]]]:
    """Texts by kind and label."""
    by_label: dict[str, list[str]] = defaultdict(list)
    for line in read_lines("flores200_devtest", data):
        if label := languages.label(line.tag):
            by_label[label].append(line.text)
    made: dict[str, dict[str, list[str]]] = {"joined": {label: join_lines(own) for label, own in by_label.items()}}
    for kind, size in CUTS.items():
        made[kind] = {label: [text[:size] for text in own[:LINES]] for label, own in by_label.items()}
    return made


def make_rubbish(draw: random.Random, number: int = 60) -> dict[str, list[str]]:
    """Made texts that are in no language."""

    def digits(size: int) -> str:
        return "".join(draw.choice("0123456789abcdef") for _ in range(size))

    def word() -> str:
        return "".join(draw.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(draw.randint(2, 9)))

    def lines(make: Callable[[], str], most: int = 20) -> str:
        return "\n".join(make() for _ in range(draw.randint(1, most)))

    rules = ("color:#fff", "margin:0 auto", "padding:.5rem 1rem", "display:block", "font-weight:700", "float:left")
    paths = ("admin", "cgi-bin", "tmp", "private", "search", "cart", "login", "feed", "includes")
    code = (
        "function {0}({1}){{return {1}.{2}({0})}}",
        "if({0}&&{1}.length>0){{{1}.push({0})}}",
        'var {0}=document.getElementById("{2}");',
        "window.{2}=window.{2}||[];",
    )
    return {
        "hexadecimal": [digits(draw.choice([32, 64, 400])) for _ in range(number)],
        "checksums": [lines(lambda: f"{digits(40)}  {word()}.gz") for _ in range(number)],
        "base64": [base64.b64encode(draw.randbytes(draw.choice([30, 90, 900]))).decode() for _ in range(number)],
        "XXXX": [" ".join(["X" * draw.randint(3, 9)] * draw.randint(1, 60)) for _ in range(number)],
        "random letters": [" ".join(word() for _ in range(draw.choice([4, 20, 90]))) for _ in range(number)],
        "robots.txt": [
            "User-agent: *\n" + lines(lambda: f"Disallow: /{draw.choice(paths)}/{draw.choice(['', '*', '?s='])}")
            for _ in range(number)
        ],
        "style sheets": [
            lines(lambda: f".{word()}{{{';'.join(draw.sample(rules, draw.randint(1, 5)))}}}") for _ in range(number)
        ],
        "minified JavaScript": [
            "".join(
                draw.choice(code).format(draw.choice("etn"), draw.choice("rio"), word())
                for _ in range(draw.randint(2, 40))
            )
            for _ in range(number)
        ],
        "addresses": [
            lines(lambda: f"https://cdn.example/{draw.choice(paths)}/{digits(10)}.{draw.choice(['js', 'png'])}")
            for _ in range(number)
        ],
    }


def half_of(label: str) -> int:
    """0: the coefficients were fitted on the label's texts (``tests/content/make_unknown.py``); 1: they were not."""
    return int(label != "eng" and zlib.crc32(label.encode()) % 2 == 1)


def share(sure: np.ndarray, least: float) -> str:
    return f"{100 * np.mean(sure >= least):7.1f}"


Said = dict[tuple[str, bool], dict[str, Answers]]


def of_fold(model: modelfile.Model, gone: set[str], texts: dict[str, dict[str, list[str]]], said: Said) -> None:
    """Add what the model without some labels says of their texts."""
    smaller = Discriminative(remove_labels(model, gone), "", "")
    for kind, own in texts.items():
        some = sorted(gone & own.keys())
        flat = [text for label in some for text in own[label]]
        ends = np.cumsum([len(own[label]) for label in some])[:-1]
        with without_doubt():
            before = ask(smaller, flat)
        for doubting, (best, sure) in ((False, before), (True, ask(smaller, flat))):
            parts = zip(some, np.split(best, ends), np.split(sure, ends), strict=True)
            said[kind, doubting] |= {label: (one, two) for label, one, two in parts}


def mixed(identifier: Discriminative, texts: dict[str, list[str]], labels: list[str], said: dict[str, Answers]) -> str:
    """Calibration error where one text of ten is in an unknown language; and how many known ones are told at .9."""
    gold = np.array([label for label in labels for _ in texts[label]])
    best, sure = ask(identifier, [text for label in labels for text in texts[label]])
    strangers = np.concatenate([said[label][1] for label in labels])[:: SHARE - 1]
    both = np.concatenate([sure, strangers]), np.concatenate([best == gold, np.zeros(len(strangers), dtype=bool)])
    return f"{calibration_error(*both):10.4f}{calibration_error(sure, best == gold):10.4f}{share(sure, 0.9):>10}"


def related(answers: Answers, others: int) -> bool:
    """Whether most of a language's texts are told at .9 as so many other labels together."""
    best, sure = answers
    return sum(count for _, count in Counter(best[sure >= SURE].tolist()).most_common(others)) >= len(best) / 2


def interval(told: dict[str, Answers], labels: list[str]) -> tuple[float, float]:
    """Bounds of 95 % of the shares told at .9 (%), of as many languages drawn from these, with replacement."""
    counts = np.array([(np.count_nonzero(told[label][1] >= SURE), len(told[label][1])) for label in labels])
    drawn = counts[np.random.default_rng(1).integers(0, len(labels), (DRAWS, len(labels)))].sum(axis=1)
    low, high = np.percentile(100 * drawn[:, 0] / drawn[:, 1], [2.5, 97.5])
    return float(low), float(high)


def show_who(told: dict[str, Answers], labels: list[str]) -> None:
    """List the languages of which texts are told at .9, and the labels that took them."""
    for label in labels:
        best, sure = told[label]
        if taken := Counter(best[sure >= SURE].tolist()).most_common(4):
            print(f"    {label:10}{sum(sure >= SURE):4} of {len(sure):4} as " + ", ".join(f"{a} {n}" for a, n in taken))


def measure_left_out(
    model: modelfile.Model, texts: dict[str, dict[str, list[str]]], half: int | None, *, who: bool
) -> None:
    labels = [label for label in model.labels if label in texts["whole"] and half in (None, half_of(label))]
    order = list(model.labels)
    random.Random(1).shuffle(order)  # noqa: S311
    said: Said = defaultdict(dict)
    for fold in range(FOLDS):
        of_fold(model, set(order[fold::FOLDS]), texts, said)
    groups = {"all": labels}
    for others, name in ((1, "no close relative"), (2, "nor two")):
        groups[name] = [label for label in labels if not related(said["joined", False][label], others)]
    print(f"{'languages left out; share (%) told at':40}{'.9 before':>10}{'.9 now':>10}{'95 % of draws':>16}")
    for name, some in groups.items():
        for kind in texts:
            before, now = (np.concatenate([said[kind, doubt][label][1] for label in some]) for doubt in (False, True))
            low, high = interval(said[kind, True], some)
            drawn = f"{low:.1f} to {high:.1f}"
            print(f"{name:20}{len(some):4} {kind:15}{share(before, SURE):>10}{share(now, SURE):>10}{drawn:>16}")
            if who and name != "all":
                show_who(said[kind, True], some)
    print(
        "calibration error, one text of ten in an unknown language; known ones alone; and these at .9 (%): before, now"
    )
    identifier = Discriminative(model, "", "")
    for kind, own in texts.items():
        with without_doubt():
            before = mixed(identifier, own, labels, said[kind, False])
        print(f"{kind:10}{before}{mixed(identifier, own, labels, said[kind, True])}")


def too_little(data: Path, held: set[str]) -> dict[str, dict[str, list[str]]]:
    """Texts by kind of the languages whose training text is too little for the model."""
    folders = data / "train", data / "train-software"
    read = corpus.read_corpus(
        folders[0], label=languages.label, minimum=lambda _: 0, maximum=400_000, messages=folders[1:], one_script=True
    )
    made: dict[str, dict[str, list[str]]] = {"joined": {}, **{kind: {} for kind in CUTS}}
    for label in sorted(read.lines.keys() - held):
        own = [line for line in read.lines[label] if len(line) >= SHORTEST]
        random.Random(label).shuffle(own)  # noqa: S311
        made["joined"][label] = join_lines(own)[:LINES]
        for kind, size in CUTS.items():
            made[kind][label] = [text[:size] for text in own[:LINES]]
    return made


def is_had(model: modelfile.Model, label: str, texts: list[str]) -> bool:
    """Whether a model has a language under another code, in the script that most letters of some texts are in."""
    letters = normalise(texts, limit=JOINED, one_script=True)
    script = scripts.name(int(np.bincount(letters.scripts, weights=letters.lengths).argmax()))
    names = [model.parameters["scripts"][number] for number in model.arrays["script"].tolist()]
    held = {languages.split_label(own)[0] for own, name in zip(model.labels, names, strict=True) if name == script}
    language = languages.split_label(label)[0]
    return language in held or languages.code(MACROLANGUAGES.get(language, languages.UND)) in held


def never(
    identifier: Discriminative,
    model: modelfile.Model,
    name: str,
    texts: dict[str, dict[str, list[str]]],
    *,
    who: bool,
) -> None:
    """Print how much is told at .9 of the languages that the model has never had, nor their n-grams."""
    strangers = sorted(label for label in texts["joined"] if label not in identifier.labels and texts["joined"][label])
    others = [label for label in strangers if not is_had(model, label, texts["whole"][label])]
    print(f"\n{name} in labels that the model has never had, share (%) at .9 before and now, 95 % of draws")
    print("under another code it has " + ", ".join(label for label in strangers if label not in set(others)))
    for kind, own in texts.items():
        with without_doubt():
            before = {label: ask(identifier, own[label]) for label in strangers}
        told = {label: ask(identifier, own[label]) for label in strangers}
        for group, some in (("all", strangers), ("without these", others)):
            shares = [share(np.concatenate([by[label][1] for label in some]), SURE) for by in (before, told)]
            low, high = interval(told, some)
            print(f"{group:14}{len(some):4} {kind:10}{''.join(shares)}{f'{low:.1f} to {high:.1f}':>16}")
        if who:
            show_who(told, strangers)


def measure_known(identifier: Discriminative, data: Path) -> None:
    print("\nknown languages, every file of test lines: texts, accuracy, share at .9 (%), calibration error")
    print(f"{'':22}{'texts':>7}{'accuracy before, now':>24}{'at .9 before, now':>20}{'error before, now':>20}")
    held = set(identifier.labels)
    for file, own_lines in groupby(read_lines(data=data), key=lambda line: line.file):
        by_label: dict[str, list[str]] = defaultdict(list)
        for line in own_lines:
            if (label := languages.label(line.tag)) in held:
                by_label[str(label)].append(line.text)
        kinds = {"": {label: own[:LINES] for label, own in by_label.items()}}
        if file.startswith("flores"):
            kinds[" joined"] = {label: join_lines(own) for label, own in by_label.items()}
            kinds[" 24"] = {label: [text[:24] for text in own[:LINES]] for label, own in by_label.items()}
        for kind, own in kinds.items():
            gold = np.array([label for label, lines in own.items() for _ in lines])
            flat = [text for lines in own.values() for text in lines]
            with without_doubt():
                before = ask(identifier, flat)
            now = ask(identifier, flat)
            both = (before, now)
            right = [f"{np.mean(best == gold):.4f}" for best, _ in both]
            at = [share(sure, 0.9).strip() for _, sure in both]
            error = [f"{calibration_error(sure, best == gold):.4f}" for best, sure in both]
            name = file.removesuffix("_devtest") + kind
            print(
                f"{name:22}{len(flat):7}{right[0]:>12}{right[1]:>12}{at[0]:>10}{at[1]:>10}{error[0]:>10}{error[1]:>10}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("GRAPHLANG_DATA", "../shared/data")))
    parser.add_argument("--half", type=int, choices=(0, 1), help="labels of that half alone are left out")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--brief", action="store_true", help="languages left out alone")
    part.add_argument("--never", action="store_true", help="languages that were never trained alone")
    parser.add_argument("--who", action="store_true", help="list whose texts are told at .9, but for close relatives")
    wanted = parser.parse_args()
    model, digest = modelfile.read(registry.path("nfc"))
    identifier = Discriminative(model, digest, "nfc")
    texts = flores(wanted.data)
    print(f"model {digest[:16]}\n")
    if not wanted.never:
        measure_left_out(model, texts, wanted.half, who=wanted.who)
    if wanted.brief:
        return
    never(identifier, model, "FLORES", texts, who=wanted.who)
    never(identifier, model, "the corpus", too_little(wanted.data, set(model.labels)), who=wanted.who)
    if wanted.never:
        return
    print("\nrubbish: share (%) at .9 before and now, at .5 before and now, without an answer now")
    for name, own in make_rubbish(random.Random(2)).items():  # noqa: S311
        with without_doubt():
            before = ask(identifier, own)[1]
        now = ask(identifier, own)[1]
        cells = [share(sure, least) for least in (0.9, 0.5) for sure in (before, now)]
        print(f"{name:20}" + "".join(cells) + f"{100 * np.mean(now == 0):7.1f}")
    measure_known(identifier, wanted.data)


if __name__ == "__main__":
    main()
