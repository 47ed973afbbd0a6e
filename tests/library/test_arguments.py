"""Arguments of the library: what is of another type, or out of bounds, is named before any work."""

from __future__ import annotations

import inspect
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphlang as gl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SITE = "http://museum.example/"


@pytest.mark.parametrize(
    ("workers", "error", "words"),
    [(0, ValueError, "workers is 0"), (-1, ValueError, "is -1"), (1.5, TypeError, "float"), ("2", TypeError, "str")],
)
def test_there_is_at_least_one_worker(crawl: gl.Collection, workers: Any, error: type[Exception], words: str) -> None:
    crawl.classify()
    before = len(crawl.runs())
    asked: list[Callable[[], object]] = [
        lambda: gl.identify(["Der Nebel liegt im Tal."], workers=workers),
        lambda: list(gl.read(workers=workers)),
        lambda: crawl.ingest(workers=workers),
        lambda: crawl.run(workers=workers),
        lambda: crawl.classify(workers=workers),
        lambda: crawl.propagate(update=True, workers=workers),
        lambda: crawl.propagate_each_year(workers=workers),
    ]
    for ask in asked:
        with pytest.raises(error, match=words):
            ask()
    assert len(crawl.runs()) == before


def test_what_is_of_another_type_is_named(crawl: gl.Collection) -> None:
    wrong: Any = ["host", "year"]
    for name, ask in {
        "host": lambda: crawl.pages(host=wrong),
        "kind": lambda: crawl.problems(kind=wrong),
    }.items():
        with pytest.raises(TypeError, match=f"{name} is of type list, expected str"):
            ask()
    crawl.classify()
    with pytest.raises(TypeError, match="weights is of type list"):
        crawl.propagate(weights=wrong)
    with pytest.raises(TypeError, match="weights is of type list"):
        crawl.propagate_each_year(weights=wrong)


@pytest.mark.parametrize("value", [2, -0.1, float("nan"), "0.5", None])
def test_a_confidence_is_a_probability(crawl: gl.Collection, value: Any) -> None:
    asked = [crawl.pages, crawl.sites, crawl.languages, crawl.texts]
    for rows in asked:
        with pytest.raises(ValueError, match=r"^min_confidence is .*; it must be a number from 0 to 1$"):
            rows(min_confidence=value)
    if value is not None:
        with pytest.raises(ValueError, match=r"^below is "):
            crawl.pages(below=value)


def test_one_text_is_one_and_what_is_none_is_named(crawl: gl.Collection, tmp_path: Path) -> None:
    """A host given by itself was taken for its letters: a takedown of localhost would have been one of l, o, c, ..."""
    url = "http://museum.example/"
    assert crawl.correct(hosts="museum.example", language="ar", by="Asha").pages > 1
    assert crawl.undo_corrections(hosts="museum.example") > 1
    assert crawl.remove(hosts="museum.example").hosts == 1  # type: ignore[union-attr]
    assert crawl.remove(hosts=["museum.example"], forget=True) == 1
    wrong: list[tuple[str, Any]] = [
        ("hosts is of type int, expected str, or several of them", lambda: crawl.remove(hosts=3)),  # type: ignore[arg-type]
        (r"urls\[0\] is of type list, expected str", lambda: crawl.remove([url])),  # type: ignore[arg-type]
        (r"urls\[0\] is of type list", lambda: crawl.correct([url], language="ar", by="Asha")),  # type: ignore[arg-type]
        ("language is of type bytes", lambda: crawl.texts(language=b"deu")),  # type: ignore[arg-type]
        (r"language\[1\] is of type NoneType", lambda: crawl.pages(language=["deu", None])),  # type: ignore[list-item]
        ("language is of type int", lambda: crawl.export(tmp_path / "x", "pages", language=7)),  # type: ignore[arg-type]
        ("want is of type int", lambda: crawl.frontier(want=7)),  # type: ignore[arg-type]
    ]
    for words, ask in wrong:
        with pytest.raises(TypeError, match=words):
            ask()
    with pytest.raises(ValueError, match="count is 0; it must be 1 or more"):
        crawl.review(count=0)
    with pytest.raises(ValueError, match="min_confidence is 7; it must be a number from 0 to 1"):
        crawl.export(tmp_path / "x", "pages", min_confidence=7)


def test_numbers_of_a_table_are_numbers_and_others_are_named(crawl: gl.Collection) -> None:
    """A number of numpy was no run ("there is no run 1"); a vote with 2.5 links left an unreadable run."""
    one, two = np.int64(1), np.int64(2)
    crawl.classify(workers=one)  # type: ignore[arg-type]
    crawl.vote(seed=one, max_links=two)  # type: ignore[arg-type]
    assert crawl.runs()[1].parameters == {"max_links": 2, "min_length": 50, "min_ref_length": 150}
    assert crawl.propagate(seed=one, weights={"cctld": np.float32(0.5)}).seeds == (1,)  # type: ignore[arg-type,dict-item]
    crawl.choose(two)  # type: ignore[arg-type]
    assert crawl.chosen().id == 2  # type: ignore[union-attr]
    assert crawl.compare(one, one).first() is None  # type: ignore[arg-type]
    assert crawl.explain("http://museum.example/", run=one).run.id == 1  # type: ignore[arg-type]
    assert len(crawl.sample(count=one, draw=two).to_dicts()) == 1  # type: ignore[arg-type]
    assert len(crawl.pages().head(one)) == 1  # type: ignore[arg-type]
    wrong: list[tuple[str, Any]] = [
        ("before is of type str, expected int", lambda: crawl.compare("1", 2)),  # type: ignore[arg-type]
        ("run is of type str, expected int", lambda: crawl.explain("http://museum.example/", run="1")),  # type: ignore[arg-type]
        ("url is of type int, expected str", lambda: crawl.explain(3)),  # type: ignore[arg-type]
        ("run is of type float, expected int", lambda: crawl.frontier(run=2.0)),  # type: ignore[arg-type]
        ("seed is of type str, expected int", lambda: crawl.propagate(seed="1")),  # type: ignore[arg-type]
        ("max_links is of type float, expected int", lambda: crawl.vote(max_links=2.5)),  # type: ignore[arg-type]
        ("count is of type float, expected int", lambda: crawl.review(count=2.5)),  # type: ignore[arg-type]
        ("count is of type str, expected int", lambda: crawl.pages().head("3")),  # type: ignore[arg-type]
    ]
    for words, ask in wrong:
        with pytest.raises(TypeError, match=words):
            ask()
    assert len(crawl.runs()) == 3


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("language is of type list, expected str", ("correct", (SITE,), {"language": ["ar"], "by": "Asha"})),
        ("by is of type bytes, expected str", ("correct", (SITE,), {"language": "ar", "by": b"Asha"})),
        (
            "note is of type NoneType, expected str",
            ("correct", (SITE,), {"language": "ar", "by": "Asha", "note": None}),
        ),
        ("by is of type NoneType, expected str", ("undo_corrections", (SITE,), {"by": None})),
        ("by is of type bytes, expected str", ("read_review", ("x",), {"by": b"Asha"})),
        ("title is of type list, expected str", ("report", ("x",), {"title": ["a"]})),
        ("algorithm is of type list, expected str", ("propagate", (), {"algorithm": []})),
        ("weights is of type str, expected a mapping", ("propagate", (), {"weights": ""})),
        ("limits is of type str, expected Limits", ("ingest", ("x",), {"limits": ""})),
        ("title is of type float, expected bool", ("classify", (), {"title": float("nan")})),
        ("by is of type list, expected str", ("evaluate", ("x",), {"by": []})),
    ],
)
def test_texts_are_such(
    crawl: gl.Collection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    asked: tuple[str, tuple[Any, ...], dict[str, Any]],
) -> None:
    monkeypatch.chdir(tmp_path)
    crawl.classify()
    verb, given, named = asked
    with pytest.raises(TypeError, match=f"^{words}"):
        getattr(crawl, verb)(*given, **named)
    assert (len(crawl.runs()), crawl.corrections().first()) == (1, None)
    assert crawl.pages(fetched=np.True_).first() is not None  # type: ignore[arg-type]


def _weigh(name: str, value: float, crawl: gl.Collection) -> None:
    crawl.propagate(weights={name: value})


def _vote(name: str, crawl: gl.Collection) -> None:
    crawl.vote(**{name: -1})  # type: ignore[arg-type]


HUGE = 10**400  # 1,329 bits, for 400 / log10(2) = 1328.8; no float holds it


@pytest.mark.parametrize(
    ("error", "words", "ask"),
    [
        (
            ValueError,
            "the weight cctld is a whole number of 1,329 bits",
            lambda c: c.propagate(weights={"cctld": HUGE}),
        ),
        (ValueError, "the weight site is a negative number of 1,329", lambda c: c.propagate(weights={"site": -HUGE})),
        (ValueError, "the weight rounds is a whole number of 1,329", lambda c: c.propagate(weights={"rounds": HUGE})),
        (ValueError, "rounds is 9223372036854775808; no", lambda c: c.propagate(weights={"rounds": 1 << 63})),
        (ValueError, "the weight url is 101; no weight can be above 100", lambda c: c.propagate(weights={"url": 101})),
        (ValueError, "the weight url is True, which is not a number", lambda c: c.propagate(weights={"url": True})),
        (ValueError, "seed is a whole number of 1,329 bits; it must be from", lambda c: c.vote(seed=HUGE)),
        (ValueError, "below is a whole number of 1,329 bits; it must be", lambda c: c.pages(below=HUGE)),
        (ValueError, "below is True; it must be a number from 0 to 1", lambda c: c.pages(below=True)),
        (ValueError, r"below is Decimal\('0.5'\); it must be", lambda c: c.pages(below=Decimal("0.5"))),
        (ValueError, r"below is array\(1\); it must be", lambda c: c.pages(below=np.array(1))),
        (ValueError, "draw is 18446744073709551616; it must be from 0 to", lambda c: c.sample(draw=1 << 64)),
        (TypeError, "count is of type ndarray, expected int", lambda c: c.review(count=np.array([1]))),
        (TypeError, "workers is of type bool, expected int", lambda c: c.classify(workers=True)),
        *(
            (
                ValueError,
                f"(the weight )?{name} is {value}; it must be a number that is not negative",
                partial(_weigh, name, value),
            )
            for name in ("cctld", "site")
            for value in (-1, float("nan"), float("inf"))
        ),
        *(
            (ValueError, f"{name} is -1", partial(_vote, name))
            for name in ("min_length", "min_ref_length", "max_links")
        ),
    ],
)
def test_a_number_that_is_none_is_named(
    crawl: gl.Collection, error: type[Exception], words: str, ask: Callable[[gl.Collection], object]
) -> None:
    """Huge ones ended in numpy's "ufunc 'isfinite' not supported", or in "int too large to convert to float"."""
    crawl.classify()
    with pytest.raises(error, match=f"^{words}"):
        ask(crawl)
    assert len(crawl.runs()) == 1


def test_a_confidence_out_of_a_table_is_a_number(crawl: gl.Collection) -> None:
    """SQLite took a float32 for a blob, which is above every number: all pages were below .5, or none above."""
    crawl.classify()
    sure = [page.confidence for page in crawl.pages(fetched=True)]
    assert min(sure) < 0.75 < max(sure)
    for bound in (np.float32(0.75), np.float64(0.75), Fraction(3, 4), 0.75):
        assert len(crawl.pages(fetched=True, below=bound).to_dicts()) == sum(one < 0.75 for one in sure)  # type: ignore[arg-type]
        unsure = [page.language == "und" for page in crawl.pages(fetched=True, min_confidence=bound)]  # type: ignore[arg-type]
        assert sum(unsure) == sum(one < 0.75 for one in sure)
    assert len(crawl.pages().head(HUGE)) == len(crawl.pages().to_dicts())


def test_a_moment_is_text(crawl: gl.Collection) -> None:
    crawl.classify()
    with pytest.raises(TypeError, match="a moment is of type int, expected str"):
        crawl.propagate(at=2012)  # type: ignore[arg-type]


def test_read_names_what_is_of_another_type(museum: Path) -> None:
    for name, wanted in (("limits", "Limits"), ("follow_links", "bool")):
        given: Any = {name: "no"}
        with pytest.raises(TypeError, match=f"^{name} is of type str, expected {wanted}$"):
            list(gl.read(museum, **given))


@pytest.mark.parametrize(
    ("pages", "error", "words"),
    [
        ({"status": 1000}, ValueError, "1000 is no HTTP status"),
        ({"status": "200"}, TypeError, "status is of type str, expected int"),
        ({"mime": ["html"]}, ValueError, "'html' is not a media type"),
        ({"min_length": 9, "max_length": 3}, ValueError, "no page has 9 characters or more and 3 or fewer"),
        ({"max_length": -1}, ValueError, "max_length is -1; it must be 0 or more"),
        ({"below": 2}, ValueError, "below is 2; it must be a number from 0 to 1"),
        ({"everything": "no"}, TypeError, "everything is of type str, expected bool"),
        ({"fetched": "no"}, TypeError, "fetched is of type str, expected bool"),
        ({"languages": "deu"}, TypeError, "no argument is called languages; there are language, min_confidence"),
    ],
)
def test_arguments_about_pages_are_checked_before_anything_is_read(
    crawl: gl.Collection, pages: dict[str, Any], error: type[Exception], words: str
) -> None:
    for ask in (crawl.sites, crawl.languages, crawl.texts, crawl.links_of_sites):
        with pytest.raises(error, match=f"^{words}"):
            ask(**pages)


def test_truth_values_are_such(crawl: gl.Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The word "no" is true in Python: `forget="no"` let pages be read again that were to be removed."""
    monkeypatch.chdir(tmp_path)
    needed: dict[str, tuple[Any, ...]] = {"compare": (1, 1), "export": ("x", "pages")}
    needed |= dict.fromkeys(("evaluate", "explain", "ingest", "remove", "report", "run", "tune"), (SITE,))
    checked = set()
    for verb, method in inspect.getmembers(gl.Collection, inspect.isfunction):
        if verb.startswith("_"):
            continue
        parameters = inspect.signature(method).parameters.values()
        for flag in [each.name for each in parameters if each.annotation in ("bool", "bool | None")]:
            checked.add(f"{verb} {flag}")
            with pytest.raises(TypeError, match=f"^{flag} is of type str, expected bool"):
                method(crawl, *needed.get(verb, ()), **{flag: "no"})
    assert checked >= {"classify title", "vote outlinks", "pages declared_unlike", "remove forget", "export csv_safe"}
    crawl.classify()
    assert crawl.pages(fetched=np.True_).first() is not None  # type: ignore[arg-type]
