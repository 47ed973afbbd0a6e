"""XHTML that is served as XML -> the same in the syntax of HTML, which has one reader.

What the two syntaxes read in different ways: in XML any element may be empty by itself (``<script/>``, ``<title/>``,
``<a id="x"/>``), where HTML would take all that follows for its content; and a CDATA section is text.
"""

from __future__ import annotations

import re

_DIFFERENT = re.compile(
    rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[(?P<text>.*?)(?:\]\]>|\Z)|<(?P<name>[a-zA-Z][\w:.-]{0,63})(?P<attributes>\s[^<>]*)?/>",
    re.DOTALL,
)
_VOID = frozenset(b"area base br col embed frame hr img input link meta param source track wbr".split())


def as_html(markup: bytes) -> bytes:
    """Return a page of XML in the syntax of HTML.

    Args:
        markup: in UTF-8.

    >>> as_html(b'<script src="x"/><br/><p><a id="y"/><![CDATA[1 < 2]]>')
    b'<script src="x"></script><br/><p><a id="y"></a>1 &lt; 2'
    """
    return _DIFFERENT.sub(_html, markup)


def _html(found: re.Match[bytes]) -> bytes:
    if found["text"] is not None:
        return found["text"].replace(b"&", b"&amp;").replace(b"<", b"&lt;")
    name = found["name"]
    if name is None or name.lower() in _VOID:
        return found[0]
    return b"<%s%s></%s>" % (name, found["attributes"] or b"", name)
