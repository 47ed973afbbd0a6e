"""Markup that no parser of the HTML standard gets through in linear time, found and flattened beforehand.

The standard's tree construction looks up the stack of open elements at nearly every tag, and copies the open
formatting elements into every new block, so that n nested elements cost n * n steps and n unclosed ``<b>`` with n
paragraphs make n * n nodes: 40 KB of them fill a gigabyte. Browsers stop at 512 levels; Lexbor does not. So a page with
many tags is first scanned for its depth, and one that is too deep (or has one tag with thousands of attributes, or a
million tags) loses all its tags but the few that carry links and titles. Its text and links stay.
"""

from __future__ import annotations

import re
from typing import Final

_FEW: Final = 3_000  # tags: fewer than this cost at worst a third of a second and 100 MB
_QUITE_MANY: Final = 20_000  # tags: fewer, with few formatting elements among them, cost at worst a second
_MANY: Final = 200_000  # tags: more than this take too much memory as a tree
_STEP: Final = 1 << 13  # bytes: shorter tags cannot hold enough attributes to matter
_LONG_TAG: Final = 1 << 14  # bytes of a tag that is kept in a page that was flattened
_ATTRIBUTES: Final = 1_000
_KEPT: Final = 50_000  # tags that are kept in a page that was flattened

_FORMATTING = re.compile(rb"<(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/]", re.IGNORECASE)
_NAME = re.compile(rb"<(/?[a-zA-Z][a-zA-Z0-9]*)")
_TAG = re.compile(rb"<(?:(/?[a-zA-Z][a-zA-Z0-9]*)|[!?])")
_HIDDEN = re.compile(
    rb"<(?:!--|(script|style|noscript|noframes|noembed|textarea|template|select|svg)(?=[\s/>]))", re.IGNORECASE
)
_CLOSE = {
    name: re.compile(rb"</" + name + rb"[^>]{0,1000}>", re.IGNORECASE)
    for name in b"script style noscript noframes noembed textarea template select svg".split()
} | {b"": re.compile(rb"--!?>")}
#: Elements that never hold others, or that close themselves when the next one comes.
_SHALLOW = frozenset(
    b"area base br col embed hr img input link meta param source track wbr p li dt dd option optgroup tr td th thead"
    b" tbody tfoot colgroup rp rt html head body a".split()
)
_KEEP = frozenset(b"a area base frame html iframe link meta title /a /title /iframe".split())
_INLINE = frozenset(
    b"b i u s em strong span font small big tt code a abbr acronym cite dfn kbd samp var sub sup q mark bdi bdo ins del"
    b" ruby nobr strike label time wbr".split()
)


def tamed(markup: bytes, max_depth: int) -> tuple[bytes, bool]:
    """Return markup that can be given to an HTML parser, and whether it had to be flattened for that.

    >>> tamed(b"<p>" * 50_000, 500)[1], tamed(b"<div>" * 50_000, 500)[1]
    (False, True)
    """
    if _is_tame(markup, max_depth):
        return markup, False
    # Tags in scripts and shapes in drawings count for nothing. Without them the page is checked, and parsed, again.
    lean = _without_hidden(markup)
    if _is_tame(lean, max_depth):
        return lean, False
    return _flattened(lean), True


def _is_tame(markup: bytes, max_depth: int) -> bool:
    tags = markup.count(b"<")
    if tags > _MANY or _has_giant_tag(markup):
        return False
    if tags <= _FEW:
        return True
    if tags <= _QUITE_MANY and len(_FORMATTING.findall(markup)) <= _FEW // 2:
        return True
    return _depth(markup, max_depth) <= max_depth


def _has_giant_tag(markup: bytes) -> bool:
    """Tell whether a tag has thousands of attributes: each is compared with all before it."""
    at = 0
    # A stretch without "<" that is twice as long as the step holds a whole step without one.
    while at + _STEP < len(markup):
        following = markup.find(b"<", at)
        if 0 <= following < at + _STEP:
            at += _STEP
            continue
        start = markup.rfind(b"<", 0, at) if at else -1
        at = following if following >= 0 else len(markup)
        if start < 0 or markup[start : start + 8].lower().startswith((b"<script", b"<style", b"<!--")):
            continue
        # Where the tag ends within the stretch, what follows is text, or, in quotes, more of it: both are short.
        end = markup.find(b">", start, at)
        if len(markup[start : end if end >= 0 else at].split(None, _ATTRIBUTES)) > _ATTRIBUTES:
            return True
    return False


def _depth(markup: bytes, stop: int) -> int:
    """Return how deep elements are nested, by counting; more than ``stop`` is not counted further."""
    open_: dict[bytes, int] = {}
    depth = deepest = 0
    for name in _NAME.findall(markup):
        if name[0] == 47:  # noqa: PLR2004 - a slash
            key = name[1:].lower()
            count = open_.get(key, 0)
            if count:
                open_[key] = count - 1
                depth -= 1
        else:
            key = name.lower()
            if key not in _SHALLOW:
                open_[key] = open_.get(key, 0) + 1
                depth += 1
                if depth > deepest:
                    deepest = depth
                    if deepest > stop:
                        break
    return deepest


def _without_hidden(markup: bytes) -> bytes:
    """Return the markup without comments and without the elements of which a reader sees nothing."""
    kept = bytearray()  # not a list of parts, of which there may be millions
    at = 0
    for found in _HIDDEN.finditer(markup):
        if found.start() < at:
            continue
        close = _CLOSE[(found[1] or b"").lower()].search(markup, found.end())
        if not close:
            if found[1] and found[1].lower() in {b"svg", b"template"}:
                continue
            kept += markup[at : found.start()]
            at = len(markup)
            break
        kept += markup[at : found.start()] + b" "
        at = close.end()
    kept += markup[at:]
    return bytes(kept)


def _flattened(markup: bytes) -> bytes:
    """Return the markup with no tags but those that carry links and titles; blocks are set apart by spaces.

    >>> _flattened(b"<div><b>T</b>op<div><a href=x>link</a>")
    b' Top <a href=x>link</a>'
    """
    flat = bytearray()
    at = kept = 0
    for found in _TAG.finditer(markup):
        if found.start() < at:
            continue
        flat += markup[at : found.start()]
        end = markup.find(b">", found.end())
        if end < 0:
            return bytes(flat)
        at = end + 1
        name = (found[1] or b"").lower()
        if name in _KEEP and kept < _KEPT and at - found.start() < _LONG_TAG:
            flat += markup[found.start() : at]
            kept += 1
        elif name.lstrip(b"/") not in _INLINE:
            flat += b" "
    flat += markup[at:]
    return bytes(flat)
