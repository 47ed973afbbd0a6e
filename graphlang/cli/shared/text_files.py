"""Read texts from files: in UTF-8, in the charset of --encoding, or in one that is detected."""

from __future__ import annotations

import codecs
import io
import re
import sys
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from graphlang.cli.shared.log import say
from graphlang.files import open_regular
from graphlang.printing import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

#: Bytes of a file, or a line, that are read.
_BYTES = 1 << 20
_SAMPLE = 1 << 16  #: bytes from which the charset of lines is guessed
_HEAD = 1 << 12  #: bytes from which UTF-16 and UTF-32 are recognised
_WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_BINARY = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"WARC/", b"SQLite format 3\0", b"%PDF-")
_CUT = 3  #: bytes of a character that may be missing at the end


_A_TEXT = " (a text comes from standard input: echo 'A text.' | graphlang identify)"

#: The beginning of an HTML file.
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->|<\?xml[^>]*\?>)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)


def _read_page(data: bytes, encoding: str | None) -> str:
    """Read the title and the main content of a page."""
    from graphlang.content.page_input import Material, join_parts  # noqa: PLC0415 - rarely needed
    from graphlang.ingest.html.document import read_document  # noqa: PLC0415
    from graphlang.ingest.limits import Limits  # noqa: PLC0415
    from graphlang.ingest.payload.charset import decode  # noqa: PLC0415

    page = read_document(decode(data, encoding).text, Limits())
    return join_parts(Material([page.title], [page.text], [page.main_length], [b""], [""]))[0]


def _check_encoding(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    del ctx, param
    if value is None:
        return None
    from graphlang.ingest.payload.charset import find_codec  # noqa: PLC0415

    charset = find_codec(value)
    if charset is None:  # names that Python has and the web has not, such as latin-1
        with suppress(LookupError):
            charset = find_codec(codecs.lookup(value).name)
    if charset is None:
        raise click.BadParameter(f"unknown charset {value!r}")
    return charset


encoding = click.option(
    "--encoding",
    metavar="NAME",
    callback=_check_encoding,
    help="Charset of the files, such as koi8-r. By default UTF-8; if a file is not UTF-8, its charset is detected"
    " and printed.",
)


class TextFiles:
    """Texts of files, with their names; ``-`` is standard input. ``unread`` has the files that could not be read.

    With `html` every file is HTML; without it, those that begin so.
    """

    def __init__(self, names: Iterable[str], encoding: str | None, *, html: bool = False) -> None:
        self._names = names
        self._encoding = encoding
        self._html = html
        self.unread: list[str] = []

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the beginning of each file."""
        for name, file in self._open():
            data = file.read(_BYTES)
            if self._is_binary(data, name):
                continue
            if len(data) == _BYTES and file.read(1):
                _say_cut(name)
            if self._html or _HTML.match(data):
                yield name, _read_page(data, self._encoding)
                continue
            text = data.decode(self._encoding, "replace") if self._encoding else _decode(data, name)
            yield name, text.removeprefix("\ufeff").rstrip("\r\n")

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the name and number of each line, and the line."""
        for name, file in self._open():
            charset = self._encoding
            if charset is None:
                head = file.read(_HEAD)
                if self._is_binary(head, name):
                    continue
                charset = _find_wide_codec(head, name)
                file = io.BufferedReader(_PutBack(head, file))  # noqa: PLW2901 - the same, from its start
            lines = _read_in_charset(file, charset, name) if charset else _read_utf8(file, name)
            for number, line in enumerate(lines, 1):
                text = line.removeprefix("\ufeff") if number == 1 else line
                yield f"{name}:{number}", text.rstrip("\r\n")

    def _is_binary(self, head: bytes, name: str) -> bool:
        """Return True, and keep the name, if a file begins as an archive, a database or a PDF document."""
        if head.startswith(_BINARY):
            self.unread.append(f"{name}: not a text; 'graphlang run' reads archives")
        return head.startswith(_BINARY)

    def _open(self) -> Iterator[tuple[str, BinaryIO]]:
        for name in self._names:
            try:
                with sys.stdin.buffer if name == "-" else open_regular(name) as file:
                    yield name, file
            except OSError as error:
                is_text = isinstance(error, FileNotFoundError) and (" " in name or not {".", "/"} & set(name))
                hint = _A_TEXT if is_text else ""
                self.unread.append(f"{name}: {error.strerror or error}{hint}")


class _PutBack(io.RawIOBase):
    """A file and the bytes that were read from it: standard input cannot be read twice."""

    def __init__(self, head: bytes, file: BinaryIO) -> None:
        self._head, self._file = head, file

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        data = self._head[: len(room)] or self._file.read(len(room))
        self._head = self._head[len(data) :]
        room[: len(data)] = data
        return len(data)


def _find_wide_codec(head: bytes, name: str) -> str | None:
    """UTF-16 or UTF-32, where a file begins so: a line feed is two or four bytes there."""
    charset = next(
        (charset for mark, charset in _WIDE_MARKS.items() if head.startswith(mark)), ""
    ) or _guess_wide_codec(head)
    if not charset:
        return None
    _say_detected(name, charset)
    return charset


def _guess_wide_codec(data: bytes) -> str:
    """UTF-16 or UTF-32 without a byte-order mark, which may be UTF-8, too; empty where it is neither."""
    if b"\0" not in data:
        return ""
    from graphlang.ingest.payload.detect_charset import detect_wide  # noqa: PLC0415 - rarely needed

    return detect_wide(data)


def _read_in_charset(file: BinaryIO, encoding: str, name: str) -> Iterator[str]:
    text = io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="\n")
    number = 0
    while line := text.readline(_BYTES):
        number += 1
        yield line
        if not line.endswith("\n") and (line := text.readline(_BYTES)):
            if line.strip("\r\n"):
                _say_cut(f"{name}:{number}")
            while not line.endswith("\n") and (line := text.readline(_BYTES)):
                continue
    text.detach()


def _read_utf8(file: BinaryIO, name: str) -> Iterator[str]:
    """Lines in UTF-8; from the first that is not, in the charset that is detected."""
    lines = _read_lines(file, name)
    for line in lines:
        if _is_utf8(line):
            yield line.decode("utf-8", "replace")
            continue
        ahead = [line]
        while sum(map(len, ahead)) < _SAMPLE and (following := next(lines, None)):
            ahead.append(following)
        charset = _detect_codec(b"".join(ahead), name)
        for following in chain(ahead, lines):
            yield following.decode("utf-8" if _is_utf8(following) else charset, "replace")


def _read_lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    number = 0
    while line := file.readline(_BYTES):
        number += 1
        yield line
        if not line.endswith(b"\n") and (line := file.readline(_BYTES)):
            if line.strip(b"\r\n"):
                _say_cut(f"{name}:{number}")
            while not line.endswith(b"\n") and (line := file.readline(_BYTES)):
                continue


def _say_cut(name: str) -> None:
    say(f"{visible(name)}: longer than a MiB; the rest is not read")


def _say_detected(name: str, charset: str) -> None:
    say(f"{visible(name)}: not UTF-8; read as {charset}, which was detected: --encoding sets the charset")


def _is_utf8(data: bytes) -> bool:
    """Return True if bytes are UTF-8, but for a character that is cut at the end."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data" and error.start >= len(data) - _CUT
    return True


def _decode(data: bytes, name: str) -> str:
    return data.decode(
        "utf-8" if _is_utf8(data) and not _guess_wide_codec(data) else _detect_codec(data, name), "replace"
    )


def _detect_codec(data: bytes, name: str) -> str:
    """The codec of bytes that are not UTF-8."""
    from graphlang.ingest.payload.charset import decode, find_codec  # noqa: PLC0415 - rarely needed

    charset = decode(data, markup=False).charset
    if charset == "utf-8":
        say(f"{visible(name)}: some bytes are not UTF-8, and count as unknown characters")
        return charset
    _say_detected(name, charset)
    return find_codec(charset) or "utf-8"
