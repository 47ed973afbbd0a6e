"""Filter pages: the keyword arguments that methods of a collection share, and the options of the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypedDict

from graphlang.arguments import flag, length, list_texts, probability, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphlang.codes.languages import LanguageChoice
    from graphlang.maps.selection import Selection

_LAST_STATUS: Final = 999  #: of HTTP has three digits
#: A media type of RFC 9110, section 8.3.1; ``image/*`` is every image.
_MEDIA_TYPE: Final = re.compile(r"[\w!#$&^.+-]+/(?:[\w!#$&^.+-]+|\*)", re.ASCII)


class PageFilter(TypedDict, total=False):
    """Which pages count; by default fetched pages: text with status 200, or without a status.

    Maps (`sites`, `languages`) count unfetched URLs in a column besides.

    Attributes:
        language: only pages in this language, or in one of these: any usual codes or names, in a list or with commas
            between them; a script counts. An empty list means all languages.
        min_confidence: pages below count as ``und``; 0.2 by default.
        below: only pages with less confidence.
        min_length: only fetched pages of at least this many characters.
        max_length: only fetched pages of at most this many characters.
        status: only fetched pages with this HTTP status, or one of these, instead of 200.
        mime: only fetched pages of this media type, or one of these; ``image/*`` is all images.
        fetched: True for pages that were fetched, False for URLs that were only linked to, None for the default.
        everything: also images, redirects, error pages, and URLs that were only linked to.
    """

    language: str | Sequence[str]
    min_confidence: float
    below: float | None
    min_length: int | None
    max_length: int | None
    status: int | Sequence[int]
    mime: str | Sequence[str]
    fetched: bool | None
    everything: bool


def make_selection(pages: PageFilter, captures: str = "own", at: str | None = None) -> Selection:
    """Check a filter, and return it as maps and exports take it.

    Raises:
        TypeError: an argument that does not exist, or of another type.
        ValueError: an unknown language, a status or media type that does not exist, lengths that exclude each other, or
            `captures` together with `at`.
    """
    if unknown := sorted(set(pages) - PageFilter.__annotations__.keys()):
        raise TypeError(f"no argument is called {unknown[0]}; there are {', '.join(PageFilter.__annotations__)}")
    from graphlang.maps.pages import check_captures  # noqa: PLC0415
    from graphlang.maps.selection import FLOOR, Selection  # noqa: PLC0415

    values: dict[str, Any] = {"captures": check_captures(captures, at), "choices": languages(pages.get("language", ()))}
    values["min_confidence"] = probability("min_confidence", pages.get("min_confidence", FLOOR))
    values["everything"] = flag("everything", pages.get("everything", False))
    for name, check in (("below", probability), ("fetched", flag), ("min_length", length), ("max_length", length)):
        value: Any = pages.get(name)
        values[name] = None if value is None else check(name, value)
    check_lengths(values["min_length"], values["max_length"])
    status: Any = pages.get("status", ())
    values["status"] = tuple(http_status(each) for each in (status if isinstance(status, (tuple, list)) else [status]))
    values["mime"] = tuple(map(media_type, list_texts("mime", pages.get("mime", ()))))
    return Selection(**values)


def languages(tags: str | Sequence[str], *, name: str = "language") -> tuple[LanguageChoice, ...]:
    """Return one language, or several, in our codes; an unknown one raises ValueError."""
    from graphlang.codes.languages import parse_choice  # noqa: PLC0415 - slow to import

    return tuple(parse_choice(tag) for value in list_texts(name, tags) for tag in value.split(","))


def http_status(value: object) -> int:
    """Return an HTTP status.

    >>> http_status(404)
    404
    """
    number = whole_number("status", value, minimum=-1 << 63)
    if not 0 <= number <= _LAST_STATUS:
        raise ValueError(f"{number} is no HTTP status")
    return number


def media_type(value: str) -> str:
    """Return a media type in lower case.

    >>> media_type("Text/HTML")
    'text/html'
    """
    if not _MEDIA_TYPE.fullmatch(value):
        raise ValueError(f"{value!r} is not a media type, such as text/html or image/*")
    return value.lower()


def check_lengths(least: int | None, most: int | None) -> None:
    """Raise ValueError where no page can have both lengths."""
    if least is not None and most is not None and least > most:
        raise ValueError(f"no page has {least} characters or more and {most} or fewer")
