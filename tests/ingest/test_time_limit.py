"""A page that takes too long is given up, its neighbours are kept, with one worker and with several."""

from __future__ import annotations

import marshal
import re
import signal
import threading
import time
from dataclasses import astuple
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphlang.db.records import Page, Problem
from graphlang.ingest import Limits, iterate_batches, page
from graphlang.ingest.limits import TimeLimit, TimeLimitError

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Archive


def spin() -> None:
    """Run until it is ended."""
    end = time.process_time() + 30
    while time.process_time() < end:
        pass


def test_a_page_that_takes_too_long_is_told_and_its_neighbours_are_kept(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract_links = page.extract_links

    def slow(url: str, *arguments: object) -> object:
        try:
            return spin() if url.endswith("/2") else extract_links(url, *arguments)
        except Exception:  # noqa: BLE001 - as a careless library would
            pytest.fail("the limit is no error of the page")

    path = tmp_path / "a.warc"
    body = b"<meta charset=latin1><p>Hello"  # of a page that is read step by step
    path.write_bytes(b"".join(archive.warc(f"http://a.example/{number}", body) for number in (1, 2, 3)))
    list(iterate_batches([(path, 0)]))  # whatever is imported late
    monkeypatch.setattr(page, "extract_links", slow)
    before = signal.getsignal(signal.SIGVTALRM)
    items = [item for batch in iterate_batches([(path, 0)], limits=Limits(max_seconds=0.3)) for item in batch.items]
    assert [item.url for item in items] == [f"http://a.example/{number}" for number in (1, 2, 3)]
    first, problem, last = items
    assert isinstance(first, Page)
    assert isinstance(last, Page)
    assert problem == Problem(
        "too-slow", "not parsed within 0.3 seconds of processor time", len(path.read_bytes()) // 3, "http://a.example/2"
    )
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_an_error_that_is_swallowed_comes_again() -> None:
    def careless() -> None:
        try:
            spin()
        except TimeLimitError:
            spin()

    with pytest.raises(TimeLimitError), TimeLimit(0.1):
        careless()


def test_what_is_quick_is_not_disturbed_and_without_a_bound_nothing_is() -> None:
    for seconds in (0.1, 0.0):
        with TimeLimit(seconds):
            pass
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass


def test_in_other_threads_there_is_no_bound() -> None:
    done = []

    def work() -> None:
        with TimeLimit(0.05):
            end = time.process_time() + 0.2
            while time.process_time() < end:
                pass
        done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


def test_held_from_page_to_page_the_bound_is_kept_and_given_back() -> None:
    before, limit, other = signal.getsignal(signal.SIGVTALRM), TimeLimit(0.05), TimeLimit(0.05)
    with limit.hold():
        ours = signal.getsignal(signal.SIGVTALRM)
        assert ours is not before
        with limit:
            pass
        with other.hold():
            assert signal.getsignal(signal.SIGVTALRM) == ours
        with pytest.raises(TimeLimitError), other:  # ended, the other reading takes the handler from nobody
            spin()
        assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGVTALRM) is before


def test_a_page_among_many_may_see_eight_ticks_of_the_timer() -> None:
    limit = TimeLimit(8_000.0)
    with limit.hold():
        for ticks in (8, 3, 9, 8):
            seen = 0
            try:
                with limit:
                    assert signal.getitimer(signal.ITIMER_VIRTUAL)[1] == 1_000.0
                    for _ in range(ticks):
                        signal.raise_signal(signal.SIGVTALRM)
                        seen += 1
            except TimeLimitError:
                assert signal.getitimer(signal.ITIMER_VIRTUAL)[1] == 0.5
            assert seen == min(ticks, 8)
            signal.raise_signal(signal.SIGVTALRM)  # between pages it does nothing
        limit.pause()
        assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_a_reading_that_is_ended_in_another_thread_leaves_a_handler_that_does_nothing() -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    hold = TimeLimit(1.0).hold()
    hold.__enter__()
    thread = threading.Thread(target=hold.__exit__, args=(None, None, None))
    thread.start()
    thread.join()
    try:
        signal.raise_signal(signal.SIGVTALRM)  # which would end the process by default
        with pytest.raises(TimeLimitError), TimeLimit(0.05):
            spin()
    finally:
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("seconds", [1e9, 1e300, float("inf")])
def test_a_bound_beyond_what_timers_take_is_none(archive: Archive, tmp_path: Path, seconds: float) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(
        archive.warc("http://a.example/1", http=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLink: <x>\r\n")
    )
    batches = iterate_batches([(path, 0)], limits=Limits(max_seconds=seconds))
    ((item,),) = (batch.items for batch in batches if batch.items)
    assert isinstance(item, Page), item


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("text_limit", -1, "text_limit is -1; it must be from 0 to"),
        ("max_links", "5", "max_links is of type str, expected int"),
        ("max_links", 1 << 30, f"max_links is {1 << 30}; it must be from 0 to {1 << 29}"),
        ("max_payload", 1e6, "max_payload is of type float, expected int"),
        ("max_depth", True, "max_depth is of type bool, expected int"),
        ("max_url", None, "max_url is of type NoneType, expected int"),
        ("max_seconds", float("nan"), "max_seconds is nan; it must be from 0 to inf"),
        ("max_seconds", "60", "max_seconds is of type str, expected a number"),
        ("max_seconds", -(10**400), "max_seconds is a negative number of 1,329 bits, which is too large"),
        ("max_ratio", 10**400, "max_ratio is a whole number of 1,329 bits; it must be from 0 to"),
        ("max_links", np.float64(5), "max_links is of type float64, expected int"),
        ("plain_urls", "no", "plain_urls is of type str, expected bool"),
    ],
)
def test_limits_that_are_none_are_refused_and_no_page_is_lost_by_them(name: str, given: object, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        Limits(**{name: given})  # type: ignore[arg-type]
    assert (Limits(text_limit=None).text_limit, Limits(max_links=1 << 29).max_links) == (None, 1 << 29)


def test_limits_out_of_a_table_are_as_those_of_python() -> None:
    """Workers get limits by marshal, which writes numpy values as bytes, and the bytes of False are true."""
    given = Limits(
        max_links=np.int64(5),  # type: ignore[arg-type]
        text_limit=np.uint16(300),  # type: ignore[arg-type]
        max_seconds=np.float32(0.5),  # type: ignore[arg-type]
        plain_urls=np.False_,  # type: ignore[arg-type]
    )
    assert given == Limits(max_links=5, text_limit=300, max_seconds=0.5)
    kinds = {type(getattr(given, name)) for name in ("max_links", "text_limit", "max_seconds", "plain_urls")}
    assert kinds == {int, float, bool}
    sent = marshal.loads(marshal.dumps(astuple(given)))  # noqa: S302  as between processes
    assert Limits(*sent) == given
