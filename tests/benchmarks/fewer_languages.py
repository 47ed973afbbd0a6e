"""What it gives to leave languages out: ``python tests/benchmarks/fewer_languages.py [--lines N]``.

For some sets of languages: accuracy of the test lines in them by the whole default model and by that of the set alone
(``graphlang profiles nfc --only``), whole and cut to 24 characters; the smaller model's calibration error; and how many
of the lines in all other languages it tells at .9 and more, which are all wrong. Lines of files that the model was
never trained on; nothing is tuned here.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import numpy as np
from development_data import DATA, answer_texts, read_lines

from graphlang import modelfile
from graphlang.codes.languages import code, parse_choice
from graphlang.content import registry
from graphlang.content.nfc.model import Discriminative
from graphlang.evaluation.metrics import calibration_error
from graphlang.training.model_columns import select_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

SETS = {
    "five of Western Europe": "eng deu fra spa ita",
    "ten of the North": "dan swe nob nno fao isl fin sme eng deu",
    "eight of the Balkans": "slv hrv bos srp mkd bul sqi eng",
}
FILES = ("flores200_devtest", "laser_tatoeba", "eld_tweets", "lingua_sentences", "lingua_single_words")
CUTS = (None, 24)
SURE = 0.9


def is_right(identifier: Identifier, labels: NDArray[np.int64], gold: Sequence[str]) -> NDArray[np.bool_]:
    names = np.array([*(code(label) or "" for label in identifier.labels), ""])
    return names[labels] == np.array(gold)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=12_000, help="lines of a file that are asked about at most")
    most = parser.parse_args().lines
    if not DATA.is_dir():
        sys.exit("no data: set GRAPHLANG_DATA to the folder that holds it")
    path = registry.path("nfc")
    model, digest = modelfile.read(path)
    whole = registry.load("nfc")
    for name, codes in SETS.items():
        only = codes.split()
        made = select_labels(model, path=path, digest=digest, only=[parse_choice(one) for one in only])
        small = Discriminative(made.model, "", "")
        print(f"\n{name} ({codes}): {len(made.model.to_bytes()) / 1e6:.1f} MB")
        print("file                      cut  lines   whole  alone   error  others at .9")
        for file in FILES:
            lines = [(code(line.tag), line.text) for line in read_lines(file)]
            own = [(tag, text) for tag, text in lines if tag in only][:most]
            other = [text for tag, text in lines if tag not in only][:most]
            for cut in CUTS:
                gold, texts = [str(tag) for tag, _ in own], [text[:cut] for _, text in own]
                labels, confidence = answer_texts(small, texts)
                right = is_right(small, labels, gold)
                before = is_right(whole, answer_texts(whole, texts)[0], gold).mean()
                error = calibration_error(confidence, right)
                sure = (answer_texts(small, [text[:cut] for text in other])[1] >= SURE).mean() if other else 0.0
                print(
                    f"{file:24} {cut or 'no':>4} {len(own):6,} {before:7.1%} {right.mean():6.1%} {error:7.3f}"
                    f" {sure:6.1%} of {len(other):,}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
