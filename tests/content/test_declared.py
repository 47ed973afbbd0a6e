"""Declarations and their precedence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content.declared import DECLARATION_SOURCES, Declared, find_declared


@pytest.mark.parametrize(
    ("rows", "answer"),
    [
        ([], None),
        ([("html-lang", "de-AT")], Declared("deu", "html-lang")),
        ([("http-content-language", "en"), ("html-lang", "fr")], Declared("fra", "html-lang")),
        ([("http-content-language", "en"), ("meta-content-language", "fr")], Declared("fra", "meta-content-language")),
        ([("xml-lang", "nl"), ("meta-content-language", "fr")], Declared("nld", "xml-lang")),
        ([("html-lang", ""), ("xml-lang", " pt-BR ")], Declared("por", "xml-lang")),
        ([("html-lang", "utf-8"), ("xml-lang", "it")], Declared("ita", "xml-lang")),
        ([("html-lang", "und"), ("http-content-language", "ja")], Declared("jpn", "http-content-language")),
        ([("html-lang", "zxx")], None),
        ([("http-content-language", "en, fr")], None),
        ([("html-lang", "zh-TW")], Declared("zho_Hant", "html-lang")),
        ([("rumour", "en")], None),
        ([("html-lang", "qqq"), ("html-lang", "sv")], Declared("swe", "html-lang")),
    ],
)
def test_precedence(rows: list[tuple[str, str]], answer: Declared | None) -> None:
    assert find_declared(rows) == answer


@given(st.lists(st.tuples(st.sampled_from([*DECLARATION_SOURCES, "other"]), st.text(max_size=100)), max_size=5))
def test_anything_may_be_declared(rows: list[tuple[str, str]]) -> None:
    answer = find_declared(rows)
    assert answer is None or answer.source in {source for source, _ in rows}
