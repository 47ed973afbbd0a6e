"""What it gives to leave languages out: ``python tests/benchmarks/fewer_languages.py [--lines N]``.

For some sets of languages: accuracy of the test lines in them by the whole default model and by that of the set alone
(``graphlang profiles nfc --only``), whole and cut to 24 characters; the smaller model's calibration error; and how many
of the lines in all other languages it tells at .9 and more, which are all wrong. Lines of files that the model was
never trained on; nothing is tuned here.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphlang import modelfile
from graphlang.codes.languages import code
from graphlang.codes.wanted import wanted
from graphlang.content import registry
from graphlang.content.nfc.model import Discriminative
from graphlang.evaluation.metrics import calibration_error
from graphlang.training.model_columns import select_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
SETS = {
    "five of Western Europe": "eng deu fra spa ita",
    "ten of the North": "dan swe nob nno fao isl fin sme eng deu",
    "eight of the Balkans": "slv hrv bos srp mkd bul sqi eng",
}
FILES = ("flores200_devtest", "laser_tatoeba", "eld_tweets", "lingua_sentences", "lingua_single_words")
CUTS = (None, 24)
SURE = 0.9
_STEP = 2_000


def probabilities(identifier: Identifier, texts: Sequence[str]) -> NDArray[np.float32]:
    return np.concatenate([identifier.probabilities(texts[at : at + _STEP]) for at in range(0, len(texts), _STEP)])


def right(identifier: Identifier, found: NDArray[np.float32], gold: Sequence[str]) -> NDArray[np.bool_]:
    names = [code(label) for label in identifier.labels]
    told = zip(found.argmax(axis=1).tolist(), found.any(axis=1).tolist(), gold, strict=True)
    return np.array([known and names[best] == own for best, known, own in told])


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
        made = select_labels(model, path=path, digest=digest, only=[wanted(one) for one in only])
        small = Discriminative(made.model, "", "")
        print(f"\n{name} ({codes}): {len(made.model.to_bytes()) / 1e6:.1f} MB")
        print("file                      cut  lines   whole  alone   error  others at .9")
        for file in FILES:
            rows = (DATA / "lid" / f"{file}.tsv").read_text(encoding="utf-8").splitlines()[1:]
            lines = [(code(tag), text) for tag, _, text in (row.split("\t", 2) for row in rows)]
            own = [(tag, text) for tag, text in lines if tag in only][:most]
            other = [text for tag, text in lines if tag not in only][:most]
            for cut in CUTS:
                gold, texts = [str(tag) for tag, _ in own], [text[:cut] for _, text in own]
                found = probabilities(small, texts)
                ok = right(small, found, gold)
                before = right(whole, probabilities(whole, texts), gold).mean()
                error = calibration_error(found.max(axis=1), ok)
                sure = (
                    (probabilities(small, [text[:cut] for text in other]).max(axis=1) >= SURE).mean() if other else 0.0
                )
                print(
                    f"{file:24} {cut or 'no':>4} {len(own):6,} {before:7.1%} {ok.mean():6.1%} {error:7.3f}"
                    f" {sure:6.1%} of {len(other):,}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
