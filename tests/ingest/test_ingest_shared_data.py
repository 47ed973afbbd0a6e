"""Other people's archives, sound and broken, beside what warcio reads of them; skipped where they are not to be had."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator as FastWarcIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from graphlang.db.records import Page
from graphlang.ingest import iterate_batches
from graphlang.ingest.links.canonical import canonical_url
from graphlang.ingest.payload.charset import decode

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[3] / "shared" / "data"))
ARCHIVES = sorted(
    path for path in DATA.glob("warc/*/*") if path.is_file() and path.suffix not in {".cdx", ".cdxj", ".wacz"}
)
PAGES = (WarcRecordType.response, WarcRecordType.resource, WarcRecordType.revisit)
needs_data = pytest.mark.skipif(not ARCHIVES, reason="the shared data are not on this machine (GRAPHLANG_DATA)")


def by_warcio(path: Path) -> int | None:
    """Count the captures of web pages; None where warcio gives up on the file."""
    count = 0
    try:
        with path.open("rb") as file:
            for record in ArchiveIterator(file, arc2warc=True):
                uri = record.rec_headers.get_header("WARC-Target-URI") or ""
                mime = record.rec_headers.get_header("Content-Type") or ""
                count += uri.startswith("http") and (
                    record.rec_type in {"response", "resource", "revisit"}
                    or (record.rec_type == "conversion" and mime == "text/plain")
                    or (
                        record.rec_type == "metadata"
                        and mime == "application/json"
                        and b'"WARC-Type":"response"' in record.raw_stream.read()
                    )
                )
    except (ArchiveLoadFailed, EOFError):
        return None
    return count


@needs_data
@pytest.mark.parametrize("folder", sorted({path.parent.name for path in ARCHIVES}))
def test_no_page_that_warcio_reads_is_lost_nor_one_invented(folder: str) -> None:
    for path in ARCHIVES:
        if path.parent.name != folder:
            continue
        items = [item for batch in iterate_batches([(path, 0)]) for item in batch.items]
        pages = [item for item in items if isinstance(item, Page)]
        problems = [item for item in items if not isinstance(item, Page)]
        assert not {problem.kind for problem in problems} & {"failed", "crashed", "unreadable"}, path
        expected = by_warcio(path)
        if expected is not None:
            assert len(pages) >= expected, path
            if not problems and path.suffix != ".lz4":
                assert len(pages) == expected, path


def by_fastwarc(path: Path) -> Counter[str]:
    """Count the captures of web pages by URL, up to where fastwarc gives up."""
    found: Counter[str] = Counter()
    with path.open("rb") as file:
        try:
            for record in FastWarcIterator(file):
                url = canonical_url((record.headers.get("WARC-Target-URI") or "").strip("<>"))
                found[url or ""] += record.record_type in PAGES
        except (OSError, UnicodeDecodeError):
            return found
    return found


def urls_by_warcio(path: Path) -> Counter[str]:
    """Count the captures of web pages by URL, up to where warcio gives up."""
    found: Counter[str] = Counter()
    with path.open("rb") as file:
        try:
            for record in ArchiveIterator(file, arc2warc=True):
                url = canonical_url(record.rec_headers.get_header("WARC-Target-URI") or "")
                found[url or ""] += record.rec_type in {"response", "resource", "revisit"}
        except (ArchiveLoadFailed, EOFError):
            return found
    return found


@needs_data
def test_every_page_that_warcio_and_fastwarc_agree_on_is_there() -> None:
    agreed = 0
    for path in ARCHIVES:
        both = urls_by_warcio(path) & by_fastwarc(path)
        del both[""]
        items = [item for batch in iterate_batches([(path, 0)]) for item in batch.items]
        assert not both - Counter(item.url for item in items if isinstance(item, Page)), path
        agreed += both.total()
    assert agreed > 900  # else nothing was compared


INVALID = sorted((DATA / "warc" / "jhove").glob("invalid-*"))
#: What is wrong with these is a field that no page depends on, or a digest: their records are sound to us.
READABLE = re.compile(r"fieldpolicy-(2|9|10)|warcrecord-2|digests-[123]")


@pytest.mark.skipif(not INVALID, reason="the shared data are not on this machine (GRAPHLANG_DATA)")
def test_each_file_that_jhove_made_invalid_tells_its_problem() -> None:
    assert len(INVALID) == 49
    for path in INVALID:
        items = [item for batch in iterate_batches([(path, 0)]) for item in batch.items]
        problems = [item for item in items if not isinstance(item, Page)]
        assert bool(problems) != bool(READABLE.search(path.name)), path
        for problem in problems:
            known = {"bad-length", "bad-http", "truncated", "garbage", "not-an-archive", "segmented"}
            assert problem.kind in known, path
            assert problem.offset is not None, path


@needs_data
def test_lz4_holds_what_the_plain_file_holds() -> None:
    names = ("warcfile.warc", "warcfile.warc.gz", "warcfile.warc.lz4")
    found = []
    for name in names:
        batches = iterate_batches([(DATA / "warc/chatnoir-resiliparse" / name, 0)])
        pages = [item for batch in batches for item in batch.items if isinstance(item, Page)]
        found.append([(page.url, page.text, page.links) for page in pages])
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 16


PYTHON = {
    "CP932": "cp932",
    "SHIFT_JIS": "cp932",
    "MacCyrillic": "mac_cyrillic",
    "MacRoman": "mac_roman",
    "IBM855": "cp855",
    "IBM866": "cp866",
    "Johab": "johab",
    "TIS-620": "cp874",
    "GB2312": "gb18030",
    "EUC-KR": "cp949",
    "Big5": "big5hkscs",
    "iso-8859-1": "cp1252",
}
LANGUAGES = re.compile(r"-(croatian|czech|hungarian|polish|slovak|bulgarian|russian|greek|turkish|hebrew)$")


@pytest.mark.skipif(not (DATA / "encodings").is_dir(), reason="the shared data are not on this machine")
@pytest.mark.parametrize(("markup", "floor"), [(True, 0.985), (False, 0.98)])
def test_pages_in_every_charset_decode_to_their_text(*, markup: bool, floor: float) -> None:
    right = total = 0
    for path in sorted((DATA / "encodings").glob("*/*")):
        name = LANGUAGES.sub("", path.parent.name)
        payload = path.read_bytes()
        decoded = decode(payload, markup=markup).text
        text = decoded if isinstance(decoded, str) else decoded.decode()
        expected = payload.decode(PYTHON.get(name, name), "replace")
        right += text.lstrip("\ufeff") == expected.lstrip("\ufeff")
        total += 1
    assert right / total >= floor
