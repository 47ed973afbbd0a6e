"""Queries of links, as a browser asks for them: in the charset of the page that they stand in.

Paths are always percent-encoded in UTF-8. But what stands behind the question mark of a reference is encoded in the
charset of its page first (URL standard of the WHATWG, 4.4 and 5.1), and so a crawler has fetched it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import webencodings

from graphlang.db.records import packed
from graphlang.ingest.html.document import References

if TYPE_CHECKING:
    import codecs

    from graphlang.ingest.html.document import Document

_UNICODE = ("utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be")


def in_charset(document: Document, charset: str) -> Document:
    """Return a document whose references have queries in ASCII, as a page of this charset means them.

    Args:
        document: whose references are as written.
        charset: WHATWG name, lower case; the Unicode charsets, and those that the WHATWG does not know, mean UTF-8.
    """
    if charset in _UNICODE:
        return document
    targets, references, words = document.targets, document.references, document.words
    if targets.isascii():
        if isinstance(references, References) and references.packed.isascii():
            return document
        if all(one.target.isascii() for one in references):
            return document
    known = webencodings.lookup(charset)
    if known is None:
        return document
    codec = known.codec_info
    return document._replace(
        targets=packed(_encoded(one, codec) for one in document.anchors),
        references=[one._replace(target=_encoded(one.target, codec)) for one in references],
        words={_encoded(target, codec): text for target, text in words.items()},
    )


def _encoded(reference: str, codec: codecs.CodecInfo) -> str:
    """Return a reference with its query percent-encoded in a charset.

    >>> _encoded("/поиск?q=мир&x=%D0#мир", webencodings.lookup("koi8-r").codec_info)
    '/поиск?q=%CD%C9%D2&x=%D0#мир'
    >>> _encoded("?q=мир", webencodings.lookup("windows-1252").codec_info)
    '?q=%26%231084%3B%26%231080%3B%26%231088%3B'
    """
    if reference.isascii():
        return reference
    before, hash_, fragment = reference.partition("#")
    path, mark, query = before.partition("?")
    if query.isascii():
        return reference
    return "".join((path, mark, *(one if one.isascii() else _percent(one, codec) for one in query), hash_, fragment))


def _percent(character: str, codec: codecs.CodecInfo) -> str:
    try:
        data = codec.encode(character, "strict")[0]
    except UnicodeEncodeError:
        return quote(f"&#{ord(character)};")
    # A second byte that is ASCII stands for itself.
    return "".join(chr(byte) if 0x20 < byte < 0x7F else f"%{byte:02X}" for byte in data)  # noqa: PLR2004
