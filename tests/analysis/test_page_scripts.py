"""The script of pages whose text does not show it: of their URL, their host, the collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import graphlang as gl
from graphlang.analysis.page_scripts import HostLabels, Scripts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HANS = (
    "这座博物馆建在港口旁边，每天早上都有许多学生来参观旧船和渔网。馆长说，最大的一条船是一百年前造的，现在还能下水。"
)
HANT = (
    "這座博物館建在港口旁邊，每天早上都有許多學生來參觀舊船和漁網。館長說，最大的一條船是一百年前造的，現在還能下水。"
)
SCRIPTS = Scripts.from_labels(
    {0: 0, 1: 1, 2: 1, 3: 2, 4: 2},
    dict(enumerate(NAMES := ("deu", "srp_Cyrl", "srp_Latn", "zho_Hans", "zho_Hant"))),
    np.bincount([1, 3, 3, 4]),
)


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("http://a.example/zh_tw/x", "zho_Hant"),
        ("http://a.example/x?lang=zh-Hans&n=1", "zho_Hans"),
        ("http://sr-latn.a.example/", "srp_Latn"),
        ("http://a.example/zh/x", None),  # which script it is, the tag does not say
        ("http://a.example/de-ch/sr-cyrl/", "srp_Cyrl"),
        ("http://a.example/buzz-tw/", None),
        ("http://a.example/" + "x" * 3_000 + "/zh-tw/", None),
    ],
)
def test_tags_in_urls(url: str, label: str | None) -> None:
    (number,) = SCRIPTS.find_url_labels([url])
    assert (None if number < 0 else NAMES[number]) == label


def test_own_text_then_url_then_host_then_collection() -> None:
    counts = HostLabels.count(SCRIPTS, np.array([7, 7, 7, 8]), np.array([4, 3, 4, 2]))
    host, url_label = np.array([7, 7, 7, 8, 9, 7]), np.array([-1, -1, 3, -1, -1, -1])
    text = np.array([[3, -1], [0, -1], [-1, -1], [-1, -1], [-1, -1], [-1, -1]])
    language = np.array([2, 2, 2, 1, 2, -1], np.int16)
    chosen = SCRIPTS.choose_labels(language, text, SCRIPTS.find_default_labels(host, counts, url_label))
    assert [NAMES[label] if label >= 0 else None for label in chosen] == [
        "zho_Hans",  # as its text
        "zho_Hant",  # as most texts of host 7; its own text is German
        "zho_Hans",  # as its URL
        "srp_Latn",  # as host 8
        "zho_Hans",  # as most of the collection
        None,
    ]


def test_labels_of_hosts_that_were_counted_elsewhere_come_first() -> None:
    here, elsewhere = (HostLabels.count(SCRIPTS, np.array([7]), np.array([label])) for label in (3, 4))
    assert here.merge(elsewhere).label[:, SCRIPTS.column[2]].tolist() == [4]


def test_a_site_in_traditional_characters_in_a_collection_in_simplified_ones(
    tmp_path: Path, write_warc: Callable[..., Path]
) -> None:
    def page(text: str, *targets: str) -> bytes:
        links = "".join(f'<a href="{target}">{number}</a>' for number, target in enumerate(targets))
        return f"<!doctype html><meta charset=utf-8><p>{text * 5}</p>{links}".encode()

    pages = [(f"http://hans.example/{n}", page(HANS, "/a", "/zh_tw/b")) for n in range(4)]
    pages += [(f"http://hant.example/{n}", page(HANT, "/c", "/zh-cn/d")) for n in range(3)]
    with gl.open(tmp_path / "crawl.db") as crawl:
        crawl.run(write_warc(tmp_path / "chinese.warc.gz", pages))
        scripts = {row.url.removeprefix("http://"): row.script for row in crawl.pages(fetched=False)}
        wanted = {row.url.removeprefix("http://") for row in crawl.frontier(want=["zh-TW"]) if row.chance > 0.5}
    assert scripts == {
        "hans.example/a": "Hans",
        "hans.example/zh_tw/b": "Hant",
        "hant.example/c": "Hant",
        "hant.example/zh-cn/d": "Hans",
    }
    assert wanted == {"hans.example/zh_tw/b", "hant.example/c"}
