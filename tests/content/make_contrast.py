"""Train the vector of Nigerian Pidgin in the default model again, against everyday English (`training.contrast`).

    python tests/content/make_contrast.py DATA MODEL

Most of its training text is transcribed speech, with whole sentences in English, while the English of the training text
is news and manuals. Sources whose licence forbids commercial use are left out. They serve to measure: the stories
`african-storybook` and `pratham-books`, and the news `lafand-mt` and `masakhane-lacuna-news`.
"""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphlang import modelfile
from graphlang.training import contrast
from graphlang.training.contrast import Group

if TYPE_CHECKING:
    from collections.abc import Collection

LABEL: Final = "pcm"
ARCHIVE: Final = "train-more.tar.xz"
MORE: Final = "train-more"  #: folder in the archive
#: Kinds of text in Nigerian Pidgin, and in English.
OWN: Final = (
    "train/pcm/udhr_pcm.txt",
    "train-software/pcm/UD_Naija-NSC.txt",
    "train-software/pcm/mediawiki_pcm.txt",
    "train-more/pcm/afrisenti-tweets.txt",
)
ENGLISH: Final = (
    "train/en/common-voice-2021.txt",
    "train/en/mozilla-www-l10n.txt",
    "train/en/tico19.txt",
    "train-software/en/mediawiki_en.txt",
    "train-more/en/UD_English-EWT.txt",
    "train-more/en/ebible-engBBE.txt",
    "train-more/en/umsab-tweets.txt",
)
EXCERPTS: Final = 12_000  #: of each of the two languages
OF_OTHERS: Final = 24  #: of each other language
WEIGHT_ENGLISH: Final = 50.0  #: English is that much commoner than Pidgin, at least
WEIGHT_OTHERS: Final = 10.0
SEED: Final = 1
MEASURED: Final = ("nfc-relatives.json", "unknown.json")


def read_members(data: Path, names: Collection[str]) -> dict[str, bytes]:
    """Read files of the archive in one pass: to seek in it would decompress it again."""
    contents: dict[str, bytes] = {}
    with tarfile.open(data / ARCHIVE, "r|xz") as archive:
        for member in archive:
            if member.name in names and (file := archive.extractfile(member)):
                contents[member.name] = file.read()
                if len(contents) == len(names):
                    return contents
    raise FileNotFoundError(f"{ARCHIVE}: {min(set(names) - set(contents))} is missing")


def read_lines(data: Path) -> dict[str, list[str]]:
    """Read the lines of the files, by their paths."""
    names = (*OWN, *ENGLISH)
    texts = {name: (data / name).read_bytes() for name in names if not name.startswith(MORE)}
    texts |= read_members(data, [name for name in names if name.startswith(MORE)])
    return {name: texts[name].decode("utf-8").splitlines() for name in names}


def make_groups(data: Path) -> list[Group]:
    """Make the groups of both languages, and one of each other language."""
    lines = read_lines(data)
    groups = [Group(lines[name], EXCERPTS // len(OWN), 1.0, in_language=True) for name in OWN]
    groups += [Group(lines[name], EXCERPTS // len(ENGLISH), WEIGHT_ENGLISH, in_language=False) for name in ENGLISH]
    for folder in sorted((data / "train").iterdir()):
        if folder.is_dir() and folder.name not in ("en", "pcm"):
            texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))]
            groups.append(Group("".join(texts).splitlines(), OF_OTHERS, WEIGHT_OTHERS, in_language=False))
    return groups


def main(data: Path, path: Path) -> None:
    """Write the model with the new vector over the old file, and its digest into what was measured with the old one.

    Bounds of relatives and open-set coefficients are means over hundreds of labels; Pidgin is in none of the pairs.
    """
    model, before = modelfile.read(path)
    digest = contrast.retrain(model, LABEL, make_groups(data), seed=SEED).save(path)
    for name in MEASURED:
        file = path.parent / name
        if file.exists():
            file.write_text(file.read_text(encoding="utf-8").replace(before, digest), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
