"""Training text derived from word lists, and from lines without their diacritics.

Sentences teach the n-grams between words; titles, menus and queries are single words, and a small corpus lacks most of
them. A frequency list has them. Words are drawn in proportion to a power of their frequency, so that rare words occur
too, and joined to lines of one to four.

Lists made of subtitles or web pages contain names and sentences of other languages. So a word that is much commoner in
another language of the same lists is dropped. Where one of our scripts holds several (`EAST ASIA`), lists contain words
in the letters of the others: those of Chinese have kana (`drop_foreign_letters`).

Tweets, comments and old pages omit the accents, dots and tones of Latin letters. A model that has only seen careful
text takes them for another language, so some lines are learnt a second time without diacritics.
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
_FOREIGN_FACTOR = 20.0  # a word commoner elsewhere by this factor is foreign
_ALPHABET_TEXT = 1_000  # characters of text that suffice to know a language's letters
_LONGEST_LINE = 4
_LONGEST_WORD = 40
_SHORTEST_LIST = 2_000  # words; of a shorter list none are drawn


def read_word_lists(folder: Path, scripts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Read the words and frequencies of the labels that have a list in the folder: lines of a word and its count.

    Raise a ModelError if there is no folder, no list in it, or a malformed line.
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
    wanted: Collection[str] | None = None,
) -> dict[str, list[str]]:
    """Draw lines of words, about `characters` per label; lists of labels not `wanted` only mark foreign words."""
    totals = {label: sum(words_of_label.values()) for label, words_of_label in counts.items()}
    greatest: dict[str, float] = {}
    for label, words_of_label in counts.items():
        for word, count in words_of_label.items():
            greatest[word] = max(greatest.get(word, 0.0), count / totals[label])
    answer = {}
    for label, words_of_label in counts.items():
        if wanted is not None and label not in wanted:
            continue
        common_words = [
            word for word, count in words_of_label.items() if count / totals[label] * _FOREIGN_FACTOR >= greatest[word]
        ]
        if len(common_words) >= _SHORTEST_LIST:
            share = np.array([words_of_label[word] for word in common_words], dtype=np.float64) ** _POWER
            answer[label] = _join_words(common_words, share / share.sum(), characters, random)
    return answer


def drop_foreign_letters(
    drawn: Mapping[str, Sequence[str]], texts: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Drop the words with a letter of another language from lines of words.

    A letter is foreign if it is so common in another label's text that a single one in this label's would be rare.

    >>> texts = {"jpn": ["これは日本語"] * 999, "zho": ["这是中文日本"] * 999}
    >>> drop_foreign_letters({"zho": ["は 日", "は"]}, texts)
    {'zho': ['日']}
    """
    letters_of = {label: Counter("".join(lines).lower()) for label, lines in texts.items()}
    sizes = {label: max(letters.total(), 1) for label, letters in letters_of.items()}
    greatest: dict[str, float] = {}
    for label, letters in letters_of.items():
        for letter, count in letters.items():
            greatest[letter] = max(greatest.get(letter, 0.0), count / sizes[label])
    answer = {}
    for label, lines in drawn.items():
        foreign: set[str] = set()
        if sizes[label] >= _ALPHABET_TEXT:
            rare = _FOREIGN_FACTOR / sizes[label]
            foreign = {
                letter
                for letter, share in greatest.items()
                if letter.isalpha() and (letters_of[label][letter] + 0.5) * rare < share
            }
        cleaned = (" ".join(word for word in line.split(" ") if foreign.isdisjoint(word)) for line in lines)
        answer[label] = [line for line in cleaned if line]
    return answer


def _read_list(path: Path, scripts: Mapping[str, int], counts: dict[str, dict[str, int]]) -> None:
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
    labels_of_script = {}
    for script in np.unique(letters.scripts).tolist():
        fitting = [
            label
            for label, label_script in scripts.items()
            if label_script == script and _is_same_language(label, named)
        ]
        if named in fitting:
            labels_of_script[script] = named
        elif len(fitting) == 1:
            labels_of_script[script] = fitting[0]
    for word, number, script, size in zip(
        words, numbers, letters.scripts.tolist(), letters.lengths.tolist(), strict=True
    ):
        if size and number and script in labels_of_script:
            label_script = counts.setdefault(labels_of_script[script], {})
            label_script[word] = label_script.get(word, 0) + number


def _is_same_language(label: str, other: str) -> bool:
    return languages.code(label) == languages.code(other)


def _join_words(words: list[str], share: np.ndarray, characters: int, random: np.random.Generator) -> list[str]:
    mean = float(np.dot(share, [len(word) + 1 for word in words]))
    drawn = random.choice(len(words), max(1, int(characters / mean)), p=share).tolist()
    ends = np.cumsum(random.integers(1, _LONGEST_LINE + 1, len(drawn)))
    ends = ends[: np.searchsorted(ends, len(drawn)) + 1].tolist()
    return [" ".join(words[i] for i in drawn[a:b]) for a, b in zip([0, *ends], ends, strict=False)]


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


def draw_bare_lines(lines: Sequence[str], share: float, least: int, random: np.random.Generator) -> list[str]:
    """Draw lines with diacritics and strip them: about `share` of all characters, and at least `least`.

    A language with few diacritics gives few lines: those that would not change are drawn and dropped.
    """
    budget = max(share * sum(map(len, lines)), least)
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
    words: Path | None,
    options: TrainingOptions,
    random: np.random.Generator,
    *,
    others: Mapping[str, int] | None = None,
) -> dict[str, dict[str, int]]:
    """Add the genres derived from word lists and from the lines, in place.

    Return the word counts of each label with lines of words. Raise a ModelError if a folder of lists has none of these
    labels.
    """
    lines_of = [[line for label_lines in genres.values() for line in label_lines] for genres in texts]
    scripts = [corpus.find_main_script(label_lines) for label_lines in lines_of]
    lists: dict[str, dict[str, int]] = {}
    if words is not None:
        lists = read_word_lists(words, {**(others or {}), **dict(zip(labels, scripts, strict=True))})
        if not lists.keys() & set(labels):
            raise ModelError(f"{words}: no list of words of {', '.join(labels)}")
    drawn = draw_word_lines(lists, characters=options.words_size, random=random, wanted=labels)
    mixed = {
        label: label_lines
        for label, label_lines, script in zip(labels, lines_of, scripts, strict=True)
        if registry.name(script) == EAST_ASIA
    }
    drawn |= drop_foreign_letters({label: label_lines for label, label_lines in drawn.items() if label in mixed}, mixed)
    for label, script, genres, label_lines in zip(labels, scripts, texts, lines_of, strict=True):
        derived = {WORDS: drawn.get(label, [])}
        if script == LATIN:
            derived[BARE] = draw_bare_lines(label_lines, options.bare, options.bare_least, random)
        for genre, new_lines in derived.items():
            if new_lines:  # besides files of that name
                genres[genre] = [*genres.get(genre, ()), *new_lines]
    return {label: lists[label] for label in drawn}
