"""The digest of a payload: as the record states it, else worked out."""

from __future__ import annotations

import base64
import hashlib
import re

_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{40}")
_BASE32 = 32  # characters of 160 bits


def digest_of(given: str, block: bytes, body: int = 0) -> str:
    """Return the SHA-1 of a payload in base 32, from the record's header where it gives one; empty for no payload.

    Args:
        given: WARC-Payload-Digest as written.
        block: what holds the payload.
        body: where it begins.

    >>> digest_of("sha1:qgpb3m3v7ylq3afbc3bzxgzx6mkzjfyc", b"x"), digest_of("", b"<p>", 3)
    ('QGPB3M3V7YLQ3AFBC3BZXGZX6MKZJFYC', '')
    >>> digest_of("md5:x", b"head<p>x", 4) == digest_of("", b"<p>x")
    True
    """
    name, _, value = given.partition(":")
    if name.lower() == "sha1":
        if len(value) == _BASE32:
            return value.upper()
        if _HEXADECIMAL.fullmatch(value):
            return base64.b32encode(bytes.fromhex(value)).decode()
    if len(block) <= body:
        return ""
    return base64.b32encode(hashlib.sha1(memoryview(block)[body:], usedforsecurity=False).digest()).decode()
