"""Codes, scripts and labels: every convention that is met leads to one code."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphlang.codes.languages import (
    FASTTEXT,
    MULTISCRIPT,
    bcp47,
    code,
    label,
    likely_script,
    name,
    script,
    split_label,
)

DATA = Path(os.environ.get("GRAPHLANG_DATA") or Path(__file__).parents[3] / "shared" / "data")
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not here (GRAPHLANG_DATA)")


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("de ger deu DE de-CH de_AT.UTF-8 German german", "deu"),
        ("no nb nor nob no-NO nb-no no-bok Norwegian", "nob"),
        ("nn nno no-nyn nn-NO", "nno"),
        ("iw he heb he-IL iw-IL Hebrew", "heb"),
        ("in id ind id-ID", "ind"),
        ("jw jv jav", "jav"),
        ("ji yi yid ydd", "yid"),
        ("mo ro ron rum mol ro-MD", "ron"),
        ("sh hbs sr srp scc sr-ME sr-Latn sr_RS@latin sr-Cyrl-BA Serbian", "srp"),
        ("hr hrv scr", "hrv"),
        ("cnr", "cnr"),
        ("zh zho chi cmn zh-Hans zh-TW zh_HK zho_Hant zh-CN zh-cmn-Hans zh-guoyu zh-CHS Chinese", "zho"),
        ("yue zh-yue zh-yue-HK Cantonese", "yue"),
        ("nan zh-min-nan", "nan"),
        ("lzh zh-classical", "lzh"),
        ("ar ara arb ar-EG ar-001 Arabic", "ara"),
        ("arz", "arz"),
        ("fa fas per pes fa-IR Persian", "fas"),
        ("prs", "prs"),
        ("sw swa swh swc", "swa"),
        ("ms msa may zsm ms-arab", "msa"),
        ("tl tgl fil fil-PH Tagalog Filipino", "tgl"),
        ("sq sqi alb als", "sqi"),
        ("gsw gsw-CH", "gsw"),
        ("et est ekk", "est"),
        ("lv lav lvs", "lav"),
        ("ltg", "ltg"),
        ("mn mon khk", "mon"),
        ("ne nep npi", "nep"),
        ("or ori ory", "ori"),
        ("az aze azj", "aze"),
        ("azb", "azb"),
        ("ku kur kmr", "kur"),
        ("ckb", "ckb"),
        ("ak aka tw twi", "aka"),
        ("bh bih bho", "bho"),
        ("eml egl", "egl"),
        ("tlh x-klingon i-klingon", "tlh"),
        ("pt por pt-BR pt_BR pt-br PT Portuguese", "por"),
        ("en eng en-US en_GB en-GB-oxendict en-x-private simple English", "eng"),
        ("jp ja jpn ja-JP-u-ca-japanese", "jpn"),
        ("und mul mis", "und"),
        ("zxx", "zxx"),
    ],
)
def test_every_convention_leads_to_one_code(tags: str, expected: str) -> None:
    assert {tag: code(tag) for tag in tags.split(" ")} == dict.fromkeys(tags.split(" "), expected)


@pytest.mark.parametrize(
    "tag", ["", " ", "e", "xx", "zz", "qaa", "zzb", "x-default", "en, fr", "en;q=0.8", "utf-8", "javascript", "12", "ﬁ"]
)
def test_what_is_no_language_has_no_code(tag: str) -> None:
    assert (code(tag), script(tag), label(tag)) == (None, None, None)


def test_a_tag_of_a_megabyte_is_no_tag() -> None:
    assert code("en-" * 350_000) is None


@given(st.text(max_size=80) | st.from_regex(r"[a-zA-Z]{2,4}([-_@.][a-zA-Z0-9]{1,8}){0,3}", fullmatch=True))
@example("A\x0000")  # cut short at the NUL by the library's table of names, it was found and then not decoded
def test_any_text_has_a_code_or_none(tag: str) -> None:
    found = label(tag)
    assert (found is None) == (code(tag) is None)
    if found is not None:
        assert label(found) == found
        assert split_label(found) == (code(tag), script(tag))


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("sr-Latn", "Latn"),
        ("sh", "Latn"),
        ("sr", "Cyrl"),
        ("zh-TW", "Hant"),
        ("zh-SG", "Hans"),
        ("zh-Hani", "Hans"),
        ("yue", "Hant"),
        ("ja-Hira", "Jpan"),
        ("ko-Hang", "Kore"),
        ("ur-Aran", "Arab"),
        ("pa-PK", "Arab"),
        ("pa", "Guru"),
        ("en-Abcd", "Latn"),  # no such script
        ("de-Zyyy", "Latn"),  # not a script to write in
        ("cop", "Copt"),
        ("sr_RS.UTF-8@latin", "Latn"),
    ],
)
def test_the_script_is_said_or_the_usual_one(tag: str, expected: str) -> None:
    assert script(tag) == expected


def test_fasttext_calls_alemannic_by_another_languages_code() -> None:
    assert (code("als"), code(FASTTEXT.get("als", "als"))) == ("sqi", "gsw")


def test_names_are_english_and_say_the_script_of_a_label() -> None:
    assert [name(c) for c in ("nob", "srp_Latn", "cnr", "prs", "zho_Hans", "yue", "tgl")] == [
        "Norwegian Bokmål",
        "Serbian (Latin)",
        "Montenegrin",
        "Dari",
        "Chinese (Simplified)",
        "Cantonese",
        "Tagalog",
    ]


def train_folders() -> list[tuple[str, str]]:
    if not DATA.is_dir():
        return []
    with (DATA / "train" / "SOURCES.tsv").open(encoding="utf-8") as table:
        return sorted({(row["code"], row["script"]) for row in csv.DictReader(table, delimiter="\t")})


@needs_data
def test_every_training_folder_has_a_label_of_its_own_in_its_script() -> None:
    folders = train_folders()
    labels = {folder: label(folder) for folder, _ in folders}
    assert None not in labels.values()
    shared = [folder for folder, found in labels.items() if list(labels.values()).count(found) > 1]
    assert shared == ["chm", "mhr"]  # Mari, and its standard language: one and the same
    chinese = {"Hani": {"Hans", "Hant"}, "Hang": {"Kore"}}
    wrong = [
        (folder, written, labels[folder])
        for folder, written in folders
        if split_label(labels[folder] or "")[1] not in chinese.get(written, {written}) | {written}
    ]
    assert wrong == []


@needs_data
def test_labels_lead_back_to_themselves_and_have_names() -> None:
    for folder, _ in train_folders():
        found = label(folder) or ""
        language, written = split_label(found)
        assert label(found) == label(bcp47(found)) == label(f"{language}-{written}") == found
        assert (code(found), script(found)) == (language, written)
        assert name(language) != language
        assert ("_" in found) == (language in MULTISCRIPT or written != likely_script(language))


@needs_data
def test_languages_of_several_training_scripts_are_the_multiscript_ones() -> None:
    scripts: dict[str, set[str]] = {}
    for folder, _ in train_folders():
        language, written = split_label(label(folder) or "")
        scripts.setdefault(language, set()).add(written)
    assert {language for language, written in scripts.items() if len(written) > 1} == MULTISCRIPT


@needs_data
def test_every_code_of_the_test_lines_and_urls_is_known() -> None:
    made_up = {"zzb", "zze", "zzh", "zzp", "xx", "code", "lang"}  # Bork, Fudd, Hacker, Pig Latin; a column's head
    unknown = set()
    for table in [*DATA.glob("lid/*.tsv"), *DATA.glob("urls/*.tsv")]:
        with table.open(encoding="utf-8") as lines:
            unknown |= {tag for tag in {line.split("\t", 1)[0] for line in lines} if code(tag) is None}
    assert unknown <= made_up


def test_importing_loads_no_table_and_no_names() -> None:
    sizes = "print(*(table.cache_info().currsize for table in (m._read_aliases, m._read_names, m._read_subtags)))"
    code = f"import graphlang.codes.languages as m; {sizes}"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "0", "0"]


def test_names_are_found_as_they_are_written_and_no_words_that_begin_like_one() -> None:
    names = (
        "Hungarian",
        "FARSI",
        "Norwegian (Bokmål)",
        "Chinese (Traditional)",
        "Serbian (Latin)",
        "Azerbaijani language",
    )
    assert [label(one) for one in names] == ["hun", "fas", "nob", "zho_Hant", "srp_Latn", "aze_Latn"]
    assert [label(one) for one in ("nosuch", "Frenchman", "English breakfast", "templates")] == [None] * 4
