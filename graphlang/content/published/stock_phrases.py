"""Strings that servers, editors and browsers put on pages in whatever language: they are no evidence.

Step iii of Martins & Silva as Chew et al. 2011 (section 2.1) tell it: "Filter common or automatically generated
strings. For example, 'This page uses frames'." Their list is not given; this one is of what is known to be generated.
"""

from __future__ import annotations

import re

STRINGS = (
    "this page uses frames, but your browser doesn't support them",
    "this page uses frames, but your browser does not support them",
    "this page uses frames",
    "your browser does not support frames",
    "your browser does not support inline frames or is currently configured not to display inline frames",
    "your browser does not support inline frames",
    "your browser does not support the video tag",
    "your browser does not support javascript",
    "please enable javascript to view this page",
    "please enable javascript",
    "you need to enable javascript to run this app",
    "javascript is disabled",
    "this site is under construction",
    "under construction",
    "best viewed with internet explorer",
    "best viewed with netscape",
    "best viewed in",
    "created with microsoft frontpage",
    "powered by wordpress",
    "powered by phpbb",
    "powered by",
    "all rights reserved",
    "click here",
    "last modified",
    "last updated",
    "untitled document",
    "untitled page",
    "new page 1",
    "index of /",
    "parent directory",
    "404 not found",
    "403 forbidden",
    "301 moved permanently",
    "302 found",
    "object moved",
    "the requested url was not found on this server",
    "apache server at",
    "this is the default welcome page",
    "copyright ©",
    "copyright (c)",
)

#: A string that ends with a letter must not be the beginning of a word; what follows a sign is free ("Index of /pub").
_ANY = re.compile(
    r"(?<!\w)(?:"
    + "|".join(re.escape(one) + r"(?!\w)" * one[-1].isalnum() for one in sorted(STRINGS, key=len, reverse=True))
    + ")",
    re.IGNORECASE,
)


def without_boilerplate(text: str) -> str:
    """The text with a space in the place of every string of the list, capitals aside.

    >>> without_boilerplate("This page uses frames. Bonjour!")
    ' . Bonjour!'
    """
    return _ANY.sub(" ", text)
