"""The pages of a collection: every URL that was read or linked to, once; two URLs with one id end the work."""

from __future__ import annotations

from typing import Any

from graphlang.cluster.choosing.links import URLS, sites_of, urls_of
from graphlang.cluster.reading.page_ids import CollisionError
from graphlang.cluster.tables import PAGES, ddl


def distinct_urls(records: Any) -> Any:
    """Every URL with its id, as a DataFrame with the columns ``page``, ``url`` and ``other``.

    Args:
        records: a DataFrame of captures.

    Returns:
        ``other`` differs from ``url`` where two URLs have one id, see `refuse_collisions`.
    """
    named = records.where("kind IS NULL").select("page", "url", "link_ids", "link_urls")
    urls = named.mapInArrow(urls_of, ddl(URLS)).selectExpr("page", "url", "url AS other")
    found = urls.groupBy("page").agg({"url": "min", "other": "max"})
    return found.selectExpr("page", "`min(url)` AS url", "`max(other)` AS other")


def refuse_collisions(urls: Any) -> None:
    """Raise an error where two URLs have the same id.

    Args:
        urls: of `distinct_urls`, written down.

    Raises:
        CollisionError: there are two such URLs.
    """
    row = urls.where("url <> other").orderBy("page").first()
    if row is not None:
        raise CollisionError(f"two URLs have the same 64-bit id {row.page}: {row.url} and {row.other}")


def with_sites(urls: Any) -> Any:
    """Every URL with its host, registered domain, public suffix and top-level domain.

    Args:
        urls: a DataFrame with the columns ``page`` and ``url``.
    """
    return urls.select("page", "url").mapInArrow(sites_of, ddl(PAGES))
