"""Text for people: control characters as escapes, so that text from a crawl cannot steer a terminal, and numbers."""

from __future__ import annotations

import re

#: Control characters, those that end a line or set the direction of writing, and halves of surrogate pairs, which no
#: encoding can write. A path whose bytes are no UTF-8 has such halves.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Replace control and direction characters by escapes.

    >>> visible("a\x1b[2Jb"), visible("\u202egnp.exe")
    ('a\\x1b[2Jb', '\\u202egnp.exe')
    """
    return CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def visible_lines(text: str) -> str:
    r"""Replace them in a text of several lines, whose line feeds stay.

    >>> visible_lines("one\ntwo\r\x1b[1A")
    'one\ntwo\\r\\x1b[1A'
    """
    return "\n".join(map(visible, text.split("\n")))


def quantity(number: int, what: str) -> str:
    """Write a number with its unit, an English noun that takes an s in the plural.

    >>> quantity(1, "page"), quantity(1234, "page"), quantity(0, "further capture")
    ('1 page', '1,234 pages', '0 further captures')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"
