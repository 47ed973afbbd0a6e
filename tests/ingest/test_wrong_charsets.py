"""Charsets that servers and pages declare wrongly, after public bug reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graphlang.ingest import Limits
from graphlang.ingest.payload.charset import decode
from graphlang.ingest.payload.charset_fit import measure_fit

if TYPE_CHECKING:
    from tests.ingest.conftest import Archive, Read

GERMAN = "Der Nebel liegt noch über dem Tal, als der Müller die Tür öffnet und die Säcke lädt."
RUSSIAN = "Мельник рано утром открыл дверь и погрузил первые мешки на телегу, пока в долине был туман."
TURKISH = "Değirmenci sabah kapıyı açtı ve ilk çuvalları arabaya yükledi, vadide sis vardı."
POLISH = "Młynarz rano otworzył drzwi i załadował pierwsze worki na wóz, gdy w dolinie leżała mgła."
GREEK = "Ο μυλωνάς άνοιξε νωρίς την πόρτα και φόρτωσε τα πρώτα τσουβάλια στο κάρο."
JAPANESE = "粉屋は朝早く戸を開け、最初の袋を荷車に積みました。谷にはまだ霧が残っていました。"
CHINESE = "磨坊主人清早打開門，把第一批口袋裝上馬車，山谷裡還有霧。"
KOREAN = "방앗간 주인은 아침 일찍 문을 열고 첫 자루들을 수레에 실었습니다."
LATVIAN = "Dzirnavnieks agri no rīta atvēra durvis un sakrāva pirmos maisus ratos, ielejā vēl bija migla."
HUNGARIAN = "A molnár korán reggel kinyitotta az ajtót, és az első zsákokat szekérre rakta, a völgyben köd ült."
UKRAINIAN = "Мірошник рано відчинив двері й навантажив перші мішки на віз."
CHINESE_OF_GB = "磨坊主人清早打开门，把第一批口袋装上马车。"


def header(*lines: str) -> bytes:
    """Return an HTTP header with a status line."""
    return "".join(f"{line}\r\n" for line in ("HTTP/1.1 200 OK", *lines)).encode("latin-1")


@pytest.mark.parametrize("declared", ["iso-8859-1", "windows-1252"])
@pytest.mark.parametrize(
    ("text", "charset"),
    [
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "windows-1251"),
        (TURKISH, "windows-1254"),
        (POLISH, "windows-1250"),
        (POLISH, "iso-8859-2"),
        (GREEK, "windows-1253"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "iso-2022-jp"),
        (CHINESE_OF_GB, "hz-gb-2312"),
        (LATVIAN, "windows-1257"),
        (HUNGARIAN, "iso-8859-2"),
        (f"<p>{RUSSIAN}", "utf-16le"),
        (CHINESE, "big5"),
        (KOREAN, "euc-kr"),
    ],
)
def test_latin_1_that_a_server_sends_by_default_gives_way_to_the_bytes(text: str, charset: str, declared: str) -> None:
    decoded = decode(text.encode(charset), declared)
    assert decoded.text == text
    assert decoded.source == "detector, not http"


@pytest.mark.parametrize(
    ("declared", "charset", "text"),
    [
        ("windows-1251", "koi8-r", RUSSIAN),
        ("windows-1251", "koi8-u", UKRAINIAN),
        ("windows-1251", "iso-8859-5", RUSSIAN),
        ("iso-8859-2", "windows-1250", "Sąsiadka wciąż śpi, a ścieżką wśród łąk idą już ludzie."),
        ("utf-8", "iso-2022-jp", JAPANESE),
        ("koi8-r", "windows-1251", RUSSIAN),
        ("shift_jis", "euc-jp", JAPANESE),
        ("gb2312", "big5", CHINESE),
    ],
)
def test_a_relative_of_the_true_charset_gives_way_to_the_bytes(declared: str, charset: str, text: str) -> None:
    page = f'<meta charset="{declared}"><p>{text}'.encode(charset)
    assert decode(page)[1:] == (charset, "detector, not meta")


def test_a_declaration_of_the_page_that_fits_goes_before_the_detector() -> None:
    page = f'<meta charset="iso-8859-5"><p>{RUSSIAN}'.encode("iso-8859-5")
    assert decode(page, "iso-8859-1")[1:] == ("iso-8859-5", "meta, not http")


@pytest.mark.parametrize(
    "text",
    [
        GERMAN,
        "Où êtes-vous né ? À Besançon, près de l'île, un été déjà.",
        "Mañana será otro día, señor: ¿por qué no?",
        "Þetta er ágætur dagur í Reykjavík og það rignir ekki.",
        "«Größe», § 5 m² für 3 € – ½ Pfund: Müller & Söhne",
        "Herr Dvořák aus Köln".encode("cp1252", "ignore").decode("cp1252"),
        "El Niño",
    ],
)
def test_latin_1_that_fits_stays(text: str) -> None:
    assert decode(text.encode("cp1252"), "iso-8859-1") == (text, "windows-1252", "http")


def test_the_fit_of_a_charset_counts_letters_of_one_alphabet() -> None:
    assert measure_fit("é à ñ".encode("cp1252"), "cp1252", "windows-1252")[:2] == (2 / 3, 3)
    assert measure_fit(b"no letters beyond ASCII", "cp1252", "windows-1252")[:2] == (1.0, 0)


@pytest.mark.parametrize("lines", [f"<p>{JAPANESE}", f"<p>{JAPANESE[:8]}\n~"])
def test_iso_2022_is_seen_under_a_declaration_of_utf_8(lines: str, archive: Archive, read: Read) -> None:
    http = header("Content-Type: text/html; charset=utf-8")
    (page,), _ = read(archive.warc("http://a.example/", lines.encode("iso-2022-jp"), http=http))
    assert (page.charset, page.charset_from) == ("iso-2022-jp", "detector, not http")


@pytest.mark.parametrize("charset", ["ibm850", "macintosh"])
def test_text_of_a_computer_before_windows_is_read(charset: str) -> None:
    decoded = decode(f"<p>{GERMAN}".encode("cp850" if charset == "ibm850" else charset), "iso-8859-1")
    assert decoded[1:] == (charset, "detector, not http")


@pytest.mark.parametrize(
    "meta",
    [
        b'<meta name="description" content="How to write charset=koi8-r">',
        b'<meta data-charset="koi8-r" name=x>',
        b"<meta property=og:title content='text/html; charset=koi8-r'>",
    ],
)
def test_a_description_is_no_declaration_of_a_charset(meta: bytes) -> None:
    page = meta + f'<meta charset="windows-1251"><p>{RUSSIAN}'.encode("cp1251")
    assert decode(page)[1:] == ("windows-1251", "meta")


@pytest.mark.parametrize(
    "meta",
    [
        b'<meta http-equiv="Content-Type" content="text/html; charset="KOI8-R">',
        b"<meta content=text/html;charset=koi8-r http-equiv=content-type>",
        b'<meta content="text/html; charset=koi8-r">',
        b"<META HTTP-EQUIV='Content-Type' VALUE='text/html; charset=koi8-r'>",
    ],
)
def test_careless_declarations_of_a_charset_count(meta: bytes) -> None:
    assert decode(meta + RUSSIAN.encode("koi8-r"))[1:] == ("koi8-r", "meta")


def test_a_declaration_behind_a_long_head_counts() -> None:
    page = b"<head><script>" + b"x" * 70_000 + '</script><meta charset="windows-1254">ağaç'.encode("cp1254")
    assert decode(page)[1:] == ("windows-1254", "meta")


def test_koi8_u_has_the_letter_of_belarusian() -> None:
    assert decode("горад".encode("koi8-r") + b"\xae", "koi8-u").text == "горадў"


@pytest.mark.parametrize(
    ("limits", "charset", "source"),
    [
        ({"charset": "koi8-r"}, "koi8-r", "option"),
        ({"ignore_server_charset": True}, "windows-1251", "meta"),
        ({}, "windows-1251", "meta, not http"),
    ],
)
def test_the_user_may_name_the_charset_or_distrust_servers(
    limits: dict[str, str | bool], charset: str, source: str, archive: Archive, read: Read
) -> None:
    body = f'<meta charset="windows-1251"><p>{RUSSIAN}'.encode("cp1251")
    http = header("Content-Type: text/html; charset=iso-8859-1")
    (page,), _ = read(archive.warc("http://a.example/", body, http=http), **limits)  # type: ignore[arg-type]
    assert (page.charset, page.charset_from) == (charset, source)


def test_a_page_in_utf_8_stays_so_whatever_charset_the_user_names(archive: Archive, read: Read) -> None:
    (page,), _ = read(archive.warc("http://a.example/", GERMAN.encode()), charset="koi8-r")  # type: ignore[arg-type]
    assert page.text == GERMAN


def test_a_charset_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="no charset is called 'koi9'"):
        Limits(charset="koi9")


def test_the_type_that_the_crawler_identified_has_a_charset(archive: Archive, read: Read) -> None:
    extra = b"WARC-Identified-Payload-Type: text/html; charset=koi8-r\r\n"
    (page,), _ = read(archive.warc("http://a.example/", RUSSIAN.encode("koi8-r"), http=header(), extra=extra))
    assert (page.mime, page.text, page.charset_from) == ("text/html", RUSSIAN, "warc")
