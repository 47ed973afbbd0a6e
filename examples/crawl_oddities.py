"""What no crawl is without: an open directory, framesets, redirects, lost pages, lies about the charset."""

from __future__ import annotations

from typing import Final

from crawl_sites import MENU_KEYS, SITES, TEXTS, Page, Site, address, anchor, lines, page, paragraphs, visible
from warc_records import stored_gzip

HUB: Final = "http://harbour-directory.example/"
BY_LANGUAGE: Final = {site.language: site for site in SITES}
MUSEUM: Final = "http://museum-of-tides.example/"
PUPPETS: Final = BY_LANGUAGE["ces"].base
LOST: Final = BY_LANGUAGE["pol"].base + "zgubione.html"
PLAIN: Final = BY_LANGUAGE["tur"].base + "oku.txt"
ADVERT: Final = "http://lucky-lobster.example/win.html"
HTML: Final = {"Content-Type": "text/html"}
UTF8: Final = {"Content-Type": "text/html; charset=utf-8"}
PDF: Final = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n"
PIXEL: Final = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010800000000"
    "3a7e9b550000000a49444154789c63600000000200014875716d0000000049454e44ae426082",
)


def home(language: str) -> str:
    """The URL of a site's home page."""
    return address(BY_LANGUAGE[language], "home")


def plain(url: str, title: str, body: str, language: str | None) -> Page:
    """A page in UTF-8 that follows no site's skeleton."""
    text = f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body>\n{body}\n</body></html>\n"
    return Page(url, text.encode(), dict(UTF8), language, len(visible(body)))


def redirect(url: str, target: str, status: str = "301 Moved Permanently") -> Page:
    """An answer that leads elsewhere."""
    return Page(url, b"", HTML | {"Location": target}, status=status)


def directory() -> list[Page]:
    """An English site that links to every site, and right into their tiny pages, which are not English."""
    homes = "\n".join(f"<li>{anchor(home(site.language), TEXTS[site.language]['title'])}</li>" for site in SITES)
    latest = " ".join(anchor(address(site, f"foto{i % 4 + 1}"), str(i)) for i, site in enumerate(SITES))
    welcome = (
        "The harbour directory lists places that our readers have visited and liked. Nobody pays to be in it, and "
        "nobody can be put on the list by his own cousin. Below you find the pictures that were sent to us last week."
    )
    menu = " ".join(
        anchor(HUB + path, name) for path, name in (("places", "All places"), ("tides", "28"), ("guests", "1"))
    )
    tides = [(day, f"{6 + day % 12}:{day * 7 % 60:02}", f"{3 + day % 4}.{day % 10}") for day in range(1, 29)]
    rows = "".join(f"<tr><td>{day}</td><td>{time}</td><td>{height}</td></tr>\n" for day, time, height in tides)
    guests = paragraphs([lines(language, "phrases")[0] for language in ("eng", "spa", "rus", "jpn", "swa", "ell")], 1)
    advert = anchor(ADVERT, "advert", ' rel="nofollow"')
    return [
        plain(HUB, "Harbour directory", f"<p>{welcome}</p>\n<p>{latest}</p>\n<p>{menu} {advert}</p>", "eng"),
        plain(HUB + "places", "Places", f"<ul>\n{homes}\n</ul>", None),  # titles in every language
        plain(HUB + "tides", "28", f"<table>\n{rows}</table>\n{anchor(HUB, '&lt;')}", "zxx"),
        plain(HUB + "guests", "Guests", f'<meta name="robots" content="nofollow">{guests}', None),  # in six languages
        plain(ADVERT, "Lobster", f"<p>{'Win a golden lobster today! ' * 8}</p>", "eng"),
    ]


def frameset(site: Site, main: Page) -> list[Page]:
    """A home page as a frameset: it has no text, the text is in its frames."""
    texts = TEXTS[site.language]
    links = "\n".join(anchor(address(site, key), label) for key, label in zip(MENU_KEYS, texts["menu"], strict=True))
    menu = page(site, "frame-menu", links, title="")
    outer_url, main.url = main.url, address(site, "frame-main")
    frames = f'<frameset cols="20%,80%"><frame src="{menu.url}"><frame src="{main.url}"></frameset>'
    body = f"<html><head><title>{texts['title']}</title></head>{frames}</html>"
    outer = Page(outer_url, body.encode(site.charset, "xmlcharrefreplace"), dict(main.headers), site.language, 0)
    return [outer, menu, main]


def change(found: dict[str, Page]) -> None:
    """Put oddities into pages of the sites; `found` is by URL."""

    def insert(language: str, key: str, before: str, more: str) -> None:
        site = BY_LANGUAGE[language]
        changed = found[address(site, key)]
        head, mark, tail = changed.body.partition(before.encode())
        if not mark:
            raise ValueError(f"no {before} in {changed.url}")
        changed.body = head + more.encode(site.charset) + mark + tail

    areas = [address(BY_LANGUAGE["hrv"], f"foto{n}") for n in (1, 2, 3)]
    corners = "".join(f'<area shape="rect" coords="{n},0,{n + 9},9" href="{url}">' for n, url in enumerate(areas))
    second_note = address(BY_LANGUAGE["fas"], "note2")
    insert("deu", "note1", "<title>", '<meta name="robots" content="noindex">')
    insert("ces", "contact", "<title>", f'<base href="{PUPPETS}x/">')
    insert("ces", "contact", "</body>", '<a href="kasna.html">2001</a>')  # under the base, and never fetched
    insert("hrv", "contact", "</body>", f'<img src="/map.png" usemap="#m"><map name="m">{corners}</map>')
    insert(
        "eng",
        "contact",
        "</body>",
        f'<iframe src="{HUB}tides"></iframe><a href="/plan.pdf">1</a><a href="/t1.png">2</a>',
    )
    insert("pol", "about", "</body>", anchor(LOST, "404"))
    insert("tur", "about", "</body>", anchor(PLAIN, "1"))
    insert("rus", "about", "</body>", anchor(BY_LANGUAGE["rus"].base + "itog.html", "1"))
    insert("fas", "note1", "<title>", f'<link rel="canonical" href="{second_note}">')
    insert("fin", "home", "</body>", "<script>var words = 'a script is not a text of the page';</script>")
    insert("ita", "about", "</body>", "<style>p { color: green } /* and a style is none either */</style>")
    found[home("ita")].headers["Link"] = f'<{home("deu")}>; rel="alternate"; hreflang="de"'

    squeezed = found[address(BY_LANGUAGE["ukr"], "about")]
    squeezed.body = stored_gzip(squeezed.body)
    squeezed.headers["Content-Encoding"] = "gzip"
    wide = found[address(BY_LANGUAGE["vie"], "about")]
    wide.body = b"\xff\xfe" + wide.body.decode().encode("utf-16-le")
    wide.headers = dict(HTML)


def strays() -> list[Page]:
    """Further pages of the sites: orphans, redirects, a splash page, what is no HTML."""
    polish, russian, swahili = (BY_LANGUAGE[language] for language in ("pol", "rus", "swa"))
    result = paragraphs(lines("rus", "sentences")[3:7])
    turkish = "\n".join(lines("tur", "sentences")[:5])
    splash = f'<meta http-equiv="refresh" content="0; url={home("jpn")}"><title>EKI</title><p>EKI</p>'
    return [
        page(swahili, "orphan", paragraphs(lines("swa", "sentences")[2:7]), title=""),  # nothing links to these two
        page(polish, "orphan", f"<p>{lines('pol', 'sentences')[4]}</p>", title=""),
        Page(russian.base + "itog.html", result.encode("cp1251"), dict(UTF8), "rus", len(visible(result))),  # no UTF-8
        Page(PLAIN, turkish.encode(), {"Content-Type": "text/plain; charset=utf-8"}, "tur", len(turkish)),
        Page(BY_LANGUAGE["jpn"].base, splash.encode(), dict(HTML), "jpn", len("EKI")),
        redirect(BY_LANGUAGE["spa"].base + "start", home("spa")),
        redirect(BY_LANGUAGE["ell"].base, home("ell"), "302 Found"),
        redirect(PUPPETS, "/index"),
        redirect(PUPPETS + "index", home("ces"), "302 Found"),
        redirect(swahili.base, "https://maktaba.example/"),
        Page(LOST, b"<h1>404 Not Found</h1><p>nginx</p>", dict(HTML), status="404 Not Found"),
        Page(MUSEUM + "plan.pdf", PDF, {"Content-Type": "application/pdf"}),
        Page(MUSEUM + "t1.png", PIXEL, {"Content-Type": "image/png"}),
    ]  # fmt: skip
