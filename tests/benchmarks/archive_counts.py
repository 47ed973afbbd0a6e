"""Other people's archives, file by file, beside warcio and fastwarc: ``python tests/benchmarks/archive_counts.py``.

Counted are captures of web pages: response, resource and revisit records of an http or https URL, in ARC all documents
of one, in WET the texts. A peer that gives up in the middle is marked ``+!``: what it had found until then is counted.
The last columns say how many URLs that both peers found are not among our pages (none should be), and what became
problems here. The WAT files describe a request only, which is no page.
"""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from typing import TYPE_CHECKING, Any

from development_data import DATA
from fastwarc.warc import ArchiveIterator as Fastwarc
from warcio.archiveiterator import ArchiveIterator as Warcio

from graphlang.db.records import Page, Problem
from graphlang.ingest import iterate_batches
from graphlang.ingest.links.canonical import canonical_url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = {"response", "resource", "revisit"}
NO_ARCHIVES = (".cdx", ".cdxj", ".cdx.gz")


def by_warcio(file: Any) -> Iterator[tuple[str, str, str]]:
    """Yield type, URL and media type of every record."""
    for record in Warcio(file, arc2warc=True):
        head = record.rec_headers
        yield record.rec_type or "", head.get_header("WARC-Target-URI") or "", head.get_header("Content-Type") or ""


def by_fastwarc(file: Any) -> Iterator[tuple[str, str, str]]:
    """The same by fastwarc."""
    for record in Fastwarc(file):
        head = record.headers
        yield str(record.record_type), head.get("WARC-Target-URI") or "", head.get("Content-Type") or ""


def list_urls(path: Path, read: Any) -> tuple[Counter[str], bool]:
    """Return the canonical URLs of the captures that a peer finds, and whether it came to the end of the file."""
    urls: Counter[str] = Counter()
    ended = True
    with path.open("rb") as file, contextlib.redirect_stderr(io.StringIO()):
        try:
            for kind, written, mime in read(file):
                if kind in PAGES or (kind == "conversion" and mime.startswith("text/plain")):
                    url = canonical_url(written.strip("<>"))
                    if url is not None:
                        urls[url] += 1
        except Exception:  # noqa: BLE001 - of whatever kind: the peer gives up
            ended = False
    return urls, ended


def ours(path: Path) -> tuple[Counter[str], Counter[str]]:
    """Return the URLs of our pages, and the kinds of our problems."""
    items = [item for batch in iterate_batches([(path, 0)]) for item in batch.items]
    pages = Counter(item.url for item in items if isinstance(item, Page))
    return pages, Counter(item.kind for item in items if isinstance(item, Problem))


def archives() -> list[Path]:
    """Return the files, indexes left out."""
    return [path for path in sorted((DATA / "warc").glob("*/*")) if not path.name.endswith(NO_ARCHIVES)]


def main() -> None:
    """Print a row for each file."""
    print(f"{'file':<76} {'warcio':>7} {'fastwarc':>8} {'pages':>6} {'missing':>7}  problems")
    totals: Counter[str] = Counter()
    for path in archives():
        one, one_ended = list_urls(path, by_warcio)
        two, two_ended = list_urls(path, by_fastwarc)
        pages, problems = ours(path)
        missing = (one & two) - pages
        shown = f"{one.total()}{'' if one_ended else '+!'}", f"{two.total()}{'' if two_ended else '+!'}"
        told = ", ".join(f"{kind} {count}" for kind, count in sorted(problems.items()))
        name = path.relative_to(DATA / "warc").as_posix()
        print(f"{name:<76} {shown[0]:>7} {shown[1]:>8} {pages.total():>6} {missing.total():>7}  {told}".rstrip())
        totals += Counter(files=1, warcio=one.total(), fastwarc=two.total(), pages=pages.total())
        totals += Counter(missing=missing.total(), problems=problems.total(), warcio_gave_up=not one_ended)
        totals += Counter(fastwarc_gave_up=not two_ended, files_with_problems=bool(problems))
    print("; ".join(f"{name.replace('_', ' ')} {count}" for name, count in totals.items()))


if __name__ == "__main__":
    main()
