"""Text from a crawl as it may be shown: what would steer a terminal, or turn the line around, is an escape."""

from __future__ import annotations

import re

#: Control characters, those that end a line or set the direction of writing, and halves of surrogate pairs, which no
#: encoding can write. A path whose bytes are no UTF-8 has such halves.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Text with control and direction characters shown as escapes, so that they can do nothing to a terminal.

    >>> visible("a\x1b[2Jb"), visible("\u202egnp.exe")
    ('a\\x1b[2Jb', '\\u202egnp.exe')
    """
    return CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def visible_lines(text: str) -> str:
    r"""The same for a text of several lines, whose line feeds stay.

    >>> visible_lines("one\ntwo\r\x1b[1A")
    'one\ntwo\\r\\x1b[1A'
    """
    return "\n".join(map(visible, text.split("\n")))
