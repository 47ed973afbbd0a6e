"""Write an archive of many pages, nine tenths of them on one host: ``skewed_archive.py ARCHIVE OUT --copies 5``.

Each copy of the pages of ARCHIVE gets URLs of its own. Relative links lead to pages of the same copy.
"""

from __future__ import annotations

import argparse
import zlib
from pathlib import Path
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter

LARGE = "large.example"  # the host with nine tenths of the pages


def moved(url: str, copy: int) -> str:
    """The URL of a page in a copy."""
    parts = urlsplit(url)
    rest = parts.path + (f"?{parts.query}" if parts.query else "")
    if zlib.crc32(f"{copy} {parts.path.rpartition('/')[0]}".encode()) % 10:
        return f"http://{LARGE}/{copy}/{parts.netloc}{rest}"
    return f"http://{copy}.{parts.netloc}{rest}"


def main() -> None:
    """Write the archive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--copies", type=int, default=5)
    options = parser.parse_args()
    pages = large = 0
    with options.out.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        for copy in range(options.copies):
            with options.archive.open("rb") as file:
                for record in ArchiveIterator(file):
                    if record.rec_type == "response":
                        url = moved(record.rec_headers.get_header("WARC-Target-URI"), copy)
                        record.rec_headers.replace_header("WARC-Target-URI", url)
                        writer.write_record(record)
                        pages, large = pages + 1, large + (f"//{LARGE}/" in url)
    print(f"{pages} pages, {large} of them on {LARGE}")


if __name__ == "__main__":
    main()
