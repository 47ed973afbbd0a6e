from __future__ import annotations

import codecs
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest.html.tokenizer import is_utf8
from graphlang.ingest.payload.charset import decode, find_codec
from graphlang.ingest.payload.charset_names import ALIASES, MORE, TABLES

RUSSIAN = "Привет, это страница на русском языке. "
META = '<meta http-equiv="Content-Type" content="text/html; charset={}">'


def page(text: str, codec: str, *, meta: str = "", xml: str = "") -> bytes:
    head = f'<?xml version="1.0" encoding="{xml}"?>' if xml else ""
    return (head + "<html>" + (META.format(meta) if meta else "")).encode() + text.encode(codec)


@pytest.mark.parametrize(
    ("payload", "http", "charset", "source"),
    [
        # precedence: byte order mark, HTTP, XML, meta
        (b"\xef\xbb\xbf" + RUSSIAN.encode(), "koi8-r", "utf-8", "bom"),
        (b"\xff\xfe" + RUSSIAN.encode("utf-16le"), "koi8-r", "utf-16le", "bom"),
        (b"\xfe\xff" + RUSSIAN.encode("utf-16be"), None, "utf-16be", "bom"),
        (page(RUSSIAN, "koi8-r", meta="windows-1251", xml="iso-8859-5"), "koi8-r", "koi8-r", "http"),
        (page(RUSSIAN, "iso8859-5", meta="koi8-r", xml="iso-8859-5"), None, "iso-8859-5", "xml"),
        (page(RUSSIAN, "koi8-r", meta="koi8-r"), None, "koi8-r", "meta"),
        (page(RUSSIAN, "utf-8", meta="utf-8"), None, "utf-8", "meta"),
        (page(RUSSIAN, "utf-8"), None, "utf-8", "utf-8"),
        # a declaration that lies is not believed, and the next word is asked
        (page(RUSSIAN, "koi8-r", meta="koi8-r"), "utf-8", "koi8-r", "meta, not http"),
        (page(RUSSIAN, "utf-8", meta="utf-8"), "iso-8859-1", "utf-8", "utf-8, not http"),
        (page(RUSSIAN, "utf-8"), "windows-1251", "utf-8", "utf-8, not http"),
        (page(RUSSIAN, "koi8-r", meta="koi8-r"), "euc-kr", "koi8-r", "meta, not http"),
        (page(RUSSIAN, "koi8-r", meta="utf-16"), "koi8-r", "koi8-r", "http"),
        (page(RUSSIAN, "koi8-r", meta="koi8-r"), "utf-16", "koi8-r", "meta, not http"),
        # a declaration in a comment is none
        (b'<!-- <meta charset="latin1"> -->' + page(RUSSIAN, "koi8-r", meta="koi8-r"), None, "koi8-r", "meta"),
        (page(RUSSIAN * 20, "koi8-r") + b'<!-- <meta charset="latin1">', None, "koi8-r", "detector"),
        # far down in the head, where browsers begin anew; not in the page
        (
            b"<script>" + b"x" * 5_000 + b"</script>" + page("Größe", "cp1250", meta="cp1250"),
            None,
            "windows-1250",
            "meta",
        ),
        (b"x" * 2_000 + b'<meta charset="iso-8859-2" x=' + b"x" * 99 + b">\xe9", None, "iso-8859-2", "meta"),
        (b"x" * 2_024 + b"<meta charset=iso-8859-16>\xe9\xa4", None, "iso-8859-16", "meta"),
        (
            page(RUSSIAN * 20, "koi8-r") + b"<body>" + b"x" * 2_000 + b"<meta charset=latin1>",
            None,
            "koi8-r",
            "detector",
        ),
        # nobody knows that name
        (page(RUSSIAN, "utf-8"), "x-martian", "utf-8", "utf-8"),
        (page(RUSSIAN, "koi8-r", meta="koi8-r"), "none", "koi8-r", "meta"),
        # aliases, by the WHATWG's list
        (page("Größe", "latin-1", meta="latin1"), None, "windows-1252", "meta"),
        (page("\u201cGröße\u201d", "cp1252", meta="iso-8859-1"), None, "windows-1252", "meta"),
        (page("日本語の文章です。", "cp932", meta="x-sjis"), None, "shift_jis", "meta"),
        (page("中文网页的内容", "gbk", meta="gb2312"), None, "gbk", "meta"),
        (page("ภาษาไทย", "cp874", meta="tis-620"), None, "windows-874", "meta"),
        (page("ภาษาไทย", "cp874", meta="cp874"), None, "windows-874", "meta"),
        (page("Größe", "cp850", meta="ibm850"), None, "ibm850", "meta"),
        (page("Größe", "cp850", meta="cp850"), None, "ibm850", "meta"),
        (page("Қазақ тілі", "kz1048", meta="kz-1048"), None, "kz-1048", "meta"),
        # what the standard's decoders read and the codec of the name alone does not
        (page("① 日本語", "euc_jis_2004", meta="euc-jp"), None, "euc-jp", "meta"),
        (page("ﾃｽﾄ", "iso2022_jp_ext", meta="iso-2022-jp"), None, "iso-2022-jp", "meta"),
        (page("똠방각하", "cp949", meta="ks_c_5601-1987"), None, "euc-kr", "meta"),
        (page("€ 中文", "gb18030", meta="gb2312"), None, "gbk", "meta"),
        # ASCII is in nearly all of them: the declared one stands
        (page("plain", "ascii", meta="koi8-r"), None, "koi8-r", "meta"),
        (page("plain", "ascii"), None, "utf-8", "utf-8"),
        (b"", None, "utf-8", "utf-8"),
        # told by their bytes
        (("<html>" + RUSSIAN).encode("utf-16le"), None, "utf-16le", "detector"),
        (("<html>" + RUSSIAN).encode("utf-32be"), None, "utf-32be", "detector"),
        (page("これは日本語です。", "iso2022_jp"), None, "iso-2022-jp", "detector"),
        (page("中文网页", "hz"), None, "hz-gb-2312", "detector"),
        (page("한국어 문장입니다.", "iso2022_kr"), None, "iso-2022-kr", "detector"),
        (("<html><p>" + "\u3000日本語\u3000の" * 9).encode("utf-16le"), None, "utf-16le", "detector"),
        (page(RUSSIAN * 20, "koi8-r"), None, "koi8-r", "detector"),
        (page("Привіт, це сторінка українською мовою.", "koi8-u"), None, "koi8-u", "detector"),
        (page("Größe und Maße", "cp1252"), None, "windows-1252", "detector"),  # not half Cyrillic
        (page(RUSSIAN * 20, "cp1251"), None, "windows-1251", "detector"),
    ],
)
def test_charset_and_on_whose_word(payload: bytes, http: str | None, charset: str, source: str) -> None:
    decoded = decode(payload, http)
    assert decoded[1:] == (charset, source)
    text = decoded.text if isinstance(decoded.text, str) else decoded.text.decode()
    assert "\ufffd" not in text


@pytest.mark.parametrize("name", sorted({*MORE, *ALIASES}))
def test_a_name_that_the_tables_add_leads_to_a_decoder(name: str) -> None:
    # A page that declares it would be lost otherwise, or read as if it declared nothing.
    assert find_codec(name) is not None


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_ours_has_each_byte_once(name: str) -> None:
    table = TABLES[name]
    known = [character for character in table if character != "\ufffd"]
    assert (len(table), len(set(known))) == (256, len(known))
    assert unicodedata.is_normalized("NFC", table)
    some = "".join(known).encode(name)
    assert some.decode(name) == "".join(known)
    assert "".join(codecs.iterdecode([some[:7], some[7:]], name)) == "".join(known)


@pytest.mark.parametrize("label", ["VISCII", "csVISCII", "viscii"])
def test_vietnamese_in_viscii_is_read(label: str) -> None:
    """By the table of RFC 1456: e with circumflex and acute is AA, and dot below AE; A with breve and hook above 02."""
    text = b"<p>Ti\xaang Vi\xaet, \xd0\xdf\xb6ng, H\xb0, H\xe0 N\xb5i, \x02"
    for payload, http, source in ((b"<meta charset=%s>" % label.encode() + text, None, "meta"), (text, label, "http")):
        decoded = decode(payload, http)
        assert isinstance(decoded.text, str)
        assert decoded.text.partition("<p>")[2] == "Tiếng Việt, Đường, Hồ, Hà Nội, Ẳ"
        assert decoded[1:] == ("viscii", source)


@pytest.mark.parametrize(
    "text", ["Ein kurzer Satz.\0 Noch einer", "<p>Ein Satz\0</p>", "Grüße\0", "a,b\0", "one\0two\0"]
)
def test_a_zero_in_utf8_does_not_make_it_utf16(text: str) -> None:
    assert decode(text.encode()) == (text.encode(), "utf-8", "utf-8")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ["An old page.", "Привет, это страница.", "नमस्ते, दुनिया", "ሰላም ለሁሉ"])
def test_wide_text_whose_bytes_are_utf8_too(text: str, codec: str) -> None:
    text.encode(codec).decode()
    assert decode(text.encode(codec), markup=False) == (
        text,
        codec.replace("-", "", 2).replace("utf", "utf-"),
        "detector",
    )


def test_a_stray_byte_in_a_long_page_is_forgiven() -> None:
    payload = page(RUSSIAN * 50, "utf-8", meta="utf-8") + b"\xa0 end"
    decoded = decode(payload)
    assert decoded[1:] == ("utf-8", "meta")
    assert isinstance(decoded.text, str)
    assert decoded.text.count("\ufffd") == 1
    german = page("Größe, Maße und Straße. " * 8, "utf-8", meta="utf-8")
    assert decode(german + b"caf\xe9 ")[1:] == ("utf-8", "meta")  # one in 25: umlauts come by chance as UTF-8 never
    assert decode(page("kurz: ", "utf-8", meta="utf-8") + "Größe und Maß".encode("latin-1"))[1:] != ("utf-8", "meta")


def test_a_page_cut_within_a_character_keeps_its_charset() -> None:
    assert decode("Größe und Maße der Straße".encode()[:-6] + "ß".encode()[:1], "utf-8")[1:] == ("utf-8", "http")
    assert decode(page("日本語の文章", "euc_jp", meta="euc-jp")[:-1])[1:] == ("euc-jp", "meta")


@pytest.mark.parametrize(
    "text",
    [
        "La Francia è il settimo Paese",
        "è morto poco",
        "faut se tenir à au moins",
        "du café à Paris",
        "Esta é uma",
        "hefur í för",
        "Å bruke skip",
    ],
)
def test_a_short_latin_text_is_not_taken_for_another_script(text: str) -> None:
    assert decode(text.encode("cp1252"), markup=False).text == text


@pytest.mark.parametrize(
    "text", ["サーバ", "フィルタの", "サーバーのバージョンを表", "に対してマウスは耐性を", "前記の状態のものです"]
)
@pytest.mark.parametrize(("codec", "charset"), [("euc_jp", "euc-jp"), ("cp932", "shift_jis")])
def test_a_few_words_in_kana_are_japanese(text: str, codec: str, charset: str) -> None:
    found = decode(text.encode(codec), markup=False)
    assert (found.text, found.charset) == (text, charset)


@pytest.mark.parametrize(("text", "codec"), [("Ты и я", "cp1251"), ("Программа HTML и CSS", "cp1251")])
def test_words_of_one_letter_in_a_short_text_of_another_script(text: str, codec: str) -> None:
    assert decode(text.encode(codec), markup=False).text == text


def test_plain_text_declares_nothing_within_itself() -> None:
    assert decode(b"about <meta charset=koi8-r> tags", markup=False)[1:] == ("utf-8", "utf-8")


@given(
    st.binary(max_size=300),
    st.sampled_from([None, "utf-8", "utf-16", "shift_jis", "iso-2022-jp", "hz", "x", "utf-7", "gb18030", "johab"]),
)
def test_any_bytes_decode_to_something(payload: bytes, http: str | None) -> None:
    decoded = decode(payload, http)
    if isinstance(decoded.text, bytes):
        decoded.text.decode()
    assert decoded.source.partition(",")[0] in {"bom", "http", "xml", "meta", "utf-8", "detector", "default"}


@given(
    st.lists(
        st.sampled_from([b"a", b"a" * 31, b"\xc3\xa4", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", "日本".encode(), b"\xff"])
        | st.binary(max_size=3),
        max_size=8,
    ).map(b"".join)
)
def test_what_is_utf8_is_what_python_decodes(data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError:
        assert not is_utf8(data)
    else:
        assert is_utf8(data)
