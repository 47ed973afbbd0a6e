"""The digest of a payload: as the record states it, else worked out."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Final

#: Bytes of the digests that are taken over; names as they are after "sha-256" has become "sha256".
_BYTES: Final = {"sha1": 20, "md5": 16, "sha256": 32, "sha384": 48, "sha512": 64}
_USUAL: Final = re.compile(r"sha1:([A-Za-z2-7]{32})")
_BASE32: Final = re.compile(r"([A-Za-z2-7]+)=*")
_BASE16: Final = re.compile(r"[0-9A-Fa-f]+")
_HALVES: Final = 2  # digits of a byte in base 16
_NOTHING: Final = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"  # SHA-1 of no bytes


def digest_of(given: str, block: bytes, body: int = 0) -> str:
    """Return the digest of a payload: that of the record's header where it gives one, else SHA-1; empty for no payload.

    SHA-1 is in base 32, without its name; another one is its name, a colon, and hexadecimal digits, so that a revisit
    record finds its original however the two write it (crawlers that run browsers give SHA-256).

    Args:
        given: WARC-Payload-Digest as written. What cannot be a digest of the algorithm that it names is none; nor is
            that of nothing where there is a payload, as writers state it that had read their stream before.
        block: what holds the payload.
        body: where it begins.

    >>> digest_of("sha1:qgpb3m3v7ylq3afbc3bzxgzx6mkzjfyc", b"x"), digest_of("", b"<p>", 3)
    ('QGPB3M3V7YLQ3AFBC3BZXGZX6MKZJFYC', '')
    >>> digest_of("sha-256:" + "AB" * 32, b"") == "sha256:" + "ab" * 32
    True
    >>> digest_of("md5:x", b"head<p>x", 4) == digest_of("sha1:" + "8" * 32, b"<p>x") == digest_of("", b"<p>x")
    True
    """
    usual = _USUAL.fullmatch(given)
    if usual is not None and (len(block) <= body or usual[1].upper() != _NOTHING):
        return usual[1].upper()
    name, _, value = given.strip().partition(":")
    name = name.strip().lower().replace("-", "")
    stated = _bytes_of(value.strip(), _BYTES.get(name, 0))
    if stated is not None and (len(block) <= body or stated != hashlib.new(name, usedforsecurity=False).digest()):
        return base64.b32encode(stated).decode() if name == "sha1" else f"{name}:{stated.hex()}"
    if len(block) <= body:
        return ""
    return base64.b32encode(hashlib.sha1(memoryview(block)[body:], usedforsecurity=False).digest()).decode()


def _bytes_of(value: str, size: int) -> bytes | None:
    """A digest of so many bytes, written in base 16 or base 32; None where it is none."""
    if _BASE16.fullmatch(value) and len(value) == _HALVES * size:
        return bytes.fromhex(value)
    letters = _BASE32.fullmatch(value)
    if letters is None or len(letters[1]) != -(-8 * size // 5):
        return None
    return base64.b32decode(letters[1].upper() + "=" * (-len(letters[1]) % 8))
