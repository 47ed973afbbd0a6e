"""Lists of words with their frequencies -> training lines of a few words each.

Sentences teach what stands between words; titles, menus and queries are single words, and those of a language that has
little text here are mostly missing from it. A frequency list has them. Words are drawn in proportion to a power of
their frequency, so that the long tail is heard too, and put together in lines of one to four.

Lists made of subtitles or of web pages hold names and whole sentences of other languages. So a word that is much
commoner in another language of the same lists is left to that one. Where one script of ours holds several (`EAST
ASIA`), the lists have words in the others' letters as well: those of Chinese have kana, which it does not write
(`native`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from graphlang.codes import languages
from graphlang.content.text.normalise import normalise
from graphlang.files import read_regular
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

GENRE = "words"
_POWER = 0.6
_FOREIGN = 20.0  # times commoner elsewhere: no word of this language
_ALPHABET = 1_000  # characters of a text that show which letters a language has
_LONGEST_LINE = 4
_LONGEST_WORD = 40
_FEWEST = 2_000  # words of a list that is worth drawing from


def read(folder: Path, scripts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """The words of the labels that have a list, and their frequencies.

    Args:
        folder: Holds `<code>*.txt` files, one word and its frequency a line with a space between, in UTF-8. Names are
            what `graphlang.codes.languages.label` understands; other files are passed over.
        scripts: The script (`scripts.registry`) of each label that is trained. The words of a list go to the label of
            their own script: those of Serbian to two.

    Raises:
        ModelError: no folder, no list in it, or a line that is none. Words that stand nowhere count as missing.
    """
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such folder")
    counts: dict[str, dict[str, int]] = {}
    for path in sorted(folder.glob("*.txt")):
        if languages.label(path.stem):
            _add(path, scripts, counts)
    if not counts:
        raise ModelError(f"{folder}: no list of words of a language that is trained")
    return dict(sorted(counts.items()))


def lines(
    counts: Mapping[str, Mapping[str, int]],
    *,
    characters: int,
    random: np.random.Generator,
    wanted: Collection[str] | None = None,
) -> dict[str, list[str]]:
    """Lines of words for the labels that have a list of some length.

    Args:
        counts: Words and their frequencies (`read`).
        characters: Of the lines of one label, about.
        random: Draws come from it.
        wanted: Labels whose lines are wanted; the lists of others only say which words are foreign. None: all.
    """
    totals = {label: sum(own.values()) for label, own in counts.items()}
    greatest: dict[str, float] = {}
    for label, own in counts.items():
        for word, count in own.items():
            greatest[word] = max(greatest.get(word, 0.0), count / totals[label])
    answer = {}
    for label, own in counts.items():
        if wanted is not None and label not in wanted:
            continue
        words = [word for word, count in own.items() if count / totals[label] * _FOREIGN >= greatest[word]]
        if len(words) >= _FEWEST:
            share = np.array([own[word] for word in words], dtype=np.float64) ** _POWER
            answer[label] = _lines(words, share / share.sum(), characters, random)
    return answer


def native(drawn: Mapping[str, Sequence[str]], texts: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The lines of words without those that have a letter which another language writes and this one does not.

    A letter is foreign that is so common in another label's text that a single one in this label's would be rare.

    Args:
        drawn: Lines of words of some labels.
        texts: Training lines of all labels of a script.

    >>> texts = {"jpn": ["これは日本語"] * 999, "zho": ["这是中文日本"] * 999}
    >>> native({"zho": ["は 日", "は"]}, texts)
    {'zho': ['日']}
    """
    own = {label: Counter("".join(some).lower()) for label, some in texts.items()}
    sizes = {label: max(letters.total(), 1) for label, letters in own.items()}
    greatest: dict[str, float] = {}
    for label, letters in own.items():
        for letter, count in letters.items():
            greatest[letter] = max(greatest.get(letter, 0.0), count / sizes[label])
    answer = {}
    for label, some in drawn.items():
        others: set[str] = set()
        if sizes[label] >= _ALPHABET:
            rare = _FOREIGN / sizes[label]
            others = {
                letter
                for letter, share in greatest.items()
                if letter.isalpha() and (own[label][letter] + 0.5) * rare < share
            }
        kept = (" ".join(word for word in line.split(" ") if others.isdisjoint(word)) for line in some)
        answer[label] = [line for line in kept if line]
    return answer


def _add(path: Path, scripts: Mapping[str, int], counts: dict[str, dict[str, int]]) -> None:
    words: list[str] = []
    numbers: list[int] = []
    try:
        for line in read_regular(path).decode("utf-8").splitlines():
            word, count = line.rsplit(" ", 1)
            words.append(word)
            numbers.append(int(count))
    except ValueError as error:
        raise ModelError(f"{path}: not lines of a word and its frequency in UTF-8") from error
    if min(numbers, default=0) < 0:
        raise ModelError(f"{path}: a word has the frequency {min(numbers)}")
    letters = normalise(words, limit=_LONGEST_WORD, one_script=True)
    named = languages.label(path.stem) or ""
    mine = {}
    for script in np.unique(letters.scripts).tolist():
        fitting = [label for label, own in scripts.items() if own == script and _same(label, named)]
        if named in fitting:
            mine[script] = named
        elif len(fitting) == 1:
            mine[script] = fitting[0]
    for word, number, script, size in zip(
        words, numbers, letters.scripts.tolist(), letters.lengths.tolist(), strict=True
    ):
        if size and number and script in mine:
            own = counts.setdefault(mine[script], {})
            own[word] = own.get(word, 0) + number


def _same(label: str, other: str) -> bool:
    return languages.code(label) == languages.code(other)


def _lines(words: list[str], share: np.ndarray, characters: int, random: np.random.Generator) -> list[str]:
    mean = float(np.dot(share, [len(word) + 1 for word in words]))
    drawn = random.choice(len(words), max(1, int(characters / mean)), p=share).tolist()
    ends = np.cumsum(random.integers(1, _LONGEST_LINE + 1, len(drawn)))
    ends = ends[: np.searchsorted(ends, len(drawn)) + 1].tolist()
    return [" ".join(words[i] for i in drawn[a:b]) for a, b in zip([0, *ends], ends, strict=False)]
