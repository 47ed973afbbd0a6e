"""Pages drawn at random to judge the answers by: who may be drawn, how often, and the way back as a gold file."""

from __future__ import annotations

import csv
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from graphlang.collection import Collection
from graphlang.evaluation.metrics import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Call = Callable[..., Result]

HOST = "http://a.example/"


@pytest.fixture
def crawl(make_collection: Callable[..., Path], written: Any) -> Path:
    """Six pages in Swahili, two in German, a picture, an error page, and a URL that was only linked to."""
    return make_collection(
        [written(f"{HOST}{number}", "swa", 0.9, text="Karibu,\nrafiki", title="=Home") for number in range(6)]
        + [written(f"{HOST}de{number}", "deu", 0.9, text="Tag") for number in range(2)]
        + [
            written(HOST + "logo.png", "und", 0.0, mime="image/png", charset=None),
            written(HOST + "lost", "swa", 0.9, status=404, text="x"),
            written(HOST + "far", "swa", 0.5, fetched=False),
        ]
    )


def draw_urls(path: Path, **how: Any) -> list[str]:
    return [row.url.removeprefix(HOST) for row in Collection(path).sample(**how)]


def test_pages_that_were_read_are_drawn_once_each_and_a_smaller_sample_begins_a_larger_one(crawl: Path) -> None:
    everything = draw_urls(crawl)
    assert sorted(everything) == ["0", "1", "2", "3", "4", "5", "de0", "de1"]
    assert everything != sorted(everything)
    assert draw_urls(crawl, count=3) == everything[:3]
    assert draw_urls(crawl, language="German") == [page for page in everything if page.startswith("de")]
    assert draw_urls(crawl, count=1, language=["de", "ger"]) == draw_urls(crawl, language="deu")[:1]


def test_the_order_of_the_pages_changes_nothing(make_collection: Callable[..., Path], written: Any) -> None:
    pages = [written(f"{HOST}{number}", "swa", 0.9, text="moja") for number in range(9)]
    there = draw_urls(make_collection(pages), count=4)
    assert draw_urls(make_collection(pages[::-1], "other.db"), count=4) == there


def test_every_page_is_drawn_as_often_as_any_other(crawl: Path) -> None:
    """Two of eight pages, 400 times: each 100 times by expectation, with a standard deviation of 8.7."""
    often = Counter(page for draw in range(400) for page in draw_urls(crawl, count=2, draw=draw))
    assert len(often) == 8
    assert all(100 - 35 < count < 100 + 35 for count in often.values())


def test_a_sample_filled_in_is_a_gold_file(graphlang: Call, crawl: Path, tmp_path: Path) -> None:
    table = tmp_path / "gold.csv"
    result = graphlang("review", crawl, "--random", "--count", 3, "-o", table)
    assert (result.exit_code, result.stderr) == (0, f"3 pages to {table}\n")
    text = table.read_text(encoding="utf-8-sig")
    assert text.startswith("url,language,note,title,text\n")
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == 3
    nobody = graphlang("evaluate", crawl, "--gold", table)
    assert nobody.exit_code == 3
    assert "names no language: the column 'language' is empty in 3 lines" in nobody.stderr
    for row, language in zip(rows, ("Swahili", "und", ""), strict=True):
        row["language"] = language
    with table.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    judged = graphlang("evaluate", crawl, "--gold", table)
    assert (judged.exit_code, judged.stderr) == (0, "1 line of the gold file without a language, skipped\n")
    judged = graphlang("evaluate", crawl, "--gold", table, "--format", "json")
    whole = json.loads(judged.stdout)
    assert (whole["gold"]["pages"], whole["gold"]["empty"]) == (2, 1)
    group = whole["runs"][0]["groups"][0]
    right = sum(row["language"] == "Swahili" and "/de" not in row["url"] for row in rows)
    assert group["accuracy"] == right / 2
    assert (group["low"], group["high"]) == pytest.approx(wilson_interval(right, 2), abs=1e-6)


def test_impossible_samples_are_refused(crawl: Path) -> None:
    with pytest.raises(ValueError, match="count is 0"):
        Collection(crawl).sample(count=0)
    with pytest.raises(ValueError, match="draw is -1"):
        Collection(crawl).sample(draw=-1)
    with pytest.raises(ValueError, match="unknown language 'martian'"):
        Collection(crawl).sample(language="martian")
