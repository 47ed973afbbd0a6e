"""Write ``graphlang/data/nfc-languages.tsv``: what the shipped `nfc` knows of each label, and how well.

    python tests/content/make_languages.py DATA FOLDER

FOLDER is that of `make_corpus.py`. Kinds and characters are those of the training text. Lines that no weight comes from
are identified whole, and by their first 49 and 24 characters: the held-out documents where the label has some, else the
lines that training held out (one in ten, by a hash). Word lists are no lines. A last column has the language that wrong
lines are mostly taken for, if it gets `TAKEN` of all.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.content import registry
from graphlang.content.nfc.further import PARAMETER
from graphlang.training import corpus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILE: Final = Path(__file__).parents[2] / "graphlang" / "data" / "nfc-languages.tsv"
COLUMNS: Final = ("label", "kinds", "characters", "kept_out", "accuracy", "first_49", "first_24", "taken_for")
OF_KIND: Final = 40  #: lines of a kind of text
SHORTEST: Final = 20  #: characters of a line
TAKEN: Final = 0.05
CUTS: Final = (None, 49, 24)
#: Genres of training whose names are no kind of text.
NAMES: Final = {
    **dict.fromkeys(("blockly", "firefox", "kolibri", "libreoffice", "mediawiki", "mozilla"), "software"),
    **dict.fromkeys(("tuxpaint", "wikipedia"), "software"),
    **dict.fromkeys(("common", "tatoeba"), "sentences"),
    "UD": "treebank",
    "dictionary": "words",
    "ebible": "bible",
    "flores": "encyclopedia",
    "tico": "health",
    "udhr": "declaration",
    "xquad": "encyclopedia",
}
WORDS: Final = "words"


def name_kind(genre: str) -> str:
    """Name the kind of text of a genre.

    >>> name_kind("udhr"), name_kind("chat")
    ('declaration', 'chat')
    """
    return NAMES.get(genre, genre)


def read_held_out(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Read the lines of held-out documents, by label and kind."""
    lines: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("*/*.txt")):
        label, kind = languages.label(path.parent.name), name_kind(path.stem.partition("-")[0])
        if label and kind != WORDS:
            lines[label][kind] += path.read_text(encoding="utf-8").splitlines()
    return lines


def choose_lines(held_out: Mapping[str, Sequence[str]], genres: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Choose the lines to identify: of held-out documents, else of those that training held out."""
    kinds = dict(held_out) or {
        genre: corpus.hold_out(lines, 10)[1] for genre, lines in genres.items() if name_kind(genre) != WORDS
    }
    return [line for lines in kinds.values() for line in [line for line in lines if len(line) >= SHORTEST][:OF_KIND]]


def describe(label: str, genres: Mapping[str, tuple[str, ...]], answers: Sequence[Sequence[str | None]]) -> list[str]:
    """Make a row of the table from the label's training text, and the languages answered for its lines at each cut."""
    sizes: Counter[str] = Counter()
    for genre, lines in genres.items():
        sizes[name_kind(genre)] += sum(map(len, lines))
    language = languages.code(label)
    number = len(answers[0])
    shares = [f"{sum(answer == language for answer in cut) / number:.3f}" if number else "" for cut in answers]
    wrong = Counter(answer for answer in answers[0] if answer not in (language, None))
    [(taken, count)] = wrong.most_common(1) or [("", 0)]
    return [
        label,
        ", ".join(kind for kind, _ in sizes.most_common()),
        str(sizes.total()),
        str(number),
        *shares,
        str(taken) if count > TAKEN * number else "",
    ]


def identify(identifier: Any, texts: Sequence[str]) -> list[str | None]:
    """Identify the language of each text; None without an answer."""
    codes = [languages.code(label) for label in identifier.labels]
    answers: list[str | None] = []
    for begin in range(0, len(texts), 2_000):
        chances = identifier.probabilities(texts[begin : begin + 2_000])
        best = np.where(chances.max(axis=1) > 0, chances.argmax(axis=1), -1)
        answers += [codes[place] if place >= 0 else None for place in best.tolist()]
    return answers


def main(data: Path, folder: Path) -> None:
    """Write the table."""
    identifier = registry.load("nfc")
    settings: dict[str, Any] = {"label": languages.label, "minimum": lambda _: 0, "one_script": True}
    first = corpus.read_corpus(
        folder / "corpus", maximum=400_000, messages=[data / "train-software", folder / "words"], **settings
    )
    second = corpus.read_corpus(folder / "further", maximum=400_000, **settings)
    further = set(modelfile.read_header(registry.path("nfc"))[2][PARAMETER]["labels"])
    held_out = read_held_out(folder / "held_out")
    rows = [COLUMNS]
    for label in sorted(identifier.labels):
        genres = (second if label in further else first).group_by_genre(label)
        lines = choose_lines(held_out.get(label, {}), genres)
        answers = [identify(identifier, [line[:cut] for line in lines]) for cut in CUTS]
        rows.append(tuple(describe(label, genres, answers)))
    FILE.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
