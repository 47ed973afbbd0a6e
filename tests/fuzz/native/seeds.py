"""What the fuzzers begin with: pages of real archives cut to size, and words of the formats."""

from __future__ import annotations

import hashlib
import html
import os
import random
import re
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from programs import ROOT

from graphlang.db.records import Page
from graphlang.ingest import Limits, expand_paths
from graphlang.ingest.formats.detect import open_records
from graphlang.ingest.page import Parser
from graphlang.ingest.payload.charset import decode
from graphlang.ingest.payload.http import parse_response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

_DATA: Final = ROOT / os.environ.get("GRAPHLANG_DATA", "../shared/data")
_PLACES: Final = ("bench/*.warc.gz", "web/*.warc.gz", "warc/**/*.warc.gz", "warc/**/*.arc.gz")
_EXAMPLE: Final = ROOT / "examples" / "crawl.warc.gz"
_RECORDS: Final = 60  # of an archive that are looked at
_PAGES: Final = 12  # of it that become seeds
_MARKUP: Final = 4096  # bytes of a page
_TEXT: Final = 500  # characters
_HREF: Final = re.compile(rb"""href\s*=\s*["']?([^"'\s>]+)""")
_TAGS: Final = (b"a", b"area", b"link", b"frame", b"iframe")
_RELS: Final = (b"", b"nofollow", b"canonical", b"alternate", b"Alternate stylesheet")
_LIMITS: Final = Limits(max_payload=1 << 20)


class Capture(NamedTuple):
    """A page of an archive."""

    markup: bytes  #: in UTF-8
    page: Page


def _archives() -> list[Path]:
    """The archives of the shared data, or where they are not here, the example's."""
    found = [path for place in _PLACES for path in sorted(_DATA.glob(place))]
    return [*found, _EXAMPLE]


def _captures(archive: Path) -> Iterator[Capture]:
    parser = Parser(_LIMITS)
    with open_records(archive, _LIMITS) as reader:
        for raw in islice(reader, _RECORDS):
            for item in parser.parse(raw):
                if isinstance(item, Page) and item.charset:
                    payload = parse_response(raw.block, _LIMITS.max_header, _LIMITS.max_payload).payload
                    text = decode(payload).text
                    yield Capture(text.encode("utf-8", "replace") if isinstance(text, str) else text, item)


def captures() -> list[Capture]:
    """Pages of each archive that is here."""
    return [one for archive in expand_paths(_archives()) for one in islice(_captures(archive), _PAGES)]


def _windows(data: bytes, chance: random.Random) -> Iterator[bytes]:
    """The beginning of some bytes, and a part of the rest that begins with a tag."""
    yield data[:_MARKUP]
    if len(data) > _MARKUP and (begin := data.find(b"<", chance.randrange(_MARKUP, len(data)))) > 0:
        yield data[begin : begin + _MARKUP]


def _html(capture: Capture, chance: random.Random) -> Iterator[bytes]:
    for window in _windows(capture.markup, chance):
        yield bytes((0, 0, 0, 0, 0, 0xFF)) + window
        yield bytes((0, 0, 1, chance.randrange(256), 0, chance.randrange(256))) + window[:1000]


def _join(capture: Capture, chance: random.Random) -> Iterator[bytes]:
    references = _HREF.findall(capture.markup[: 1 << 16])[:40]
    known = [link.url.encode() for link in capture.page.links[:40]]
    chance.shuffle(known)
    lines = (capture.page.url.encode(), b"\x01".join(known[:5]), b"\x01".join(references))
    yield bytes((0, chance.randrange(16), 0)) + b"\n".join(lines)
    yield bytes((0, chance.randrange(16), chance.randrange(256))) + b"\n".join(lines)
    elements = [b"\x01".join((chance.choice(_TAGS), one, chance.choice(_RELS), b"+de")) for one in references[:20]]
    page = (lines[0], chance.choice((b"", b"/x/", b"//b.example/")), b"\x01".join(elements), lines[2])
    yield bytes((8, chance.randrange(32), chance.choice((0, chance.randrange(256))))) + b"\n".join(page)


def _page(capture: Capture, chance: random.Random) -> Iterator[bytes]:
    lines = (capture.page.url.encode(), chance.choice((b"", b"/x/", b"//b.example/")), b"HTTP/1.1 200 OK")
    for window in _windows(capture.markup, chance):
        for plan in (0, chance.randrange(256)):
            yield bytes((0, chance.randrange(32), plan, 0xFF)) + b"\n".join((*lines, window))


def _fields(capture: Capture, chance: random.Random) -> Iterator[bytes]:
    page = capture.page
    lines = [b"WARC-Type: response", f"WARC-Target-URI: {page.url}".encode(), f"WARC-Date: {page.date}".encode()]
    head = b"\r\n".join((b"WARC/1.0", *lines, b"", b""))
    answer = [f"Content-Type: {page.mime}; charset={page.charset}".encode(), b"Location: /x", b"Content-Encoding: gzip"]
    chance.shuffle(answer)
    block = b"\r\n".join((b"HTTP/1.1 200 OK", *answer, b"", capture.markup[:200]))
    yield b"\x00content-type\x01warc-type\x01\x02" + chance.choice((head, block))
    yield b"\x01" + bytes((7, chance.randrange(256), 7, chance.randrange(256))) + head + b"\x02" + block
    stated = head.replace(b"\r\n\r\n", b"\r\nContent-Length: %d\r\n\r\n" % len(block))
    yield b"\x03" + bytes((7, chance.randrange(256)) * 3) + stated + block + b"\r\n\r\n"


def _places(capture: Capture, chance: random.Random) -> Iterator[bytes]:
    names = (b"uk", b"co.uk", b"jp", b"kobe.jp", b"city.kobe.jp", b"com", b"github.io", capture.page.url.encode()[-20:])
    rules = b"\n".join(bytes((48 + chance.randrange(8),)) + name for name in chance.choices(names, k=5))
    urls = [capture.page.url, *(link.url for link in capture.page.links[:9])]
    yield b"\0" + rules + b"\x01" + "\n".join(urls).encode()


def _ngrams(capture: Capture, chance: random.Random) -> Iterator[bytes]:
    text = capture.page.text[:_TEXT].lower()
    if not text:
        return
    grams = {text[at : at + chance.randint(1, 5)] for at in chance.choices(range(len(text)), k=60)}
    words = {f" {word} " for word in text.split() if len(word) > 3}
    vocabulary = sorted(grams | words)[:120]
    chance.shuffle(vocabulary)
    rows = re.sub(r"([.!?]) ", r"\1\n", capture.page.text[:_TEXT])
    weights = bytes(chance.choices(range(1, 60), k=120)) + chance.randbytes(120)
    parts = ("\n".join(vocabulary).encode(), rows.encode("utf-8", "replace"), weights)
    yield b"\xff".join((b"\x00" + bytes(chance.choices(range(255), k=80)), *parts))


def _segments(capture: Capture, chance: random.Random) -> Iterator[bytes]:
    lines = capture.page.text[:_TEXT].split("\n")[:40]
    units = bytes(2 * (sum(map(ord, line)) % 5) + 120 * chance.randrange(2) for line in lines for _ in range(3))
    for how in (0, 6, 9):
        yield bytes((0, how, 3, 24, 24, 24, 24, 6)) + units


def _urls(capture: Capture, chance: random.Random) -> Iterator[bytes]:
    urls = [capture.page.url.encode(), *(link.url.encode() for link in capture.page.links[:60])]
    chance.shuffle(urls)
    for how in (0, 0, 1, 2, 4):
        parameters = bytes((0, how, chance.randrange(8), chance.randrange(70)))
        yield parameters + bytes([9] * (how & 1)) + b"\x01".join(chance.sample(urls, min(len(urls), 8)))


def _db(capture: Capture, chance: random.Random) -> Iterator[bytes]:
    urls = [link.url.encode() for link in capture.page.links[:30]]
    batches = [bytes([chance.randrange(4)]) + b"\x01".join(urls[at : at + 8]) for at in range(0, len(urls), 6)]
    yield bytes((0, 0, chance.randrange(256), chance.choice((0, chance.randrange(256))))) + b"\x02".join(batches)
    yield b"\x01" + chance.randbytes(3) + bytes(len(url) % 256 for url in urls) + chance.randbytes(60)


def _graph(capture: Capture, chance: random.Random) -> Iterator[bytes]:
    numbers: dict[str, int] = {}
    ends = [numbers.setdefault(link.url, len(numbers)) % 40 for link in capture.page.links[:60]]
    for harness in range(6):
        links = bytes(chance.choice((number, chance.randrange(40))) for number in ends)
        yield bytes((harness, chance.randrange(8), 39, len(ends) // 2)) + links + chance.randbytes(200)


_SEEDS: Final[dict[str, Callable[[Capture, random.Random], Iterator[bytes]]]] = {
    "html": _html,
    "join": _join,
    "places": _places,
    "page": _page,
    "fields": _fields,
    "ngrams": _ngrams,
    "segments": _segments,
    "urls": _urls,
    "db": _db,
    "graph": _graph,
}


#: Inputs that no page of an archive is like.
_MADE: Final[dict[str, tuple[bytes, ...]]] = {
    "html": (
        bytes((0, 0, 0, 0, 255, 255)) + b"<li><a href=\x01/1>\x01</a><a href=\x01/2><p>" * 6,  # thousands of targets
        bytes((0, 0, 0, 0, 255, 0)) + b"<a>" * 140,  # more links than are kept
        bytes((0, 1, 0, 0, 0, 255)) + b"<nav><div role=navigation>x" * 260 + b"<article>y" * 20,
        *(
            bytes((6, how, 0, 40)) + bytes(range(0, 80, 2)) + bytes((0, 9, 0, 6, 1)) + bytes(range(120))
            for how in range(4)
        ),
        bytes((6, 0, 0, 30)) + b"\xff\0\1" * 10 + bytes((0, 5, 0, 3, 0)) + bytes(range(120)),
        bytes(5) + b"\xff<p><frameset><frame src=/a><noframes>x</noframes></frameset>y<frame src=/b>",
        bytes(5) + b"\xff<select><option><hr><input><svg><title></svg><math><mi><![CDATA[x]]></",
        bytes((7, 40, 3, 0)) + b"abc de fgh" * 4 + bytes((2, 20, 2, 3, 30, 5)),
    ),
    "join": (b"\x07\x10\x00\x0f\x00\x10\x00", b"\x07\x1f\xff\x1f\xff\x00\x05"),
}


def write(target: str, found: Iterable[Capture], folder: Path) -> int:
    """Write the seeds of a target into a folder, and return how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(2008)  # noqa: S311 - a run can be repeated
    seeds = {seed for capture in found for seed in _SEEDS[target](capture, chance)}
    seeds |= set(_MADE.get(target, ()))
    for seed in seeds:
        (folder / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    return len(seeds)


def _words_of_markup() -> list[bytes]:
    """Tags and attributes as the kernel's tables have them, character references, and what begins and ends things."""
    (tags,) = (ROOT / "ingest").rglob("tags.h")
    tokens, page = tags.with_name("tokens.h"), tags.with_name("page.h")
    names = re.findall(r'^  X\(\w+, "([^"]+)"', tags.read_text(encoding="utf-8"), re.MULTILINE)
    attributes = re.findall(r'IS\("([^"]+)"', tokens.read_text(encoding="utf-8"))
    values = re.findall(r'"([a-z]{3,12})"', page.read_text(encoding="utf-8"))
    words = [f"<{name}>" for name in names] + [f"</{name}>" for name in names] + [f" {name}=" for name in attributes]
    words += [*values, "cookie-", "consent-", "Deutsch", "English", "\xad", "\xa0", "\u3000", "canonical", "alternate"]
    words += ["<!--", "-->", "--!>", "<![CDATA[", "]]>", "<!", "</", "/>", "<?", "&#x", "&#", "&amp", "&nbsp;"]
    words += [f"&{name}" for name in sorted(html.entities.html5)[::40]]
    return [word.encode() for word in words]


_WORDS: Final[dict[str, tuple[bytes, ...]]] = {
    "join": (
        *(b"a\x01", b"link\x01", b"area\x01", b"iframe\x01", b"canonical", b"alternate", b"nofollow", b"\x01+de"),
        *(b"http://", b"https://", b"//", b"/../", b"/./", b"%2e", b"%2E%2e", b":80", b":443", b":8080", b"?", b"#"),
        *(b"\x01", b"\n", b"xn--", b"\xc2\xa0", b"\xc3\xa4", b"mailto:", b"HTTP:", b"\\", b"{", b"'", b"127.0.0.1"),
    ),
    "places": (
        *(b"http://", b"https://", b"\x01", b"\n", b"\n1", b"\n2", b"\n4", b".", b":80/", b"/", b"co.uk", b"kobe.jp"),
        *(b"a.b.", b"-", b"_", b"//"),
    ),
    "fields": (
        *(b"\x01", b"\x02", b"\r\n", b"\r\n\r\n", b"WARC/1.0", b"HTTP/1.1 200", b"HTTP/1.0 404", b": ", b"\n "),
        *(b"warc-type: response", b"warc-date: ", b"content-length: ", b"content-type: ", b"link: ", b"refresh: "),
        b"transfer-encoding: ",
    ),
    "ngrams": (b"\xff", b"\n", b"\xd0\x90", b"\xe4\xb8\x80", b"\xcc\x81", b"\xf0\x9f\x98\x80", b" word "),
    "urls": (b"http://", b"//", b"/de/", b"de-at", b"_en.", b".de", b"@", b"?", b"#", b"\x01", b"\xf9\xfa", b"aa-bb"),
    "segments": (b"\x0f\x00", b"\x0f\x06", b"\xff", b"\xf8"),
    "db": (b"\x01", b"\x02", b"http://", b"/", b"\x0f\x00", b"\x0f\x04"),
    "graph": (b"\x0f\x00", b"\x0f\x01", b"\x0f\x04", b"\x0f\x06", b"\x0f\x07", b"\xff", b"\xf8"),
}


def write_dictionary(target: str, path: Path) -> None:
    """Write the words of a target as libFuzzer reads them."""
    words = _words_of_markup() if target in {"html", "page"} else _WORDS[target]
    lines = ['"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in words]
    path.write_text("".join(lines), encoding="ascii")
