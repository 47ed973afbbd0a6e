"""Throws damaged input at every reader for a limited time: ``python tests/fuzz/fuzz_ingest.py --seconds 60``.

Sound inputs are put together here and mutated; each must be read to its end without an exception, without a problem of
kind ``failed`` (an exception that was caught), within seconds, and a file cut into stretches must give what it gives
uncut. The input at hand stands in ``fuzz-input.bin`` while it is read, so that one that crashes the process stays;
one that breaks a rule is kept under a name of its own, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import random
import sys
import time
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db.records import Page, Problem
from graphlang.ingest import Limits, batches, stretch
from graphlang.ingest.charset import decode
from graphlang.ingest.html import read
from graphlang.ingest.reader import Reader
from graphlang.ingest.store import write_record
from graphlang.ingest.stretch import find_record, stretches

if TYPE_CHECKING:
    from collections.abc import Callable

LIMITS = Limits(max_payload=200_000, max_header=20_000)
SLOW = 10.0  # seconds for one input of a few kilobytes
TAGS = (
    *("a href=x", "a href=/y rel=nofollow", "nav", "header", "footer", "aside"),
    *("ul", "li", "ol", "template", "svg", "object"),
    *("canvas", "video", "audio", "select", "option", "table"),
    *("tr", "td", "p", "div", "b", "i"),
    *("span", "br", "title", "base href=/", "meta name=robots content=none", "script"),
    *("style", "noscript", "iframe src=z", "textarea", "article", "main"),
    *("math", "foreignObject", "frameset", "frame src=f", "body", "html lang=de"),
    *("head", 'div role="navigation"', "div id=cookie-banner", "datalist", "applet", "xmp"),
    *("plaintext", "form", "button", "label", "h1", "link rel=canonical href=/c"),
    *("colgroup", "caption"),
)
WORDS = ("Deutsch", "English", "Français", "cookies", "x", " ", "\0", "&nbsp;", "&#0;", "日本語", "<!--", "-->", "]]>")


class Target(NamedTuple):
    """What is thrown at, and with what."""

    seeds: list[bytes]
    check: Callable[[bytes, Path], None]


def warc(number: int, body: bytes = b"<p>page<a href=x>y</a>", kind: str = "response", mime: str = "") -> bytes:
    """One WARC record."""
    block = body if mime else b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    return (
        (
            f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.example/{number}\r\n"
            f"Content-Type: {mime or 'application/http'}\r\nContent-Length: {len(block)}\r\n\r\n"
        ).encode()
        + block
        + b"\r\n\r\n"
    )


def arc(number: int) -> bytes:
    """One ARC record."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page"
    return f"http://a.example/{number} 192.0.2.1 20061121001700 text/html {len(block)}\n".encode() + block + b"\n"


def stored(record: bytes) -> bytes:
    """One record of a store file."""
    head, _, block = record.partition(b"\r\n\r\n")
    file = io.BytesIO()
    write_record(file, head + b"\r\n\r\n", block.removesuffix(b"\r\n\r\n"))
    return file.getvalue()


def zipped(how: int) -> bytes:
    """A WACZ file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        archive.writestr("archive/a.warc.gz", gzip.compress(warc(1)) + gzip.compress(warc(2)))
        archive.writestr("archive/b.warc", warc(3))
        archive.writestr("pages/pages.jsonl", b"{}")
    return file.getvalue()


def check_file(data: bytes, folder: Path) -> None:
    """Read a file of any format."""
    path = folder / "input"
    path.write_bytes(data)
    positions = [0]
    items: list[Page | Problem] = []
    for batch in batches([(path, 0)], limits=LIMITS):
        items += batch.items
        positions.append(batch.position)
    failed = [item for item in items if isinstance(item, Problem) and item.kind in {"failed", "unreadable"}]
    assert not failed, failed
    assert positions == sorted(positions)
    middle = positions[-1] // 2
    rest = [item for batch in batches([(path, middle)], limits=LIMITS) for item in batch.items]
    assert items[len(items) - len(rest) :] == rest, "reading was not taken up where it was stopped"


def check_stretches(data: bytes, folder: Path) -> None:
    """Read a file as a whole and in stretches."""
    path = folder / "input"
    path.write_bytes(data)
    found = []
    reached: int | None = 0
    with path.open("rb", buffering=0) as file:
        whole = list(Reader(file, "a.warc.gz", LIMITS))
        for one in stretches(path, 0, len(data), 0):
            if reached is None or reached >= one.stop:
                continue
            find_record(file, one.begin, one.stop)
            file.seek(0)
            reader = Reader(file, "a.warc.gz", LIMITS, begin=reached, stop=one.stop)
            found += reader
            reached = reader.ended
    if data.startswith(b"\x1f\x8b\x08\x00") and whole and whole[0].head[:5] == b"WARC/":
        assert found == whole, "the stretches are not the file"


def check_html(data: bytes, folder: Path) -> None:
    """Decode and read a page."""
    del folder
    page = read(decode(data).text, LIMITS)
    assert 0 <= page.main_length <= len(page.text)


def markup(chance: random.Random) -> bytes:
    """A page of elements in each other, many of them open, closed twice or where they may not be."""
    parts = []
    for _ in range(chance.randrange(1, 120)):
        tag = chance.choice(TAGS)
        parts.append(
            chance.choice(
                (f"<{tag}>", f"<{tag}>", f"</{tag.split()[0]}>", chance.choice(WORDS), f"<{tag}/>", f"<{tag}")
            )
        )
    return "".join(parts).encode()


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Change a few places."""
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        at = chance.randrange(len(data) + 1)
        size = chance.choice((1, 1, 2, 4, 16, 200))
        how = chance.randrange(6)
        if how == 0:
            data = data[:at] + chance.randbytes(size) + data[at + size :]
        elif how == 1:
            data = data[:at] + data[at + size :]
        elif how == 2:
            data = data[:at] + data[max(0, at - size * 8) : at] + data[at:]
        elif how == 3:
            data = data[:at]
        elif how == 4:
            number = str(chance.choice((0, 1, 7, 255, 1 << 16, 1 << 31, (1 << 63) - 1))).encode()
            data = data[:at] + number + data[at:]
        elif at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
    return data


def targets(chance: random.Random) -> dict[str, Target]:
    """All that is thrown at."""
    records = [warc(n, markup(chance)) for n in range(4)]
    links = {"Links": [{"path": "A@/href", "url": "x"}]}
    described = {
        "WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": "http://a.example/"},
        "Payload-Metadata": {"HTTP-Response-Metadata": {"Headers": {}, "HTML-Metadata": links}},
    }
    wat = warc(1, json.dumps({"Envelope": described}).encode(), "metadata", "application/json")
    wet = warc(1, b"text", "conversion", "text/plain")
    line = json.dumps({"url": "http://a.example/", "text": "x", "links": ["y", {"url": "z"}]}).encode()
    many = b"".join(gzip.compress(warc(n, chance.randbytes(200)), mtime=0) for n in range(40))
    return {
        "warc": Target([b"".join(records), wat + wet + records[0]], check_file),
        "gzip": Target([b"".join(gzip.compress(one) for one in records), gzip.compress(b"".join(records))], check_file),
        "arc": Target([b"".join(arc(n) for n in range(4))], check_file),
        "wacz": Target([zipped(zipfile.ZIP_STORED), zipped(zipfile.ZIP_DEFLATED)], check_file),
        "store": Target([b"".join(stored(one) for one in records)], check_file),
        "jsonl": Target([line + b"\n" + line, gzip.compress(line)], check_file),
        "stretches": Target([many], check_stretches),
        "html": Target([], check_html),
    }


def main() -> int:
    """Run until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="else it changes from run to run, and is told")
    parser.add_argument("--target", action="append", help="only this one; may be repeated")
    parser.add_argument("--keep", type=Path, default=Path(), help="folder for what broke a rule")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)  # noqa: S311 - a run can be repeated
    every = targets(chance)
    chosen = options.target or list(every)
    stretch.LENGTH = 1 << 11
    counts = dict.fromkeys(chosen, 0)
    broken = 0
    hand = options.keep / "fuzz-input.bin"
    end = time.monotonic() + options.seconds
    with TemporaryDirectory() as folder:
        while time.monotonic() < end:
            name = chance.choice(chosen)
            target = every[name]
            seed_input = chance.choice(target.seeds) if target.seeds else markup(chance)
            data = mutated(seed_input, chance) if target.seeds or chance.random() < 0.3 else seed_input
            hand.write_bytes(data)
            started = time.monotonic()
            try:
                target.check(data, Path(folder))
                assert time.monotonic() - started < SLOW, "it took too long"
            except Exception as error:  # noqa: BLE001 - any of them is a find
                broken += 1
                kept = options.keep / f"fuzz-{name}-{seed}-{counts[name]}.bin"
                kept.write_bytes(data)
                sys.stdout.write(f"{name}: {type(error).__name__}: {str(error)[:300]} ({kept})" + "\n")
            counts[name] += 1
    hand.unlink(missing_ok=True)
    done = ", ".join(f"{name} {count}" for name, count in counts.items())
    sys.stdout.write(f"seed {seed}: {done}; {broken} broke a rule\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
