"""Choose the reader of a file by its content, and by its name only if the content is damaged.

Other packages can add readers under the entry point group ``graphlang.readers``; they are loaded only if a user asks
for them (`graphlang.plugins`). An entry point names a function that takes the first bytes of a file (decompressed, at
most 64 KB) and its name. It returns None, or a function that takes the open file, as it is stored, and yields Page and
Problem records of `graphlang.db.records` in the order of the file:

    def reader(head: bytes, name: str) -> Callable[[BinaryIO], Iterator[Page | Problem]] | None

They are asked before our own, in the order of their names. The file alone must determine what they yield, so that
reading can be interrupted and resumed.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn

from graphlang.db.records import Declaration, Link, Links, Page, Problem
from graphlang.ingest.files.decompress import ByteSource
from graphlang.ingest.formats.record_reader import GRAMMARS, RecordReader, Within
from graphlang.ingest.limits import cut_text
from graphlang.ingest.links.canonical import canonical_url
from graphlang.ingest.raw import Item, RawRecord, RecordStream
from graphlang.plugins import FAILURES, READERS, list_plugins, load_plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from graphlang.ingest.files.byte_ranges import ByteRange
    from graphlang.ingest.limits import Limits

_SNIFFED = 1 << 16
_STRINGS: Final = ("date", "mime", "charset_from", "title", "text", "digest", "revisit_date", "parts")
_OPTIONAL: Final = ("status", "charset", "revisit_of")
_NUMBERS: Final = ("offset", "length", "size", "main_length")


@contextmanager
def open_records(path: Path, limits: Limits, *, begin: int = 0, stop: int | None = None) -> Iterator[RecordStream]:
    """Open a file, or a folder that holds a mirror; raise OSError if that fails, or while records are read.

    ``begin`` and ``stop`` are those of `graphlang.ingest.formats.record_reader.RecordReader`; other formats than WARC
    and ARC are read from 0 on.
    """
    if not begin and path.is_dir():
        from graphlang.ingest.formats.wget_mirror import Mirror  # noqa: PLC0415 - rare

        yield Mirror(path, limits)
        return
    with path.open("rb", buffering=0) as file:
        yield (
            _choose_reader(file, path.name, limits, stop)
            if not begin
            else RecordReader(file, path.name, limits, begin=begin, stop=stop)
        )


@contextmanager
def open_range(byte_range: ByteRange, limits: Limits, begin: int) -> Iterator[RecordStream]:
    """Open a byte range of a file, or of an archive within one; offsets of its records are those in the file.

    ``begin`` counts from the first byte of the archive that the byte range belongs to.
    """
    if byte_range.size < 0:
        with open_records(byte_range.path, limits, begin=begin, stop=byte_range.stop) as reader:
            yield reader
        return
    with byte_range.open() as file:
        yield Within(RecordReader(file, byte_range.name, limits, begin=begin, stop=byte_range.stop), byte_range.base)


def _choose_reader(
    file: BinaryIO, name: str, limits: Limits, stop: int | None, *, is_unpacked: bool = False
) -> RecordStream:
    stored = file.read(_SNIFFED)
    file.seek(0)
    head = b"".join([chunk.data for chunk in islice(ByteSource(file).read_chunks(), 2)])[:_SNIFFED]
    file.seek(0)
    for plugin, entry in list_plugins(READERS).items():
        choose = load_plugin(entry)
        try:
            read = choose(head, name)
        except FAILURES as error:  # the other files are innocent
            read = partial(_fail, error)
        if read is not None:
            return _PluginReader(file, read, plugin, limits)
    if any(
        grammar.starts(head, 0) and not grammar.find(head, 0) for grammar in GRAMMARS
    ):  # nearly always; the other readers need not be imported
        return RecordReader(file, name, limits, stop=stop)
    if not is_unpacked and stored != head:
        from graphlang.ingest.formats.packed_archives import Unpacked, is_packed_twice  # noqa: PLC0415 - rare

        if is_packed_twice(head):
            return Unpacked(
                file, limits, partial(_choose_reader, name=name, limits=limits, stop=None, is_unpacked=True)
            )
    return _choose_rare(file, stored, head, limits) or RecordReader(file, name, limits, stop=stop)


def _choose_rare(file: BinaryIO, stored: bytes, head: bytes, limits: Limits) -> RecordStream | None:
    import zipfile  # noqa: PLC0415

    from graphlang.ingest.formats.observatory_store import COOKIE, Store  # noqa: PLC0415
    from graphlang.ingest.formats.packed_archives import MAGIC, Tar, Wacz, is_tar  # noqa: PLC0415

    packed = stored.startswith(MAGIC)
    # A store file whose first bytes are damaged may begin like anything, and a WACZ may hold a store file.
    if COOKIE in stored and not (packed and zipfile.is_zipfile(file)):
        return Store(file, limits)
    if packed:
        return Wacz(file, limits)
    return Tar(file, limits) if is_tar(stored) else _choose_saved(file, head, limits)


def _choose_saved(file: BinaryIO, head: bytes, limits: Limits) -> RecordStream | None:
    """Return the reader of pages that no crawler wrote."""
    from graphlang.ingest.formats.har import Har, is_har  # noqa: PLC0415
    from graphlang.ingest.formats.jsonl import Jsonl, is_array  # noqa: PLC0415
    from graphlang.ingest.formats.mhtml import Mhtml, is_mhtml  # noqa: PLC0415
    from graphlang.ingest.formats.saved_html import SavedHtml, is_html  # noqa: PLC0415

    if is_har(head):
        return Har(file, limits)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") or is_array(head):
        return Jsonl(file, limits, in_array=is_array(head))
    if is_mhtml(head):
        return Mhtml(file, limits)
    return SavedHtml(file, limits) if is_html(head) else None


class _PluginReader:
    """Read a file with the reader of another package, and check its items."""

    ended: int | None = None

    def __init__(self, file: BinaryIO, read: Callable[[BinaryIO], Iterator[Item]], name: str, limits: Limits) -> None:
        self._file = file
        self._read = read
        self._name = name
        self._limits = limits

    @property
    def bytes_read(self) -> int:
        return self._file.tell()

    def __iter__(self) -> Iterator[RawRecord]:
        try:
            for value in self._read(self._file):
                item = check_item(value, self._limits)
                yield RawRecord(item.offset or 0, b"", b"", item=item)
        except OSError:
            raise
        except FAILURES as error:  # the other files are innocent
            reason = f"the reader {self._name} failed: {type(error).__name__}: {error}"[:500]
            yield RawRecord(0, b"", b"", (("failed", reason),))


def _fail(error: BaseException, file: BinaryIO) -> NoReturn:
    del file
    raise error


def check_item(item: Any, limits: Limits) -> Item:
    """Return an item of a plug-in, with canonical URLs and with texts cut: a faulty page must not end the reading.

    Of a page with a ``rest`` the plug-in cuts the text itself.

    Raises:
        TypeError: it is no Page or Problem, or a field has another type.
        ValueError: its URL is not an http(s) URL, a number is negative, or a text holds half of a surrogate pair.
    """
    if isinstance(item, Problem):
        return item
    if not isinstance(item, Page):
        raise TypeError(f"it yielded {type(item).__name__}, expected Page or Problem")
    url = canonical_url(_check_text("url", item.url))
    if url is None:
        raise ValueError(f"{item.url[:200]!r} is not an http(s) URL")
    _check_fields(item)
    page = _cut_texts(item, limits)
    if url == page.url and (isinstance(page.links, Links) or not page.links):
        return page
    return replace(page, url=url, links=page.links if isinstance(page.links, Links) else _check_links(page))


def _cut_texts(page: Page, limits: Limits) -> Page:
    body = cut_text(page.text, page.main_length, limits.text_limit)
    if len(page.title) <= limits.title_limit and (page.rest or body.text == page.text):
        return page
    page = replace(page, title=page.title[: limits.title_limit])
    return page if page.rest else replace(page, text=body.text, rest=body.rest, main_length=body.main_length)


def _check_fields(page: Page) -> None:
    for name in _STRINGS:
        _check_text(name, getattr(page, name))
    for name in _NUMBERS:
        _check_number(name, getattr(page, name))
    for name in _OPTIONAL:
        value = getattr(page, name)
        if value is not None:
            (_check_number if name == "status" else _check_text)(name, value)
    for name in ("visible", "rest"):
        if not isinstance(getattr(page, name), bytes):
            raise TypeError(f"{name} is of type {type(getattr(page, name)).__name__}, expected bytes")
    for declaration in page.declared:
        if not isinstance(declaration, Declaration):
            raise TypeError(f"declared holds {type(declaration).__name__}, expected Declaration")


def _check_links(page: Page) -> list[Link]:
    links: dict[str, Link] = {}
    for link in page.links:
        if not isinstance(link, Link):
            raise TypeError(f"links hold {type(link).__name__}, expected Link")
        _check_number("kind of a link", link.kind)
        target = canonical_url(_check_text("url of a link", link.url))
        if target is None:
            raise ValueError(f"{link.url[:200]!r}, to which a link leads, is not an http(s) URL")
        links.setdefault(target, link._replace(url=target))
    return list(links.values())


def _check_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected str")
    if not value.isascii():
        value.encode()
    return value


def _check_number(name: str, value: Any) -> None:
    if not isinstance(value, int):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected int")
    if value < 0:
        raise ValueError(f"{name} is {value}, which is negative")
