"""Text from a crawl as it may be shown: what would steer a terminal, or turn the line around, is an escape."""

from __future__ import annotations

import re

#: Control characters, and those that set the direction of writing.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""Text with control and direction characters shown as escapes, so that they can do nothing to a terminal.

    >>> visible("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)
