"""Messages of programs out of their packages, as lines of text: what `fetch_texts` writes is read here.

Four formats: gettext's compiled catalogues (.mo), Mozilla's language packs (.ftl and .properties in a ZIP), and objects
of strings in JavaScript. What is no text goes: placeholders, markup, marks of accelerators, addresses, and messages
that were left in English.
"""

from __future__ import annotations

import gettext
import html
import json
import re
import zipfile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_MARKUP: Final = re.compile(r"<[^<>]*>")
_PLACEHOLDERS: Final = re.compile(
    r"""\{\{[^{}]*\}\}          # a template's
      | \$?\{[^{}]*\}           # Fluent's, ICU's, the shell's
      | \$\(\w+\)               # LibreOffice's
      | %\(\w+\)[#0\-+]*[\d.]*[a-zA-Z]
      | %(\d+\$)?[#0\-+]*[\d.]*(hh|h|ll|l|z|j|t|L)?[diouxXeEfFgGcCrsSpn@]\b
      | %[A-Z_]{3,}%?           # %PRODUCTNAME
      | %\d+ | \#\d+ | \\[ntr"']
    """,
    re.VERBOSE,
)
_ACCELERATOR: Final = re.compile(r"\s*\([_&~]\w\)|[_&~](?=\w)")
_ADDRESS: Final = re.compile(
    r"\w+://|www\.|\S@\S+\.\S|\w/\w+/|\w_\w|\w\.(?:org|com|net|html?|txt|png)\b|--\w|[=|\\{}<>]"
)
_BLANKS: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f\u0900-\u0dff\u0e00-\u0fff]*[^\W\d_]*)*")
_FLUENT: Final = re.compile(r"^(?:-?[\w-]+|\s+\.[\w-]+)\s*=\s*(.*)$|^\s+(?:\*?\[[\w-]+\]\s*)?(\S.*)$")
_PROPERTY: Final = re.compile(r"^\s*[\w.$@/-]+\s*[=:]\s*(.*)$")
_STRING: Final = re.compile(r'^\s*"(?:[^"\\]|\\.)*"\s*:\s*("(?:[^"\\]|\\.)*")\s*,?\s*$')
_OBJECT: Final = re.compile(r'^  "([\w-]+)": \{\s*$')
_SHARED_WORDS: Final = 7


def catalogue(path: Path) -> Iterator[str]:
    """The translations of a gettext catalogue that are not what they translate."""
    with path.open("rb") as file:
        found = gettext.GNUTranslations(file)
    for key, value in found._catalog.items():  # type: ignore[attr-defined]
        original = key[0] if isinstance(key, tuple) else key
        if original and value != original.rpartition("\x04")[2]:
            yield value


def language_pack(path: Path) -> Iterator[str]:
    """The messages of a language pack of Mozilla, in the order of its files' names."""
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".ftl"):
                yield from fluent(archive.read(name).decode("utf-8"))
            elif name.endswith(".properties"):
                yield from properties(archive.read(name).decode("utf-8"))


def fluent(text: str) -> Iterator[str]:
    """The values of a file of Fluent, lines of one message apart.

    >>> list(fluent("# note\\nopen =\\n    .label = Rofim\\n    .accesskey = R"))
    ['Rofim']
    >>> list(fluent("number = { $n ->\\n    [one] Ene\\n   *[other] Plui\\n  }"))
    ['Ene', 'Plui']
    """
    for line in text.splitlines():
        if line.lstrip().startswith("#") or ".accesskey" in line or "->" in line:
            continue
        found = _FLUENT.match(line)
        value = (found[1] or found[2] or "") if found else ""
        if len(value) > 1:
            yield value


def properties(text: str) -> Iterator[str]:
    r"""The values of a Java properties file.

    >>> list(properties("! note\n# note\na.b=Hal\\u00f3\nc = ein\\\n  Satz\nempty="))
    ['Haló', 'ein Satz']
    """
    for line in re.sub(r"\\\r?\n\s*", " ", text).splitlines():
        if line.lstrip()[:1] in ("#", "!"):
            continue
        if (found := _PROPERTY.match(line)) and found[1]:
            value = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), found[1])
            yield _BLANKS.sub(" ", value)


def objects(text: str) -> Iterator[tuple[str, str]]:
    """Code of a language and string, of a JavaScript file that exports an object of strings for each.

    >>> list(objects('export default {\\n  "xh": {\\n    "a.b": "Molo \\\\"wena\\\\"",\\n  },\\n};'))
    [('xh', 'Molo "wena"')]
    """
    code = ""
    for line in text.splitlines():
        if found := _OBJECT.match(line):
            code = found[1]
        elif found := _STRING.match(line):
            yield code, json.loads(found[1])


def lines(messages: Iterable[str], *, english: frozenset[str] = frozenset()) -> list[str]:
    """Messages as lines of text, each once: two words and more, mostly letters, and not one of `english`.

    >>> lines(["_Open %s files", "<b>Lees</b> meer&nbsp;op %1$s", "Save", "zie http://a.org/b c", "Datei (_F) öffnen"])
    ['Open files', 'Lees meer op', 'Datei öffnen']
    >>> lines(["Reload page", "Seite neu laden"], english=frozenset(["Reload page"]))
    ['Seite neu laden']
    """
    kept: dict[str, None] = {}
    for message in messages:
        for part in message.split("\n"):
            text = _clean(part)
            line = text.strip(" -*•:;,")
            if line not in english and not _ADDRESS.search(text) and _is_text(line):
                kept[line] = None
    return list(kept)


def _clean(message: str) -> str:
    text = _MARKUP.sub(" ", html.unescape(message))
    text = _PLACEHOLDERS.sub(" ", text)
    if len(_ACCELERATOR.findall(text)) == 1:  # more of them are names with an underscore
        text = _ACCELERATOR.sub("", text)
    return _BLANKS.sub(" ", text)


def _is_text(line: str) -> bool:
    if not 8 <= len(line) <= 2_000:
        return False
    letters = sum(map(str.isalpha, line)) + sum("\u0900" <= letter <= "\u0fff" for letter in line)
    return (" " in line or "\u0f0b" in line) and letters >= 0.7 * len(line)


def shingles(text: str) -> set[tuple[str, ...]]:
    """Every seven words in a row, in small letters.

    >>> len(shingles("a b c d e f g h")), shingles("a b c")
    (2, set())
    """
    words = _WORD.findall(text.lower())
    return {tuple(words[i : i + _SHARED_WORDS]) for i in range(len(words) - _SHARED_WORDS + 1)}


_SERBIAN: Final = (
    "а a б b в v г g д d ђ đ е e ж ž з z и i ј j к k л l љ lj м m н n њ nj о o п p р r с s т t ћ ć у u ф f х h ц c ч č"
    " џ dž ш š"
)


def serbian_in_latin(text: str) -> str:
    """Serbian in Latin letters: one for each of its thirty Cyrillic ones, two for three of them.

    >>> serbian_in_latin("Љубав и ЏЕП, Његош")
    'Ljubav i DŽEP, Njegoš'
    """
    pairs = _SERBIAN.split()
    small = dict(zip(pairs[::2], pairs[1::2], strict=True))
    answer = []
    for place, letter in enumerate(text):
        latin = small.get(letter.lower())
        if latin is None:
            answer.append(letter)
        elif letter.islower():
            answer.append(latin)
        else:
            beside = text[place + 1 : place + 2] or text[max(place - 1, 0) : place]
            answer.append(latin.upper() if beside.isupper() else latin.capitalize())
    return "".join(answer)


def spread(every: list[str], most: int) -> list[str]:
    """Lines evenly from first to last, of so many bytes at most.

    >>> spread(["aa", "bb", "cc", "dd"], 6), spread(["aa", "bb"], 100)
    (['bb', 'dd'], ['aa', 'bb'])
    """
    size = sum(len(line.encode()) + 1 for line in every)
    if size <= most:
        return every
    chosen, taken, passed = [], 0, 0
    for line in every:
        own = len(line.encode()) + 1
        passed += own
        if taken + own <= passed * most / size and taken + own <= most:
            chosen.append(line)
            taken += own
    return chosen
