"""Prepare the standard streams: all three exist, and errors of standard error and of charsets stop no work."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Droppable(io.FileIO):
    """A file whose failing writes are dropped: a log on a full disk, a pipe without a reader."""

    def write(self, data: ReadableBuffer) -> int:
        """Write bytes, or drop them; return how many are done with."""
        try:
            written: int | None = super().write(data)
        except OSError:
            written = None
        return memoryview(data).nbytes if written is None else written


def prepare() -> None:
    """Let writes to standard error never fail, and characters that a charset lacks be escapes.

    Messages matter less than the work, which continues without them, and has its own exit code.
    """
    _open_closed()
    if isinstance(sys.stderr, io.TextIOWrapper):
        try:
            droppable = _Droppable(sys.stderr.fileno(), "w", closefd=False)
        except (OSError, ValueError):  # not a file of the operating system: the program runs inside another one
            pass
        else:
            encoding = sys.stderr.encoding
            sys.stderr = io.TextIOWrapper(io.BufferedWriter(droppable), encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # characters that the charset lacks are escapes
            stream.reconfigure(errors="backslashreplace")


def _open_closed() -> None:
    """Open streams that the shell closed (``>&-``) on the null device, so that no other file gets their numbers."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - until the program ends
