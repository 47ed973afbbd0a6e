"""Send raw records and pages between processes, as nested plain tuples and by marshal, without pickle.

marshal takes exact types only and is the fastest serialiser of the standard library. Its format requires that both ends
run the same interpreter, as they do.
"""

from __future__ import annotations

import marshal
from typing import IO, TYPE_CHECKING, Any

from graphlang.db.records import Declaration, Links, Page, Problem
from graphlang.ingest.raw import RawRecord

if TYPE_CHECKING:
    from graphlang.ingest.raw import Item

_LISTS = 13  # place of the declarations among the fields of a page; the links follow
_HEAD = 8  # bytes of a frame that hold its length
_PROBLEM_FIELDS = 4


def encode_frame(value: Any) -> bytes:
    """Encode a value as a frame."""
    data = marshal.dumps(value)
    return len(data).to_bytes(_HEAD, "little") + data


def write_frame(stream: IO[bytes], value: Any) -> None:
    """Send one value of the types that marshal takes: numbers, strings, bytes, tuples and the like."""
    stream.write(encode_frame(value))
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes:
    """Receive one value, still encoded; raise EOFError if the other process has ended."""
    head = stream.read(_HEAD)
    if len(head) < _HEAD:
        raise EOFError
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def decode_frame(data: bytes) -> Any:
    """Return the value of a frame."""
    return marshal.loads(data)  # noqa: S302 - from our own process


def pack_raw(raw: RawRecord) -> tuple[Any, ...]:
    """Return a raw record as a plain tuple."""
    return (raw.offset, raw.head, raw.block, raw.faults, None if raw.item is None else pack_item(raw.item))


def unpack_raw(packed: tuple[Any, ...]) -> RawRecord:
    """Return the raw record of a plain tuple."""
    offset, head, block, faults, item = packed
    return RawRecord(offset, head, block, faults, None if item is None else unpack_item(item))


def pack_item(item: Item) -> tuple[Any, ...]:
    """Return a page or problem as a plain tuple; the two differ in length."""
    if isinstance(item, Problem):
        return (item.kind, item.reason, item.offset, item.url)
    links = Links.from_links(item.links)
    return (
        item.url,
        item.offset,
        item.date,
        item.status,
        item.mime,
        item.charset,
        item.charset_from,
        item.title,
        item.text,
        item.length,
        item.size,
        item.digest,
        item.revisit_of,
        list(map(tuple, item.declared)),
        (links.urls, links.kinds, links.hreflangs, links.texts),
        item.revisit_date,
        item.parts,
        item.main_length,
        item.visible,
        item.rest,
    )


def unpack_item(packed: Any) -> Item:
    """Return the page or problem of a plain tuple."""
    if len(packed) == _PROBLEM_FIELDS:
        return Problem(*packed)
    before, (declared, links), after = packed[:_LISTS], packed[_LISTS : _LISTS + 2], packed[_LISTS + 2 :]
    values: list[Any] = [*before, tuple(map(Declaration._make, declared)), Links(*links), *after]
    return Page(*values)
