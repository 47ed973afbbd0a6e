"""Session ids and tracking parameters, dropped where that is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.db.records import Link, LinkKind, Page
from graphlang.ingest.links.canonical import strip_page, strip_url

A = "http://a.example/"


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        (f"{A}b?utm_source=x&utm_medium=y", f"{A}b"),
        (f"{A}?a=1&fbclid=2&b", f"{A}?a=1&b"),
        (f"{A}b;jsessionid=1A2B.node?x=1", f"{A}b?x=1"),
        (f"{A}(S(abcdefghijklmnopqrstuvwx))/p.aspx", f"{A}p.aspx"),
        (f"{A}?PHPSESSID=0", A),
        (f"{A}?sid=12", f"{A}?sid=12"),  # the number of an article, as likely as not
        (f"{A}?sid=0123456789abcdef0123", A),
        (f"{A}?q=utm_source", f"{A}?q=utm_source"),
        (f"{A}?", f"{A}?"),
    ],
)
def test_what_names_a_visit_goes_and_the_rest_stays(url: str, plain: str) -> None:
    assert strip_url(url) == plain


@given(st.text(alphabet="ab/?&=;().0sidutm_", max_size=40))
def test_plain_urls_stay_as_they_are(rest: str) -> None:
    once = strip_url(A + rest)
    assert once.startswith(A)
    assert strip_url(once) == once


def test_links_that_lead_to_one_target_now_are_one() -> None:
    links = (
        Link(f"{A}b?utm_source=1", LinkKind.ANCHOR, nofollow=True),
        Link(f"{A}b", LinkKind.CANONICAL, hreflang="de"),
        Link(f"{A}?fbclid=1", LinkKind.ANCHOR),
    )
    page = strip_page(Page(url=f"{A}?fbclid=2", offset=0, links=links, revisit_of=f"{A}?gclid=1"))
    assert (page.url, page.revisit_of) == (A, A)
    assert page.links == (Link(f"{A}b", LinkKind.CANONICAL, nofollow=False, hreflang="de"),)
