"""Pinned: how many real pages in legacy encodings the shipped byte trigrams tell by language, and by encoding.

Development files named by their charset, some also by their language. The numbers are those of the shipped model; a
better one may raise them, nothing may lower them.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from graphlang.codes.languages import code
from graphlang.content import registry
from graphlang.ingest.payload.visible_bytes import extract_visible
from graphlang.papers import byte_trigrams
from graphlang.papers.byte_profiles import decode

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("GRAPHLANG_DATA", ROOT / ".." / "shared" / "data")) / "encodings"
DIGEST = "0ca6980c08aa1732"
FILES, LANGUAGES, ENCODINGS = 139, 117, 116
#: Folder -> language, where the charset has but one among these files.
CHARSETS = {
    "Big5": "zho",
    "EUC-JP": "jpn",
    "EUC-KR": "kor",
    "GB2312": "zho",
    "IBM855": "rus",
    "IBM866": "rus",
    "KOI8-R": "rus",
    "SHIFT_JIS": "jpn",
    "iso-2022-jp": "jpn",
}


def read() -> list[tuple[str, str, bytes]]:
    """(charset, language, visible bytes) of the files whose folder names both."""
    found = []
    for path in sorted(DATA.glob("*/*")):
        charset, language = path.parent.name, CHARSETS.get(path.parent.name)
        if language is None:
            charset, _, name = charset.rpartition("-")
            language = code(name) if name.isalpha() and len(name) > len("sig") else None
        if language is not None:
            found.append((charset.lower(), language, extract_visible(path.read_bytes(), references=False)))
    return found


def measure(pages: list[tuple[str, str, bytes]]) -> tuple[int, int]:
    """Right languages, and encodings that decode the page as the true one does."""
    identifier = registry.load("byte-trigrams")
    assert isinstance(identifier, byte_trigrams.ByteTrigrams)
    labels, _, encodings = identifier.identify_bytes([page for _, _, page in pages])
    languages = [identifier.labels[i].split("_")[0] for i in labels]
    right = sum(found == gold for found, (_, gold, _) in zip(languages, pages, strict=True))
    alike = sum(
        name is not None and decode(page, name.replace("us-ascii", "utf-8")) == decode(page, charset)
        for name, (charset, _, page) in zip(encodings, pages, strict=True)
    )
    return right, alike


@pytest.mark.skipif(not DATA.is_dir(), reason="the pages in legacy encodings are not here (GRAPHLANG_DATA)")
def test_legacy_pages_are_not_below_the_baseline() -> None:
    pages = read()
    if hashlib.sha256(b"\0".join(page for _, _, page in pages)).hexdigest()[:16] != DIGEST:
        pytest.skip("the pages are others than those of the baseline")
    right, alike = measure(pages)
    assert len(pages) == FILES
    assert right >= LANGUAGES
    assert alike >= ENCODINGS


def test_the_shipped_model_names_language_and_encoding() -> None:
    text = "Приветствуем вас на нашей странице о погоде, природе и путешествиях по стране."
    identifier = registry.load("byte-trigrams")
    assert isinstance(identifier, byte_trigrams.ByteTrigrams)
    names = ["windows-1251", "koi8-r", "iso-8859-5", "ibm866"]
    labels, _, encodings = identifier.identify_bytes([text.encode(name) for name in names])
    assert {identifier.labels[i] for i in labels} == {"rus"}
    assert encodings == names
