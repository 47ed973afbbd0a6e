"""Text that was encoded twice is read as it was meant, and no other text is touched."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphlang.ingest.html.tokenizer import looks_encoded_twice
from graphlang.ingest.payload.encoded_twice import find_character_places, repair_encoding, undo_encoding

if TYPE_CHECKING:
    from conftest import Archive, Read

CP1252: Final = [bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256)]
#: Sentences, each with several letters beyond ASCII; none is in a training or test set.
SENTENCES = (
    *("Größe und Übermut führen in Köln selten zu Ärger.", "L'été dernier, l'élève a mangé une crêpe à l'hôtel."),
    *("Вчера пошёл снег, и дети остались дома.", "昨日は雪が降りました。", "어제 눈이 와서 아이들은 집에 있었다."),
    *("कल बर्फ़ गिरी और बच्चे घर पर रहे।", "ଗତକାଲି ବରଫ ପଡ଼ିଲା ।", "أمس تساقط الثلج وبقي الأطفال في البيت."),
    *("Χθες χιόνισε και τα παιδιά έμειναν σπίτι.", "“Don’t go,” she said – and it’s snowing… 😀", "Zażółć gęślą jaźń"),
    "የበረዶ ቀን ነበር",
)


def encoded(text: str, *, windows: bool = True) -> str:
    """A text whose UTF-8 was taken for windows-1252, or for ISO-8859-1."""
    data = text.encode()
    return "".join(CP1252[byte] for byte in data) if windows else data.decode("latin-1")


def test_a_text_is_read_as_it_was_meant() -> None:
    assert repair_encoding("Ð¿Ñ€Ð¸Ð²ÐµÑ‚") == ("привет", 2)
    assert repair_encoding("GrÃ¼ÃŸe aus KÃ¶ln") == ("Grüße aus Köln", 2)
    assert repair_encoding("à¤¹à¤¿à¤¨à¥\x8dà¤¦à¥€") == ("हिन्दी", 2)
    assert repair_encoding("itâ€™s a â€œtextâ€\x9d".encode()) == ("it’s a “text”", 2)


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("windows", [True, False])
@pytest.mark.parametrize("times", [2, 3, 4])
def test_a_sentence_in_any_language_comes_back(text: str, times: int, *, windows: bool) -> None:
    assert repair_encoding(text) is None
    given_ = text
    for _ in range(times - 1):
        given_ = encoded(given_, windows=windows)
    assert repair_encoding(given_) == (text, times)
    assert repair_encoding(f"<p>{given_}</p>".encode()) == (f"<p>{text}</p>", times)


def test_no_more_than_three_encodings_are_taken_back() -> None:
    text = "Grüße aus Köln"
    for _ in range(4):
        text = encoded(text)
    assert repair_encoding(text) == (encoded("Grüße aus Köln"), 4)


@given(st.text(), st.sampled_from(SENTENCES), st.booleans())
def test_whatever_stands_beside_a_sentence_comes_back(more: str, sentence: str, windows: bool) -> None:
    text = f"{more} {sentence}"
    assume(repair_encoding(text) is None)  # what hypothesis wrote is no such text itself
    meant = repair_encoding(encoded(text, windows=windows))
    assert meant == (text, 2)


@pytest.mark.parametrize(
    "text",
    [
        *("", "ASCII", "é", "Ã", "Ã¼"),
        # Capitals and "ß" before signs, small letters before two of them: valid UTF-8 by chance.
        *("«\xa0Café\xa0», «\xa0thé\xa0» et «\xa0été\xa0»", "„Spaß“, „Gruß“ und „SPÖ“", "à…, é», ý“"),
        *("SPÖ“ FPÖ“ SPÖ“ FPÖ“ SPÖ“", "NESCAFÉ® NESCAFÉ® NESCAFÉ® NESCAFÉ®"),
        # Articles about such text.
        "Если вместо «привет» видно «Ð¿Ñ€Ð¸Ð²ÐµÑ‚», кодировка определена неверно: текст прочитан как windows-1252.",
        "é is shown as Ã©, ü as Ã¼, ñ as Ã±, ’ as â€™ and “ as â€œ",
        "One often sees Ã© and Ã¼ and â€™ on pages",
        # A part of it was encoded twice.
        "Größe, Äpfel und Öl: GrÃ¶ÃŸe, Ã„pfel und Ã–l",
        # What was lost cannot be taken back: most of the bytes are missing.
        "Ð?Ñ?Ð?Ð²ÐµÑ?Ð?Ñ?Ð?",
    ],
)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert repair_encoding(text) is None
    assert repair_encoding(text.encode()) is None


def test_one_letter_in_ten_may_be_as_it_is() -> None:
    assert repair_encoding("© " + encoded("öäüöäüöäü") + " ü") == ("© öäüöäüöäü ü", 2)  # 2 of 20 characters
    assert repair_encoding("© " + encoded("öäüöäüöä") + "x ü") is None  # 2 of 18


def test_texts_beside_one_are_taken_back_as_often() -> None:
    assert undo_encoding("fÃ¼r", 1) == "fÃ¼r"
    assert undo_encoding(encoded(encoded("für")), 3) == "für"


@given(st.sampled_from(SENTENCES), st.integers(2, 3))
def test_characters_have_their_places(text: str, times: int) -> None:
    given_ = text
    for _ in range(times - 1):
        given_ = encoded(given_)
    at = find_character_places(given_, times)
    assert (len(at), at[0], at[-1]) == (len(text) + 1, 0, len(given_))
    for begin in range(len(text)):
        assert undo_encoding(given_[at[begin] : at[begin + 1]], times) == text[begin]


def _may_be(text: str) -> bool:
    """What the kernel looks for: runs that begin with a letter of Latin-1, and others of these letters."""
    runs = others = 0
    for place, letter in enumerate(text):
        if not "\xc0" <= letter <= "\xff":
            continue
        if others > runs + 24:
            break
        length = 0 if not "\xc2" <= letter <= "\xf4" else 1 if letter < "\xe0" else 2 if letter < "\xf0" else 3
        behind = text[place + 1 : place + 1 + length]
        first = {one.encode()[0] for one in behind}
        if length and len(behind) == length and first <= {0xC2, 0xC5, 0xC6, 0xCB, 0xE2}:
            runs += 1
        else:
            others += 1
    return runs >= 3 and others <= runs


LETTERS = st.lists(
    st.sampled_from(["Ã¼", "à¤¹", "ð\x9f\x98\x80", "Ð", "é", "ÿ", "À", "€", "š", "ł", "a", " ", "я", "\xa0", "é" * 30]),
    max_size=40,
).map("".join)


@given(LETTERS)
def test_what_looks_encoded_twice_is_what_the_definition_says(text: str) -> None:
    assert looks_encoded_twice(text.encode()) == _may_be(text)


@given(LETTERS)
def test_nothing_is_taken_back_that_does_not_look_so(text: str) -> None:
    if repair_encoding(text) is not None:
        assert looks_encoded_twice(text.encode())


def test_any_bytes_may_be_looked_at() -> None:
    assert not looks_encoded_twice(b"")
    assert not looks_encoded_twice(b"\xc3" * 9)
    assert looks_encoded_twice(b"\xc3\xbc\xc3\x83\xc2\xbc" * 3)
    assert not looks_encoded_twice(b"\xc3\x83\xc2\xbc" * 2 + b"\xc3\x83\xe2\x80")  # the third is cut


PAGE = (
    "<html><head><title>{title}</title></head><body><nav><a href='/größe'>{menu}</a></nav>"
    "<main><p>{text}</p></main></body></html>"
)


def test_a_page_says_what_was_meant_and_leads_where_it_leads(archive: Archive, read: Read) -> None:
    words = {"title": "Über Köln", "menu": "Größe", "text": "Grüße aus Köln &amp; Düsseldorf, à bientôt"}
    page = PAGE.format(**words)
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
    body = encoded(page).encode()
    (found,), problems = read(archive.warc("http://a.example/", body, http=http), anchor_texts=True)
    assert problems == []
    assert (found.title, found.text) == ("Über Köln", "Grüße aus Köln & Düsseldorf, à bientôt\nGröße")
    assert found.text[: found.main_length] == "Grüße aus Köln & Düsseldorf, à bientôt"
    assert (found.charset, found.charset_from) == ("utf-8", "http, encoded twice")
    assert (found.length, found.size) == (len(found.text), len(body))
    # Browsers and crawlers follow what is written: UTF-8 of "grÃ¶ÃŸe".
    (link,) = found.links
    assert (link.url, link.text) == ("http://a.example/gr%C3%83%C2%B6%C3%83%C5%B8e", "Größe")


def test_a_page_is_told_only_where_its_words_change(archive: Archive, read: Read) -> None:
    body = "<p title='GrÃ¼ÃŸe aus KÃ¶ln'>Good morning".encode()
    (found,), _ = read(archive.warc("http://a.example/", body))
    assert (found.text, found.charset_from) == ("Good morning", "utf-8")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_it_does_not_matter_on_whose_word_it_is_utf_8(archive: Archive, read: Read, mark: bytes) -> None:
    text = "Grüße aus Köln"
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n"
    body = mark + f"<p>{encoded(encoded(text))}".encode()
    (found,), _ = read(archive.warc("http://a.example/", body, http=http))
    assert found.text == text
    assert found.charset_from == ("bom, encoded 3 times" if mark else "utf-8, not http, encoded 3 times")


def test_plain_text_is_as_it_was_meant(archive: Archive, read: Read) -> None:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
    body = encoded("Вчера пошёл снег.\n\nДети остались дома.").encode()
    (found,), _ = read(archive.warc("http://a.example/", body, http=http))
    assert (found.text, found.charset_from) == ("Вчера пошёл снег.\nДети остались дома.", "utf-8, encoded twice")


def test_text_that_others_extracted_is_as_it_was_meant(archive: Archive, read: Read) -> None:
    text = encoded("Снег\nВчера пошёл снег.")
    record = archive.warc("http://a.example/", text.encode(), kind="conversion", http=None)
    (found,), _ = read(record.replace(b"text/html", b"text/plain"), "a.warc.wet")
    assert (found.title, found.text) == ("Снег", "Снег\nВчера пошёл снег.")
    assert found.charset_from == "utf-8, encoded twice"


def test_a_line_of_json_is_as_it_was_meant(read: Read) -> None:
    said = {"url": "http://a.example/", "title": encoded("à"), "text": encoded("Вчера пошёл снег.")}
    plain = {"url": "http://b.example/", "title": 7, "text": "Вчера пошёл снег."}
    (found, other), _ = read("\n".join(map(json.dumps, (said, plain))).encode(), "a.jsonl")
    assert (found.title, found.text, found.charset_from) == ("à", "Вчера пошёл снег.", "utf-8, encoded twice")
    assert (other.title, other.text, other.charset_from) == ("", "Вчера пошёл снег.", "utf-8")
