"""Read training text: a folder of UTF-8 text files per language, and translations of programs.

Many languages with little other text have translated messages of programs. These are a genre of their own: short, full
of names, and only partly translated. So

* a line that more than `MOST_LABELS` labels have is a name or untranslated, and is dropped;
* a line is dropped if most of its letters are in English words. A word is English here if it is `ENGLISH_FACTOR` times
  as common in English text as in all the text of the label;
* a label with plenty of other text takes few messages (`limit_messages`): enough to compete with languages that have
  only messages, but too few to change its other weights.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.codes import languages
from graphlang.content.text.normalise import normalise
from graphlang.content.text.scripts import registry
from graphlang.files import read_regular
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    Files = Sequence[tuple[str, Sequence[str]]]


_NO_LANGUAGE = frozenset((languages.UND, languages.ZXX))
_FOLDERS_LISTED = 12  # in an error
_LINE_CHARACTERS = 1_000  # of a line, that decide its script


@dataclass(frozen=True, slots=True)
class Corpus:
    """Training lines of every label, sorted by label.

    `genres` has the genre of each line, which is the first letters of the name of its file: `udhr_a` and `udhr_b` are
    one genre, `tatoeba-test-2021` is another. `left_out` has the size of each rejected folder, in characters.
    """

    lines: dict[str, tuple[str, ...]]
    genres: dict[str, tuple[str, ...]]
    left_out: dict[str, int]
    digest: str

    def group_by_genre(self, label: str) -> dict[str, tuple[str, ...]]:
        """Group the lines of a label by genre."""
        groups: dict[str, list[str]] = {}
        for line, genre in zip(self.lines[label], self.genres[label], strict=True):
            groups.setdefault(genre, []).append(line)
        return {genre: tuple(lines) for genre, lines in sorted(groups.items())}


def read_corpus(
    folder: Path,
    *,
    label: Callable[[str], str | None],
    minimum: Callable[[str], int],
    maximum: int,
    least_labels: int = 2,
    messages: Sequence[Path] = (),
    only: Collection[str] | None = None,
    one_script: bool = False,
) -> Corpus:
    """Read a training corpus: one sub-folder per language, named by any code that `label` understands.

    The folder holds `<code>/*.txt`, one sentence or paragraph a line. Folders of the same label are joined; folders
    that `label` maps to None, `und` or `zxx` are left out. A repeated line of a label counts once. Files are read in
    the order of their names and share the `maximum` of characters equally, so that a long one cannot displace others.
    Labels with fewer characters than their `minimum` are left out; at least `least_labels` must remain. `messages` are
    folders of translations of programs. The lines of labels outside `only` only help to clean messages. With
    `one_script` a label keeps only the lines in its main script, in which it has the most letters.

    Raise a ModelError if a folder is missing or holds no training text, or a file is not UTF-8.
    """
    left_out: dict[str, int] = {}
    files = read_files((folder,), label, left_out)
    message_files = clean_messages(read_files(messages, label, left_out if only is None else {}), files)
    lines: dict[str, tuple[str, ...]] = {}
    genres: dict[str, tuple[str, ...]] = {}
    digest = hashlib.sha256()
    for name in sorted({**files, **message_files}):
        if only is not None and name not in only:
            continue
        text_files, message_text = files.get(name, []), message_files.get(name, [])
        if one_script:
            text_files, message_text = _keep_main_script(text_files, message_text)
        unique_lines: set[str] = set()
        chosen = list(_share_equally(text_files, maximum, unique_lines))
        size = sum(len(line) for line, _ in chosen)
        chosen += _share_equally(message_text, limit_messages(size), unique_lines)
        message_size = sum(len(line) for line, _ in chosen) - size
        if size + message_size * MESSAGE_WORTH < max(1, minimum(name)):
            left_out[name] = size + message_size
            continue
        lines[name] = tuple(line for line, _ in chosen)
        genres[name] = tuple(genre for _, genre in chosen)
        digest.update(f"{name}\n".encode() + "\n".join(lines[name]).encode("utf-8", "surrogatepass") + b"\0")
    if len(lines) < least_labels and not (least_labels == 1 and left_out):
        needs = f"{folder}: needs sub-folders of UTF-8 .txt files for at least {least_labels} language(s)"
        reasons = explain_left_out(left_out)
        omitted = f", and {len(reasons) - _FOLDERS_LISTED:,} more" if len(reasons) > _FOLDERS_LISTED else ""
        raise ModelError(f"{needs}; left out: {', '.join(reasons[:_FOLDERS_LISTED])}{omitted}" if reasons else needs)
    return Corpus(lines, genres, left_out, digest.hexdigest())


def explain_left_out(left_out: dict[str, int]) -> list[str]:
    """List the folders and labels that were left out of a corpus, with reasons.

    >>> explain_left_out({"fra": 0, "notes": 0, "swa": 900})[1:]
    ['notes (the name of no known language)', 'swa (too little text: 900 characters in *.txt)']
    """

    def explain(name: str, size: int) -> str:
        if size:
            return f"too little text: {size:,} characters in *.txt"
        return "the name of no known language" if languages.label(name) in (None, *_NO_LANGUAGE) else "no text in *.txt"

    return [f"{name} ({explain(name, size)})" for name, size in sorted(left_out.items())]


def read_files(
    folders: Sequence[Path], label: Callable[[str], str | None], left_out: dict[str, int]
) -> dict[str, list[tuple[str, list[str]]]]:
    """Read the genre and the lines of each file, by label.

    `left_out` gets the folders without a label. Raise a ModelError if a folder is missing or a file is not UTF-8.
    """
    files: dict[str, list[tuple[str, list[str]]]] = {}
    for folder in folders:
        if not folder.is_dir():
            raise ModelError(f"{folder}: no such folder")
        for sub in sorted(p for p in folder.iterdir() if p.is_dir()):
            name = label(sub.name)
            if name is None or name in _NO_LANGUAGE:
                left_out[sub.name] = 0
            else:
                files.setdefault(name, []).extend(
                    (_parse_genre(path), _read_lines(path)) for path in sorted(sub.glob("*.txt"))
                )
    return files


def _keep_main_script(
    *parts: list[tuple[str, list[str]]],
) -> tuple[list[tuple[str, list[str]]], ...]:
    """Keep the lines in the script with the most letters; a repeated line counts once."""
    unique_lines = list(dict.fromkeys(line for files in parts for _, lines in files for line in lines))
    letters = normalise(unique_lines, limit=_LINE_CHARACTERS, one_script=True)
    if not letters.lengths.any():
        return parts
    script = int(np.bincount(letters.scripts, weights=letters.lengths).argmax())
    in_script = {unique_lines[i] for i in np.flatnonzero((letters.scripts == script) & (letters.lengths > 0)).tolist()}
    return tuple([(genre, [line for line in lines if line in in_script]) for genre, lines in files] for files in parts)


def _parse_genre(path: Path) -> str:
    """Parse the genre of a file: the letters that its name begins with.

    >>> from pathlib import Path
    >>> _parse_genre(Path("udhr_deu.txt")), _parse_genre(Path("tatoeba-test-2021.txt")), _parse_genre(Path("2021.txt"))
    ('udhr', 'tatoeba', '')
    """
    match = re.match("[A-Za-z]*", path.stem)
    return match[0] if match else ""


def _read_lines(path: Path) -> list[str]:
    try:
        text = read_regular(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: not UTF-8 (byte {error.start})") from error
    return [line for line in map(str.strip, text.splitlines()) if line]


def _share_equally(
    files: list[tuple[str, list[str]]], maximum: int, unique_lines: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield new lines, with their genres, up to an equal number of characters per file; short files first."""
    budget = maximum
    for number, (genre, lines) in enumerate(sorted(files, key=lambda file: sum(map(len, file[1])))):
        share = budget // (len(files) - number)
        for line in lines:
            if share <= 0:
                break
            if line in unique_lines:
                continue
            unique_lines.add(line)
            share -= len(line)
            budget -= len(line)
            yield line, genre


def hold_out(lines: tuple[str, ...], interval: int) -> tuple[list[str], list[str]]:
    """Split lines into training lines and held-out lines, one in `interval`.

    A hash of the line decides, so that their order does not matter.
    """
    training: list[str] = []
    held_out: list[str] = []
    for line in lines:
        number = int.from_bytes(hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")
        (held_out if number % interval == 0 else training).append(line)
    return (training, held_out) if training else (held_out, training)


def join_documents(lines: list[str], characters: int) -> list[str]:
    """Join lines into documents of at least `characters` characters; a short remainder joins the last one.

    >>> join_documents(["one", "two", "three", "four"], 6)
    ['one two', 'three four']
    """
    joined: list[str] = []
    current: list[str] = []
    size = 0
    for line in lines:
        current.append(line)
        size += len(line)
        if size >= characters:
            joined.append(" ".join(current))
            current, size = [], 0
    if current and joined and size < characters // 2:
        joined[-1] += " " + " ".join(current)
    elif current:
        joined.append(" ".join(current))
    return joined


def pick_evenly(lines: list[str], limit: int) -> list[str]:
    """Pick at most `limit` documents, evenly from first to last, so that each file has some.

    >>> pick_evenly(["a", "b", "c", "d", "e"], 3)
    ['a', 'c', 'e']
    """
    if len(lines) <= limit:
        return lines
    return [lines[i] for i in np.linspace(0, len(lines) - 1, limit).astype(int).tolist()]


MOST_LABELS = 3
ENGLISH_FACTOR = 3.0
ENGLISH = "eng"
MESSAGE_WORTH = 1 / 3  #: weight of a character of messages in the minimum of a label
_SIZE_WITH_MESSAGES = 300_000  # characters of a label that messages may fill up
_LEAST_MESSAGES = 60_000  # characters of messages for a label with plenty of other text
_WORD = re.compile(r"[^\W\d_]+")


def limit_messages(characters: int) -> int:
    """Compute the maximum of characters of messages for a label with this many characters of other text.

    >>> limit_messages(0), limit_messages(250_000), limit_messages(400_000)
    (300000, 60000, 60000)
    """
    return max(_LEAST_MESSAGES, _SIZE_WITH_MESSAGES - characters)


def clean_messages(messages: Mapping[str, Files], texts: Mapping[str, Files]) -> dict[str, list[tuple[str, list[str]]]]:
    """Drop the messages that are names, untranslated, or English.

    >>> nds = [("wiki", ["dat is en ole stad an de see mit veel lüüd un schepen", "the new page", "Wikipedia"])]
    >>> clean_messages({"nds": nds, "eng": [("wiki", ["the old page and the new page"])]}, {})["nds"]
    [('wiki', ['dat is en ole stad an de see mit veel lüüd un schepen', 'Wikipedia'])]
    """
    common = Counter(line for files in messages.values() for line in {line for _, lines in files for line in lines})
    english = _count_words((*texts.get(ENGLISH, ()), *messages.get(ENGLISH, ())))
    cleaned = {}
    for label, files in messages.items():
        label_words = _count_words((*texts.get(label, ()), *files))
        english_words = set() if label == ENGLISH else _find_commoner_words(english, label_words)
        cleaned[label] = [
            (genre, [line for line in lines if common[line] <= MOST_LABELS and not _is_mostly(line, english_words)])
            for genre, lines in files
        ]
    return cleaned


def _count_words(files: Iterable[tuple[str, Sequence[str]]]) -> Counter[str]:
    return Counter(word for _, lines in files for line in lines for word in _WORD.findall(line.lower()))


def _find_commoner_words(counts: Counter[str], other_counts: Counter[str]) -> set[str]:
    """Find the words that are `ENGLISH_FACTOR` times as common in one text as in the other."""
    factor = ENGLISH_FACTOR * max(counts.total(), 1) / max(other_counts.total(), 1)
    return {word for word, count in counts.items() if count >= factor * other_counts[word]}


def _is_mostly(line: str, vocabulary: set[str]) -> bool:
    """Return True if more than half of the letters of a line are in words of the vocabulary."""
    letters = [(len(word), word in vocabulary) for word in _WORD.findall(line.lower())]
    return 2 * sum(size for size, is_listed in letters if is_listed) > sum(size for size, _ in letters)


_SCRIPT_LINES = 200  # lines that decide a label's script
_SCRIPT_CHARACTERS = 10_000  # of each of them


def sort_by_script(lines: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Sort the labels by script, then by name.

    >>> sort_by_script({"bul": ["не всегда", "иногда", "windows"], "ces": ["ne"], "deu": ["nein"], "ukr": ["ні"]})
    ('bul', 'ukr', 'ces', 'deu')
    """
    return tuple(sorted(lines, key=lambda label: (registry.name(find_main_script(lines[label])), label)))


def find_main_script(lines: Sequence[str]) -> int:
    """Return the registry number of the script of most of the first lines."""
    return int(
        np.bincount(normalise(lines[:_SCRIPT_LINES], limit=_SCRIPT_CHARACTERS, one_script=True).scripts).argmax()
    )
