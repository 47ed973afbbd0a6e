"""A small collection for the tests of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import graphlang as gl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def crawl(tmp_path: Path, museum: Path) -> Iterator[gl.Collection]:
    """The museum, read and not yet classified."""
    with gl.open(tmp_path / "crawl.db") as collection:
        assert collection.ingest(museum).pages == 5
        yield collection
