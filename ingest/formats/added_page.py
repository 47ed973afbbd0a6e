"""What readers of other packages yield is checked, for what is wrong in one page must not end the reading of all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from graphlang.db.records import Declaration, Link, Links, Page, Problem
from graphlang.ingest.kept_text import kept
from graphlang.ingest.links.canonical import canonical

if TYPE_CHECKING:
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.page import Item

_WORDS: Final = ("date", "mime", "charset_from", "title", "text", "digest", "revisit_date", "parts")
_OR_NONE: Final = ("status", "charset", "revisit_of")
_NUMBERS: Final = ("offset", "length", "size", "main_length")


def checked(item: Any, limits: Limits) -> Item:
    """A page whose URLs are canonical, whose fields are of their types and whose texts are cut, or a problem.

    Args:
        item: what a reader yielded.
        limits: of the title, and of a text without a `rest`: of one with it the reader has cut the text itself.

    Raises:
        TypeError: it is neither, or a field is of another type.
        ValueError: its URL is no http(s) URL, a number is negative, or a text holds half of a surrogate pair.
    """
    if isinstance(item, Problem):
        return item
    if not isinstance(item, Page):
        raise TypeError(f"it yielded {type(item).__name__}, expected Page or Problem")
    url = canonical(_text("url", item.url))
    if url is None:
        raise ValueError(f"{item.url[:200]!r} is no http(s) URL")
    _check_fields(item)
    item = _cut(item, limits)
    if url == item.url and (isinstance(item.links, Links) or not item.links):
        return item
    return replace(item, url=url, links=item.links if isinstance(item.links, Links) else _links(item))


def _cut(page: Page, limits: Limits) -> Page:
    body = kept(page.text, page.main_length, limits.text_limit)
    if len(page.title) <= limits.title_limit and (page.rest or body.text == page.text):
        return page
    page = replace(page, title=page.title[: limits.title_limit])
    return page if page.rest else replace(page, text=body.text, rest=body.rest, main_length=body.main_length)


def _check_fields(page: Page) -> None:
    for name in _WORDS:
        _text(name, getattr(page, name))
    for name in _NUMBERS:
        _number(name, getattr(page, name))
    for name in _OR_NONE:
        value = getattr(page, name)
        if value is not None:
            (_number if name == "status" else _text)(name, value)
    for name in ("visible", "rest"):
        if not isinstance(getattr(page, name), bytes):
            raise TypeError(f"{name} is of type {type(getattr(page, name)).__name__}, expected bytes")
    for one in page.declared:
        if not isinstance(one, Declaration):
            raise TypeError(f"declared holds {type(one).__name__}, expected Declaration")


def _links(page: Page) -> list[Link]:
    found: dict[str, Link] = {}
    for link in page.links:
        if not isinstance(link, Link):
            raise TypeError(f"links hold {type(link).__name__}, expected Link")
        _number("kind of a link", link.kind)
        target = canonical(_text("url of a link", link.url))
        if target is None:
            raise ValueError(f"{link.url[:200]!r}, to which a link leads, is no http(s) URL")
        found.setdefault(target, link._replace(url=target))
    return list(found.values())


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected str")
    if not value.isascii():
        value.encode()
    return value


def _number(name: str, value: Any) -> None:
    if not isinstance(value, int):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected int")
    if value < 0:
        raise ValueError(f"{name} is {value}, which is negative")
