"""The kernel that gathers the links of a page, compared with `extract_links`, which sees one reference at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphlang.db.records import Link, LinkKind, pack_texts
from graphlang.ingest.html.document import Document, References
from graphlang.ingest.limits import Limits
from graphlang.ingest.links.extract import extract_links
from graphlang.ingest.links.resolve import Joiner

if TYPE_CHECKING:
    from collections.abc import Sequence

URL = "http://a.example/b/c?d"
TARGETS = st.sampled_from(
    [
        *("x", "y", "../x", "/b/x", "c?d", "#top", "", " x ", "mailto:a@b", "//c.example", "https://C.example/", "?q"),
        *("http:x", "//ä.example/", "//user@c.example/", "x\u3000", "z" * 40, "/b/c?d#e", "./y", "ж"),
    ]
)
RELS = st.sampled_from(
    [
        *("", "nofollow", "me", "NoFollow noopener", "canonical", "alternate", "Alternate\tstylesheet", "xnofollowx"),
        *("canonical alternate", "alternates", "ä", "nofollo", "\x1ccanonical"),
    ]
)
HREFLANGS = st.sampled_from(["", "de", " fr ", "\t", "x" * 40, "y" * 34 + " z", "ж"])
TAGS = st.sampled_from(["a", "area", "frame", "iframe", "link"])
METAS: tuple[Sequence[dict[str, str | None]], ...] = (
    (),
    ({"name": "robots", "content": "nofollow"},),
    ({"http-equiv": "refresh", "content": "0;x"}, {"name": "robots", "content": "index"}),
)


@given(
    references=st.lists(st.tuples(TAGS, TARGETS, RELS, HREFLANGS), max_size=8),
    anchors=st.lists(TARGETS, max_size=5),
    base=st.sampled_from([None, "", "/e/", "//f.example/g/h", "http://", "tel:1", "//ä.example/", "#", "x" * 40_000]),
    metas=st.sampled_from(METAS),
    most=st.integers(1, 5),
    longest=st.sampled_from([25, 99]),
    status=st.sampled_from([200, 302]),
)
@example([("area", "x", "nofollow", ""), ("iframe", "x", "", "de")], ["x"], None, (), 5, 99, 200)
@example([("area", "x", "nofollow", ""), ("area", "y", "", "de")], ["x", "y", "z"], None, METAS[1], 2, 99, 200)
def test_links_gathered_are_those_of_each_reference(  # noqa: PLR0917 - the parts of one page
    references: list[tuple[str, str, str, str]],
    anchors: list[str],
    base: str | None,
    metas: Sequence[dict[str, str | None]],
    most: int,
    longest: int,
    status: int,
) -> None:
    flat = [part for tag, target, rel, lang in references for part in (tag, target, rel, f"+{lang}" if lang else "")]
    many = References(pack_texts(flat))
    document = Document(pack_texts(dict.fromkeys(anchors)), many, metas=metas, base=base, skipped=1)
    limits = Limits(max_links=most, max_url=longest)
    fields = {"location": "//g.example/", "x-robots-tag": "nofollow" if most % 2 else ""}
    gathered = extract_links(URL, document, status, fields, Joiner(), limits)
    one_by_one = extract_links(URL, document._replace(references=list(many)), status, fields, Joiner(), limits)
    assert list(gathered[0]) == list(one_by_one[0])
    assert gathered == one_by_one


def test_links_are_gathered_by_target() -> None:
    references = ("link", "y", "canonical", "+de", "a", "x", "nofollow", "+fr", "area", "x", "", "+it")
    found = Joiner().gather(
        pack_texts(references), pack_texts(["x", "c?d", "z"]), b"/b/", URL, nofollow=True, max_url=99, max_links=2
    )
    assert found is not None
    assert list(found.links) == [
        Link("http://a.example/b/y", LinkKind.CANONICAL),
        Link("http://a.example/b/x", LinkKind.ANCHOR, nofollow=True, hreflang="fr"),
    ]
    assert (found.too_long, found.skipped) == (0, 1)


@pytest.mark.parametrize(
    ("references", "anchors", "base"),
    [
        (pack_texts(["a", "//ä.example", "x", ""]), b"", b""),
        (pack_texts(["a", "x", "ä", ""]), b"", b""),
        (pack_texts(["a", "x", "", "+ä"]), b"", b""),
        (b"", pack_texts(["http:x"]), b""),
        (b"", pack_texts(["x"]), b"//user@b.example/"),
    ],
)
def test_what_is_not_plain_is_left(references: bytes, anchors: bytes, base: bytes) -> None:
    assert Joiner().gather(references, anchors, base, URL, nofollow=False, max_url=99, max_links=9) is None


def test_thousands_of_targets_are_gathered_again_and_again() -> None:
    joiner = Joiner()
    references = pack_texts([part for n in range(9_000) for part in ("a", f"/{n % 6_000}", "", f"+{n}")])
    anchors = pack_texts(["/1", "/x"])
    for _ in range(2):
        found = joiner.gather(references, anchors, b"", URL, nofollow=False, max_url=99, max_links=8_000)
        assert found is not None
        assert [link.hreflang for link in found.links] == [*(str(n) for n in range(6_000)), None]
        assert found.links[-1].url == "http://a.example/x"


def test_strings_that_are_cut_off_end_where_the_memory_does() -> None:
    for size in range(14):
        found = Joiner().gather(
            b"a\0x\0me\0+de\0\0"[:size], b"y"[: size % 2], b"", URL, nofollow=False, max_url=99, max_links=9
        )
        assert found is not None
        assert len(found.links) == (size >= 3) + size % 2
