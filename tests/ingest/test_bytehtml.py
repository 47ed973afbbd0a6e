"""The byte path: tags and references, table 5 of Chew et al. 2011, and pages made to hurt."""

from __future__ import annotations

from html.entities import name2codepoint

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest.payload.visible_bytes import extract_visible


@pytest.mark.parametrize(
    ("reference", "output"),
    [
        (b"&amp;", b"\x26"),
        (b"&#38;", b"\x26"),
        (b"&#x26;", b"\x26"),
        (b"&beta;", b"\xce\xb2"),
        (b"&#946;", b"\xce\xb2"),
        (b"&#x3B2;", b"\xce\xb2"),
        (b"&#24179;", b"\xe5\xb9\xb3"),
        (b"&#x5E73;", b"\xe5\xb9\xb3"),
        (b"&#X5e73;", b"\xe5\xb9\xb3"),
    ],
)
def test_table_5(reference: bytes, output: bytes) -> None:
    assert extract_visible(b"x" + reference + b"y") == b"x" + output + b"y"


def test_all_252_names_of_html_4() -> None:
    assert len(name2codepoint) == 252
    for name, code in name2codepoint.items():
        assert extract_visible(f"&{name};".encode()) == chr(code).encode()


@pytest.mark.parametrize(
    ("page", "output"),
    [
        (b"&#65 &#x41b", b"A \xd0\x9b"),  # a number needs no semicolon
        (b"&eacute &copy=1", b"\xc3\xa9 \xc2\xa9=1"),  # nor does a name of Latin-1
        (b"&beta &hellip", b"&beta &hellip"),  # but these do
        (b"&copyright &notit;", b"&copyright &notit;"),  # another word
        (b"&Eacute;&eacute;", b"\xc3\x89\xc3\xa9"),  # capitals are other letters
        (b"&NBSP; & &; &# &#x; &#xg;", b"&NBSP; & &; &# &#x; &#xg;"),
        (b"&amp;lt;", b"&lt;"),  # what comes out is not read again
        (b"&lt;b&gt;", b"<b>"),
        (b"&#150;", "–".encode()),  # as in browsers
        (b"&#129;", "\ufffd".encode()),
        (b"&#0; &#xD800; &#x110000; &#99999999999;", " ".join("\ufffd" * 4).encode()),
        (b"&#000000000065;", b"A"),
        (b"&#x1F600;", "😀".encode()),
    ],
)
def test_references(page: bytes, output: bytes) -> None:
    assert extract_visible(page) == output


def test_references_can_be_left_alone() -> None:
    assert extract_visible(b"<p>&beta; &#946; <b>x</b>", references=False) == b" &beta; &#946; x"


@pytest.mark.parametrize(
    ("page", "output"),
    [
        (b"a<p>b<b>c</b>d</p>e", b"a bcd e"),
        (b"<P CLASS=x>a<BR/>b<SPAN>c", b" a bc"),
        (b"a<!-- <p> -->b<!-->c<!--->d<!-- - -- --!>e", b"a b c d e"),
        (b"a<script>if (a<b) '</p>'</script>b<style>p{}</style >c", b"a b c"),
        (b"a<SCRIPT src='x'>b</Script\n>c", b"a c"),
        (b"a<scripted>b", b"a b"),
        (b"<a title='a > b' href=\"x>y\">c</a>", b"c"),
        (b'<a title="it\'s">c</a>', b"c"),
        (b"<a title='it>c", b"c"),  # a quote that is never closed
        (b"1 < 2 <3 <= 4", b"1 < 2 <3 <= 4"),
        (b"<!DOCTYPE html><?xml version='1.0'?><![CDATA[x]]>a", b"   a"),
        (b"a<b", b"a "),  # a tag that is never closed
        (b"a<!-- b", b"a "),
        (b"a<script>b", b"a "),
        (b"<ba>x</ba>", b" x "),
    ],
)
def test_tags(page: bytes, output: bytes) -> None:
    assert extract_visible(page) == output


@pytest.mark.parametrize("charset", ["utf-8", "shift_jis", "euc-jp", "iso-2022-jp"])
def test_japanese_comes_through_unharmed(charset: str) -> None:
    # In ISO-2022-JP the first of these letters is written with the byte of "<", the second with that of "&".
    text = "実Α日本語の文"
    assert b"<BF" in "実日".encode("iso-2022-jp")
    page = f"<p>{text}</p>\n<b>{text}</b>".encode(charset)
    assert extract_visible(page).decode(charset).split() == [text, text]


def test_chinese_in_hz() -> None:
    text = "这是一个句子"
    assert extract_visible(b"<p>" + text.encode("hz") + b"</p>").decode("hz").strip() == text


def test_a_character_of_hz_that_ends_with_a_tilde() -> None:
    # The second byte of the first character is "~"; the third begins with the bytes of "<R".
    text = "\u5265\u5bb6\u65cf"
    assert text.encode("hz") == b"~{0~<RWe~}"
    assert extract_visible(b"<p>" + text.encode("hz") + b"</p>").decode("hz").strip() == text


def test_korean_in_iso_2022() -> None:
    # One escape at the beginning of the page, then shift out and in; the first syllable is written "<R".
    text = "\uc18c\uc124 \uc11c\uc6b8"
    page = f"<p>{text}</p>\n<p>{text}</p>".encode("iso2022_kr")
    assert page.count(b"\x1b$)C") == 1
    assert page.count(b"\x0e<R") == 2
    assert extract_visible(page).decode("iso2022_kr").split() == text.split() * 2


def test_the_escape_of_hz_on_another_page_hides_few_tags() -> None:
    assert extract_visible(b"~{ <b>one</b> <script>var two</script>").split() == [b"~{", b"one"]


@given(st.binary(max_size=300))
def test_any_bytes(page: bytes) -> None:
    # A reference is never shorter than what it becomes, but for "&#0" and its like, which is as long.
    assert len(extract_visible(page)) <= len(page) + 1


@given(
    st.text(st.characters(exclude_characters="<&~\x1b", codec="utf-8"), max_size=100),
    st.sampled_from(["utf-8", "utf-8-sig"]),
)
def test_text_without_markup_is_untouched(text: str, charset: str) -> None:
    assert extract_visible(text.encode(charset)) == text.encode(charset)


OPENERS = (b"<", b"<a ", b'<a "', b"<a '\"", b"<a b='>'", b"<b", b"</", b"<![", b"<!-", b"<!--", b"--!", b"<script>")
REFERRERS = (b"<script></scrip", b"&", b"&#", b"&#1", b"&a", b"\x1b$", b"~{")


@pytest.mark.parametrize("piece", [*OPENERS, *REFERRERS])
def test_a_megabyte_of_it_takes_no_longer_than_it_should(piece: bytes) -> None:
    # Were any of these quadratic, the suite would not end: a megabyte squared is an hour.
    assert len(extract_visible(piece * (1_000_000 // len(piece)))) <= 1_000_001
