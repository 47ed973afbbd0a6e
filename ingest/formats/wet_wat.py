"""Parse WET and WAT records: the text of a page, or its links, as another program extracted them.

A WET record (``conversion``) holds plain text, a WAT record (``metadata``) JSON with the links, the metadata and the
HTTP header of a page. Common Crawl publishes both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from graphlang.db.records import Page, pack_texts
from graphlang.ingest.formats.dates import parse_date
from graphlang.ingest.formats.jsonl import load_json
from graphlang.ingest.formats.warc import strip_brackets
from graphlang.ingest.html.document import Document, Reference, declarations, fold, fold_lines
from graphlang.ingest.limits import cut_text
from graphlang.ingest.links.canonical import canonical_url
from graphlang.ingest.links.extract import extract_links
from graphlang.ingest.payload.encoded_twice import repair_encoding
from graphlang.ingest.payload.http import parse_media_type, payload_digest

if TYPE_CHECKING:
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.links.resolve import Joiner
    from graphlang.ingest.raw import RawRecord

_TAGS = {"A@/href": "a", "AREA@/href": "area", "FRAME@/src": "frame", "IFRAME@/src": "iframe"}
_STATUS = re.compile(r"\d{3}")
_SIZE = re.compile(r"\d{1,15}")


def parse_wet(raw: RawRecord, url: str, date: str, head: dict[str, str], limits: Limits) -> Page:
    """Return the page of a ``conversion`` record of plain text: it has text and no links.

    The first line is the title of the page, where the program that wrote it puts the title; it stays in the text. The
    language that a program assigned is not kept: it is no evidence from the page.
    """
    written = raw.block.decode("utf-8", "replace")
    repaired = repair_encoding(written)
    if repaired is not None:
        written = repaired.text
    text = fold_lines(written)
    body = cut_text(text, len(text), limits.text_limit)
    return Page(
        url=url,
        offset=raw.offset,
        date=date,
        mime="text/plain",
        charset="utf-8",
        charset_from="utf-8" if repaired is None else f"utf-8, {repaired.source}",
        title=fold(written.lstrip().partition("\n")[0])[: limits.title_limit],
        text=body.text,
        length=body.length,
        size=len(raw.block),
        digest=payload_digest(head.get("warc-payload-digest", head.get("warc-block-digest", "")), b""),
        parts="text",
        main_length=body.main_length,
        rest=body.rest,
    )


def parse_wat(raw: RawRecord, joiner: Joiner, limits: Limits) -> tuple[Page | None, list[tuple[str, str]]]:
    """Return the page that a ``metadata`` record describes, and kind and reason of each problem.

    It has links and no text. A description of a request or of a warcinfo record is no page.
    """
    if len(raw.block) > limits.max_json:
        return None, [("too-large", f"metadata of more than {limits.max_json} bytes")]
    try:
        metadata = load_json(raw.block)
    except (ValueError, RecursionError) as error:
        return None, [("bad-json", f"the metadata are not JSON ({type(error).__name__})")]
    envelope = _dict(metadata, "Envelope")
    head = _dict(envelope, "WARC-Header-Metadata")
    if _text(head, "WARC-Type").lower() not in {"response", "resource", "revisit"}:
        return None, []
    url = canonical_url(strip_brackets(_text(head, "WARC-Target-URI")))
    if url is None or len(url) > limits.max_url:
        return None, [("bad-url", "the target URI that the metadata describe is not a valid URL")]
    answer = _dict(_dict(envelope, "Payload-Metadata"), "HTTP-Response-Metadata")
    fields = {name.lower(): value for name, value in _dict(answer, "Headers").items() if isinstance(value, str)}
    status = _STATUS.fullmatch(_text(_dict(answer, "Response-Message"), "Status"))
    document = _document(_dict(answer, "HTML-Metadata"), 4 * limits.max_links, anchor_texts=limits.anchor_texts)
    code = int(status[0]) if status else None
    links, problems = extract_links(url, document, code, fields, joiner, limits)
    size = _SIZE.fullmatch(_text(answer, "Entity-Length"))
    revisit = _text(head, "WARC-Type").lower() == "revisit"
    page = Page(
        url=url,
        offset=raw.offset,
        date=parse_date(_text(head, "WARC-Date").strip()),
        status=code,
        mime=parse_media_type(fields.get("content-type", ""))[0],
        title=document.title[: limits.title_limit],
        size=int(size[0]) if size else 0,
        digest=payload_digest(_text(answer, "Entity-Digest"), b""),
        revisit_of=(canonical_url(strip_brackets(_text(head, "WARC-Refers-To-Target-URI"))) or url)
        if revisit
        else None,
        declared=declarations(document, fields),
        links=links,
        parts="links",
    )
    return page, problems


def _document(metadata: dict[str, Any], limit: int, *, anchor_texts: bool) -> Document:
    head = _dict(metadata, "Head")
    anchors: dict[str, None] = {}
    references: list[Reference] = []
    skipped = 0
    texts: dict[str, str] = {}
    for link in (*_list(head, "Link"), *_list(metadata, "Links")):
        tag = "link" if _text(link, "path").startswith("LINK@") else _TAGS.get(_text(link, "path"))
        target = _text(link, "url")
        if tag is None or not target or target.startswith("#"):
            continue
        rel, hreflang = _text(link, "rel"), _text(link, "hreflang") or None
        if len(anchors) + len(references) >= limit:
            skipped += 1
        elif tag == "a" and not rel and not hreflang:
            anchors[target] = None
        else:
            references.append(Reference(tag, target, rel, hreflang))
        if anchor_texts and tag == "a" and _text(link, "text").strip():
            texts.setdefault(target, fold(_text(link, "text")))
    metas: list[dict[str, str | None]] = [
        {name: value for name, value in meta.items() if isinstance(value, str)} for meta in _list(head, "Metas")[:100]
    ]
    return Document(
        title=fold(_text(head, "Title")),
        targets=pack_texts(anchors),
        references=references,
        metas=metas,
        base=_text(head, "Base") or None,
        skipped=skipped,
        anchor_texts=texts,
    )


def _dict(value: Any, name: str) -> dict[str, Any]:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def _list(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    inner = value.get(name)
    return [element for element in inner if isinstance(element, dict)] if isinstance(inner, list) else []


def _text(value: dict[str, Any], name: str) -> str:
    inner = value.get(name)
    return inner if isinstance(inner, str) else ""
