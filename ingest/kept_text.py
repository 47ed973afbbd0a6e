"""A visible text -> what is kept of it: what methods read as it is, and the rest deflated."""

from __future__ import annotations

from typing import NamedTuple

from graphlang.db.records import apart


class KeptText(NamedTuple):
    """What is kept of a text; fields of `Page`."""

    text: str
    rest: bytes
    length: int  #: characters of the text before it was cut
    main_length: int  #: characters at the start of what is kept that are main content


def kept(text: str, main_length: int, limit: int | None) -> KeptText:
    """Cut a text at the limit of the ingest.

    Args:
        text: visible, the main content first.
        main_length: characters of it that are main content.
        limit: characters that are kept; None: all.

    >>> kept("a text", 6, 2)
    KeptText(text='a ', rest=b'', length=6, main_length=2)
    """
    length = len(text)
    most = length if limit is None else limit
    return KeptText(*apart(text[:most]), length, min(most, main_length))
