"""Read HAR: the requests of a browser as JSON, with the bodies of the answers decoded, one entry at a time."""

from __future__ import annotations

import binascii
import re
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from graphlang.ingest.files.decompress import ByteSource
from graphlang.ingest.formats.jsonl import load_json, split_array
from graphlang.ingest.formats.saved_html import format_header_value, read_date
from graphlang.ingest.raw import RawRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.ingest.limits import Limits

_HAR: Final = re.compile(rb"\s*\{\s*\"log\"\s*:\s*\{")
_ENTRIES: Final = re.compile(rb"(?<!\\)\"entries\"\s*:\s*\[")
#: Fields of an answer that say something about its page; the encodings are undone in a HAR.
_ANSWER_FIELDS: Final = frozenset({"content-language", "x-robots-tag", "location", "refresh", "link"})
_NOT_MODIFIED: Final = 304
_OK: Final = 200


def is_har(head: bytes) -> bool:
    """Return whether a file begins like a HAR."""
    return _HAR.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


class Har:
    """Read the requests that a browser made."""

    ended: int | None = None

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._source = ByteSource(file, max_ratio=limits.max_ratio)
        self._limits = limits

    @property
    def bytes_read(self) -> int:
        """Return the offset reached in the stored file."""
        return self._source.position

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield each answer as a WARC response record; offsets are those of entries, in the decompressed file."""
        for offset, data, fault in split_array(self._source.read_chunks(), _ENTRIES, self._limits.max_json):
            if fault is not None:
                yield RawRecord(offset, b"", b"", (fault,))
                continue
            try:
                entry = load_json(data)
            except (ValueError, RecursionError) as error:
                reason = f"an entry of the HAR is not JSON ({type(error).__name__})"
                yield RawRecord(offset, b"", b"", (("bad-json", reason),))
                continue
            record = _make_answer(entry)
            if record is not None:
                yield record._replace(offset=offset)


def _make_answer(entry: dict[str, Any]) -> RawRecord | None:
    """Return the answer of an entry as a WARC response record; None without an answer."""
    answer, content = _find_inner(entry, "response"), _find_inner(entry, "response", "content")
    status, text = answer.get("status"), content.get("text")
    if not isinstance(status, int) or not 100 <= status <= 999:  # noqa: PLR2004 - 0: the request failed
        return None
    mime = format_header_value(_get_string(content, "mimeType"))
    if not isinstance(text, str):
        body = b""
    elif content.get("encoding") == "base64":
        body = _decode_base64(text)
    else:
        body = text.encode()
        mime = f"{mime.partition(';')[0]}; charset=utf-8"  # the browser decoded it
    if status == _NOT_MODIFIED and body:
        status = _OK  # from the cache of the browser
    fields = [f"HTTP/1.1 {status}", f"Content-Type: {mime}"]
    headers = answer.get("headers")
    for field in headers if isinstance(headers, list) else ():
        name = _get_string(field, "name").lower()
        if name in _ANSWER_FIELDS:
            fields.append(f"{name}: {format_header_value(_get_string(field, 'value'))}")
    block = "\r\n".join([*fields, "", ""]).encode() + body
    kind = format_header_value(_get_string(entry, "_resourceType"))
    date = read_date(_get_string(entry, "startedDateTime"))
    url = format_header_value(_get_string(_find_inner(entry, "request"), "url"))
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
        f"WARC-Resource-Type: {kind}\r\nContent-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return RawRecord(0, head.encode(), block)


def _decode_base64(text: str) -> bytes:
    try:
        return binascii.a2b_base64(text)
    except ValueError:
        return b""


def _find_inner(value: Any, *names: str) -> dict[str, Any]:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _get_string(value: Any, name: str) -> str:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, str) else ""
