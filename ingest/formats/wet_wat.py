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
from graphlang.ingest.html.document import Document, Reference, fold, fold_lines, list_declarations
from graphlang.ingest.limits import cut_text
from graphlang.ingest.links.canonical import canonical_url
from graphlang.ingest.links.extract import extract_links
from graphlang.ingest.payload.encoded_twice import repair_encoding
from graphlang.ingest.payload.http import compute_payload_digest, parse_media_type

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
        digest=compute_payload_digest(head.get("warc-payload-digest", head.get("warc-block-digest", "")), b""),
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
    envelope = _get_dict(metadata, "Envelope")
    head = _get_dict(envelope, "WARC-Header-Metadata")
    if _get_text(head, "WARC-Type").lower() not in {"response", "resource", "revisit"}:
        return None, []
    url = canonical_url(strip_brackets(_get_text(head, "WARC-Target-URI")))
    if url is None or len(url) > limits.max_url:
        return None, [("bad-url", "the target URI that the metadata describe is not a valid URL")]
    answer = _get_dict(_get_dict(envelope, "Payload-Metadata"), "HTTP-Response-Metadata")
    fields = {name.lower(): value for name, value in _get_dict(answer, "Headers").items() if isinstance(value, str)}
    status = _STATUS.fullmatch(_get_text(_get_dict(answer, "Response-Message"), "Status"))
    document = _make_document(
        _get_dict(answer, "HTML-Metadata"), 4 * limits.max_links, anchor_texts=limits.anchor_texts
    )
    code = int(status[0]) if status else None
    links, problems = extract_links(url, document, code, fields, joiner, limits)
    size = _SIZE.fullmatch(_get_text(answer, "Entity-Length"))
    revisit = _get_text(head, "WARC-Type").lower() == "revisit"
    page = Page(
        url=url,
        offset=raw.offset,
        date=parse_date(_get_text(head, "WARC-Date").strip()),
        status=code,
        mime=parse_media_type(fields.get("content-type", ""))[0],
        title=document.title[: limits.title_limit],
        size=int(size[0]) if size else 0,
        digest=compute_payload_digest(_get_text(answer, "Entity-Digest"), b""),
        revisit_of=(canonical_url(strip_brackets(_get_text(head, "WARC-Refers-To-Target-URI"))) or url)
        if revisit
        else None,
        declared=list_declarations(document, fields),
        links=links,
        parts="links",
    )
    return page, problems


def _make_document(metadata: dict[str, Any], limit: int, *, anchor_texts: bool) -> Document:
    head = _get_dict(metadata, "Head")
    anchors: dict[str, None] = {}
    references: list[Reference] = []
    skipped = 0
    texts: dict[str, str] = {}
    for link in (*_get_list(head, "Link"), *_get_list(metadata, "Links")):
        tag = "link" if _get_text(link, "path").startswith("LINK@") else _TAGS.get(_get_text(link, "path"))
        target = _get_text(link, "url")
        if tag is None or not target or target.startswith("#"):
            continue
        rel, hreflang = _get_text(link, "rel"), _get_text(link, "hreflang") or None
        if len(anchors) + len(references) >= limit:
            skipped += 1
        elif tag == "a" and not rel and not hreflang:
            anchors[target] = None
        else:
            references.append(Reference(tag, target, rel, hreflang))
        if anchor_texts and tag == "a" and _get_text(link, "text").strip():
            texts.setdefault(target, fold(_get_text(link, "text")))
    metas: list[dict[str, str | None]] = [
        {name: value for name, value in meta.items() if isinstance(value, str)}
        for meta in _get_list(head, "Metas")[:100]
    ]
    return Document(
        title=fold(_get_text(head, "Title")),
        targets=pack_texts(anchors),
        references=references,
        metas=metas,
        base=_get_text(head, "Base") or None,
        skipped=skipped,
        anchor_texts=texts,
    )


def _get_dict(value: Any, name: str) -> dict[str, Any]:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def _get_list(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    inner = value.get(name)
    return [element for element in inner if isinstance(element, dict)] if isinstance(inner, list) else []


def _get_text(value: dict[str, Any], name: str) -> str:
    inner = value.get(name)
    return inner if isinstance(inner, str) else ""
