"""Turn references as written into one Link for each distinct target."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import webencodings

from graphlang.db.records import NO_LINKS, NOFOLLOW, Link, LinkKind, Links, pack_texts
from graphlang.ingest.html.document import References, parse_header_directives, parse_robots_directives
from graphlang.ingest.links.canonical import canonical_url

if TYPE_CHECKING:
    import codecs

    from graphlang.ingest.html.document import Document
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.links.resolve import Joiner, PageLinks

#: The "shared declarative refresh steps" of the HTML standard; a URL without quotes ends with the value.
_REFRESH = re.compile(
    r"\s*+(?:\d++[\d.]*+|\.[\d.]*+)(?:\s++[;,]?+|[;,])\s*+(?:url\s*+=\s*+)?+(?:'([^']*)|\"([^\"]*)|([^'\"].*))",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
_HEADER_LINK = re.compile(r"<([^<>]{1,8192})>([^<]{0,1024})")
_HREFLANG = re.compile(r"[;\s]hreflang\s*=\s*\"?([\w-]{1,35})", re.IGNORECASE)
_REL = re.compile(r"[;\s]rel\s*=\s*(?:\"([^\"]*)\"|([\w-]+))", re.IGNORECASE)
# Plain numbers: an enumeration's members compare slowly, and do not cross between processes by marshal.
_REDIRECT, _REFRESHED, _CANONICAL, _ALTERNATE, _ANCHOR = (
    int(kind) for kind in (LinkKind.REDIRECT, LinkKind.REFRESH, LinkKind.CANONICAL, LinkKind.ALTERNATE, LinkKind.ANCHOR)
)
_KINDS = {"a": _ANCHOR, "area": int(LinkKind.AREA), "frame": int(LinkKind.FRAME), "iframe": int(LinkKind.IFRAME)}
_NOFOLLOW = frozenset({"nofollow", "none"})
_MAX_HREFLANG = 35
_MAX_ANCHOR_TEXT = 200
_UNICODE = ("utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be")


class _Target(NamedTuple):
    url: str  # as written
    kind: int
    nofollow: bool = False
    hreflang: str | None = None


class _Merger:
    """Merge the references to each target."""

    def __init__(self, url: str, limits: Limits) -> None:
        self.links: dict[str, Link] = {}
        self.too_long = self.skipped = 0
        self.url = url
        self.max_url, self.max_links = limits.max_url, limits.max_links

    def add(self, target: str | None, reference: _Target) -> None:
        if target is None or target == self.url:
            return
        link = self.links.get(target)
        if link is None:
            if len(target) > self.max_url:
                self.too_long += 1
            elif len(self.links) >= self.max_links:
                self.skipped += 1
            else:
                self.links[target] = Link(target, reference.kind, reference.nofollow, reference.hreflang)
        else:
            self.links[target] = Link(
                target,
                min(reference.kind, link.kind),
                link.nofollow and reference.nofollow,
                link.hreflang or reference.hreflang,
            )


def extract_links(  # noqa: PLR0917 - the parts of one page
    url: str, document: Document | None, status: int | None, fields: dict[str, str], joiner: Joiner, limits: Limits
) -> tuple[Links, list[tuple[str, str]]]:
    """Return the links of a page, and kind and reason of a problem for links that are dropped.

    The order is fixed: references of the HTTP header, of elements with attributes, plain anchors. Of several references
    to one target the lowest `LinkKind` counts. A link is nofollow only if all its references are, and its hreflang is
    the first one of theirs. Links of the page to itself are dropped. A Location counts with the status 3xx only. Names
    of the HTTP header ``fields`` are in lower case. ``joiner`` caches joined references for the next page. Of the
    limits ``max_links`` and ``max_url`` count.
    """
    in_header = list_header_references(status, fields)
    if document is not None and not in_header:
        gathered = _gather_links(url, document, fields, joiner, limits)
        if gathered is not None:
            return gathered.links, _describe_dropped(gathered.too_long, gathered.skipped + document.skipped, limits)
    merger = _Merger(url, limits)
    for reference in in_header:
        merger.add(canonical_url(reference.url.strip(), url), reference)
    merged = NO_LINKS
    if document is not None:
        base = _find_base(document, url, joiner)
        in_page, nofollow = _list_document_references(document, fields)
        targets = joiner.join([reference.url for reference in in_page], base)
        for target, reference in zip(targets, in_page, strict=True):
            merger.add(target, reference)
        merged = _add_anchors(merger, document, joiner, base, nofollow=nofollow)
        merged = _add_anchor_texts(merged, document, joiner, base)
    elif merger.links:
        merged = Links.from_links(merger.links.values())
    return merged, _describe_dropped(merger.too_long, merger.skipped, limits)


def _format_references(count: int) -> str:
    return f"{count} reference{'' if count == 1 else 's'}"


def _describe_dropped(too_long: int, skipped: int, limits: Limits) -> list[tuple[str, str]]:
    """Return kind and reason of a problem for references that are dropped."""
    problems = []
    if too_long:
        reason = f"{_format_references(too_long)} to URLs of more than {limits.max_url} characters left out"
        problems.append(("bad-url", reason))
    if skipped:
        reason = f"{_format_references(skipped)} beyond {limits.max_links} targets left out"
        problems.append(("too-many-links", reason))
    return problems


def _gather_links(
    url: str, document: Document, fields: dict[str, str], joiner: Joiner, limits: Limits
) -> PageLinks | None:
    """Return the links of a page by one kernel, as is possible for most pages; else None."""
    if document.anchor_texts or not isinstance(document.references, References):
        return None
    refreshes, nofollow = list_meta_references(document, fields)
    if refreshes:
        return None
    return joiner.gather(
        document.references.packed,
        document.targets,
        document.base.encode("utf-8", "surrogatepass") if document.base else b"",
        url,
        nofollow=nofollow,
        max_url=limits.max_url,
        max_links=limits.max_links,
    )


def _add_anchors(merger: _Merger, document: Document, joiner: Joiner, base: str, *, nofollow: bool) -> Links:
    """Return the merged links and the plain anchors: most references are plain, and come once each."""
    targets = list(merger.links)
    merged = joiner.merge(
        document.targets,
        base,
        seeds=pack_texts((merger.url, *targets)),
        max_url=merger.max_url,
        max_links=max(0, merger.max_links - len(targets)),
    )
    merger.too_long += merged.too_long
    merger.skipped += merged.skipped + document.skipped
    if 1 in merged.hits:
        for target, hit in zip(targets, merged.hits[1:], strict=True):
            if hit:
                merger.add(target, _Target("", _ANCHOR, nofollow))
    first = Links.from_links(merger.links.values())
    kind = bytes((_ANCHOR | (NOFOLLOW if nofollow else 0),))
    return Links(first.urls + merged.targets, first.kinds + kind * merged.distinct, first.hreflangs, first.texts)


def _find_base(document: Document, url: str, joiner: Joiner) -> str:
    return (joiner.join((document.base,), url)[0] if document.base else None) or url


def _add_anchor_texts(links: Links, document: Document, joiner: Joiner, base: str) -> Links:
    """Give each link the first anchor text of a reference to its target."""
    if not document.anchor_texts:
        return links
    places = {link.url: place for place, link in enumerate(links)}
    texts: dict[int, str] = {}
    for target, text in zip(joiner.join(document.anchor_texts, base), document.anchor_texts.values(), strict=True):
        if target in places:
            texts.setdefault(places[target], text[:_MAX_ANCHOR_TEXT])
    return replace(links, texts=tuple(sorted(texts.items())))


def _parse_refresh(content: str) -> list[_Target]:
    """Return the reference of a refresh, if it has a URL; mostly a page only reloads itself."""
    match = _REFRESH.match(content)
    target = (match[1] or match[2] or match[3] or "").strip() if match else ""
    return [_Target(target, _REFRESHED)] if target else []


def list_header_references(status: int | None, fields: dict[str, str]) -> list[_Target]:
    """Return the references of Location, which counts with 3xx only, Refresh and Link (RFC 8288)."""
    references = []
    if status is not None and 300 <= status < 400 and fields.get("location"):  # noqa: PLR2004 - the redirections
        references.append(_Target(fields["location"], _REDIRECT))
    if "refresh" in fields:
        references += _parse_refresh(fields["refresh"])
    if "link" in fields:
        for target, parameters in _HEADER_LINK.findall(fields["link"]):
            rel = _REL.search(parameters)
            relations = ((rel[1] or rel[2] or "") if rel else "").lower().split()
            hreflang = _HREFLANG.search(parameters)
            if "canonical" in relations:
                references.append(_Target(target, _CANONICAL))
            elif "alternate" in relations and hreflang:
                references.append(_Target(target, _ALTERNATE, hreflang=hreflang[1]))
    return references


def list_meta_references(document: Document, fields: dict[str, str]) -> tuple[list[_Target], bool]:
    """Return the refreshes of a page, and whether its robots meta or X-Robots-Tag makes all anchors nofollow."""
    refreshes: list[_Target] = []
    nofollow = not parse_header_directives(fields).isdisjoint(_NOFOLLOW)
    for meta in document.metas:
        if (meta.get("http-equiv") or "").strip().lower() == "refresh":
            refreshes += _parse_refresh(meta.get("content") or "")
        elif (meta.get("name") or "").strip().lower() == "robots":
            nofollow = nofollow or not parse_robots_directives(meta.get("content") or "").isdisjoint(_NOFOLLOW)
    return refreshes, nofollow


def _list_document_references(document: Document, fields: dict[str, str]) -> tuple[list[_Target], bool]:
    """Return references of a page but plain anchors, and whether all are nofollow, see `list_meta_references`."""
    references, all_nofollow = list_meta_references(document, fields)
    for tag, written, rel, hreflang in document.references:
        target = written.strip()
        language = hreflang.strip()[:_MAX_HREFLANG] or None if hreflang else None
        if tag == "link":
            relations = rel.lower().split()
            if "canonical" in relations:
                references.append(_Target(target, _CANONICAL))
            elif language and "alternate" in relations and "stylesheet" not in relations:
                references.append(_Target(target, _ALTERNATE, hreflang=language))
        else:
            nofollow = all_nofollow or ("nofollow" in rel.lower() if rel else False)
            references.append(_Target(target, _KINDS[tag], nofollow and tag in {"a", "area"}, language))
    return references, all_nofollow


def encode_queries(document: Document, charset: str) -> Document:
    """Percent-encode the queries of references in the charset of their page (a WHATWG name), as browsers do.

    Paths are always percent-encoded in UTF-8, but the query of a reference is encoded in the charset of its page (URL
    standard of the WHATWG, 4.4 and 5.1), and so a crawler has fetched it. The Unicode charsets, and charsets that the
    WHATWG does not know, mean UTF-8.
    """
    if charset in _UNICODE:
        return document
    targets, references, texts = document.targets, document.references, document.anchor_texts
    if targets.isascii():
        if isinstance(references, References) and references.packed.isascii():
            return document
        if all(reference.target.isascii() for reference in references):
            return document
    encoding = webencodings.lookup(charset)
    if encoding is None:
        return document
    codec = encoding.codec_info
    return document._replace(
        targets=pack_texts(_encode_query(target, codec) for target in document.anchors),
        references=[reference._replace(target=_encode_query(reference.target, codec)) for reference in references],
        anchor_texts={_encode_query(target, codec): text for target, text in texts.items()},
    )


def _encode_query(reference: str, codec: codecs.CodecInfo) -> str:
    """Return a reference with its query percent-encoded in a charset.

    >>> _encode_query("/поиск?q=мир&x=%D0#мир", webencodings.lookup("koi8-r").codec_info)
    '/поиск?q=%CD%C9%D2&x=%D0#мир'
    >>> _encode_query("?q=мир", webencodings.lookup("windows-1252").codec_info)
    '?q=%26%231084%3B%26%231080%3B%26%231088%3B'
    """
    if reference.isascii():
        return reference
    before, hash_, fragment = reference.partition("#")
    path, mark, query = before.partition("?")
    if query.isascii():
        return reference
    encoded = [letter if letter.isascii() else _percent_encode(letter, codec) for letter in query]
    return "".join((path, mark, *encoded, hash_, fragment))


def _percent_encode(character: str, codec: codecs.CodecInfo) -> str:
    try:
        data = codec.encode(character, "strict")[0]
    except UnicodeEncodeError:
        return quote(f"&#{ord(character)};")
    # A second byte that is ASCII stays as it is.
    return "".join(chr(byte) if 0x20 < byte < 0x7F else f"%{byte:02X}" for byte in data)  # noqa: PLR2004
