"""A correction of a page is certain: its neighbours learn from it, later runs keep it, and it can be undone."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlang.analysis.classify import enter_label_names
from graphlang.analysis.correct import PageLabel, correct, undo
from graphlang.analysis.explain import explain, find_url
from graphlang.analysis.frontier import rank_frontier
from graphlang.analysis.propagate import propagate
from graphlang.analysis.vote import guess, vote
from graphlang.codes.languages import LanguageChoice, parse_choice
from graphlang.collection import Collection
from graphlang.db import InputError, Link, LinkKind, Page, collection, corrections, create
from graphlang.db.remove import remove, scrub
from graphlang.db.runs.answers import RunAnswers, write_answers
from graphlang.db.runs.lifecycle import finish_run, start_run
from graphlang.db.runs.run import get_run
from graphlang.db.write.writer import HostParts, Writer, finish
from graphlang.evaluation.evaluate import evaluate, read_gold

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from pathlib import Path

HUB, ONE, TWO, UNREAD, LONG, OTHER = (f"http://a.example/{name}" for name in ("", "1", "2", "3", "long", "other"))
#: Links of each page. The hub links to two short pages and to a URL that was never fetched; nothing else does.
LINKS = {HUB: (ONE, TWO, UNREAD), ONE: (), TWO: (), LONG: (), OTHER: ()}
#: Letters of each page, and what its text may be.
TEXTS: dict[str, tuple[int, dict[str, float]]] = {
    HUB: (12, {"eng": 0.5, "swa": 0.4, "srp_Latn": 0.1}),
    ONE: (10, {"eng": 0.5, "swa": 0.4}),
    TWO: (10, {"eng": 0.5, "swa": 0.4}),
    LONG: (900, {"eng": 1.0}),
    OTHER: (900, {"swa": 1.0}),
}


def site(url: str) -> HostParts:
    host = url.split("/")[2]
    return HostParts(host, host, "example", "example")


def read(connection: sqlite3.Connection, source: int, urls: dict[str, tuple[str, ...]]) -> None:
    connection.execute(
        "INSERT INTO sources (id, name, sha256, bytes) VALUES (?, ?, ?, 1)", (source, f"{source}.warc", f"{source}")
    )
    pages = [
        Page(url=url, offset=0, text="...", links=tuple(Link(to, LinkKind.ANCHOR) for to in to_all))
        for url, to_all in urls.items()
    ]
    Writer(connection, site).add(source, pages, position=len(pages), finished=True)
    finish(connection)


def classified(connection: sqlite3.Connection) -> None:
    """A content run by hand."""
    run = start_run(connection, kind="content", method="by-hand", parameters={}, version="1").id
    known = [
        (page, *TEXTS[url]) for page, url in connection.execute("SELECT id, url FROM pages ORDER BY id") if url in TEXTS
    ]
    table = {label: enter_label_names(connection, [label])[0] for _, _, scores in known for label in scores}
    top = np.full((len(known), 3), -1), np.zeros((len(known), 3))
    for row, (_, _, scores) in enumerate(known):
        for rank, (label, score) in enumerate(scores.items()):
            top[0][row, rank], top[1][row, rank] = table[label], score
    pages, length = (np.array([one[place] for one in known]) for place in (0, 1))
    answers = RunAnswers(pages, top[0][:, 0], top[1][:, 0], top[0][:, 1], top[1][:, 1], length)
    write_answers(connection, run, answers, top)
    finish_run(connection, run, pages=len(known))


def crawl(path: Path) -> sqlite3.Connection:
    connection = create(path)
    read(connection, 1, LINKS)
    classified(connection)
    return connection


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(crawl(tmp_path / "a.db")) as made:
        yield made


def read_languages(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT url, language FROM page_languages"))


def answers(connection: sqlite3.Connection, run: int) -> list[list[tuple[object, ...]]]:
    """All that a run answered."""
    named = "JOIN labels ON labels.id = {0}.label WHERE run = ? ORDER BY page"
    second = "(SELECT label FROM labels WHERE id = runner_up)"
    rows = (
        ("predictions", f"labels.label, confidence, {second}, runner_up_confidence, characters"),
        ("scores", "rank, labels.label, score"),
        ("linked_predictions", "labels.label, confidence, runner_up_confidence"),
    )
    queries = [f"SELECT page, {columns} FROM {table} {named.format(table)}" for table, columns in rows]
    return [connection.execute(query, (run,)).fetchall() for query in queries]


def say(connection: sqlite3.Connection, url: str, language: str, note: str = "") -> None:
    correct(connection, [PageLabel(url, language, note)], by="Asha")


def test_a_corrected_page_votes_however_short_it_is(connection: sqlite3.Connection) -> None:
    """Before, the hub is too short to vote, and the URL that only it links to gets no vote; then it has all votes.

    The two short pages have one vote of their own and one of the hub: a tie, which keeps their own answer.
    """
    vote(connection)
    assert read_languages(connection) == {HUB: "eng", ONE: "eng", TWO: "eng", UNREAD: "und", LONG: "eng", OTHER: "swa"}
    say(connection, HUB, "sw")
    vote(connection)
    assert read_languages(connection) == {HUB: "swa", ONE: "eng", TWO: "eng", UNREAD: "swa", LONG: "eng", OTHER: "swa"}
    trace = explain(connection, UNREAD)
    assert [(reason.source, reason.url, reason.language) for reason in trace.reasons] == [("inlink", HUB, "swa")]
    votes = connection.execute(
        "SELECT confidence, runner_up, runner_up_confidence FROM page_languages WHERE url = ?", (ONE,)
    )
    assert votes.fetchall() == [(0.5, "swa", 0.5)]


def test_a_corrected_page_turns_its_two_short_neighbours(connection: sqlite3.Connection) -> None:
    propagate(connection)
    before = read_languages(connection)
    assert (before[HUB], before[ONE], before[TWO], before[UNREAD]) == ("eng", "eng", "eng", "eng")
    say(connection, HUB, "Swahili", "read it aloud")
    assert read_languages(connection) == before | {HUB: "swa"}  # at once, and the others not yet
    run = propagate(connection)
    assert run.id == 3
    assert read_languages(connection) == before | {HUB: "swa", ONE: "swa", TWO: "swa", UNREAD: "swa"}
    row = connection.execute(
        "SELECT labels.label, confidence, runner_up, characters FROM predictions"
        " JOIN labels ON labels.id = predictions.label JOIN pages ON pages.id = page WHERE run = 3 AND url = ?",
        (HUB,),
    )
    assert row.fetchall() == [("swa", 1.0, None, 12)]
    why = explain(connection, ONE)
    spoke = {(reason.source, reason.url): reason for reason in why.reasons}
    assert spoke["inlink", HUB].language == "swa"
    assert spoke["inlink", HUB].log_odds > 0
    own = explain(connection, HUB)
    assert own.by_hand
    assert [reason.source for reason in own.reasons if reason.url is None] == ["correction"]


@pytest.mark.parametrize(
    "url", [TWO, "a.example/2", "www.a.example/2", "https://www.a.example/2", "HTTP://A.example/2/"]
)
def test_a_page_is_found_without_its_scheme_and_with_www(connection: sqlite3.Connection, url: str) -> None:
    assert find_url(connection, url) == TWO


def test_the_views_show_it_before_any_run(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        read(connection, 1, LINKS)
        say(connection, HUB, "sr-Latn")
        row = "SELECT language, script, confidence, runner_up, method, run, pending FROM page_languages WHERE url = ?"
        assert connection.execute(row, (HUB,)).fetchall() == [("srp", "Latn", 1.0, None, "correction", None, 0)]
        assert connection.execute("SELECT language, pages, unfetched FROM site_languages ORDER BY 1").fetchall() == [
            ("srp", 1, 0),
            ("und", 4, 1),
        ]


def test_the_script_is_that_of_the_text_unless_it_is_said(connection: sqlite3.Connection) -> None:
    for url, tag in ((HUB, "sr"), (ONE, "sr"), (TWO, "sr-Latn"), (UNREAD, "zh-TW"), (LONG, "zxx"), (OTHER, "und")):
        say(connection, url, tag)
    scripts = {one.url: (one.language, one.script) for one in corrections.read_corrections(connection)}
    assert scripts == {
        HUB: ("srp", "Latn"),
        ONE: ("srp", "Cyrl"),
        TWO: ("srp", "Latn"),
        UNREAD: ("zho", "Hant"),
        LONG: ("zxx", None),
        OTHER: ("und", None),
    }


def test_of_a_page_without_language_nothing_is_learned(connection: sqlite3.Connection) -> None:
    """Nothing else links to the one long page in Swahili: without it no page can be in Swahili but by its text."""
    say(connection, OTHER, "zxx")
    say(connection, LONG, "und")
    propagate(connection)
    row = "SELECT language, confidence, characters FROM page_languages WHERE url = ?"
    assert connection.execute(row, (OTHER,)).fetchall() == [("zxx", 1.0, 0)]
    assert connection.execute(row, (LONG,)).fetchall() == [("und", 1.0, 0)]
    assert connection.execute("SELECT COUNT(*) FROM predictions WHERE run = 2").fetchone() == (5,)


def test_the_frontier_takes_a_language_in_the_script_that_is_wanted(connection: sqlite3.Connection) -> None:
    say(connection, UNREAD, "zh-TW")
    run = propagate(connection, linked=False)

    def chance(want: Sequence[str] = (), saturated: Sequence[str] = ()) -> float:
        named = {"want": [parse_choice(tag) for tag in want], "saturated": [parse_choice(tag) for tag in saturated]}
        (row,) = rank_frontier(connection, run=run, **named)
        assert (row.language, row.script) == ("zho", "Hant")
        return row.chance

    assert [chance([tag]) for tag in ("zh-TW", "zho_Hant", "zh", "zh-CN", "deu")] == [1, 1, 1, 0, 0]
    assert [chance((), [tag]) for tag in ("zh-TW", "zh-CN", "zh")] == [0, 1, 0]
    assert (chance(["zh"], ["zh-CN"]), chance(["zh"], ["zh-TW"])) == (1, 0)
    for enough in ("zh", "zh-TW"):
        with pytest.raises(InputError, match="zho-Hant cannot be wanted and saturated at once"):
            chance(["zh-TW"], [enough])


def test_a_url_that_was_never_fetched_can_be_corrected(connection: sqlite3.Connection) -> None:
    say(connection, UNREAD, "swa")
    run = propagate(connection, linked=False)
    assert read_languages(connection)[UNREAD] == "swa"  # though nobody has asked for the run's answer yet
    found = rank_frontier(connection, run=run, want=[LanguageChoice("swa")])
    rows = [(row.chance, row.language, row.confidence) for row in found]
    assert rows == [(1.0, "swa", 1.0)]
    propagate(connection)
    told = connection.execute(
        "SELECT labels.label, confidence, runner_up FROM linked_predictions"
        " JOIN labels ON labels.id = linked_predictions.label"
    )
    assert told.fetchall() == [("swa", 1.0, None)]


def test_clueweb09s_rule_believes_it(connection: sqlite3.Connection) -> None:
    say(connection, HUB, "swa")
    guess(connection, min_bytes=400)
    assert read_languages(connection)[UNREAD] == "swa"  # the hub has three bytes of text


def test_label_spreading_starts_from_it(connection: sqlite3.Connection) -> None:
    say(connection, HUB, "swa")
    propagate(connection, algorithm="label-spreading")
    assert {url: read_languages(connection)[url] for url in (HUB, ONE, TWO, UNREAD)} == dict.fromkeys(
        (HUB, ONE, TWO, UNREAD), "swa"
    )


def test_later_readings_and_runs_keep_it(connection: sqlite3.Connection) -> None:
    late = "http://a.example/late"
    correct(connection, [PageLabel(HUB, "swa"), PageLabel(late, "deu")], by="Asha")
    first = propagate(connection)
    read(connection, 2, {HUB: (ONE, TWO, UNREAD, late), late: ()})
    classified(connection)
    second = propagate(connection, update=False)
    assert second.id > first.id
    assert read_languages(connection) == {
        HUB: "swa",
        ONE: "swa",
        TWO: "swa",
        UNREAD: "swa",
        LONG: "eng",
        OTHER: "swa",
        late: "deu",
    }
    connection.execute("DELETE FROM captures WHERE page = 1")
    connection.execute("DELETE FROM pages WHERE id = 1")
    read(connection, 3, {HUB: ()})
    assert read_languages(connection)[HUB] == "swa"


def test_the_last_correction_counts_and_undoing_it_brings_the_one_before_back(connection: sqlite3.Connection) -> None:
    propagate(connection)
    say(connection, HUB, "swa", "first")
    say(connection, HUB, "deu", "second")
    assert read_languages(connection)[HUB] == "deu"
    assert undo(connection, [HUB], by="Ben") == 1
    assert read_languages(connection)[HUB] == "swa"
    assert undo(connection, [], hosts=["a.example"]) == 1
    assert undo(connection, [HUB]) == 0
    assert read_languages(connection)[HUB] == "eng"
    history = [
        (one.language, one.note, one.former, one.undone is None, one.undone_by)
        for one in corrections.read_corrections(connection, everything=True)
    ]
    assert history == [("swa", "first", "eng", False, None), ("deu", "second", "swa", False, "Ben")]
    assert list(corrections.read_corrections(connection)) == []


def test_what_is_in_force_is_not_said_twice(connection: sqlite3.Connection) -> None:
    for note in ("heard it", "heard it", "read it"):
        say(connection, HUB, "swa", note)
    assert [one.note for one in corrections.read_corrections(connection, everything=True)] == ["heard it", "read it"]
    undo(connection, [HUB])
    assert [one.note for one in corrections.read_corrections(connection)] == ["heard it"]


def test_undone_the_answers_are_to_the_byte_those_of_a_collection_that_never_had_it(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    say(connection, HUB, "swa")
    with_it = propagate(connection)
    undo(connection, [HUB])
    without = propagate(connection)
    with closing(crawl(tmp_path / "never.db")) as never:
        expected = propagate(never)
        assert answers(connection, without.id) == answers(never, expected.id)
        assert answers(connection, with_it.id) != answers(never, expected.id)
        assert without.inputs == expected.inputs
        assert without.collection == expected.collection


def test_a_run_from_before_is_taken_again_once_the_correction_is_undone(connection: sqlite3.Connection) -> None:
    before = propagate(connection)
    vote(connection)
    say(connection, ONE, "deu")
    assert propagate(connection, update=True).id == 4
    assert vote(connection).id == 5
    undo(connection, [ONE])
    assert propagate(connection, update=True).id == before.id
    assert vote(connection).id == 3


def test_urls_only_linked_to_are_answered_before_the_run_is_out_of_date(connection: sqlite3.Connection) -> None:
    two = (vote(connection, linked=False), propagate(connection, linked=False))
    say(connection, LONG, "deu")
    assert [get_run(connection, run.id).linked for run in two] == [True, True]
    assert read_languages(connection)[UNREAD] == "eng"


def test_evaluate_counts_corrected_pages_apart(connection: sqlite3.Connection, tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text(f"url\tlanguage\n{HUB}\tswa\n{ONE}\tswa\n{LONG}\teng\n{OTHER}\tdeu\n")
    say(connection, HUB, "swa")
    run = propagate(connection)

    def groups() -> dict[str, tuple[int, float]]:
        found = evaluate(connection, read_gold(connection, gold, None), run)
        assert found.confusion == [("deu", "swa", 1)]
        return {group.group: (group.pages, group.accuracy) for group in found.groups}

    right = groups()
    assert right["all"] == (3, pytest.approx(2 / 3))
    assert right["corrected"] == (1, 1.0)
    undo(connection, [HUB])
    assert groups() == right  # this run saw it


def test_a_takedown_takes_the_correction_and_its_note(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    never = "http://geheim.example/never-read"
    with closing(crawl(path)) as connection:
        correct(
            connection,
            [PageLabel(ONE, "swa", "geheim"), PageLabel(never, "deu", "geheim too"), PageLabel(TWO, "eng")],
            by="Asha",
        )
        done = remove(connection, [ONE], ["geheim.example"], host_of=lambda url: url.split("/")[2], canonical=str)
        scrub(connection, vacuum=False)
        assert done.corrections == 2
        assert [one.url for one in corrections.read_corrections(connection, everything=True)] == [TWO]
        with pytest.raises(InputError, match="was removed"):
            say(connection, ONE, "swa")
    assert not any(b"geheim" in file.read_bytes() for file in tmp_path.glob("a.db*"))


def test_either_all_is_taken_or_nothing(connection: sqlite3.Connection) -> None:
    for said, words in (
        (PageLabel("ftp://a.example/", "swa"), "not an http"),
        (PageLabel(HUB, "Elbisch"), "http://a.example/: unknown language 'Elbisch'"),
    ):
        with pytest.raises(InputError, match=words):
            correct(connection, [PageLabel(ONE, "swa"), said], by="Asha")
    with pytest.raises(InputError, match="is empty"):
        correct(connection, [PageLabel(ONE, "swa")], by=" ")
    assert list(corrections.read_corrections(connection, everything=True)) == []


@settings(max_examples=6)
@given(st.permutations([(HUB, "swa"), (ONE, "deu"), (UNREAD, "srp-Latn"), (LONG, "zxx")]))
def test_the_order_of_corrections_of_different_pages_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str]]
) -> None:
    found = []
    for number, order in enumerate((said, sorted(said))):
        with closing(crawl(tmp_path_factory.mktemp("order") / f"{number}.db")) as connection:
            for url, language in order:
                say(connection, url, language)
            found.append(answers(connection, propagate(connection).id))
    assert found[0] == found[1]


@settings(max_examples=6)
@given(st.sets(st.sampled_from([LONG, OTHER])))
def test_to_say_what_was_certain_changes_no_language_and_no_other_page(
    tmp_path_factory: pytest.TempPathFactory, urls: set[str]
) -> None:
    languages, others = [], []
    for number, said in enumerate(([], sorted(urls))):
        with closing(crawl(tmp_path_factory.mktemp("sure") / f"{number}.db")) as connection:
            for url in said:
                say(connection, url, next(iter(TEXTS[url][1])))
            same = {collection.find_page(connection, url) for url in TEXTS if url not in urls}
            tables = [*answers(connection, propagate(connection).id), *answers(connection, vote(connection).id)]
            languages.append(read_languages(connection))
            others.append([[row for row in table if row[0] in same] for table in tables])
    assert languages[0] == languages[1]
    assert others[0] == others[1]


def test_the_library_has_the_verbs(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    crawl(path).close()
    made = Collection(path)
    assert made.correct(HUB, "http://new.example/", language="sw", by="Asha", note="heard it") == (1, 1)
    assert made.correct(hosts=["a.example"], language="de", by="Ben").pages == 6
    assert [(row.url, row.language, row.corrected_by) for row in made.corrections()][:2] == [
        ("http://new.example/", "swa", "Asha"),
        (HUB, "deu", "Ben"),
    ]
    assert len(list(made.corrections(everything=True))) == 8
    assert made.undo_corrections(hosts=["a.example"]) == 6
    assert {row.url: row.language for row in made.pages(everything=True)}[HUB] == "swa"
