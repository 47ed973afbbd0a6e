"""WET records: the text of a page, as another program extracted it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.db.records import Page
from graphlang.ingest.html.document import fold, fold_lines
from graphlang.ingest.kept_text import kept
from graphlang.ingest.payload.digest import digest_of
from graphlang.ingest.payload.encoded_twice import as_meant

if TYPE_CHECKING:
    from graphlang.ingest.formats.records import RawRecord
    from graphlang.ingest.limits import Limits


def page_of_wet(raw: RawRecord, url: str, date: str, head: dict[str, str], limits: Limits) -> Page:
    """Return the page of a ``conversion`` record of plain text: it carries text and no links.

    The record's first line is the title of the page, as the program that wrote it sets it there; it stays in the text.
    What a program took for the language is not kept: it is no word of the page.

    Args:
        raw: the record.
        url: its canonical target URI.
        date: of the capture.
        head: the record's header.
        limits: how much is kept.
    """
    written = raw.block.decode("utf-8", "replace")
    meant = as_meant(written)
    if meant is not None:
        written = meant.text
    text = fold_lines(written)
    body = kept(text, len(text), limits.text_limit)
    digest = digest_of(head.get("warc-payload-digest", head.get("warc-block-digest", "")), b"")
    return Page(
        url=url,
        offset=raw.offset,
        date=date,
        mime="text/plain",
        charset="utf-8",
        charset_from="utf-8" if meant is None else f"utf-8, {meant.source}",
        title=fold(written.lstrip().partition("\n")[0])[: limits.title_limit],
        text=body.text,
        length=body.length,
        size=len(raw.block),
        digest=digest,
        parts="text",
        main_length=body.main_length,
        rest=body.rest,
    )
