"""Archives of a few hundred bytes, written byte by byte, so that every byte of a test is known."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Protocol

import pytest

from graphlang.db.records import Page, Problem
from graphlang.ingest import Limits, iterate_batches

sys.path.append(str(Path(__file__).parent))  # of `markup_kernel`


class Archive(Protocol):
    """Builds bytes of archives."""

    def warc(
        self, url: str, body: bytes = ..., *, kind: str = ..., http: bytes | None = ..., extra: bytes = ...
    ) -> bytes: ...

    def arc(self, url: str, body: bytes = ...) -> bytes: ...

    def gz(self, *records: bytes) -> bytes: ...


HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


class _Archive:
    def warc(
        self,
        url: str,
        body: bytes = b"<p>Hello",
        *,
        kind: str = "response",
        http: bytes | None = HTTP,
        extra: bytes = b"",
    ) -> bytes:
        """One WARC record; ``http=None`` leaves the HTTP header out."""
        block = body if http is None else http + b"\r\n" + body
        head = (
            f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-21T00:17:00Z\r\n"
            f"Content-Type: {'application/http; msgtype=response' if http is not None else 'text/html'}\r\n"
            f"Content-Length: {len(block)}\r\n"
        )
        return head.encode() + extra + b"\r\n" + block + b"\r\n\r\n"

    def arc(self, url: str, body: bytes = b"<p>Hello") -> bytes:
        """One ARC 1 record."""
        block = HTTP + b"\r\n" + body
        return f"{url} 192.0.2.1 20061121001700 text/html {len(block)}\n".encode() + block + b"\n"

    def gz(self, *records: bytes) -> bytes:
        """Each record compressed by itself."""
        return b"".join(gzip.compress(one, mtime=0) for one in records)


@pytest.fixture
def archive() -> Archive:
    return _Archive()


class Read(Protocol):
    """Reads the bytes of one archive."""

    def __call__(self, data: bytes, name: str = ..., **limits: int) -> tuple[list[Page], list[Problem]]: ...


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def run(data: bytes, name: str = "a.warc", **limits: int) -> tuple[list[Page], list[Problem]]:
        path = tmp_path / name
        path.write_bytes(data)
        items = [item for batch in iterate_batches([(path, 0)], limits=Limits(**limits)) for item in batch.items]
        return [one for one in items if isinstance(one, Page)], [one for one in items if isinstance(one, Problem)]

    return run
