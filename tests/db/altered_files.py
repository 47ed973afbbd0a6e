"""Files of databases that are damaged: cut, overwritten, with a foreign log, journal or lock beside them."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Alteration = Callable[[Path], None]

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


def _bytes(change: Callable[[bytes], bytes]) -> Alteration:
    def alter(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return alter


def _beside(suffix: str, content: bytes) -> Alteration:
    def alter(path: Path) -> None:
        path.with_name(path.name + suffix).write_bytes(content)

    return alter


def _cut(share: float) -> Alteration:
    return _bytes(lambda data: data[: int(len(data) * share)])


def _flip(seed: int, count: int) -> Alteration:
    def change(data: bytes) -> bytes:
        changed, state = bytearray(data), seed
        for _ in range(count):
            state = (state * 6364136223846793005 + 1442695040888963407) & ((1 << 64) - 1)
            changed[100 + (state >> 33) % (len(data) - 100)] ^= 1 << (state >> 30 & 7)
        return bytes(changed)

    return _bytes(change)


def _header(offset: int, value: bytes) -> Alteration:
    return _bytes(lambda data: data[:offset] + value + data[offset + len(value) :])


def _zeroed(page: int) -> Alteration:
    def zeroed(data: bytes) -> bytes:
        size = int.from_bytes(data[16:18], "big")  # of a page, as the file's header says
        return data[: size * page] + bytes(size) + data[size * (page + 1) :]

    return _bytes(zeroed)


def _tree_bomb(path: Path) -> None:
    """A table of links all of whose pages but the last are one: few bytes, and more rows than can ever be read."""
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'problems'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    below = len(data) // size + 1
    most = 300
    for number in [root, *range(below, below + 12)]:
        child = below if number == root else number + 1
        begin = size - 5 * most
        page = bytearray(size)
        struct.pack_into(">BHHHBI", page, 0, 5, 0, most, begin, 0, child)
        for cell in range(most):
            struct.pack_into(">H", page, 12 + 2 * cell, begin + 5 * cell)
            struct.pack_into(">IB", page, begin + 5 * cell, child, 1 + cell % 100)
        at = size * (number - 1)
        data[at : at + size] = page
    leaf = bytearray(size)
    row = bytes([7, 0, 9, 0, 0, 15, 15]) + b"kr"  # header of 7 bytes: NULL id, source 1, NULL, NULL, two letters
    body = bytes([len(row), 1]) + row
    struct.pack_into(">BHHHB", leaf, 0, 13, 0, 1, size - len(body), 0)
    struct.pack_into(">H", leaf, 8, size - len(body))
    leaf[size - len(body) :] = body
    data += leaf
    struct.pack_into(">I", data, 28, len(data) // size)
    path.write_bytes(data)


def _logged(path: Path) -> None:
    """A log that is left behind, with an endless view in it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("DROP VIEW site_languages")
        connection.execute(f"CREATE VIEW site_languages AS {ENDLESS} SELECT i AS host FROM n")
        data, log = path.read_bytes(), path.with_name(f"{path.name}-wal").read_bytes()
    path.write_bytes(data)
    path.with_name(f"{path.name}-wal").write_bytes(log)


def damage_files() -> dict[str, Alteration]:
    """Return the damages by name; each alters the file of a path."""
    found = {f"cut to {share:.0%}": _cut(share) for share in (0.0005, 0.01, 0.5, 0.99)}
    found |= {f"bits flipped {seed}": _flip(seed, count) for seed, count in enumerate((5, 50, 200, 1000))}
    found |= {f"page {page} of zeros": _zeroed(page) for page in (1, 2, 5, 13)}
    found |= {
        "no bytes": _bytes(lambda _: b""),
        "zeros": _bytes(lambda data: bytes(len(data))),
        "a text": _bytes(lambda _: b"some notes\n" * 1000),
        "header of another": _header(0, b"SQLite format 4\0"),
        "pages of 512 bytes": _header(16, struct.pack(">H", 512)),
        "pages of 3 bytes": _header(16, struct.pack(">H", 3)),
        "a format of the future": _header(18, b"\x09\x09"),
        "half of each page kept free": _header(20, b"\x80"),
        "more pages than there are": _header(28, struct.pack(">I", 1 << 30)),
        "a list of free pages without end": _header(32, struct.pack(">II", 2, 1 << 30)),
        "a cache of any size": _header(48, struct.pack(">I", (1 << 31) - 1)),
        "texts in UTF-16": _header(56, struct.pack(">I", 2)),
        "texts in none": _header(56, struct.pack(">I", 7)),
        "schema of version -1": _header(60, struct.pack(">i", -1)),
        "schema of version 0": _header(60, struct.pack(">i", 0)),
        "schema of version 17": _header(60, struct.pack(">i", 17)),
        "schema of the future": _header(60, struct.pack(">i", 999)),
        "of another program": _header(68, struct.pack(">i", 12345)),
        "of no program": _header(68, struct.pack(">i", 0)),
        "a log of zeros": _beside("-wal", bytes(100_000)),
        "a log of ones": _beside("-wal", b"\xff" * 100_000),
        "a log and its endless view": _logged,
        "an index of a log": _beside("-shm", b"\xff" * 32768),
        "a journal of zeros": _beside("-journal", bytes(10_000)),
        "a journal of another": _beside("-journal", bytes.fromhex("d9d505f920a163d7") + b"\xff" * 5000),
        "a journal that deletes": _beside("-journal", b"/etc/none" + bytes.fromhex("0000000900000000d9d505f920a163d7")),
        "a lock of nobody": _beside("-lock", b"999999 vote 2020\n"),
        "a lock without end": _beside("-lock", b"9" * 1_000_000),
        "a table without end": _tree_bomb,
    }
    return found
