"""Which pages to look at first, by hand; and a table that was filled in comes back as corrections."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import pytest

from graphlang.analysis.correct import PageLabel, read_review
from graphlang.collection import Collection
from graphlang.db import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Call = Callable[..., Result]

HOST, OTHER = "http://a.example/", "http://b.example/"


@pytest.fixture
def crawl(make_collection: Callable[..., Path], written: Any) -> Path:
    """A hub with three short pages in some doubt, a lone page in great doubt, a certain one, pages without words."""
    long = "a text of far more than two hundred letters " * 6
    return make_collection(
        [
            written(HOST, "swa", 0.9, runner_up="eng", links=(1, 2, 3), text="Karibu", title="Home"),
            written(HOST + "1", "swa", 0.7, text="moja"),
            written(HOST + "2", "swa", 0.8, text="mbili"),
            written(HOST + "3", "swa", 0.5, fetched=False),
            written(HOST + "lone", "swa", 0.4, text="x"),
            written(HOST + "empty", "und", 0.0, text=""),
            written(HOST + "long", "swa", 1.0, links=(1, 2, 3), text=long),
            written(OTHER, "deu", 0.6, text="=Tag"),
            written(OTHER + "logo.png", "deu", 0.1, mime="image/png", charset=None, text="x", links=(7,)),
        ]
    )


def order(path: Path, count: int = 9) -> list[str]:
    return [row.url for row in Collection(path).review(count=count)]


def test_doubt_of_the_page_and_of_those_around_it_a_second_of_a_site_counting_half(crawl: Path) -> None:
    """By hand, doubts of page and short neighbours; long and worded ones alone count, a URL never fetched as well.

    hub .1 + .3 + .2 + .5 = 1.1; lone .6; 1: .3 + .1 = .4; 2: .2 + .1 = .3; all four in one language of one site, so
    that they are worth 1.1, .6 / 2 = .3, .4 / 3 = .13, .3 / 4 = .075. The other site: .4 (a picture is no neighbour).
    The certain long page learns nothing, however many doubtful pages it links to.
    """
    assert order(crawl) == [HOST, OTHER, HOST + "lone", HOST + "1", HOST + "2"]
    assert order(crawl, 2) == [HOST, OTHER]


def test_what_somebody_has_corrected_is_not_asked_again_and_no_longer_in_doubt(crawl: Path) -> None:
    Collection(crawl).correct(HOST + "1", language="swa", by="Asha")
    assert order(crawl) == [HOST, OTHER, HOST + "lone", HOST + "2"]
    (row,) = [row for row in Collection(crawl).review() if row.url == HOST]
    assert row.why == "in doubt by 0.10; 2 links to and from short pages in doubt"


def test_the_table_filled_in_comes_back_as_corrections(graphlang: Call, crawl: Path, tmp_path: Path) -> None:
    table = tmp_path / "check.csv"
    result = graphlang("review", crawl, "--count", 2, "-o", table)
    assert result.exit_code == 0
    assert table.read_text(encoding="utf-8-sig") == (
        "url,language,note,answer,confidence,runner_up,why,title,text\n"
        "http://a.example/,,,swa,0.9000,eng,in doubt by 0.10; 3 links to and from short pages in doubt,Home,Karibu\n"
        "http://b.example/,,,deu,0.6000,,in doubt by 0.40; 0 links to and from short pages in doubt,,'=Tag\n"
    )
    assert graphlang("review", crawl, "--count", 2).stdout == table.read_text(encoding="utf-8-sig")  # in a pipe as well
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig"))))
    rows[0] |= {"language": "Swahili", "note": "=1+1, or so"}
    with table.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), delimiter=";")  # as a spreadsheet may save it
        writer.writeheader()
        writer.writerows(rows)
    result = graphlang("review", crawl, "--from", table, "--by", "Asha")
    assert (result.exit_code, result.stderr) == (
        0,
        "corrected: 1 page; run 'graphlang propagate' for their neighbours\n",
    )
    (said,) = Collection(crawl).corrections()
    assert (said.url, said.language, said.note, said.corrected_by) == (HOST, "swa", "=1+1, or so", "Asha")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("url,code\nhttp://a.example/,swa\n", "has no column language"),
        ("url,language\nhttp://a.example/\n", "line 2: another number of columns"),
        ("url,language\nhttp://a.example/,swa,x\n", "line 2: another number of columns"),
        ('url,language\n"http://a.example/,swa\n', "cannot read"),
        ("", "has no column url and no column language"),
        ("url,language,language\nhttp://a.example/,swa,deu\n", "has more than one column language"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "check.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_review(path)


def test_rows_without_a_language_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "check.tsv"
    path.write_text("note\turl\tlanguage\nhm\thttp://a.example/\t sw \n\thttp://b.example/\t \n")
    assert read_review(path) == [PageLabel("http://a.example/", "sw", "hm")]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--by", "Asha"), "--by needs --from"),
        (("--from", "t.csv"), "--by is missing"),
        (("--from", "t.csv", "--by", "Asha", "--count", "3"), "--count has no effect with --from"),
        (("--draw", "2"), "--draw needs --random"),
        (("--from", "t.csv", "--by", "Asha", "--all"), "--all has no effect with --from"),
        (("--random", "--language", "martian"), "unknown language 'martian'"),
        (("--random", "--language", ","), "names no language"),
        (("--random", "--from", "t.csv", "--by", "Asha"), "--random has no effect with --from"),
        (("--random", "--by", "Asha"), "--by needs --from"),
    ],
)
def test_options_that_mean_nothing_are_wrong_usage(
    graphlang: Call, crawl: Path, tmp_path: Path, given: tuple[str, ...], words: str
) -> None:
    (tmp_path / "t.csv").write_text("url,language\n")
    result = graphlang("review", crawl, *(str(tmp_path / word) if word == "t.csv" else word for word in given))
    assert result.exit_code == 2
    assert words in result.stderr
