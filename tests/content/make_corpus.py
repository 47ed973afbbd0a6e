"""Write the corpus that the default model is trained on: the text of two collections by kind, each kind with its share.

    python tests/content/make_corpus.py DATA FOLDER

`DATA/train` has sentences, declarations and interface messages; the archive of further text has news, stories, tweets,
encyclopedia, word lists and Bibles. FOLDER/corpus gets both, FOLDER/held_out the last tenth of each further file. Lines
of a document are successive, so documents are kept out as a whole, and accuracy can be measured on text that no weight
comes from (`make_languages.py`).

A file's name begins with its kind (`KINDS`), by which training draws excerpts (`training.excerpts`). A Bible is one
kind of text: it gets no more characters than all other kinds of the label have, and at most `MOST_BIBLE`. A new label
needs text of another kind than a Bible or a word list, unless `ALONE` names it: from one such kind alone nothing
follows about texts of other kinds.

Belarusian in Latin letters is spelt by rule. Lines of `WITHOUT_ENGLISH` that are mostly in words of English teach
nothing, and are dropped.
"""

from __future__ import annotations

import re
import shutil
import sys
import tarfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphlang.codes import languages
from graphlang.training.corpus import clean_messages

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

ARCHIVE: Final = "train-more.tar.xz"
#: Kind of each source, by how its name begins; a source without one is a kind of its own.
KINDS: Final = {
    "UD": "UD",
    "afrisenti": "chat",
    "african-storybook": "stories",
    "arsarcasm": "chat",
    "common-voice": "common",
    "ebible": "bible",
    "gatitos-words": "words",
    "giellalt-blogs": "chat",
    "giellalt-news": "news",
    "giellalt-wikipedia": "encyclopedia",
    "hkcancor": "chat",
    "icorpus": "news",
    "ijwi": "news",
    "kurdish-interdialect": "news",
    "lafand": "news",
    "little-cree": "stories",
    "magahi-stories": "stories",
    "malaysian-majoriti": "news",
    "masakhane": "news",
    "noah-blick": "news",
    "noah-blogs": "chat",
    "noah-wiki": "encyclopedia",
    "oldi-seed": "encyclopedia",
    "pratham": "stories",
    "shami": "chat",
    "storybooks": "stories",
    "umsab": "chat",
    "wikipedia-2022": "encyclopedia",
}
BIBLE: Final = "bible"
WORDS: Final = "words"
#: New labels that one kind of text suffices for: word lists of languages with many speakers, whose relatives have them.
ALONE: Final = ("aeb", "nde", "pag", "tum")
MOST_BIBLE: Final = 80_000  #: characters of a label
LEAST_BIBLE: Final = 20_000  #: of a label that has less text of other kinds
MOST: Final = 250_000  #: characters of further text of a label
#: The same of labels with a great relative that lacks their kinds of text: with more they win its texts of these kinds.
#: These labels and `EXCLUDED` were chosen by hand, after a look at answers to test lines.
MOST_SMALL: Final = 100_000
SMALL: Final = frozenset(
    (
        *(
            "aeb",
            "apc",
            "arq",
            "ary",
            "arz",
            "prs",
            "kas",
            "skr",
            "mni",
            "nan",
            "hak",
            "yue",
            "crh_Latn",
        ),  # Arabic to Turkish
        *("gsw", "bar", "lim", "nds", "pcm", "ast", "arg", "oci", "lld", "fur", "lmo", "vec", "lij", "scn"),
        *("msa", "bjn", "bew", "abs", "bam", "tsn"),
    )
)
#: Files that are left out: the three languages of the first are the same words, Persian and French stand in the next
#: two, and the last ones are more of a small relative than there is of its great one.
EXCLUDED: Final = frozenset(
    (
        *(("bs", "parlasent"), ("hr", "parlasent"), ("sr-Latn", "parlasent")),
        *(("glk", "persoarabiclid"), ("arq-Latn", "UD_Maghrebi_Arabic_French-Arabizi")),
        *(("ckb-Latn", "kurdishlid"), ("ktu", "gatitos-words")),
    )
)
LEAST_TEXT: Final = 8_000  #: characters of a new label, without what is held out
HELD_OUT: Final = 10  #: one line in ten, the last ones of each file, and
MOST_HELD_OUT: Final = 30_000  #: characters of a file at most
ENGLISH: Final = "eng"
#: Labels whose lines are dropped where most of their letters are in words of English.
WITHOUT_ENGLISH: Final = ("pcm",)
_NAME = re.compile(r"(?<=\S) [A-Z][\w'’-]*")
_PARTS = 3  # of a file's path in the archive
CYRILLIC: Final = "be"  #: folder of Belarusian text
LATIN: Final = "be-Latn"  #: that of the same text in Latin letters, of which there is none else
_HARD = dict(zip("абвгґдзйклмнопрстуўфцчшжыэі", "abvhgdzjkłmnoprstuŭfcčšžyei", strict=True)) | {"х": "ch"}
_SOFT = {"з": "ź", "с": "ś", "ц": "ć", "н": "ń", "л": "l"}
_IOTATED = dict(zip("еёюя", "eoua", strict=True))
_VOWELS = "аоуыэіеёюя"


def spell_latin(text: str) -> str:
    """Spell Belarusian in Latin letters (Łacinka).

    >>> spell_latin("Я не ведаю, калі прыедзе аўтобус"), spell_latin("З'ява: людзі, соль і семʼя")
    ('Ja nie viedaju, kali pryjedzie aŭtobus', 'Zjava: ludzi, sol i siemja')
    """
    return "".join(_spell_word(word) if word.isalpha() or len(word) > 1 else word for word in re.findall(_WORD, text))


_WORD = re.compile(r"[^\W\d_]+(?:['’ʼ][^\W\d_]+)*|.|\n")


def _spell_word(word: str) -> str:
    small, latin = word.lower(), ""
    for place, letter in enumerate(small):
        before, after = small[place - 1 : place] if place else "", small[place + 1 : place + 2]
        if letter in _IOTATED:
            is_apart = not before or before in f"{_VOWELS}ьў'’ʼ"
            latin += ("j" if is_apart else "" if before == "л" else "i") + _IOTATED[letter]
        elif letter in _SOFT and (after == "ь" or (letter == "л" and after in [*_IOTATED, "і"])):
            latin += _SOFT[letter]
        elif letter not in "ь'’ʼ":
            latin += "j" * (letter == "і" and before in [*"'’ʼ"]) + _HARD.get(letter, letter)
    if word.isupper() and len(word) > 1:
        return latin.upper()
    return latin[:1].upper() + latin[1:] if word[0].isupper() else latin


Files = dict[str, list[str]]


def find_kind(source: str) -> str:
    """Find the kind of a source.

    >>> find_kind("ebible-deu1912"), find_kind("shami-chat"), find_kind("doda")
    ('bible', 'chat', 'doda')
    """
    kinds = [kind for begin, kind in KINDS.items() if source.startswith(begin)]
    return kinds[0] if kinds else source


def read_archive(path: Path) -> dict[tuple[str, str], bytes]:
    """Read the files of the archive by the folder's code and the source, in the order of their names."""
    contents: dict[tuple[str, str], bytes] = {}
    with tarfile.open(path, "r|xz") as archive:  # in one pass: to seek in it would decompress it again
        for member in archive:
            parts = Path(member.name).parts
            if len(parts) == _PARTS and parts[-1].endswith(".txt") and (file := archive.extractfile(member)):
                contents[parts[1], parts[-1].removesuffix(".txt")] = file.read()
    for name in EXCLUDED:
        contents.pop(name, None)
    return dict(sorted(contents.items()))


def split(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the lines of a file: all others, and the last ones that are held out, without lines that occur in both."""
    number = len(lines) // HELD_OUT
    while number and sum(map(len, lines[len(lines) - number :])) > MOST_HELD_OUT:
        number = number * 9 // 10
    end = len(lines) - number
    training = list(lines[:end])
    seen = set(training)
    return training, [line for line in lines[end:] if line not in seen]


def is_chosen(label: str, sizes: Mapping[str, int], known: Collection[str]) -> bool:
    """Whether a label has text enough in its sources, of another kind than Bibles and word lists, or is known.

    >>> is_chosen("aaz", {"ebible-aaz": 90_000}, ()), is_chosen("luo", {"ebible-luo": 9_000, "lafand-mt": 9_000}, ())
    (False, True)
    """
    kinds = {find_kind(source) for source in sizes}
    has_text = not kinds <= {BIBLE, WORDS} and sum(sizes.values()) >= LEAST_TEXT
    return label in known or label in ALONE or has_text


def chosen_files(data: Path) -> dict[tuple[str, str], bytes]:
    """Read the files of the archive that the corpus gets."""
    contents = read_archive(data / ARCHIVE)
    known = {languages.label(path.name) for path in (data / "train").iterdir() if path.is_dir()}
    sizes: dict[str, dict[str, int]] = {}
    for (code, source), content in contents.items():
        if label := languages.label(code):
            training, _ = split(content.decode("utf-8").splitlines())
            sizes.setdefault(label, {})[source] = sum(map(len, training))
    chosen = {label for label in sizes if is_chosen(label, sizes[label], known)}
    return {name: content for name, content in contents.items() if languages.label(name[0]) in chosen}


def take(lines: Sequence[str], characters: int) -> list[str]:
    """Take lines evenly from first to last, up to about this number of characters."""
    size = sum(map(len, lines))
    if size <= characters:
        return list(lines)
    chosen, used, passed = [], 0, 0
    for line in lines:
        passed += len(line)
        if used + len(line) <= characters * passed / size:
            chosen.append(line)
            used += len(line)
    return chosen


def weigh(files: Mapping[str, list[str]], other: int) -> Files:
    """Reduce the Bibles of a label; `other` is the size of its text in the first collection."""
    sizes = {name: sum(map(len, lines)) for name, lines in files.items()}
    other += sum(size for name, size in sizes.items() if find_kind(name) != BIBLE)
    bibles = sum(find_kind(name) == BIBLE for name in files)
    room = min(MOST_BIBLE, max(LEAST_BIBLE, other)) if other else MOST_BIBLE
    is_bible = {name: find_kind(name) == BIBLE for name in sorted(files)}
    return {name: take(files[name], room // bibles if is_bible[name] else sizes[name]) for name in is_bible}


def limit(files: Files, characters: int) -> Files:
    """Reduce the files of a label to about this number of characters, shared equally among them."""
    chosen: Files = {}
    for number, name in enumerate(sorted(files, key=lambda name: (sum(map(len, files[name])), name))):
        chosen[name] = take(files[name], characters // (len(files) - number))
        characters -= sum(map(len, chosen[name]))
    return chosen


def drop_foreign(label: str, files: Files, great: Files) -> Files:
    """Drop the lines that are mostly in words of a greater language, or in many labels; and names in all lines.

    >>> drop_foreign("pcm", {"news": ["Di man wey play for Chelsea FC dey"]}, {"news": ["the man"]})
    {'news': ['Di man wey play for dey']}
    """
    cleaned = clean_messages({label: list(files.items())}, {ENGLISH: list(great.items())})
    return {name: [_NAME.sub("", line) for line in lines] for name, lines in cleaned[label]}


def write(folder: Path, code: str, name: str, lines: Sequence[str]) -> None:
    """Write the lines of a file, if there are any."""
    if lines:
        path = folder / code / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def main(data: Path, folder: Path) -> None:
    """Write both folders."""
    for part in ("corpus", "held_out"):
        shutil.rmtree(folder / part, ignore_errors=True)
    sizes: Counter[str] = Counter()
    english: Files = {}
    for path in sorted((data / "train").glob("*/*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        label = languages.label(path.parent.name) or ""
        write(folder / "corpus", path.parent.name, path.stem, lines)
        sizes[label] += sum(map(len, lines))
        if label == ENGLISH:
            english[path.stem] = lines
        if path.parent.name == CYRILLIC:
            write(folder / "corpus", LATIN, path.stem, [spell_latin(line) for line in lines])
    more: dict[str, Files] = {}
    for (code, source), content in chosen_files(data).items():
        training, held_out = split(content.decode("utf-8").splitlines())
        more.setdefault(code, {})[source] = training
        write(folder / "held_out", code, f"{find_kind(source)}-{source}", held_out)
    for code, files in more.items():
        label = languages.label(code) or ""
        cleaned = drop_foreign(label, files, english | more["en"]) if label in WITHOUT_ENGLISH else files
        most = MOST_SMALL if label in SMALL else MOST
        for name, lines in limit(weigh(cleaned, sizes[label]), most).items():
            write(folder / "corpus", code, f"{find_kind(name)}-{name}", lines)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
