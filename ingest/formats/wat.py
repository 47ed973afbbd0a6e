"""WAT records: what a page links to and what its server said, as another program found it, in JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from graphlang.db.records import Page, packed
from graphlang.ingest.formats.dates import date_of
from graphlang.ingest.formats.json_values import loads
from graphlang.ingest.formats.warc import unbracketed
from graphlang.ingest.html.declarations import declarations
from graphlang.ingest.html.document import Document, Reference, fold
from graphlang.ingest.links.canonical import canonical
from graphlang.ingest.links.extract import links_of
from graphlang.ingest.payload import media_type
from graphlang.ingest.payload.digest import digest_of

if TYPE_CHECKING:
    from graphlang.ingest.formats.records import RawRecord
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.links.resolve import Joiner

_PLACES = {"A@/href": "a", "AREA@/href": "area", "FRAME@/src": "frame", "IFRAME@/src": "iframe"}
_STATUS = re.compile(r"\d{3}")
_SIZE = re.compile(r"\d{1,15}")


def page_of_wat(raw: RawRecord, joiner: Joiner, limits: Limits) -> tuple[Page | None, list[tuple[str, str]]]:
    """Return the page that a ``metadata`` record describes, with links and without text, and what was wrong with it.

    There is a page only for descriptions of a response or resource; those of requests and of warcinfo are passed over.

    Args:
        raw: a ``metadata`` record.
        joiner: what makes references absolute.
        limits: bounds of a record.

    Returns:
        The page or None, and a kind and a reason for each problem.
    """
    if len(raw.block) > limits.max_json:
        return None, [("too-large", f"metadata of more than {limits.max_json} bytes")]
    try:
        described = loads(raw.block)
    except (ValueError, RecursionError) as error:
        return None, [("bad-json", f"the metadata are not JSON ({type(error).__name__})")]
    envelope = _dict(described, "Envelope")
    head = _dict(envelope, "WARC-Header-Metadata")
    if _text(head, "WARC-Type").lower() not in {"response", "resource", "revisit"}:
        return None, []
    url = canonical(unbracketed(_text(head, "WARC-Target-URI")))
    if url is None or len(url) > limits.max_url:
        return None, [("bad-url", "the target URI that the metadata describe is not a valid URL")]
    answer = _dict(_dict(envelope, "Payload-Metadata"), "HTTP-Response-Metadata")
    fields = {name.lower(): value for name, value in _dict(answer, "Headers").items() if isinstance(value, str)}
    status = _STATUS.fullmatch(_text(_dict(answer, "Response-Message"), "Status"))
    document = _document(_dict(answer, "HTML-Metadata"), 4 * limits.max_links, spoken=limits.anchor_texts)
    code = int(status[0]) if status else None
    links, left_out = links_of(url, document, code, fields, joiner, limits)
    size = _SIZE.fullmatch(_text(answer, "Entity-Length"))
    revisit = _text(head, "WARC-Type").lower() == "revisit"
    page = Page(
        url=url,
        offset=raw.offset,
        date=date_of(_text(head, "WARC-Date").strip()),
        status=code,
        mime=media_type.media_type(fields.get("content-type", ""))[0],
        title=document.title[: limits.title_limit],
        size=int(size[0]) if size else 0,
        digest=digest_of(_text(answer, "Entity-Digest"), b""),
        revisit_of=(canonical(unbracketed(_text(head, "WARC-Refers-To-Target-URI"))) or url) if revisit else None,
        declared=declarations(document, fields),
        links=links,
        parts="links",
    )
    return page, left_out


def _document(found: dict[str, Any], most: int, *, spoken: bool) -> Document:
    head = _dict(found, "Head")
    anchors: dict[str, None] = {}
    references: list[Reference] = []
    skipped = 0
    words: dict[str, str] = {}
    for one in (*_list(head, "Link"), *_list(found, "Links")):
        tag = "link" if _text(one, "path").startswith("LINK@") else _PLACES.get(_text(one, "path"))
        target = _text(one, "url")
        if tag is None or not target or target.startswith("#"):
            continue
        rel, hreflang = _text(one, "rel"), _text(one, "hreflang") or None
        if len(anchors) + len(references) >= most:
            skipped += 1
        elif tag == "a" and not rel and not hreflang:
            anchors[target] = None
        else:
            references.append(Reference(tag, target, rel, hreflang))
        if spoken and tag == "a" and _text(one, "text").strip():
            words.setdefault(target, fold(_text(one, "text")))
    metas: list[dict[str, str | None]] = [
        {name: value for name, value in meta.items() if isinstance(value, str)} for meta in _list(head, "Metas")[:100]
    ]
    return Document(
        title=fold(_text(head, "Title")),
        targets=packed(anchors),
        references=references,
        metas=metas,
        base=_text(head, "Base") or None,
        skipped=skipped,
        words=words,
    )


def _dict(value: Any, name: str) -> dict[str, Any]:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def _list(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    inner = value.get(name)
    return [one for one in inner if isinstance(one, dict)] if isinstance(inner, list) else []


def _text(value: dict[str, Any], name: str) -> str:
    inner = value.get(name)
    return inner if isinstance(inner, str) else ""
