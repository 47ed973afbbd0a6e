"""Builds ``crawl.warc.gz`` and ``crawl.gold.tsv``: a small multilingual crawl, the same bytes on every machine.

    python examples/make_crawl.py [--output FOLDER]

``crawl_sites.py`` makes the sites from ``texts.toml``, ``crawl_oddities.py`` what does not follow their skeleton, and
``warc_records.py`` the bytes. ``crawl.gold.tsv`` names the language (ISO 639-3) of every page that has one, ``zxx``
where there are no letters, by bucket of visible characters: ``empty`` (none), ``tiny`` (under 25), ``short`` (under
150), ``full``, and ``unfetched`` for link targets that the crawl never reached.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from crawl_oddities import BY_LANGUAGE, HUB, change, directory, frameset, home, strays
from crawl_sites import SITES, UNFETCHED, Page, address, pages
from warc_records import WarcWriter, http, sha1

HERE: Final = Path(__file__).parent
TINY: Final = 25
SHORT: Final = 150


def crawl() -> list[Page]:
    """Every page, in the order in which it was fetched."""
    by_site = {site.language: pages(index, site) for index, site in enumerate(SITES)}
    change({a_page.url: a_page for made in by_site.values() for a_page in made})
    for language in ("nld", "rus"):
        by_site[language][:1] = frameset(BY_LANGUAGE[language], by_site[language][0])
    return [*directory(), *(a_page for made in by_site.values() for a_page in made), *strays()]


def bucket(a_page: Page) -> str:
    """By visible characters."""
    if a_page.characters == 0:
        return "empty"
    if a_page.characters < TINY:
        return "tiny"
    return "short" if a_page.characters < SHORT else "full"


def chunked(body: bytes) -> bytes:
    """A body in HTTP's chunked transfer coding."""
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:99], body[99:], b""))


def warc(fetched: list[Page]) -> bytes:
    """The WARC file: one response for each page, and one record each of the other kinds."""
    writer = WarcWriter()
    about = b"software: examples/make_crawl.py\r\nformat: WARC File Format 1.1\r\n"
    writer.add("warcinfo", None, about, "application/warc-fields", WARC_Filename="crawl.warc.gz")
    for number, a_page in enumerate(fetched):
        headers, body = dict(a_page.headers), a_page.body
        if a_page.url == address(BY_LANGUAGE["swe"], "about"):
            headers["Transfer-Encoding"] = "chunked"
            body = chunked(body)
        record = writer.response(a_page.url, a_page.status, headers, body)
        if number == 0:
            request = f"GET / HTTP/1.1\r\nHost: {HUB.split('/')[2]}\r\n\r\n".encode()
            writer.add("request", a_page.url, request, "application/http; msgtype=request", WARC_Concurrent_To=record)
            writer.add("metadata", a_page.url, b"via: seed\r\n", "application/warc-fields", WARC_Refers_To=record)
    again = next(a_page for a_page in fetched if a_page.url == home("eng"))
    writer.add(
        "revisit",
        again.url,
        http("200 OK", again.headers, b""),
        "application/http; msgtype=response",
        WARC_Profile="http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        WARC_Payload_Digest=sha1(again.body),
        WARC_Refers_To_Target_URI=again.url,
    )
    return writer.data


def gold(fetched: list[Page]) -> str:
    """The gold table: pages in the order of the crawl, then what was never fetched."""
    rows = [(a_page.url, a_page.language, bucket(a_page)) for a_page in fetched if a_page.language]
    rows += [(site.base + UNFETCHED, site.language, "unfetched") for site in SITES]
    return "url\tlanguage\tbucket\n" + "".join("\t".join(row) + "\n" for row in rows)


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description="Build crawl.warc.gz and crawl.gold.tsv.")
    parser.add_argument("--output", type=Path, default=HERE, help="folder to write to (default: this one)")
    folder = parser.parse_args().output
    fetched = crawl()
    (folder / "crawl.warc.gz").write_bytes(warc(fetched))
    (folder / "crawl.gold.tsv").write_bytes(gold(fetched).encode())


if __name__ == "__main__":
    main()
