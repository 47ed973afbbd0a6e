"""References as written -> one Link for each distinct target."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db.records import NO_LINKS, NOFOLLOW, Link, LinkKind, Links, packed
from graphlang.ingest.html.declarations import header_robots_words, robots_words
from graphlang.ingest.html.document import References
from graphlang.ingest.links.canonical import canonical

if TYPE_CHECKING:
    from graphlang.ingest.html.document import Document
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.links.resolve import Gathered, Joiner

#: The "shared declarative refresh steps" of the HTML standard; what is not quoted goes to the end.
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
_MAX_WORDS = 200


class _Found(NamedTuple):
    target: str
    kind: int
    nofollow: bool = False
    hreflang: str | None = None


class _Merger:
    """Brings the references to one target together."""

    def __init__(self, url: str, limits: Limits) -> None:
        self.links: dict[str, Link] = {}
        self.too_long = self.skipped = 0
        self.url = url
        self.longest, self.most = limits.max_url, limits.max_links

    def add(self, target: str | None, one: _Found) -> None:
        if target is None or target == self.url:
            return
        known = self.links.get(target)
        if known is None:
            if len(target) > self.longest:
                self.too_long += 1
            elif len(self.links) >= self.most:
                self.skipped += 1
            else:
                self.links[target] = Link(target, one.kind, one.nofollow, one.hreflang)
        elif one.kind < known.kind or (known.nofollow and not one.nofollow) or (one.hreflang and not known.hreflang):
            kind = min(one.kind, known.kind)
            self.links[target] = Link(target, kind, known.nofollow and one.nofollow, known.hreflang or one.hreflang)


def links_of(  # noqa: PLR0917 - the parts of one page
    url: str, document: Document | None, status: int | None, fields: dict[str, str], joiner: Joiner, limits: Limits
) -> tuple[Links, list[tuple[str, str]]]:
    """Return the links of a page, and words on what was left out.

    The order is fixed: what the HTTP header says, what the page says in particular, its plain anchors. Of several
    references to one target the kind with the highest precedence stands (see `LinkKind`); it is nofollow only if all
    its references are, and its hreflang is the first that one of them gives.

    Args:
        url: canonical URL of the page; links to itself are dropped.
        document: what the page says, where it is HTML.
        status: a Location counts with 3xx only.
        fields: HTTP header.
        joiner: keeps what it joined for the next page.
        limits: ``max_links`` and ``max_url``.
    """
    said = of_header(status, fields)
    if document is not None and not said and (gathered := _gathered(url, document, fields, joiner, limits)) is not None:
        return gathered.links, _left_out(gathered.too_long, gathered.skipped + document.skipped, limits)
    merger = _Merger(url, limits)
    for one in said:
        merger.add(canonical(one.target.strip(), url), one)
    links = NO_LINKS
    if document is not None:
        base = _base(document, url, joiner)
        inside, unfollowed = _of_document(document, fields)
        for target, one in zip(joiner.join([one.target for one in inside], base), inside, strict=True):
            merger.add(target, one)
        links = _with_anchors(merger, document, joiner, base, nofollow=unfollowed)
        links = _with_words(links, document, joiner, base)
    elif merger.links:
        links = Links.of(merger.links.values())
    return links, _left_out(merger.too_long, merger.skipped, limits)


def _references(count: int) -> str:
    return f"{count} reference{'' if count == 1 else 's'}"


def _left_out(too_long: int, skipped: int, limits: Limits) -> list[tuple[str, str]]:
    """Return kind and reason of the problems that there are with references."""
    told = []
    if too_long:
        told.append(("bad-url", f"{_references(too_long)} to URLs of more than {limits.max_url} characters left out"))
    if skipped:
        told.append(("too-many-links", f"{_references(skipped)} beyond {limits.max_links} targets left out"))
    return told


def _gathered(url: str, document: Document, fields: dict[str, str], joiner: Joiner, limits: Limits) -> Gathered | None:
    """Return the links of a page where a kernel can tell them all, as it can of most pages; else None."""
    if document.words or not isinstance(document.references, References):
        return None
    refreshed, unfollowed = of_metas(document, fields)
    if refreshed:
        return None
    return joiner.gather(
        document.references.packed,
        document.targets,
        document.base.encode("utf-8", "surrogatepass") if document.base else b"",
        url,
        nofollow=unfollowed,
        longest=limits.max_url,
        most=limits.max_links,
    )


def _with_anchors(merger: _Merger, document: Document, joiner: Joiner, base: str, *, nofollow: bool) -> Links:
    """Return what was merged and the plain anchors: most references are of that kind, and come once each."""
    known = list(merger.links)
    merged = joiner.merge(
        document.targets,
        base,
        seeds=packed((merger.url, *known)),
        longest=merger.longest,
        most=max(0, merger.most - len(known)),
    )
    merger.too_long += merged.too_long
    merger.skipped += merged.skipped + document.skipped
    if 1 in merged.hits:
        for target, hit in zip(known, merged.hits[1:], strict=True):
            if hit:
                merger.add(target, _Found("", _ANCHOR, nofollow))
    first = Links.of(merger.links.values())
    kind = bytes((_ANCHOR | (NOFOLLOW if nofollow else 0),))
    return Links(first.urls + merged.targets, first.kinds + kind * merged.distinct, first.hreflangs, first.texts)


def _base(document: Document, url: str, joiner: Joiner) -> str:
    return (joiner.join((document.base,), url)[0] if document.base else None) or url


def _with_words(links: Links, document: Document, joiner: Joiner, base: str) -> Links:
    """Give each link the first words that a reference to its target has."""
    if not document.words:
        return links
    places = {link.url: place for place, link in enumerate(links)}
    texts: dict[int, str] = {}
    for target, words in zip(joiner.join(document.words, base), document.words.values(), strict=True):
        if target in places:
            texts.setdefault(places[target], words[:_MAX_WORDS])
    return replace(links, texts=tuple(sorted(texts.items())))


def _refreshed(content: str) -> list[_Found]:
    """Return the reference of a refresh, if it leads anywhere; most often a page loads itself anew."""
    found = _REFRESH.match(content)
    target = (found[1] or found[2] or found[3] or "").strip() if found else ""
    return [_Found(target, _REFRESHED)] if target else []


def of_header(status: int | None, fields: dict[str, str]) -> list[_Found]:
    """Return the references of Location, Refresh and Link (RFC 8288).

    Args:
        status: a Location counts with 3xx only.
        fields: HTTP header, names in lower case.
    """
    found = []
    if status is not None and 300 <= status < 400 and fields.get("location"):  # noqa: PLR2004 - the redirections
        found.append(_Found(fields["location"], _REDIRECT))
    if "refresh" in fields:
        found += _refreshed(fields["refresh"])
    if "link" in fields:
        for target, parameters in _HEADER_LINK.findall(fields["link"]):
            rel = _REL.search(parameters)
            words = ((rel[1] or rel[2] or "") if rel else "").lower().split()
            hreflang = _HREFLANG.search(parameters)
            if "canonical" in words:
                found.append(_Found(target, _CANONICAL))
            elif "alternate" in words and hreflang:
                found.append(_Found(target, _ALTERNATE, hreflang=hreflang[1]))
    return found


def of_metas(document: Document, fields: dict[str, str]) -> tuple[list[_Found], bool]:
    """Return where a page says that it leads by itself, and whether it or its server says not to follow any anchor.

    Args:
        document: its robots meta counts.
        fields: HTTP header, names in lower case; X-Robots-Tag counts alike.
    """
    found: list[_Found] = []
    unfollowed = not header_robots_words(fields).isdisjoint(_NOFOLLOW)
    for meta in document.metas:
        if (meta.get("http-equiv") or "").strip().lower() == "refresh":
            found += _refreshed(meta.get("content") or "")
        elif (meta.get("name") or "").strip().lower() == "robots":
            unfollowed = unfollowed or not robots_words(meta.get("content") or "").isdisjoint(_NOFOLLOW)
    return found, unfollowed


def _of_document(document: Document, fields: dict[str, str]) -> tuple[list[_Found], bool]:
    """Return the references of the page but its plain anchors, and whether none is to be followed, see `of_metas`."""
    found, unfollowed = of_metas(document, fields)
    for tag, written, rel, hreflang in document.references:
        target = written.strip()
        language = hreflang.strip()[:_MAX_HREFLANG] or None if hreflang else None
        if tag == "link":
            words = rel.lower().split()
            if "canonical" in words:
                found.append(_Found(target, _CANONICAL))
            elif language and "alternate" in words and "stylesheet" not in words:
                found.append(_Found(target, _ALTERNATE, hreflang=language))
        else:
            nofollow = unfollowed or ("nofollow" in rel.lower() if rel else False)
            found.append(_Found(target, _KINDS[tag], nofollow and tag in {"a", "area"}, language))
    return found, unfollowed
