"""The pages of a collection: every URL that was read or linked to, once; two URLs with one id end the work."""

from __future__ import annotations

from typing import Any

from graphlang.cluster.choosing.links import URLS, pages_of, urls_of
from graphlang.cluster.tables import PAGES, ddl


def distinct_pages(records: Any) -> Any:
    """Every URL with its id, host, registered domain, public suffix and top-level domain: a DataFrame of `PAGES`.

    Args:
        records: a DataFrame of captures.
    """
    named = records.where("kind IS NULL").select("page", "url", "link_ids", "link_urls")
    return named.mapInArrow(urls_of, ddl(URLS)).repartition("page").mapInArrow(pages_of, ddl(PAGES))
