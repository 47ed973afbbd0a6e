"""The sites of the example crawl: a small world of invented places, one or more of them for each language.

Every site has the same skeleton (home, about, pictures, contact, two notices, six picture pages of a word or two), but
differs in what makes real crawls hard: how its URLs look, its charset and who declares it, what it says of its
language. Texts come from ``texts.toml``. Hosts end in the reserved ``.example``, or in ``graphlang-example`` and a real
country's top-level domain, because that domain is a signal as well.
"""

from __future__ import annotations

import hashlib
import html
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

TEXTS: Final[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "texts.toml").read_text("utf-8"))
UNFETCHED: Final = "archive/1998.html"
MENU_KEYS: Final = ("home", "about", "pictures", "contact")

#: How a page names its twin in another language, and the tag that it gives it.
SWITCHES: Final = {
    "eng": ("English", "en"), "fra": ("Français", "fr"), "deu": ("D", "de"), "ita": ("I", "it"),
    "spa": ("es", "es"), "cat": ("ca", "ca"),
}  # fmt: skip

#: What picture pages say when they say nothing of their language. Those without letters are ``zxx``.
WORDLESS: Final = (
    "Foto 12", "Menu", "Info", "Video 3", "Anna", "IMG 0412", "Radio 98", "A-Z", "No. 7", "2024", "Album 2", "PDF",
    "B 14", "Mia 2023", "Panorama", "Logo", "Plan B", "Test", "Zoom", "12:45", "Sofia", "GPS 2", "Leo", "Studio 5",
    "Max & Mia", "Nr. 31", "MP3", "Lina", "1 / 8",
)  # fmt: skip


@dataclass(frozen=True)
class Site:
    """One language's part of a host."""

    language: str  #: ISO 639-3, the key of its texts
    base: str
    urls: str = "words"  #: how its URLs look: ``words``, ``numbers`` (a query) or ``hashes``
    charset: str = "utf-8"
    declared: str = (
        "http"  #: who declares the charset: ``http``, ``meta``, ``xml``, ``none``; or ``wrong``: HTTP, as utf-8
    )
    lang: str = ""  #: the ``lang`` attribute, right or wrong
    content_language: str = ""  #: the HTTP header
    switches_to: str = ""  #: the other language of the host, which every page links to
    switch: str = "hreflang"  #: how: ``hreflang`` (alternate links too) or ``plain``


@dataclass
class Page:
    """One fetched page, before it becomes a record."""

    url: str
    body: bytes
    headers: dict[str, str]
    language: str | None = None  #: gold; None where no one language is right
    characters: int = 0
    status: str = "200 OK"


SITES: Final = (
    Site("eng", "http://museum-of-tides.example/en/", lang="en", switches_to="fra"),
    Site("fra", "http://museum-of-tides.example/fr/", lang="fr", switches_to="eng"),
    Site("deu", "http://huette.graphlang-example.ch/", "numbers", switches_to="ita", switch="plain"),
    Site("ita", "http://huette.graphlang-example.ch/i/", "numbers", switches_to="deu", switch="plain"),
    Site("spa", "http://biblioteca.example/", "hashes", lang="es", switches_to="cat"),
    Site("cat", "http://biblioteca.example/c/", "hashes", lang="es", switches_to="spa"),
    Site("dan", "http://radio-nord.example/1/", "numbers"),
    Site("nob", "http://radio-nord.example/2/", "numbers"),
    Site("swe", "http://radio-nord.example/3/", "numbers"),
    Site("nld", "http://molen.graphlang-example.nl/", charset="windows-1252", declared="none"),
    Site("fin", "http://majakka.graphlang-example.fi/", content_language="en"),
    Site("pol", "http://piekarnia.graphlang-example.pl/", charset="iso-8859-2", declared="meta", lang="pl"),
    Site("ces", "http://loutky.graphlang-example.cz/", "hashes", charset="windows-1250"),
    Site("hun", "http://halaszkunyho.example/", charset="iso-8859-2", declared="none"),
    Site("ron", "http://livada.graphlang-example.ro/", "numbers"),
    Site("tur", "http://cay.graphlang-example.com.tr/", charset="windows-1254", declared="meta"),
    Site("hrv", "http://zvonik.graphlang-example.hr/", "hashes", lang="en"),
    Site("ind", "http://pasar-pagi.example/", lang="id"),
    Site("vie", "http://vuon-sen.example/", "numbers"),
    Site("swa", "http://maktaba.example/", "hashes"),
    Site("por", "http://compotas.graphlang-example.pt/", lang="es"),
    Site("rus", "http://ladja.graphlang-example.ru/", charset="koi8-r", declared="meta"),
    Site("ukr", "http://pasika.graphlang-example.ua/", "hashes", lang="uk"),
    Site("bul", "http://rozi.graphlang-example.bg/", "numbers", charset="windows-1251", declared="wrong"),
    Site("srp", "http://most.graphlang-example.rs/"),
    Site("ell", "http://elaionas.graphlang-example.gr/", "hashes", charset="iso-8859-7", declared="none"),
    Site("heb", "http://mitzpe.example/", "numbers", charset="windows-1255", declared="meta", lang="he"),
    Site("ara", "http://bustan.example/", charset="windows-1256"),
    Site("fas", "http://chaikhane.example/", "hashes", lang="fa"),
    Site("hin", "http://pahari-rail.example/"),
    Site("tha", "http://talat.graphlang-example.co.th/", "numbers", charset="tis-620", declared="meta"),
    Site("zho", "http://zhulin.example/", charset="gb18030", declared="meta"),
    Site("jpn", "http://eki.graphlang-example.jp/", "hashes", charset="euc-jp", declared="none"),
    Site("kor", "http://naru.graphlang-example.kr/", "numbers", charset="euc-kr", declared="none"),
    Site("kat", "http://marani.example/", declared="xml", lang="ka"),
)


def lines(language: str, key: str) -> list[str]:
    """Sentences or phrases of a language."""
    found: str = TEXTS[language][key]
    return found.strip().split("\n")


def visible(body: str) -> str:
    """The text that a reader of our own plain markup sees."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<(script|style).*?</\1>", " ", body))).split())


def address(site: Site, key: str) -> str:
    """The URL of a page of a site."""
    if key == "home" and site.urls != "hashes":
        return site.base
    if site.urls == "numbers":
        number = int(hashlib.sha256(f"{site.language} {key}".encode()).hexdigest()[:4], 16)
        return f"{site.base}show.php?id={number}"
    if site.urls == "hashes":
        return site.base + hashlib.sha256(f"{site.language} {key}".encode()).hexdigest()[:10] + ".html"
    words = key
    if key in MENU_KEYS:
        label = unicodedata.normalize("NFKD", TEXTS[site.language]["menu"][MENU_KEYS.index(key)])
        words = re.sub(r"[^a-z]+", "-", label.encode("ascii", "ignore").decode().lower()).strip("-") or key
    return f"{site.base}{words}.html"


def anchor(url: str, text: str, more: str = "") -> str:
    """A link."""
    return f'<a href="{html.escape(url)}"{more}>{text}</a>'


def other(site: Site) -> Site | None:
    """The same place in its other language."""
    return next((site_ for site_ in SITES if site_.language == site.switches_to), None)


def page(site: Site, key: str, body: str, *, title: str, head: str = "") -> Page:
    """A page of a site, in its charset, with what it declares."""
    twin = other(site)
    if twin is not None:
        name, tag = SWITCHES[twin.language]
        says = f' hreflang="{tag}"' if site.switch == "hreflang" else ""
        body = anchor(address(twin, key), name, says) + "\n" + body
        if says:
            head += f'<link rel="alternate"{says} href="{address(twin, key)}">'
    if site.declared == "meta":
        head = f'<meta http-equiv="Content-Type" content="text/html; charset={site.charset}">' + head
    lang = f' lang="{site.lang}"' if site.lang else ""
    start = f"<!DOCTYPE html>\n<html{lang}>"
    if site.declared == "xml":
        xhtml = f'<html xmlns="http://www.w3.org/1999/xhtml" xml:{lang[1:]}>'
        start = f'<?xml version="1.0" encoding="{site.charset}"?>\n{xhtml}'
    text = f"{start}\n<head>{head}<title>{html.escape(title)}</title></head>\n<body>\n{body}\n</body>\n</html>\n"
    charset = {"http": f"; charset={site.charset}", "wrong": "; charset=utf-8"}.get(site.declared, "")
    headers = {"Content-Type": "text/html" + charset}
    if site.content_language:
        headers["Content-Language"] = site.content_language
    encoded = text.encode(site.charset, "xmlcharrefreplace")
    return Page(address(site, key), encoded, headers, site.language, len(visible(body)))


def paragraphs(sentences: list[str], each: int = 2) -> str:
    """Sentences as paragraphs."""
    return "\n".join(f"<p>{' '.join(sentences[i : i + each])}</p>" for i in range(0, len(sentences), each))


def pages(index: int, site: Site) -> list[Page]:
    """All pages of one site: four that its menu leads to, two notices, and six picture pages of hardly a word."""
    texts = TEXTS[site.language]
    title, sentences, phrases = texts["title"], lines(site.language, "sentences"), lines(site.language, "phrases")
    labels = zip(MENU_KEYS, texts["menu"], strict=True)
    menu = "<p>" + " | ".join(anchor(address(site, key), label) for key, label in labels) + "</p>"
    picture = [address(site, f"foto{n}") for n in range(1, 7)]
    notice = [address(site, f"note{n}") for n in (1, 2)]
    friends = [SITES[(index + step) % len(SITES)] for step in (3, 11)]
    thumbs = "\n".join(anchor(url, f'<img src="/t{n}.png" alt="">') for n, url in enumerate(picture, 1))
    long = len(sentences) - 3
    back = anchor(address(site, "home"), "&lt;")
    numbered = [anchor(url, str(n)) for n, url in enumerate([*notice, *picture[:4]], 1)]
    more = [anchor(url, str(n)) for n, url in enumerate(picture[2:], 1)]
    home = (
        f"<h1>{title}</h1>\n{menu}\n{paragraphs(sentences[:long])}\n"
        f"<p>{' '.join(numbered)}</p>\n"
        f"<p>{' '.join(anchor(address(friend, 'home'), '*') for friend in friends)}</p>"
    )
    about = f"{menu}\n{paragraphs(sentences[-4:])}\n<p>{' '.join(more)}</p>"
    contact = f"{menu}\n<p>{phrases[3]}</p>\n<p>{anchor(site.base + UNFETCHED, '1998')}</p>"
    made = [
        page(site, "home", home, title=title),
        page(site, "about", about, title=title),
        page(site, "pictures", f"{menu}\n<p>{phrases[2]} {' '.join(sentences[:2])}</p>\n{thumbs}", title=title),
        page(site, "contact", contact, title=title),
        *(page(site, f"note{n}", f"<p>{phrases[n - 1]}</p>\n{back}", title="") for n in (1, 2)),
    ]
    says = [WORDLESS[(4 * index + n) % len(WORDLESS)] for n in range(4)] + texts["tiny"][:2]
    onwards = [*picture[1:], address(site, "pictures")]
    for n, (text, url) in enumerate(zip(says, onwards, strict=True), 1):
        onward = anchor(url, '<img src="/next.png" alt="">')
        tiny = page(site, f"foto{n}", f"<p>{html.escape(text)}</p>\n{onward}", title=text)
        if not any(character.isalpha() for character in text) and other(site) is None:
            tiny.language = "zxx"
        made.append(tiny)
    return made
