"""One code system: codes, tags and names of languages of any convention become the same code.

A language is an ISO 639-3 code, a script an ISO 15924 code. The code is the ISO 639-3 form of the shortest BCP 47 tag:
macrolanguages stay where BCP 47 uses them (``zho``, ``ara``, ``fas``, ``swa``, ``est``), while ``nob``, ``nno``,
``hrv``, ``srp``, ``bos`` and ``ind`` are codes of their own. A *label* joins language and script (``srp_Cyrl``,
``zho_Hans``), or is the code alone if the text is in the usual script of the language (``deu``, ``rus``, ``jpn``).

The tables are in ``graphlang/data``; ``tests/languages/make_tables.py`` makes them:

- ``data/subtags.tsv``: subtags of two or three letters of ISO 639 and BCP 47 with their codes, and scripts of ISO
  15924: the answers of the library langcodes. The table is read in a millisecond, and the library imported in fifty.
- ``data/aliases.tsv``: all other codes: retired ones, those of CLD2, fastText and Wikipedia, the standard members of
  macrolanguages, mistakes seen on the web. This table is written by hand.
- ``data/scripts.tsv``: the usual script of each language, from Unicode's CLDR.
- ``data/names.tsv``: English names of languages, scripts and territories, from CLDR and the IANA registry of language
  subtags, with some others in daily use. Case, hyphens, brackets and commas are ignored; a prefix of a name does not
  match.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from graphlang.codes.territories import list_countries, list_official_languages

__all__ = [
    "FASTTEXT",
    "MULTISCRIPT",
    "UND",
    "ZXX",
    "bcp47",
    "code",
    "label",
    "likely_script",
    "list_countries",
    "list_official_languages",
    "name",
    "script",
    "split_label",
]

UND: Final = "und"  #: undetermined: examined without a result
ZXX: Final = "zxx"  #: no linguistic content

#: Languages with labels in more than one script: their labels always name it.
MULTISCRIPT: Final = frozenset(
    "azb aze bos ckb fuf jav lad ota san srp tat tuk uig uzb vie zho zlm".split(),  # noqa: SIM905
)

#: Labels of fastText's lid.176 (Wikipedia's codes) that mean another language in ISO 639; use ``FASTTEXT.get(x, x)``.
FASTTEXT: Final = {"als": "gsw"}

_NAMES: Final = {UND: "undetermined", ZXX: "no linguistic content", "rsk": "Pannonian Rusyn"}
_DATA: Final = Path(__file__).parents[1] / "data"
_LONGEST: Final = 64  # characters of a tag or a name; longer ones are no tags
_SCRIPT_SIZE: Final = 4
_SAME_SCRIPT: Final = {  # a style of writing is not another script
    "Aran": "Arab",
    "Cyrs": "Cyrl",
    "Geok": "Geor",
    "Latf": "Latn",
    "Latg": "Latn",
    "Syre": "Syrc",
    "Syrj": "Syrc",
    "Syrn": "Syrc",
}
_PART_OF: Final = {  # scripts that are a part, or a looser name, of the language's usual one
    "Hans": {"Hani"},
    "Hant": {"Hani"},
    "Jpan": {"Hani", "Hira", "Hrkt", "Kana"},
    "Kore": {"Hani", "Hang", "Jamo"},
}
_FASTTEXT: Final = "__label__"  # before each label of fastText
_NO_SCRIPT: Final = frozenset(("Zinh", "Zmth", "Zsye", "Zsym", "Zxxx", "Zyyy", "Zzzz"))
_EXTENDED: Final = frozenset(("ar", "kok", "lv", "ms", "sgn", "sw", "uz", "zh"))  # languages that take an extlang
_MODIFIERS: Final = {"cyrillic": "Cyrl", "devanagari": "Deva", "latin": "Latn"}  # POSIX: sr_RS.UTF-8@latin


class _Tag(NamedTuple):
    code: str
    script: str | None  # as the tag says, not the usual one
    territory: str | None


def _read_rows(table: str) -> list[list[str]]:
    """Read the rows of a table, without comments and header."""
    lines = (_DATA / table).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")][1:]


@cache
def _read_aliases() -> dict[str, str]:
    return {tag: target for tag, target, _why in _read_rows("aliases.tsv")}


@cache
def _read_scripts() -> dict[str, str]:
    """Return the usual script by language, if it is not Latin, and by language and territory, if that changes it."""
    return {key: script_ for script_, keys in _read_rows("scripts.tsv") for key in keys.split(" ")}


def _find_language(subtag: str) -> str | None:
    """Return the code of a language subtag of two or three letters, or None if there is no such language."""
    if subtag in _read_aliases():
        return _read_aliases()[subtag]
    if subtag in {UND, ZXX}:
        return subtag
    entry = find_subtag(subtag)
    return None if entry is None else entry.code


def _is_script(title: str) -> bool:
    return title not in _NO_SCRIPT and is_script(title)


def _parse_tag(tag: str) -> _Tag | None:
    plain, _, modifier = tag.replace("_", "-").lower().partition("@")
    plain = plain.partition(".")[0]
    if not plain.replace("-", "").isalnum() or not plain.isascii():
        return None
    subtags = _read_aliases().get(plain, plain).split("-")
    primary, rest = subtags[0], subtags[1:]
    if primary in _EXTENDED and rest and len(rest[0]) == len("yue") and rest[0].isalpha():
        primary, rest = rest[0], rest[1:]  # zh-yue: the extended language is more specific
    code = _find_language(primary) if len(primary) in {2, 3} and primary.isalpha() else None
    if code is None:
        return None
    code, _, implied = code.partition("-")
    rest = rest[: next((i for i, subtag in enumerate(rest) if len(subtag) == 1), len(rest))]  # extensions, private use
    titles = (subtag.title() for subtag in rest if len(subtag) == _SCRIPT_SIZE and subtag.isalpha())
    written = next(filter(_is_script, titles), implied or _MODIFIERS.get(modifier))
    territory = next((subtag.upper() for subtag in rest if len(subtag) == len("cc") and subtag.isalpha()), None)
    return _Tag(code, written, territory)


def _parse_name(text: str) -> _Tag | None:
    """Parse an English name: ``French``. A tag of more than three letters has a hyphen, so they do not clash."""
    if not all(character.isalpha() or character in " '’()-" for character in text):
        return None
    tag = find_tag(text)
    return None if tag is None else _parse_tag(tag)


@lru_cache(4096)
def _parse(tag: str) -> _Tag | None:
    """Parse a tag or a name; the cache is bounded, because crawled tags are endless."""
    stripped = tag.strip().removeprefix(_FASTTEXT)
    if not 1 < len(stripped) <= _LONGEST:
        return None
    if (read := _parse_tag(stripped)) is not None:
        return read
    is_name = len(stripped) > len("und") and not stripped.startswith("x-")  # x-default is on many pages
    return _parse_name(stripped) if is_name else None


def code(tag: str) -> str | None:
    """Return the ISO 639-3 code of a tag, or None if it does not name a language.

    Any case, hyphens or underscores: BCP 47 and its grandfathered tags, ISO 639-1, 639-2 (both forms), 639-3, retired
    codes, POSIX locales, labels of CLD2, fastText, FLORES, Wikipedia and this project, and English names. Split a
    list of tags (``en, fr``) first. Look up a code of fastText's lid.176 in `FASTTEXT` first.

    >>> [code(tag) for tag in ("de", "ger", "DE_at", "iw", "nor", "zh-TW", "cmn", "sr-Latn", "French", "zh-yue")]
    ['deu', 'deu', 'deu', 'heb', 'nob', 'zho', 'zho', 'srp', 'fra', 'yue']
    >>> [label(tag) for tag in ("__label__deu_Latn", "__label__srp_Latn", "__label__xx")]
    ['deu', 'srp_Latn', None]
    >>> [code(tag) for tag in ("", "xx", "utf-8", "x-default", "en, fr")]
    [None, None, None, None, None]
    """
    read = _parse(tag)
    return None if read is None else read.code


def likely_script(language: str, territory: str | None = None) -> str:
    """Return the usual script of a language (ISO 639-3), in a territory (ISO 3166) if one is passed.

    It is that of CLDR's likely subtags, and Latin for languages that CLDR does not have.

    >>> likely_script("rus"), likely_script("zho"), likely_script("zho", "TW"), likely_script("deu")
    ('Cyrl', 'Hans', 'Hant', 'Latn')
    """
    scripts = _read_scripts()
    usual = scripts.get(language, "Latn")
    return usual if territory is None else scripts.get(f"{language}-{territory}", usual)


def script(tag: str) -> str | None:
    """Return the ISO 15924 script of a tag, or the usual one of its language; None if `code` is None.

    >>> [script(tag) for tag in ("sr-Latn", "sr", "sr-ME", "zh-TW", "de", "ko-Hang", "xx")]
    ['Latn', 'Cyrl', 'Latn', 'Hant', 'Latn', 'Kore', None]
    """
    read = _parse(tag)
    if read is None:
        return None
    usual = likely_script(read.code, read.territory)
    if read.script is None or read.script in _PART_OF.get(usual, ()):
        return usual
    return _SAME_SCRIPT.get(read.script, read.script)


def label(tag: str) -> str | None:
    """Return the label of a tag: its code, with the script unless it is the only usual one; None if `code` is None.

    >>> [label(tag) for tag in ("de", "sr-Latn", "sr", "zh-Hans", "zh-HK", "mni-Mtei", "kor_Hang", "sr-Cyrl-ME")]
    ['deu', 'srp_Latn', 'srp_Cyrl', 'zho_Hans', 'zho_Hant', 'mni_Mtei', 'kor', 'srp_Cyrl']
    """
    read, written = _parse(tag), script(tag)
    if read is None or written is None:
        return None
    has_script = read.code in MULTISCRIPT or written != likely_script(read.code)
    return f"{read.code}_{written}" if has_script else read.code


def split_label(label: str) -> tuple[str, str]:
    """Return code and script of a label from `label`.

    >>> split_label("srp_Latn"), split_label("deu"), split_label("jpn")
    (('srp', 'Latn'), ('deu', 'Latn'), ('jpn', 'Jpan'))
    """
    language, _, written = label.partition("_")
    return language, written or likely_script(language)


def bcp47(label: str) -> str:
    """Return the shortest BCP 47 tag of a label or code, for ``lang`` attributes and other tools.

    >>> bcp47("deu"), bcp47("srp_Latn"), bcp47("zho_Hans"), bcp47("yue"), bcp47("tgl")
    ('de', 'sr-Latn', 'zh-Hans', 'yue', 'tl')
    """
    language, _, written = label.partition("_")
    if language == "tgl":
        short = "tl"  # CLDR's canonical form of it is another language
    elif _read_aliases().get(language) == language:
        short = language
    else:
        subtag = language.partition("-")[0]
        entry = find_subtag(subtag)
        short = subtag if entry is None else entry.shortest
    return f"{short}-{written}" if written else short


@lru_cache(4096)
def name(code: str) -> str:
    """Return the English name of a code or label; without a name, the code itself.

    >>> name("deu"), name("srp_Latn"), name("tgl"), name("und"), name("zxx"), name("abcd")
    ('German', 'Serbian (Latin)', 'Tagalog', 'undetermined', 'no linguistic content', 'abcd')
    """
    if code in _NAMES:
        return _NAMES[code]
    language, _, written = code.partition("_")
    if _parse(language) is None:
        return code
    title = find_name("language", bcp47(language)) or code
    return f"{title} ({find_name('script', written) or written})" if written else title


_SCRIPT: Final = re.compile(r"[A-Za-z]{4}")


@dataclass(frozen=True, slots=True)
class LanguageChoice:
    """A language to select, in one script or in any."""

    language: str
    script: str | None = None

    def includes(self, language: str, script: str | None) -> bool:
        """Return whether a text in this language and script is selected.

        >>> LanguageChoice("zho", "Hant").includes("zho", "Hans"), LanguageChoice("zho").includes("zho", "Hans")
        (False, True)
        """
        return self.language == language and self.script in (None, script)


def parse_choice(tag: str) -> LanguageChoice:
    """Parse a code, BCP 47 tag or name; the script counts if the tag names one or implies it.

    Raise a ValueError with similar names if no language has this name.

    >>> parse_choice("zh-TW"), parse_choice("zho"), parse_choice("sr-Latn").script, parse_choice("de-AT").script
    (LanguageChoice(language='zho', script='Hant'), LanguageChoice(language='zho', script=None), 'Latn', None)
    """
    tag = tag.strip().removeprefix(_FASTTEXT)
    if tag in (UND, ZXX):
        return LanguageChoice(tag)
    language = code(tag)
    if language is None:
        similar = " or ".join(find_similar_names(tag))
        hint = f"; did you mean {similar}?" if similar else " (known: graphlang languages --known)"
        raise ValueError(f"unknown language {tag!r}{hint}")
    tag_script = script(tag)
    subtags = re.split("[-_]", tag)[1:]
    named = any(_SCRIPT.fullmatch(subtag) for subtag in subtags) or (bool(subtags) and language in MULTISCRIPT)
    return LanguageChoice(language, tag_script if named or tag_script != likely_script(language) else None)


_NAME_TABLE: Final = _DATA / "names.tsv"
_PLAIN_NAME: Final = str.maketrans({"’": "'", "-": " ", "(": None, ")": None, ",": None})
_LANGUAGE_SUFFIX: Final = " language"
_NAME_WITH_SCRIPT: Final = re.compile(r"([^()]+)\(([^()]+)\)")

Kind = Literal["language", "script", "territory"]


class _Names(NamedTuple):
    languages: dict[str, str]  # BCP 47 tag by name
    scripts: dict[str, str]  # code by name


@cache
def _read_name_lines() -> list[str]:
    """Read the sorted lines: kind, code and names, separated by tabs; the first name is the one to display."""
    return [line for line in _NAME_TABLE.read_text("utf-8").splitlines() if not line.startswith("#")]


@cache
def _read_names() -> _Names:
    entries: list[tuple[int, str, str]] = []
    scripts: dict[str, str] = {}
    for kind, code, *names in (line.split("\t") for line in _read_name_lines()):
        if kind == "language":
            entries += [(place, code, normalise_name(name)) for place, name in enumerate(names)]
        elif kind == "script":
            scripts |= {normalise_name(name): code for name in names}
    # If languages share a name, the one that has it as first name wins, and then the one with the shorter code.
    entries.sort(key=lambda entry: (entry[0], len(entry[1])), reverse=True)
    return _Names({name: code for _, code, name in entries}, scripts)


def normalise_name(name: str) -> str:
    """Normalise case, hyphens, brackets and commas of a name.

    >>> normalise_name("Chinese (Traditional)"), normalise_name("Min-Nan")
    ('chinese traditional', 'min nan')
    """
    return " ".join(name.casefold().translate(_PLAIN_NAME).split())


_SIMILAR: Final = 2  # names that are proposed


def find_similar_names(name: str) -> list[str]:
    """Return names of languages that are spelled almost like a name, with their codes.

    >>> find_similar_names("klingonish"), find_similar_names("Swahilli"), find_similar_names("xx")
    (['klingon (tlh)'], ['swahili (sw)', 'kiswahili (swh)'], [])
    """
    names = _read_names().languages
    return [
        f"{match} ({names[match]})"
        for match in difflib.get_close_matches(normalise_name(name), names, _SIMILAR, cutoff=0.8)
    ]


def find_name(kind: Kind, code: str) -> str | None:
    """Return the English name of a BCP 47 tag, ISO 15924 script or ISO 3166-1 territory, or None if it has none.

    >>> find_name("language", "de"), find_name("script", "Cyrl"), find_name("territory", "CH")
    ('German', 'Cyrillic', 'Switzerland')
    >>> find_name("script", "Abcd")
    """
    # A search among lines: to parse all of them takes as long as reading forty pages, and a map names few of them.
    place = bisect_left(_read_name_lines(), f"{kind}\t{code}\t")
    cells = _read_name_lines()[place].split("\t") if place < len(_read_name_lines()) else []
    return cells[2] if cells[:2] == [kind, code] else None


def find_tag(name: str) -> str | None:
    """Return the BCP 47 tag of an English name, or None; ``language`` or a script in brackets may follow the name.

    >>> [find_tag(name) for name in ("French", "Farsi", "Maori language", "Serbian (Latin)", "Frenchman")]
    ['fr', 'fa', 'mi', 'sr-Latn', None]
    """
    names, key = _read_names(), normalise_name(name)
    tag = names.languages.get(key) or names.languages.get(key.removesuffix(_LANGUAGE_SUFFIX))
    if tag is None and (with_script := _NAME_WITH_SCRIPT.fullmatch(name.strip())):
        language, script = (
            names.languages.get(normalise_name(with_script[1])),
            names.scripts.get(normalise_name(with_script[2])),
        )
        tag = f"{language}-{script}" if language and script else None
    return tag


_SUBTAGS: Final = _DATA / "subtags.tsv"


class Subtag(NamedTuple):
    """The codes of a language subtag."""

    code: str  #: ISO 639-3
    shortest: str  #: the shortest equivalent subtag of BCP 47


class _Tables(NamedTuple):
    plain: frozenset[str]  # subtags that are their own code and have no shorter form
    by_subtag: dict[str, Subtag]
    scripts: frozenset[str]


@cache
def _read_subtags() -> _Tables:
    lists: dict[str, frozenset[str]] = {}
    by_subtag: dict[str, Subtag] = {}
    for line in _SUBTAGS.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        kind, *columns = line.split("\t")
        if kind == "subtag":
            subtag, code, shortest = columns
            by_subtag[subtag] = Subtag(code, shortest)
        else:
            lists[kind] = frozenset(columns[0].split(" "))
    return _Tables(lists["plain"], by_subtag, lists["script"])


def find_subtag(subtag: str) -> Subtag | None:
    """Return the codes of a subtag of two or three small letters; None if there is no such language.

    >>> find_subtag("de"), find_subtag("ger"), find_subtag("aaa"), find_subtag("xx")
    (Subtag(code='deu', shortest='de'), Subtag(code='deu', shortest='de'), Subtag(code='aaa', shortest='aaa'), None)
    """
    tables = _read_subtags()
    return Subtag(subtag, subtag) if subtag in tables.plain else tables.by_subtag.get(subtag)


def is_script(title: str) -> bool:
    """Return True if a script of this title (``Cyrl``) exists.

    >>> is_script("Cyrl"), is_script("Abcd")
    (True, False)
    """
    return title in _read_subtags().scripts
