"""Whether a file found in a folder is one that can be read: told by its first bytes, whatever it is called.

A file that the user names is read in any case, and told to be no archive where it is none. Of a folder's files only
those are taken that show what they are, or have a name that says it: the first bytes of an archive may be damaged.
Readers of other packages are not asked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphlang.files import open_regular
from graphlang.ingest.files.decompress import Source
from graphlang.ingest.formats.observatory_store import COOKIE
from graphlang.ingest.formats.record_reader import GRAMMARS

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

_FORMATS = (".warc", ".arc", ".wet", ".wat", ".jsonl", ".ndjson", ".store")
_COMPRESSIONS = ("", ".gz", ".zst", ".lz4", ".bz2", ".xz")
#: Names that are taken from a folder whatever the file's bytes are.
SUFFIXES = (".wacz", *(format_ + compression for format_ in _FORMATS for compression in _COMPRESSIONS))
_SNIFFED = 1 << 16
_ZIP = b"PK\x03\x04"
_IN_WACZ = (
    b"archive/"  # the folder of a WACZ's archives: in the name of an entry, which the directory at the end repeats
)
_URL_FIELD = re.compile(rb'"(?:url|uri|warc-target-uri)"\s*:', re.IGNORECASE)
_TEXT_FIELD = re.compile(rb'"(?:text|content|raw_content|plain_text|links)"\s*:')


def is_readable(path: Path) -> bool:
    """Tell whether a regular file is an archive, or a list of pages.

    Args:
        path: links are followed.

    Raises:
        OSError: it cannot be opened or read.
    """
    if path.name.lower().endswith(SUFFIXES):
        return True
    with open_regular(path) as file:
        stored = file.read(_SNIFFED)
        if stored.startswith(_ZIP):
            return _IN_WACZ in stored or _IN_WACZ in _end(file)
        if stored.startswith(COOKIE):
            return True
        file.seek(0)
        source = Source(file)
        # What is not compressed is looked at as it is: most files of a folder are something else, and short.
        head = next((chunk.data for chunk in source.chunks()), b"")[:_SNIFFED] if source.compression else stored
    return _is_archive(head.lstrip(b"\r\n")) or _lists_pages(head)


def _end(file: BinaryIO) -> bytes:
    file.seek(max(0, file.seek(0, 2) - _SNIFFED))
    return file.read(_SNIFFED)


def _is_archive(head: bytes) -> bool:
    return any(grammar.starts(head, 0) and grammar.find(head, 0) == 0 for grammar in GRAMMARS)


def _lists_pages(head: bytes) -> bool:
    """Tell whether the first line is a page: other files of JSON lie beside archives, too."""
    line = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").partition(b"\n")[0]
    return line.startswith(b"{") and bool(_URL_FIELD.search(line)) and bool(_TEXT_FIELD.search(line))
