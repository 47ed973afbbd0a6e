"""Raw records and pages as nested plain tuples: what crosses between processes, by marshal, without pickle.

marshal takes exact types only and is the fastest serialiser of the standard library; both ends run the same
interpreter, which is what its format asks for.
"""

from __future__ import annotations

import marshal
from typing import IO, TYPE_CHECKING, Any

from graphlang.db.records import Declaration, Link, Page, Problem

from .raw import Raw

if TYPE_CHECKING:
    from .parse import Item

_HEAD = 8  # bytes of a frame that say how long the rest is


def write_frame(stream: IO[bytes], value: Any) -> None:
    """Send one value."""
    data = marshal.dumps(value)
    stream.write(len(data).to_bytes(_HEAD, "little"))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any:
    """Receive one value.

    Raises:
        EOFError: the other end is gone.
    """
    head = stream.read(_HEAD)
    if len(head) < _HEAD:
        raise EOFError
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return marshal.loads(data)  # noqa: S302 - from our own process


def pack_raw(raw: Raw) -> tuple[Any, ...]:
    """Return a raw record as a plain tuple."""
    return tuple(raw)


def unpack_raw(packed: tuple[Any, ...]) -> Raw:
    """Return the raw record of a plain tuple."""
    return Raw(*packed)


def pack_item(item: Item) -> tuple[Any, ...]:
    """Return a page or problem as a plain tuple; the two differ in length."""
    if isinstance(item, Problem):
        return (item.kind, item.reason, item.offset, item.url)
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
        [tuple(one) for one in item.declared],
        [tuple(one) for one in item.links],
    )


def unpack_item(packed: Any) -> Item:
    """Return the page or problem of a plain tuple."""
    if len(packed) == 4:  # noqa: PLR2004 - a problem's fields
        return Problem(*packed)
    declared = tuple([Declaration(*one) for one in packed[-2]])
    links = tuple([Link(*one) for one in packed[-1]])
    values: list[Any] = [*packed[:-2], declared, links]
    return Page(*values)
