"""Charset detection beside its peers: ``python tests/benchmarks/charset_table.py [--made N]``.

The first two tables are over the files of ``encodings`` (chardet's test set; the folder names the truth), as they are
and with their declarations taken out. A detector is right by name where it names the charset of the folder or one that
holds it, and right by text where its charset decodes the file to what the folder's does. The others are over pages that
are made here: lines of the test texts of ``lid``, without declaration, in the charsets that pages in those languages
came in; no detector was trained on these.

The peers' packages are no dependency; what is not installed is left out. Times are user seconds for all files.
"""

from __future__ import annotations

import argparse
import codecs
import importlib.util
import random
import re
import time
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from development_data import DATA, read_lines

from graphlang.ingest.payload.charset import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LANGUAGES = re.compile(r"-(croatian|czech|hungarian|polish|slovak|bulgarian|russian|greek|turkish|hebrew)$")
#: Folder -> Python's name of the largest charset that holds it, which is what browsers read it as.
PYTHON = {
    "cp932": "cp932",
    "shift_jis": "cp932",
    "maccyrillic": "mac_cyrillic",
    "macroman": "mac_roman",
    "ibm855": "cp855",
    "ibm866": "cp866",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "euc-kr": "cp949",
    "big5": "big5hkscs",
    "iso-8859-1": "cp1252",
    "iso-8859-9": "cp1254",
    "ascii": "cp1252",
    "x-mac-cyrillic": "mac_cyrillic",
    "macintosh": "mac_roman",
    "gbk": "gb18030",
    "hz-gb-2312": "hz",
    "windows-874": "cp874",
    "iso-8859-11": "cp874",
    "big5-hkscs": "big5hkscs",
    "uhc": "cp949",
    "windows-949": "cp949",
    "windows-31j": "cp932",
    "shift_jis_2004": "cp932",
    "euc_jis_2004": "euc-jp",
    "iso-8859-8-i": "iso-8859-8",
}
#: The same between Python's names.
SUPERSET = {
    "utf-8-sig": "utf-8",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "tis-620": "cp874",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
}
DECLARED = re.compile(r"(<\?xml\s[^>]{0,200}?)\sencoding\s*=\s*[\"'][^\"']{0,40}[\"']", re.IGNORECASE)
DECLARED_META = re.compile(r"(<meta\s[^>]{0,400}?)charset\s*=\s*[\"']?[\w.:-]{1,40}", re.IGNORECASE)
#: Charset -> the languages whose pages came in it (codes of the columns of the test lines).
MADE = {
    "windows-1252": "de fr es pt it nl sv da fi nb is ca eu gl af",
    "windows-1250": "cs pl hu hr sk sl ro",
    "iso-8859-2": "cs pl hu hr sk sl",
    "windows-1251": "ru bg uk be sr mk",
    "koi8-r": "ru bg",
    "koi8-u": "uk",
    "iso-8859-5": "ru bg",
    "cp866": "ru",
    "mac_cyrillic": "ru bg",
    "windows-1253": "el",
    "iso-8859-7": "el",
    "windows-1254": "tr",
    "windows-1255": "he",
    "windows-1256": "ar fa ur",
    "iso-8859-6": "ar",
    "windows-1257": "lt lv et",
    "iso-8859-13": "lt lv",
    "windows-1258": "vi",
    "cp874": "th",
    "cp932": "ja",
    "euc-jp": "ja",
    "iso-2022-jp": "ja",
    "gb18030": "zh-Hans",
    "hz": "zh-Hans",
    "big5hkscs": "zh-Hant",
    "cp949": "ko",
    "iso-2022-kr": "ko",
    "utf-8": "de ru zh-Hans ja ko el vi",
    "utf-16le": "de ru zh-Hans ja",
    "utf-16be": "de ru zh-Hans ja",
    "utf-32le": "ru zh-Hans",
}
LENGTHS = (30, 100, 400)


class File(NamedTuple):
    """What is to be detected."""

    kind: str
    payload: bytes
    python: str  #: Python's name of its charset
    text: str


def python_name(label: str | None) -> str:
    """Return Python's name of a detector's charset; empty where there is none."""
    name = (label or "").lower()
    try:
        found = codecs.lookup(PYTHON.get(name, name)).name
    except LookupError:
        return ""
    return SUPERSET.get(found, found)


def decoded(payload: bytes, label: str | None) -> str:
    """Return the text under a detector's charset; what no charset was found for is read as browsers would."""
    return payload.decode(python_name(label) or "cp1252", "replace").removeprefix("\ufeff")


def files(*, declared: bool) -> list[File]:
    """Return the files of the test set."""
    found = []
    for path in sorted((DATA / "encodings").glob("*/*")):
        name = LANGUAGES.sub("", path.parent.name).lower()
        python = PYTHON.get(name, name)
        payload = path.read_bytes()
        text = payload.decode(python, "replace")
        if not declared:
            bare = DECLARED_META.sub(r"\1", DECLARED.sub(r"\1", text))
            if bare != text:
                # Bytes that the charset cannot hold are kept as they were: the text is cut out of the payload itself.
                payload = cut(payload, python)
                text = payload.decode(python, "replace")
        found.append(File(name, payload, python_name(name), text.removeprefix("\ufeff")))
    return found


def cut(payload: bytes, python: str) -> bytes:
    """Take the declarations out of a payload."""
    if python.startswith(("utf-16", "utf-32")):
        text = DECLARED_META.sub(r"\1", DECLARED.sub(r"\1", payload.decode(python, "replace")))
        return text.encode(python, "replace")
    one = payload.decode("latin-1")
    return DECLARED_META.sub(r"\1", DECLARED.sub(r"\1", one)).encode("latin-1")


def test_lines() -> dict[str, list[str]]:
    """Return the lines of the test texts by language."""
    lines: dict[str, list[str]] = defaultdict(list)
    for line in read_lines():
        if len(line.text) > 20:
            lines[line.tag].append(line.text)
    return lines


def make_pages(count: int) -> list[File]:
    """Return pages in many charsets and lengths."""
    lines = test_lines()
    chance = random.Random(20261121)  # noqa: S311 - the same pages in every run
    return [
        page
        for name, languages in MADE.items()
        for language in languages.split()
        for length in LENGTHS
        for page in islice(pages_in(name, lines[language], length, chance), count)
    ]


def pages_in(name: str, pool: list[str], length: int, chance: random.Random) -> Iterator[File]:
    """Yield pages in one charset, as many as can be found in a while."""
    escapes = name.startswith(("iso2022", "iso-2022", "hz"))
    for _ in range(1000 if pool else 0):
        text = ""
        while len(text) < length:
            text += chance.choice(pool) + " "
        text = text[:length]
        page = f"<html><head><title>{text[:20]}</title></head><body><p>{text}</p></body></html>"
        try:
            payload = page.encode(name)
        except UnicodeEncodeError:
            continue
        if payload.decode(name) == page and (escapes or not payload.isascii()):
            yield File(f"{name} {length}", payload, python_name(name), page)


def detectors() -> dict[str, Callable[[bytes], str | None]]:
    """Return the peers that are installed."""
    found: dict[str, Callable[[bytes], str | None]] = {}
    if importlib.util.find_spec("chardet"):
        import chardet  # noqa: PLC0415

        found["chardet " + chardet.__version__] = lambda data: chardet.detect(data)["encoding"]
    if importlib.util.find_spec("charset_normalizer"):
        import charset_normalizer  # noqa: PLC0415

        def normalizer(data: bytes) -> str | None:
            best = charset_normalizer.from_bytes(data).best()
            return best.encoding if best else None

        found["charset-normalizer " + charset_normalizer.__version__] = normalizer
    if importlib.util.find_spec("cchardet"):
        import cchardet  # noqa: PLC0415

        found["faust-cchardet"] = lambda data: cchardet.detect(data)["encoding"]
    if importlib.util.find_spec("resiliparse"):
        from resiliparse.parse.encoding import detect_encoding  # noqa: PLC0415

        found["resiliparse"] = lambda data: detect_encoding(data, max_len=len(data))
        found["resiliparse, html5"] = lambda data: detect_encoding(data, max_len=len(data), from_html_meta=True)
    return found


def ours(data: bytes) -> tuple[str, str]:
    """Return our own answer, as name and text."""
    found = decode(data)
    text = found.text if isinstance(found.text, str) else found.text.decode()
    return found.charset, text.removeprefix("\ufeff")


def table(title: str, cases: list[File], *, rows: bool) -> None:
    """Print one table."""
    print(f"{title}: {len(cases)} pages")
    kinds = sorted({one.kind for one in cases}, key=[one.kind for one in cases].index)
    each: dict[str, dict[str, int]] = {}
    runs: dict[str, Callable[[bytes], tuple[str, str | None]]] = {
        name: (lambda data, detect=detect: (detect(data) or "", None)) for name, detect in detectors().items()
    }
    runs["graphlang"] = ours
    for name, run in runs.items():
        names = texts = 0
        spent = 0.0
        by_kind: dict[str, int] = defaultdict(int)
        for one in cases:
            started = time.process_time()
            label, text = run(one.payload)
            spent += time.process_time() - started
            text = decoded(one.payload, label) if text is None else text
            same = text == one.text
            named = python_name(label)
            wide = one.python in {"utf-16", "utf-32"} and named.startswith(one.python)  # with a byte order mark
            names += named == one.python or wide or (same and one.payload.isascii())
            texts += same
            by_kind[one.kind] += same
        each[name] = by_kind
        total = len(cases)
        shares = f"by name {names:>5} {names / total:7.2%}   by text {texts:>5} {texts / total:7.2%}"
        print(f"  {name:<28} {shares}   {spent:7.2f} s")
    if rows:
        print(f"  {'right by text':<18} {'pages':>6} " + " ".join(f"{name.split()[0][:14]:>14}" for name in runs))
        for kind in kinds:
            count = sum(one.kind == kind for one in cases)
            print(f"  {kind:<18} {count:>6} " + " ".join(f"{each[name][kind]:>14}" for name in runs))
    print()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--made", type=int, default=8, help="pages for each charset, language and length")
    parser.add_argument("--rows", action="store_true", help="also one row for each charset")
    options = parser.parse_args()
    table("encodings, as they are", files(declared=True), rows=options.rows)
    table("encodings, declarations taken out", files(declared=False), rows=options.rows)
    pages = make_pages(options.made)
    for length in LENGTHS:
        chosen = [one._replace(kind=one.kind.split()[0]) for one in pages if one.kind.endswith(f" {length}")]
        table(f"made pages of {length} characters, undeclared", chosen, rows=options.rows)


if __name__ == "__main__":
    main()
