"""Derive training text from word lists, and from lines without their diacritics.

Titles, menus and queries are single words, and a small corpus lacks most of the words of a language. A frequency list
has them. Words are drawn in proportion to a power of their frequency, so that rare words occur too, and joined to lines
of one to four.

Lists made from subtitles or web pages contain names and sentences of other languages. So a word that is much commoner
in another language of the same lists is dropped. Lists of languages in `EAST ASIA` may also contain letters of another
script: those of Chinese have kana (`drop_foreign_letters`).

Tweets, comments and old pages omit the accents, dots and tones of Latin letters. A model trained only on careful text
identifies these as another language, so some lines are added a second time without diacritics.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from graphlang.codes import languages
from graphlang.content.text.normalise import normalise
from graphlang.content.text.scripts import EAST_ASIA, LATIN, registry
from graphlang.files import read_regular
from graphlang.modelfile import ModelError
from graphlang.training import corpus

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from graphlang.training.training_options import TrainingOptions


WORDS = "words"
_POWER = 0.6
_FOREIGN_FACTOR = 20.0  # a word that is commoner in another language by this factor is foreign
_ALPHABET_TEXT = 1_000  # characters of text that have all letters of a language
_LONGEST_LINE = 4  # words
_LONGEST_WORD = 40
_SHORTEST_LIST = 2_000  # words; no lines are drawn from a shorter list


def read_word_lists(folder: Path, scripts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Read the lists in a folder, with lines of a word and its count: the counts of words by label.

    `scripts` has the script of each label. Raise a ModelError for a missing folder, no list, or a malformed line.
    """
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such folder")
    counts: dict[str, dict[str, int]] = {}
    for path in sorted(folder.glob("*.txt")):
        if languages.label(path.stem):
            _read_list(path, scripts, counts)
    if not counts:
        raise ModelError(f"{folder}: no list of words of a language that is trained")
    return dict(sorted(counts.items()))


def draw_word_lines(
    counts: Mapping[str, Mapping[str, int]],
    *,
    characters: int,
    random: np.random.Generator,
    labels: Collection[str],
) -> dict[str, list[str]]:
    """Draw lines of words for these labels, about `characters` each; the other lists only mark foreign words."""
    totals = {label: sum(label_counts.values()) for label, label_counts in counts.items()}
    greatest: dict[str, float] = {}
    for label, label_counts in counts.items():
        for word, count in label_counts.items():
            greatest[word] = max(greatest.get(word, 0.0), count / totals[label])
    drawn = {}
    for label, label_counts in counts.items():
        if label not in labels:
            continue
        common_words = [
            word for word, count in label_counts.items() if count / totals[label] * _FOREIGN_FACTOR >= greatest[word]
        ]
        if len(common_words) >= _SHORTEST_LIST:
            share = np.array([label_counts[word] for word in common_words], dtype=np.float64) ** _POWER
            drawn[label] = _join_words(common_words, share / share.sum(), characters, random)
    return drawn


def drop_foreign_letters(
    drawn: Mapping[str, Sequence[str]], texts: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Drop the words with a foreign letter from lines of words.

    A letter is foreign if it is `_FOREIGN_FACTOR` times as common in the text of another label.

    >>> texts = {"jpn": ["これは日本語"] * 999, "zho": ["这是中文日本"] * 999}
    >>> drop_foreign_letters({"zho": ["は 日", "は"]}, texts)
    {'zho': ['日']}
    """
    letter_counts = {label: Counter("".join(lines).lower()) for label, lines in texts.items()}
    sizes = {label: max(letters.total(), 1) for label, letters in letter_counts.items()}
    greatest: dict[str, float] = {}
    for label, letters in letter_counts.items():
        for letter, count in letters.items():
            greatest[letter] = max(greatest.get(letter, 0.0), count / sizes[label])
    cleaned = {}
    for label, lines in drawn.items():
        foreign: set[str] = set()
        if sizes[label] >= _ALPHABET_TEXT:
            rare = _FOREIGN_FACTOR / sizes[label]
            foreign = {
                letter
                for letter, share in greatest.items()
                if letter.isalpha() and (letter_counts[label][letter] + 0.5) * rare < share
            }
        native_lines = (" ".join(word for word in line.split(" ") if foreign.isdisjoint(word)) for line in lines)
        cleaned[label] = [line for line in native_lines if line]
    return cleaned


def _read_list(path: Path, scripts: Mapping[str, int], counts: dict[str, dict[str, int]]) -> None:
    listed_words: list[str] = []
    numbers: list[int] = []
    try:
        for line in read_regular(path).decode("utf-8").splitlines():
            word, count = line.rsplit(" ", 1)
            listed_words.append(word)
            numbers.append(int(count))
    except ValueError as error:
        raise ModelError(f"{path}: not lines of a word and its frequency in UTF-8") from error
    if min(numbers, default=0) < 0:
        raise ModelError(f"{path}: a word has the frequency {min(numbers)}")
    letters = normalise(listed_words, limit=_LONGEST_WORD, one_script=True)
    list_label = languages.label(path.stem) or ""
    script_labels = {}
    for script in np.unique(letters.scripts).tolist():
        candidates = [
            label
            for label, label_script in scripts.items()
            if label_script == script and languages.code(label) == languages.code(list_label)
        ]
        if list_label in candidates:
            script_labels[script] = list_label
        elif len(candidates) == 1:
            script_labels[script] = candidates[0]
    for word, number, script, size in zip(
        listed_words, numbers, letters.scripts.tolist(), letters.lengths.tolist(), strict=True
    ):
        if size and number and script in script_labels:
            label_counts = counts.setdefault(script_labels[script], {})
            label_counts[word] = label_counts.get(word, 0) + number


def _join_words(vocabulary: list[str], share: np.ndarray, characters: int, random: np.random.Generator) -> list[str]:
    mean = float(np.dot(share, [len(word) + 1 for word in vocabulary]))
    drawn = random.choice(len(vocabulary), max(1, int(characters / mean)), p=share).tolist()
    ends = np.cumsum(random.integers(1, _LONGEST_LINE + 1, len(drawn)))
    ends = ends[: np.searchsorted(ends, len(drawn)) + 1].tolist()
    return [" ".join(vocabulary[i] for i in drawn[a:b]) for a, b in zip([0, *ends], ends, strict=False)]


BARE = "plain"
#: letters that Unicode does not decompose, and how they are typed in ASCII
_TYPED = str.maketrans("łŁđĐħĦıøØŧŦŋŊɓƁɗƊɖƉƙƘƴƳɔƆɛƐ", "lLdDhHioOtTnNbBdDdDkKyYoOeE")


def strip_diacritics(text: str) -> str:
    """Strip combining marks, strokes and hooks; letters that are typed as two stay (æ, ß, þ).

    >>> strip_diacritics("Ẹnì kọ̀ọ̀kan, žluťoučký kůň, Ærø, sześć złotych, ƙarami")
    'Eni kookan, zlutoucky kun, Æro, szesc zlotych, karami'
    """
    parts = unicodedata.normalize("NFD", text.translate(_TYPED))
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))


def draw_bare_lines(
    lines: Sequence[str], share: float, least_characters: int, random: np.random.Generator
) -> list[str]:
    """Draw lines and strip their diacritics: about `share` of all characters, and at least `least_characters`.

    Lines that have none are drawn too and then dropped, so a language with few diacritics gets few lines.
    """
    budget = max(share * sum(map(len, lines)), least_characters)
    bare_lines = []
    for number in random.permutation(len(lines)).tolist():
        if budget <= 0:
            break
        line = lines[number]
        bare = strip_diacritics(line)
        budget -= len(line)
        if bare != line:
            bare_lines.append(bare)
    return bare_lines


def add_derived_text(
    texts: Sequence[dict[str, list[str]]],
    labels: Sequence[str],
    word_folder: Path | None,
    options: TrainingOptions,
    random: np.random.Generator,
    *,
    other_scripts: Mapping[str, int] | None = None,
) -> dict[str, dict[str, int]]:
    """Add the genres derived from word lists and from the lines, in place.

    Return the word counts of each label that got lines of words. Raise a ModelError if the lists have none of these
    labels. `other_scripts` has the scripts of further labels, whose lists mark foreign words.
    """
    label_texts = [[line for label_lines in genres.values() for line in label_lines] for genres in texts]
    scripts = [corpus.find_main_script(label_lines) for label_lines in label_texts]
    lists: dict[str, dict[str, int]] = {}
    if word_folder is not None:
        lists = read_word_lists(word_folder, {**(other_scripts or {}), **dict(zip(labels, scripts, strict=True))})
        if not lists.keys() & set(labels):
            raise ModelError(f"{word_folder}: no list of words of {', '.join(labels)}")
    drawn = draw_word_lines(lists, characters=options.words_size, random=random, labels=labels)
    mixed = {
        label: label_lines
        for label, label_lines, script in zip(labels, label_texts, scripts, strict=True)
        if registry.name(script) == EAST_ASIA
    }
    drawn |= drop_foreign_letters({label: label_lines for label, label_lines in drawn.items() if label in mixed}, mixed)
    for label, script, genres, label_lines in zip(labels, scripts, texts, label_texts, strict=True):
        derived = {WORDS: drawn.get(label, [])}
        if script == LATIN:
            derived[BARE] = draw_bare_lines(label_lines, options.bare, options.bare_least, random)
        for genre, new_lines in derived.items():
            if new_lines:  # besides files of that name
                genres[genre] = [*genres.get(genre, ()), *new_lines]
    return {label: lists[label] for label in drawn}
