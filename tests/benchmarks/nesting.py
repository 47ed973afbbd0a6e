"""What nesting costs: ``python tests/benchmarks/nesting.py [--only NAME] [--megabytes N]``.

Forty patterns of markup, each repeated to a quarter of a megabyte and to the whole size, are read as pages of an
archive are, in this process. Shown are CPU milliseconds for a megabyte: both columns are alike where time is linear.
A pattern is what is opened, a text, and what is closed; it is nested ``depth`` deep, and that is repeated.
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

from graphlang.ingest import Limits
from graphlang.ingest.page import Parser
from graphlang.ingest.raw import RawRecord

MEGABYTE = 1 << 20
WANTED = 100  # milliseconds for a megabyte, at most


class Pattern(NamedTuple):
    """How a page is made."""

    opened: str
    text: str = ""
    closed: str = ""
    depth: int = 1
    first: str = ""  #: once, before all
    last: str = ""  #: once, behind all


MENU = "<a href=/d>Deutsch</a><a href=/e>English</a><a href=/f>Français</a>"
PATTERNS = {
    "navs, each with a role in it": Pattern("<nav>x<div role=navigation>y</div>", "", "</nav>"),
    "navs side by side": Pattern("<nav>", "x", "</nav>"),
    "navs within each other": Pattern("<nav>x", "", "</nav>", 400),
    "navs that nobody closes": Pattern("<nav>x"),
    "roles side by side": Pattern("<p role=navigation>x"),
    "roles within each other": Pattern("<div role=navigation>x", "", "</div>", 400),
    "roles in a nav": Pattern("<p role=banner>x", first="<nav><p role=navigation>a", last="</nav>"),
    "roles beside navs": Pattern("<nav>x</nav><p role=navigation>"),
    "banners side by side": Pattern("<p id=cookie-bar>x", first="Cookie"),
    "banners within each other": Pattern("<div id=cookie-bar>x", "", "</div>", 400, first="Cookie"),
    "banners beside navs": Pattern("<nav>x</nav><p class=cookie-law>", first="Cookie"),
    "ids that are nearly banners": Pattern("<p id=cookie-cookie-cookie-cookie>x", first="Cookie"),
    "headers with articles": Pattern("<header><article>x</article></header>"),
    "headers with articles, nested": Pattern("<header><article>x", "", "</article></header>", 200),
    "headers around text": Pattern("<header>some words of text", "<article>x</article>", "</header>", 400),
    "asides in articles": Pattern("<article>x<aside>y</aside></article>"),
    "articles within each other": Pattern("<article>x", "", "</article>", 400),
    "articles within navs": Pattern("<article>", "x", "</article>", first="<nav>" * 400),
    "hidden blocks": Pattern("<div hidden>x</div>y"),
    "hidden blocks within each other": Pattern("<div hidden>x", "", "</div>", 400),
    "hidden blocks around text": Pattern("some words of text ", first="<div hidden>x" * 400),
    "dialogs": Pattern("<dialog>x</dialog>y"),
    "lists of links": Pattern("<ul>" + "<li><a href=/a>a page</a>" * 5 + "</ul>"),
    "lists within each other": Pattern("<ul><li><a href=/a>a page</a>", "", "</ul>", 200),
    "one list of links": Pattern("<li><a href=/a>a page</a>", first="x<ul>"),
    "menus of languages": Pattern("<p>" + MENU),
    "menus within each other": Pattern("<div>" + MENU, "", "</div>", 400),
    "menus with much text": Pattern("<p>" + MENU + "a word " * 40),
    "menus in navs": Pattern("<nav>", MENU, "</nav>"),
    "anchors of one place": Pattern("<a href=/a>x</a>"),
    "anchors of many places": Pattern("<a href=#>x</a><a href=/?>y"),
    "elements that nobody closes": Pattern("<div>x"),
    "formats that nobody closes": Pattern("<b><i><p>x"),
    "ends of nothing": Pattern("</p>", first="<div>" * 400),
    "ends of far away": Pattern("</p></li></h1>", first="<p><object>" + "<span>" * 400),
    "items within each other": Pattern("<li><span>x", first="<ul>"),
    "formats that end across blocks": Pattern("<b><div></b>x"),
    "tables within each other": Pattern("<table><tr><td>x", "", "</table>", 120),
    "drawings within each other": Pattern("<svg><foreignObject>x", "", "</svg>", 200),
    "rules in a list to choose from": Pattern("<hr>", first="<select>" + "<i>" * 490),
    "options in a list to choose from": Pattern("<option>", "x", "</option>", first="<select>" + "<i>" * 490),
    "ends of nothing in drawings": Pattern("</q>", first="<svg>" + "<g>" * 490),
    "ends of far away in drawings": Pattern("</i>", first="<i><object><svg>" + "<g>" * 488),
    "ends out of reach in drawings": Pattern("</q>", first="<q><svg><q><desc><object><svg>" + "<g>" * 485),
    "options and forms": Pattern("<form><select><option>x<p>", "", "</form>"),
}


def page(pattern: Pattern, size: int) -> bytes:
    """A page of about so many bytes."""
    once = pattern.opened * pattern.depth + pattern.text + pattern.closed * pattern.depth
    count = max(1, size // len(once.encode()))
    return (pattern.first + once * count + pattern.last).encode()


def milliseconds(markup: bytes) -> float:
    """CPU time of reading a page, for a megabyte: the best of three."""
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n\r\n"
    raw = RawRecord(0, head, b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + markup)
    spent = []
    while len(spent) < 3 and sum(spent) < 5:
        parser, begin = Parser(Limits()), time.process_time()
        parser.parse(raw)
        spent.append(time.process_time() - begin)
    return 1_000 * min(spent) * MEGABYTE / len(markup)


def main() -> None:
    """Print a row for each pattern."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", help="a pattern")
    parser.add_argument("--megabytes", type=float, default=1.0)
    options = parser.parse_args()
    whole = options.megabytes
    print(f"{'pattern':<36} {f'{whole / 4:g} MB':>8} {f'{whole:g} MB':>8}   milliseconds for a megabyte")
    slow = 0
    for name, pattern in PATTERNS.items():
        if options.only and name not in options.only:
            continue
        quarter, all_ = (milliseconds(page(pattern, int(size * MEGABYTE))) for size in (whole / 4, whole))
        slow += all_ > WANTED
        print(f"{name:<36} {quarter:>8.0f} {all_:>8.0f}{'   slow' * (all_ > WANTED)}", flush=True)
    print(f"{len(PATTERNS)} patterns, {slow} take more than {WANTED} ms for a megabyte")


if __name__ == "__main__":
    main()
