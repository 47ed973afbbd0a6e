"""Labelled collections again, with a site's own menu round each page: `rebuild` writes them, `menus.py` reads them.

Each host draws a style by seed: markup and place of its menus, what is in them, where the text is, the length of the
footer, a banner. Kind ``A`` has semantic elements and class names, kind ``B`` has none that tell a menu from text.
Target URIs, text and links of each page stay; languages, titles of other pages and words of the site are added.
"""

from __future__ import annotations

import csv
import random
import re
from collections import Counter, defaultdict
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graph_tables import CODE
from warcio.archiveiterator import ArchiveIterator

from graphlang.codes import languages
from graphlang.export.warc import RecordWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KINDS = ("A", "B")
#: The same pages in the same order, with whole texts and URLs that name sections and languages.
WHOLE = {"docs-short30": "docs-full", "docs-short60": "docs-full", "httpd2006-short30": "httpd2006-legacy"}

MAIN = re.compile(rb"<main><p>(?P<text>.*?)</p></main>", re.DOTALL)
SOURCE = re.compile(rb"<html><head>(.*?)</head>\n<body>\n<p>(?P<text>.*?)</p>\n<ul>\n(.*?)</ul>", re.DOTALL)
ANCHOR = re.compile(rb'<a href="([^"]*)">')
SENTENCE_END = re.compile(rb"(?<=[.!?]) ")
TITLE_LETTERS = 3  #: of a title, at least
TITLE_LENGTH = 40  #: characters, at most
WORDS_SEEN = 60  #: of a text, for its title
SHARED = 5  #: pages of a host that begin with the same words, for these to be no title
MARKS = str.maketrans("", "", "[]{}()=#*_`|<>&;\\")
COMMENT_LENGTH = 200
COMMENTED = 0.03  #: share of the pages
COMMENTED_TEXT = 300  #: characters that a page of kind B has at least before it gets comments
PARAGRAPH = 3  #: sentences
CLOUD_WORD = 6  #: letters, at least
CLOUD_SIZE = 25


def words_of(kind: str) -> dict[str, list[str]]:
    """Our own words round pages, by language: names of languages, a site's menu, banners, sentences of footers."""
    words = defaultdict(list)
    for row in table(Path(__file__).with_name("site_words.tsv")):
        if row["kind"] == kind:
            words[row["language"]].append(row["text"])
    return dict(words)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


AUTONYMS, SITE, BANNER, FOOTER = (words_of(kind) for kind in ("name", "menu", "banner", "footer"))


class Source(NamedTuple):
    """A page of the collection without menus."""

    url: str
    header: bytes  #: of HTTP, without its length
    head: bytes  #: what is between the tags of HTML's head
    text: bytes  #: escaped
    links: tuple[str, ...]
    charset: str
    date: str


class Link(NamedTuple):
    """An entry of a menu."""

    text: str
    url: str | None = None
    attributes: str = ""


class Style(NamedTuple):
    """What the pages of a host have in common."""

    kind: str
    markup: str  #: of its lists of links
    wrapper: tuple[str, str]  #: round a menu
    content: tuple[str, str]  #: round the text
    place: str  #: of languages and sections: top, left, end, both
    names: str  #: of languages: autonym, code, both, none
    hreflang: bool
    siblings: int
    current: str  #: how the menu has the page itself: text, link, absent
    breadcrumbs: bool
    site: str  #: language of the site's menu: main, own (of the section)
    cloud: bool
    footer: int  #: characters
    banner: bool
    titled_links: bool  #: the page's own links have titles, else numbers
    paragraphs: bool
    main: str  #: language of the site


MARKUPS = ("list", "definition", "bar", "breaks", "table", "row")
WRAPPERS = {
    "A": (
        ("<nav>", "</nav>"),
        ('<div class="navbar">', "</div>"),
        ('<div id="menu">', "</div>"),
        ("<aside>", "</aside>"),
        ('<div class="sidebar">', "</div>"),
        ('<div role="navigation">', "</div>"),
    ),
    "B": (
        ("<div>", "</div>"),
        ("", ""),
        ('<div class="c3f9a1">', "</div>"),
        ("<center>", "</center>"),
        ("<div><div>", "</div></div>"),
    ),
}
CONTENTS = {
    "A": (
        ("<main>", "</main>"),
        ("<article>", "</article>"),
        ('<div id="content">', "</div>"),
        ('<div class="post-content">', "</div>"),
    ),
    "B": (
        ("", ""),
        ("<td>", "</td>"),
        ("<div>", "</div>"),
        ('<div class="x81c2">', "</div>"),
    ),
}
FEET = {"A": ("<footer>", "</footer>"), "B": ("<div>", "</div>")}
BANNERS = {"A": ('<div id="cookie-banner">', "</div>"), "B": ("<div>", "</div>")}
COMMENTS = {"A": ('<div id="comments">', "</div>"), "B": ("<div>", "</div>")}


def styles(hosts: Sequence[tuple[str, str]], kind: str, seed: int) -> dict[str, Style]:
    """A style for each host with its main language; values of a property are dealt out like cards."""
    chance = random.Random(f"{kind} {seed} {hosts[0][0]}")  # noqa: S311 - a sample, not a secret
    hands = {
        "markup": MARKUPS,
        "wrapper": WRAPPERS[kind],
        "content": CONTENTS[kind],
        "place": ("top", "left", "end", "both"),
        "names": ("autonym", "both", "autonym", "code", "autonym", "none"),
        "hreflang": (False, False, True),
        "siblings": (4, 12, 30),
        "current": ("text", "link", "absent"),
        "breadcrumbs": (True, False),
        "site": ("main", "own"),
        "cloud": (False, False, True),
        "footer": (200, 3000, 0, 900),
        "banner": (True, False),
        "titled_links": (True, False),
        "paragraphs": (True, False),
    }
    dealt = {}
    for name, cards in hands.items():
        rounds = -(-len(hosts) // len(cards))
        dealt[name] = [card for _ in range(rounds) for card in chance.sample(cards, len(cards))]
    return {
        host: Style(kind=kind, main=main, **{name: cards[place] for name, cards in dealt.items()})  # type: ignore[arg-type]
        for place, (host, main) in enumerate(hosts)
    }


def read(path: Path, charsets: Sequence[str]) -> Iterator[Source]:
    """The pages of a collection without menus, in order."""
    with path.open("rb") as file:
        for record, charset in zip(ArchiveIterator(file, no_record_parse=False), charsets, strict=True):
            body = record.content_stream().read()
            match = SOURCE.search(body)
            if match is None:
                raise ValueError(f"{path}: not the markup of a collection without menus")
            fields = "".join(
                f"{name}: {value}\r\n"
                for name, value in record.http_headers.headers
                if name.lower() != "content-length"
            )
            header = f"HTTP/1.1 {record.http_headers.statusline}\r\n{fields}".encode()
            links = tuple(unescape(link.decode("utf-8")) for link in ANCHOR.findall(match[3]))
            uri, date = record.rec_headers["WARC-Target-URI"], record.rec_headers["WARC-Date"]
            yield Source(uri, header, match[1], match[2], links, charset, date)


def read_texts(path: Path, labels: Path) -> Iterator[tuple[str, str]]:
    """URLs and texts of the pages: of ``main`` in the collections that have their own menus, of all in the others."""
    charsets = [row["charset"] for row in table(labels)]
    with path.open("rb") as file:
        for record, charset in zip(ArchiveIterator(file), charsets, strict=True):
            body = record.content_stream().read()
            match = MAIN.search(body) or SOURCE.search(body)
            if match is None:
                raise ValueError(f"{path}: neither main content nor the markup of a collection without menus")
            text = unescape(match["text"].decode(charset, "replace")).strip()
            yield record.rec_headers["WARC-Target-URI"], text


def plain(source: Source) -> str:
    return unescape(source.text.decode(source.charset, "ignore"))


def titles(texts: list[str], hosts: list[str]) -> list[str]:
    """The first words of each text that are not the first words of many others of its host."""
    words = [[word for word in text.translate(MARKS).split()[:WORDS_SEEN] if word != "-"] for text in texts]
    shared: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for host, some in zip(hosts, words, strict=True):
        shared[host].update({tuple(some[at : at + 2]) for at in range(len(some))})
    return [
        title(some[next((at for at in range(len(some)) if shared[host][tuple(some[at : at + 2])] < SHARED), 0) :])
        for host, some in zip(hosts, words, strict=True)
    ]


def title(words: list[str]) -> str:
    """As many words as a title has."""
    text = ""
    for word in words:
        if len(text) + 1 + len(word) > TITLE_LENGTH and sum(map(str.isalpha, text)) >= TITLE_LETTERS:
            break
        text = f"{text} {word}".strip()
        if word[-1] in ".!?。" and sum(map(str.isalpha, text)) >= TITLE_LETTERS:
            break
    return text[:TITLE_LENGTH]


class Site:
    """Sections, translations and titles of all pages of a collection.

    `telling` are URLs with language and section in them, which an opaque collection lacks.
    """

    def __init__(self, pages: list[Source], telling: list[str], texts: list[str], gold: list[str]) -> None:
        self.pages, self.texts = pages, texts
        paths = [url.split("/")[2:] for url in telling]
        self.host = [path[0] for path in paths]
        self.titles = titles(texts, self.host)
        self.place_of = {page.url: place for place, page in enumerate(pages)}
        at = self._code_places(paths, gold)
        self.tag: list[str] = []
        self.section: list[tuple[str, ...]] = []
        self.versions: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self.members: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self.version_of: list[tuple[str, ...]] = []
        for place, path in enumerate(paths):
            code = at[path[0]]
            tag = path[code] if code < len(path) and language(path[code]) else ""
            name = (*path[:code], "", *path[code + 1 :]) if tag else ("", str(place))
            section = (path[0], tag, *path[code + 1 : code + 2]) if len(path) > code + 2 else (path[0], tag)
            self.tag.append(tag)
            self.section.append(section)
            self.version_of.append(name)
            self.versions[name].append(place)
            self.members[section].append(place)
        self.spoken = [language(tag) or gold[place] for place, tag in enumerate(self.tag)]
        self.rank = {place: rank for members in self.members.values() for rank, place in enumerate(members)}
        self.first: dict[tuple[str, ...], int] = {}  # page of each language of a host
        for section, members in self.members.items():
            self.first.setdefault(section[:2], members[0])
        self.clouds: dict[tuple[str, ...], list[str]] = {}

    @staticmethod
    def _code_places(paths: list[list[str]], gold: list[str]) -> dict[str, int]:
        """Where the URLs of each host name the language."""
        hits: dict[str, Counter[int]] = defaultdict(Counter)
        for path, spoken in zip(paths, gold, strict=True):
            for place, part in enumerate(path[1:], 1):
                hits[path[0]][place] += language(part) == spoken
        return {host: counts.most_common(1)[0][0] for host, counts in hits.items()}

    def main_languages(self, kind: str, seed: int) -> list[tuple[str, str]]:
        """Hosts, and for each one of its three commonest languages that has a footer."""
        chance = random.Random(f"{kind} {seed} languages")  # noqa: S311 - a sample, not a secret
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for host, spoken in zip(self.host, self.spoken, strict=True):
            counts[host][spoken] += spoken in FOOTER
        return [
            (host, chance.choice([name for name, _ in count.most_common(3)])) for host, count in sorted(counts.items())
        ]

    def cloud(self, section: tuple[str, ...]) -> list[str]:
        if section not in self.clouds:
            words: Counter[str] = Counter()
            for place in self.members[section]:
                words.update({word for word in self.texts[place].split() if len(word) >= CLOUD_WORD and word.isalpha()})
            commonest = sorted(words, key=lambda word: (-words[word], word))[:CLOUD_SIZE]
            self.clouds[section] = sorted(commonest)
        return self.clouds[section]


def language(part: str) -> str | None:
    """The language that a part of a path names."""
    return languages.code(part.replace("_", "-")) if CODE.fullmatch(part) else None


def elsewhere(word: str) -> str:
    """A page of the site that was not collected."""
    return f"http://elsewhere.test/{random.Random(word).getrandbits(40):010x}"  # noqa: S311 - a name, not a secret


def language_links(site: Site, place: int, style: Style) -> list[Link]:
    found = []
    for other in site.versions[site.version_of[place]]:
        tag = site.tag[other]
        if not tag:
            continue
        autonym = AUTONYMS.get(site.spoken[other], [tag])[0]
        text = {"autonym": autonym, "code": tag, "both": f"{autonym} ({tag})"}[style.names]
        if other == place:
            if style.current != "absent":
                found.append(Link(text, site.pages[place].url if style.current == "link" else None))
        else:
            found.append(Link(text, site.pages[other].url, f' hreflang="{escape(tag)}"' if style.hreflang else ""))
    return found if len(found) > 1 else []


def section_links(site: Site, place: int, style: Style) -> list[Link]:
    """First pages of the section, the one before and the one behind."""
    members, rank = site.members[site.section[place]], site.rank[place]
    near = [*members[: style.siblings], *members[max(0, rank - 1) : rank + 2]]
    found = []
    for other in dict.fromkeys(near):
        text = site.titles[other]
        if not text or (other == place and style.current == "absent"):
            continue
        linked = other != place or style.current == "link"
        found.append(Link(text, site.pages[other].url if linked else None))
    return found if len(found) > 1 else []


def site_links(site: Site, place: int, style: Style) -> list[Link]:
    spoken = site.spoken[place] if style.site == "own" else style.main
    words = SITE.get(spoken, SITE["eng"])
    return [Link(word, elsewhere(f"{site.host[place]} {spoken} {number}")) for number, word in enumerate(words)]


def breadcrumbs(site: Site, place: int, style: Style) -> list[Link]:
    spoken = site.spoken[place] if style.site == "own" else style.main
    first = Link(SITE.get(spoken, SITE["eng"])[0], elsewhere(f"{site.host[place]} {spoken} 0"))
    section = site.section[place]
    parents = [site.first[section[:2]], site.members[section][0]]
    return [
        first,
        *(
            Link(site.titles[parent], site.pages[parent].url)
            for parent in dict.fromkeys(parents)
            if parent != place and site.titles[parent]
        ),
    ]


def entry(link: Link) -> str:
    text = escape(link.text)
    return text if link.url is None else f'<a href="{escape(link.url)}"{link.attributes}>{text}</a>'


def menu(links: list[Link], style: Style, heading: str = "") -> str:
    """A list of links in the markup of the site; nothing where there are none."""
    if not links:
        return ""
    entries = [entry(link) for link in links]
    match style.markup:
        case "list":
            inner = "<ul>" + "".join(f"<li>{each}</li>\n" for each in entries) + "</ul>"
        case "definition":
            inner = f"<dl><dt>{escape(heading)}</dt>" + "".join(f"<dd>{each}</dd>\n" for each in entries) + "</dl>"
        case "bar":
            inner = f"<p>{' | '.join(entries)}</p>"
        case "breaks":
            inner = "<br>\n".join(entries) + "<br>"
        case "table":
            inner = "<table>" + "".join(f"<tr><td>{each}</td></tr>\n" for each in entries) + "</table>"
        case _:
            inner = "<table><tr>" + "".join(f"<td>{each}</td>\n" for each in entries) + "</tr></table>"
    return inner.join(style.wrapper) + "\n"


def footer(style: Style) -> str:
    """Sentences of the site's main language, then of English, until they are long enough."""
    text = ""
    for sentence in (*FOOTER[style.main], *FOOTER["eng"], *FOOTER["eng"]):
        if len(text) >= style.footer:
            break
        text = f"{text} {sentence}".strip()
    return f"<p>{escape(text)}</p>".join(FEET[style.kind]) if text else ""


def comments(site: Site, place: int, style: Style, chance: random.Random) -> str:
    """On a few pages: what readers of other versions wrote."""
    if chance.random() >= COMMENTED or (style.kind == "B" and len(site.pages[place].text) < COMMENTED_TEXT):
        return ""
    written = []
    for _ in range(chance.randint(1, 3)):
        other = chance.randrange(len(site.pages))
        if site.spoken[other] != site.spoken[place] and len(site.texts[other]) > COMMENT_LENGTH:
            said = site.texts[other][:COMMENT_LENGTH].rsplit(" ", 1)[0]
            written.append(f"<p>anna{chance.randint(10, 99)}, 2018-05-{chance.randint(10, 31)}: {escape(said)}</p>")
    return "\n".join(written).join(COMMENTS[style.kind]) if written else ""


def page(site: Site, place: int, style: Style, chance: random.Random) -> bytes:
    """The page in the style of its site."""
    source = site.pages[place]
    words = SITE.get(site.spoken[place] if style.site == "own" else style.main, SITE["eng"])
    names = [] if style.names == "none" else language_links(site, place, style)
    both = menu(names, style, words[3]) + menu(section_links(site, place, style), style, words[1])
    if style.cloud:
        section = site.section[place]
        tags = [Link(word, elsewhere(f"{section[0]} {word}")) for word in site.cloud(section)]
        both += menu(tags, style, words[4])
    before = menu(site_links(site, place, style), style, words[0])
    after = ""
    if style.place in ("top", "left", "both"):
        before += both
    if style.place in ("end", "both"):
        after += both
    if style.breadcrumbs:
        trail = " &raquo; ".join(entry(link) for link in breadcrumbs(site, place, style))
        before += f'<p class="breadcrumbs">{trail}</p>\n' if style.kind == "A" else f"<p>{trail}</p>\n"
    if style.banner:
        banner = escape(BANNER[style.main][0]).join(BANNERS[style.kind]) + "\n"
        before, after = (before, after + banner) if style.place == "top" else (banner + before, after)
    own = [
        Link(site.titles[site.place_of[url]] if style.titled_links and url in site.place_of else str(number), url)
        for number, url in enumerate(source.links)
    ]
    related = "<ul>\n" + "".join(f"<li>{entry(link)}</li>\n" for link in own) + "</ul>\n"
    after = related + after + comments(site, place, style, chance) + footer(style)
    text = b"<p>%s</p>" % source.text
    if style.paragraphs:
        sentences = SENTENCE_END.split(source.text)
        parts = [b" ".join(sentences[start : start + PARAGRAPH]) for start in range(0, len(sentences), PARAGRAPH)]
        text = b"\n".join(b"<p>%s</p>" % part for part in parts)
    opening, closing = style.content
    if opening == "<td>":
        before, after = f"<table><tr><td>{before}</td>\n", f"</tr></table>\n{after}"
    elif style.place == "left":
        before = before.join(("<table><tr><td>", "</td><td>\n"))
        after = f"</td></tr></table>\n{after}"

    def coded(markup: str) -> bytes:
        return markup.encode(source.charset, "xmlcharrefreplace")

    head = b"<!DOCTYPE html>\n<html><head>%s</head>\n<body>\n" % source.head
    parts = [head, coded(before), coded(opening), text, coded(closing), b"\n", coded(after), b"\n</body></html>\n"]
    return b"".join(parts)


def rebuild(data: Path, name: str, kind: str, seed: int, target: Path) -> dict[str, Style]:
    """Write one collection of `data` with menus; its gold labels stay what they are.

    Raises:
        ValueError: it is no collection without menus.
    """
    whole = WHOLE.get(name, name)
    gold, whole_gold = table(data / f"{name}.gold.tsv"), table(data / f"{whole}.gold.tsv")
    charsets = [row["charset"] for row in gold]
    pages = list(read(data / f"{name}.warc.gz", charsets))
    wholes = pages if whole == name else list(read(data / f"{whole}.warc.gz", charsets))
    site = Site(
        pages,
        [row["url"] for row in whole_gold],
        [plain(source) for source in wholes],
        [row["language"] for row in gold],
    )
    of_host = styles(site.main_languages(kind, seed), kind, seed)
    chance = random.Random(f"{kind} {seed} {name}")  # noqa: S311 - a sample, not a secret
    with target.open("wb") as file:
        writer = RecordWriter(file)
        for place, source in enumerate(pages):
            body = page(site, place, of_host[site.host[place]], chance)
            block = b"%sContent-Length: %d\r\n\r\n%s" % (source.header, len(body), body)
            writer.write_page_record(
                "response", (source.url, source.date, ""), (), "application/http; msgtype=response", block
            )
        writer.flush()
    return of_host
