"""Standard streams as the rest of the program takes them: all three are there, and what they carry stops no work."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Unheard(io.FileIO):
    """A file whose writes are dropped where they fail: a log on a full disk, a pipe whose reader has gone."""

    def write(self, data: ReadableBuffer) -> int:
        """Write bytes, or drop them.

        Returns:
            How many bytes are dealt with.
        """
        try:
            written: int | None = super().write(data)
        except OSError:
            written = None
        return memoryview(data).nbytes if written is None else written


def prepare() -> None:
    """Make the three streams such that writing to standard error never fails, and no letter makes writing fail.

    Words on standard error are beside the work: where nobody can be told, the work goes on and has its own exit code.
    """
    _open_closed()
    if isinstance(sys.stderr, io.TextIOWrapper):
        try:
            unheard = _Unheard(sys.stderr.fileno(), "w", closefd=False)
        except (OSError, ValueError):  # it is no file of the system: somebody runs this program inside another
            pass
        else:
            encoding = sys.stderr.encoding
            sys.stderr = io.TextIOWrapper(io.BufferedWriter(unheard), encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a letter that the terminal's charset has not is an escape
            stream.reconfigure(errors="backslashreplace")


def _open_closed() -> None:
    """Give streams that the shell closed (``>&-``) to nobody, for no file that is opened later to take their place."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, and those below it are taken
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - for all time
