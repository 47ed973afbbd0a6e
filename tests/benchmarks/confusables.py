"""How the content method tells languages apart that are easily taken for each other: a confusion table per group.

    python tests/benchmarks/confusables.py                  # the default method
    python tests/benchmarks/confusables.py --methods nfc cld2 py3langid   # beside others (if they are installed)

Rows are the gold languages of the development lines, columns what was answered: the languages of the group, and all
others. Lines whole and cut to 24 characters, every line of `data/lid`. What is not decided by the text: bos, hrv and
srp in Latin letters share nearly all their words, msa and ind most; the Malay lines of two of the files are Indonesian
by the judgement of every system.
"""

from __future__ import annotations

import argparse
import hashlib
import os
from pathlib import Path

import numpy as np

from graphlang.codes.languages import code
from graphlang.content import registry

GROUPS = (
    ("nob", "nno", "dan", "swe"),
    ("hrv", "srp", "bos", "slv"),
    ("msa", "ind"),
    ("ces", "slk"),
    ("por", "glg", "spa", "cat"),
    ("rus", "ukr", "bel", "bul", "mkd", "srp"),
    ("fas", "prs", "pus", "urd"),
    ("hin", "mar", "nep"),
    ("zho", "yue", "jpn"),
)
CUTS = {"whole": None, "24": 24}


def lines(data: Path) -> tuple[list[str], np.ndarray, str]:
    """Texts, gold codes and the digest of the files."""
    texts, gold = [], []
    digest = hashlib.sha256()
    for path in sorted((data / "lid").glob("*.tsv")):
        digest.update(path.read_bytes())
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            tag, _script, text = line.split("\t", 2)
            if any(code(tag) in group for group in GROUPS) and "\\x" not in text:
                texts.append(text)
                gold.append(code(tag) or "")
    return texts, np.array(gold), digest.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("GRAPHLANG_DATA", "../shared/data")))
    parser.add_argument("--methods", nargs="*", default=["nfc"], help="names or model files")
    wanted = parser.parse_args()
    texts, gold, digest = lines(wanted.data)
    print(f"data sha256 {digest[:16]}, {len(texts)} lines")
    for name in wanted.methods:
        identifier = registry.load(name)
        codes = np.array([code(label) or "" for label in identifier.labels])
        for cut, size in CUTS.items():
            some = [text[:size] for text in texts]
            best = [identifier.probabilities(some[i : i + 2000]).argmax(axis=1) for i in range(0, len(some), 2000)]
            said = codes[np.concatenate(best)]
            print(f"\n{name}, {cut}")
            for group in GROUPS:
                print(
                    f"  {'':5}{'lines':>7}" + "".join(f"{column:>7}" for column in group) + f"{'others':>7}{'right':>8}"
                )
                for language in group:
                    mine = said[gold == language]
                    counts = [int((mine == column).sum()) for column in group]
                    rest = len(mine) - sum(counts)
                    right = counts[group.index(language)] / max(len(mine), 1)
                    print(f"  {language:5}{len(mine):7}" + "".join(f"{n:7}" for n in counts) + f"{rest:7}{right:8.3f}")


if __name__ == "__main__":
    main()
