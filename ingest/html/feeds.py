r"""Convert feeds (RSS, Atom) and sitemaps to HTML: their titles, contents and links.

The elements of a feed become those of HTML that mean the same; all others are transparent, as unknown elements are.

>>> convert_feed(b"<rss><item><title>T</title><link>http://a.example/</link></item></rss>")
b'<rss><item><h2>T</h2><a href="http://a.example/"></a></item></rss>'
"""

from __future__ import annotations

import html
import re

#: What may come before the root. The group is atomic: comments could be joined to others in countless ways.
PROLOG = rb"(?:\xef\xbb\xbf)?\s*(?>(?:<\?[^>]{0,500}>|<!--.{0,2000}?-->)\s*)*+"
_ROOT = re.compile(PROLOG + rb"<(?:([\w-]{1,40}):)?(rss|feed|RDF|urlset|sitemapindex)[\s>]", re.DOTALL)
_CDATA = re.compile(rb"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_ELEMENT = re.compile(
    rb"<(?P<text>content:encoded|content|description|summary)(?P<attributes>\s[^<>]*)?>(?P<body>[^<]*)</(?P=text)>"
    rb"|<(?P<place>loc|link)>\s*(?P<url>[^<>\s\"]+)\s*</(?P=place)>"
    rb"|<(?P<hidden>guid|id|lastmod|priority|changefreq|pubDate|updated|published|generator|language|ttl|lastBuildDate|"
    rb"dc:date|docs|icon|logo|uri)(?:\s[^<>]*)?>[^<]*</(?P=hidden)>"
    rb"|<link(?P<link>\s[^<>]*?)/?>(?:</link>)?"
    rb"|<xhtml:link(?P<version>\s[^<>]*?)/?>"
    rb"|<(?P<close>/?)title(?:\s[^<>]*)?>"
)


_HEAD = 4096  # bytes in which the root begins
_TYPES = {b"rss": "application/rss+xml", b"RDF": "application/rss+xml", b"feed": "application/atom+xml"}


def is_feed(markup: bytes, at: int = 0) -> bool:
    """Return whether XML, which begins at an index, is a feed or a sitemap, by its root."""
    return _ROOT.match(markup, at, at + _HEAD) is not None


def feed_type(markup: bytes) -> str:
    """Return the media type of a feed or a sitemap, by its root; empty for other markup.

    >>> feed_type(b"<?xml version='1.0'?><rss>"), feed_type(b"<urlset>"), feed_type(b"<html>")
    ('application/rss+xml', 'application/xml', '')
    """
    root = _ROOT.match(markup, 0, _HEAD)
    return _TYPES.get(root[2], "application/xml") if root else ""


def convert_feed(markup: bytes) -> bytes:
    """Convert a feed or a sitemap, in UTF-8; its elements may have the prefix of its root, as in ``ns0:urlset``."""
    root = _ROOT.match(markup, 0, _HEAD)
    if root and root[1] and root[1] != b"rdf":
        markup = re.sub(rb"(</?)" + re.escape(root[1]) + rb":(?=\w)", rb"\1", markup)
    return _ELEMENT.sub(_to_html, _CDATA.sub(_escape_cdata, markup))


def _escape_cdata(match: re.Match[bytes]) -> bytes:
    """Replace a section of characters by its escaped text."""
    return html.escape(match[1].decode("utf-8", "replace")).encode()


def _to_html(match: re.Match[bytes]) -> bytes:
    if match["text"] is not None:  # markup, escaped once more; plain text stays the same
        return b"<div>%s</div>" % html.unescape(match["body"].decode("utf-8", "replace")).encode("utf-8", "replace")
    if match["place"] is not None:
        return b'<a href="%s"></a>' % match["url"]
    if match["hidden"] is not None:
        return b""
    if match["link"] is not None:
        return b"<a%s></a>" % match["link"] if b"stylesheet" not in match["link"] else b""
    if match["version"] is not None:
        return b"<link%s>" % match["version"]
    return b"<%sh2>" % match["close"]
