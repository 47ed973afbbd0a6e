"""``graphlang run`` on a small archive, and every verb on what it made."""

import json
import re
import sqlite3
import weakref
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from graphlang.analysis import vote
from graphlang.analysis.reuse import reuse_job
from graphlang.cli.start import print_map
from graphlang.collection import Collection
from graphlang.content import registry
from graphlang.db import create
from graphlang.db.runs.run import get_chosen_run

Call = Callable[..., Result]


def rows(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_run_gives_every_page_a_language_and_prints_the_map(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    result = graphlang("run", museum, "--db", db, "--workers", 1)
    assert result.exit_code == 0, result.output
    assert "museum.example" in result.stdout
    assert "deu 100%" in result.stdout
    assert f"database: {db}" in result.stdout
    assert re.search(r"German +3 +\d and \d +\d\d\.\d%", result.stdout)
    languages = {row["url"]: row["language"] for row in rows(graphlang("pages", db, "--all", "--format", "jsonl"))}
    assert languages == {
        "http://museum.example/": "deu",
        "http://museum.example/karten.html": "deu",
        "http://museum.example/anna.html": "deu",  # its text, a name, says nothing: the links do
        "http://museum.example/nie-geholt.html": "deu",  # never fetched
        "http://musee.example/": "fra",
        "http://musee.example/luc.html": "zxx",  # only digits
    }


def test_the_model_is_let_go_before_the_links_are_read(
    graphlang: Call, museum: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[weakref.ref[object]] = []
    held: list[bool] = []
    load, ask = registry.load, vote.vote

    def load_and_watch(name: str) -> object:
        found = load(name)
        loaded.append(weakref.ref(found))
        return found

    def look_and_vote(*given: Any, **options: Any) -> object:
        held.extend(one() is not None for one in loaded)
        return ask(*given, **options)

    monkeypatch.setattr(registry, "load", load_and_watch)
    monkeypatch.setattr(vote, "vote", look_and_vote)
    assert graphlang("run", museum, "--db", tmp_path / "crawl.db", "--workers", 1).exit_code == 0
    assert held == [False]


def test_repeating_the_command_changes_nothing(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    graphlang("run", museum, "--db", db, "--workers", 1)
    connection = sqlite3.connect(db)
    before = list(connection.iterdump())
    again = graphlang("run", museum, "--db", db, "--workers", 1)
    assert "already read" in again.stderr
    assert again.stderr.endswith("nothing has changed since run 3\n")
    assert "propagation" not in again.stderr
    assert list(connection.iterdump()) == before
    connection.close()


@pytest.mark.parametrize(
    ("changed", "repeated"),
    [
        ("", True),
        ("DELETE FROM chosen", True),
        ("UPDATE runs SET finished = NULL WHERE kind = 'vote'", False),
        ("UPDATE runs SET parameters = json_set(parameters, '$.degree', 2.5) WHERE kind = 'propagation'", False),
        ("UPDATE runs SET parameters = json_set(parameters, '$.title', json('false')) WHERE kind = 'content'", False),
        ("UPDATE runs SET parameters = json_remove(parameters, '$.shares') WHERE kind = 'content'", False),
        ("UPDATE runs SET model_hash = 'other' WHERE kind = 'content'", False),
        ("UPDATE runs SET version = '0'", False),
        ("UPDATE sources SET readings = 2", False),
    ],
)
def test_a_job_is_repeated_where_anything_has_changed(
    run_museum: Callable[[Path], Path], tmp_path: Path, changed: str, *, repeated: bool
) -> None:
    with closing(create(run_museum(tmp_path / "crawl.db"))) as connection:
        before = get_chosen_run(connection)
        connection.execute(changed)
        final = reuse_job(connection, shares=None)
        assert final == (before if repeated else None)
        assert not repeated or get_chosen_run(connection) == before


def test_each_step_alone_gives_the_same_database(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    together, alone = tmp_path / "together.db", tmp_path / "alone.db"
    graphlang("run", museum, "--db", together, "--workers", 1)
    for step in (["ingest", alone, museum], ["classify", alone], ["vote", alone], ["propagate", alone]):
        assert graphlang(*step).exit_code == 0
    assert content(together) == content(alone)
    before = languages(alone)
    for db in (together, alone):
        assert graphlang("pages", db).exit_code == 0
    assert content(together) == content(alone)
    assert (
        languages(together) == languages(alone) == before
    )  # so few URLs that were only linked to are answered at once


def languages(db: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(db)
    found = connection.execute("SELECT url, language, confidence, runner_up FROM page_languages").fetchall()
    connection.close()
    return found


def content(db: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(db)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = []
    for table in sorted(tables):
        if table.startswith("_"):
            continue
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        timeless = ", ".join(column for column in columns if column not in ("started", "finished"))
        found += [(table, *row) for row in connection.execute(f"SELECT {timeless} FROM {table}")]
    connection.close()
    return found


def test_pages_can_be_filtered(graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)

    def urls(*arguments: object) -> list[object]:
        return [row["url"] for row in rows(graphlang("pages", db, "--format", "jsonl", *arguments))]

    assert len(urls("--language", "German")) == 3
    assert len(urls("--language", "German", "--all")) == 4
    both = urls("--language", "fr", "--language", "de")
    assert len(both) == len(urls("--language", "fr")) + len(urls("--language", "de")) > 3
    assert urls("--language", "fr,German") == both
    assert urls("--language", "fr", "--limit", 1) == ["http://musee.example/"]
    assert urls("--unfetched") == ["http://museum.example/nie-geholt.html"]
    assert urls("--fetched") == urls() != urls("--all")
    assert len(urls()) == 5
    assert urls("--host", "musee.example", "--language", "de") == []
    assert len(urls("--below", "1.0", "--min-confidence", "1.0", "--language", "und")) == len(urls("--below", "1.0"))
    assert graphlang("pages", db, "--language", "?").exit_code == 2


def test_sites_count_pages_by_language(graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    hosts = rows(graphlang("sites", db, "--format", "jsonl"))
    assert [
        (row["site"], row["language"], row["pages"], row["unfetched"], round(row["share"], 2)) for row in hosts
    ] == [
        ("museum.example", "deu", 3, 1, 1.0),
        ("musee.example", "zxx", 1, 0, 0.5),
        ("musee.example", "fra", 1, 0, 0.5),
    ]
    by_tld = rows(graphlang("sites", db, "--by", "tld", "--format", "jsonl"))
    assert [(row["site"], row["language"], round(row["share"], 2)) for row in by_tld] == [
        ("example", "deu", 0.6),
        ("example", "fra", 0.2),
        ("example", "zxx", 0.2),
    ]


def test_runs_can_be_listed_and_chosen(graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    listed = rows(graphlang("runs", db, "--format", "jsonl"))
    assert [(row["chosen"], row["id"], row["kind"], row["seeds"]) for row in listed] == [
        ("", 1, "content", ""),
        ("", 2, "vote", "1"),
        ("*", 3, "propagation", "1"),
    ]
    rows(graphlang("runs", db, "--choose", 1, "--format", "jsonl"))
    assert all(row["method"] in ("nfc", None) for row in rows(graphlang("pages", db, "--format", "jsonl")))
    missing = graphlang("runs", db, "--choose", 9)
    assert (missing.exit_code, missing.stderr) == (
        3,
        "Error: there is no run 9 in this database ('graphlang runs' lists them)\n",
    )


def test_explain_names_the_neighbours_and_their_sum(
    graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path
) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    url = "http://museum.example/anna.html"
    told = graphlang("explain", db, url)
    assert told.exit_code == 0
    assert "answer      deu (German)" in told.stdout
    assert "inlink" in told.stdout
    assert "http://museum.example/karten.html" in told.stdout
    found = json.loads(graphlang("explain", db, url, "--format", "json").stdout)
    assert abs(sum(reason["log_odds"] for reason in found["reasons"]) - found["log_odds"]) < 1e-6
    vote = json.loads(graphlang("explain", db, url, "--run", 2, "--format", "json").stdout)
    assert {reason["url"] for reason in vote["reasons"] if reason["source"] == "inlink"} == {
        "http://museum.example/",
        "http://museum.example/karten.html",
    }
    rounds = [f"{step['language']} {step['probability']:.3f}" for step in found["rounds"]]
    (shown,) = (line for line in told.stdout.splitlines() if line.startswith("  rounds"))
    steps = re.findall(r"(\w{3} \d\.\d{3})(?: \(x (\d+)\))?", shown)
    assert [words for words, times in steps for _ in range(int(times or 1))] == rounds
    assert len(steps) < len(rounds)
    assert all(one[0] != other[0] for one, other in pairwise(steps))
    never = graphlang("explain", db, "http://museum.example/nie-geholt.html")
    assert "never fetched" in never.stdout
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE captures SET status = NULL, mime = '', date = ''")
    bare = graphlang("explain", db, url)
    assert re.search(r"  page        no status, no media type, no date, in \S+/museum\.warc\.gz\n", bare.stdout)
    unknown = graphlang("explain", db, "http://nowhere.example/")
    assert (unknown.exit_code, unknown.stderr) == (
        3,
        "Error: the collection has no page http://nowhere.example/; the nearest: musee.example, museum.example\n",
    )


def test_the_map_of_a_run_has_the_greatest_share_first(
    graphlang: Call, write_warc: Callable[..., Path], tmp_path: Path
) -> None:
    french = "Il fait beau aujourd'hui et les enfants jouent dans le jardin derrière la vieille maison. "
    german = "Das Wetter ist heute schön und die Kinder spielen im Garten hinter dem alten Haus. "
    mostly = f"<p>{french * 12}</p><p>{german * 7}</p>".encode()
    pages = [("/a", mostly), ("/b", mostly), ("/c", f"<p>{german * 19}</p>".encode())]
    crawl = write_warc(tmp_path / "both.warc", [(f"http://both.example{path}", body) for path, body in pages])
    result = graphlang("run", crawl, "--db", tmp_path / "both.db", "--workers", 1)
    # Two of three pages are French in the main, but most of the text is German.
    found = re.search(r"^both\.example +3 +deu (\d+)%  fra (\d+)%$", result.stdout, re.MULTILINE)
    assert found, result.stdout
    assert int(found[1]) > int(found[2])
    first, *_ = rows(graphlang("sites", tmp_path / "both.db", "--format", "jsonl"))
    assert (first["language"], first["pages"]) == ("fra", 2)


def test_the_map_of_a_run_counts_languages_as_its_last_line_does(
    make_collection: Callable[..., Path], written: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page in eight languages, another in a ninth: six of them are an eighth of a page, and have no row."""
    parts = tuple((code, 0.125) for code in ("deu", "fra", "ita", "spa", "por", "cat", "glg", "ron"))
    pages = [("http://a.example/1", "deu", parts), ("http://a.example/2", "dan", ())]
    path = make_collection([written(url, language, 1.0, own=language, shares=its) for url, language, its in pages])
    print_map(Collection(path))
    out = capsys.readouterr().out
    assert re.search(r"a\.example +2  dan 89%  deu 11%\n", out)
    assert "2 pages read in 2 languages" in out


def test_evaluate_against_gold(graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path) -> None:
    db, gold = tmp_path / "crawl.db", tmp_path / "gold.tsv"
    run_museum(db)
    gold.write_text(
        "url\tlanguage\tbucket\n"
        "http://museum.example/\tde\tlong\n"
        "http://museum.example/anna.html\tdeu\tshort\n"
        "http://musee.example/\tde\tlong\n"  # wrong on purpose
        "http://musee.example/luc.html\tqqq-nonsense\tshort\n"
        "http://nowhere.example/\tde\tlong\n",
        encoding="utf-8",
    )
    result = graphlang("evaluate", db, "--gold", gold, "--by", "bucket", "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["gold"] == {
        "pages": 3,
        "missing": 1,
        "repeated": 0,
        "contradicted": 0,
        "empty": 0,
        "unknown_codes": {"qqq-nonsense": 1},
    }
    groups = {group["group"]: group for group in found["runs"][0]["groups"]}
    assert (groups["all"]["pages"], round(groups["all"]["accuracy"], 3)) == (3, 0.667)
    assert (groups["bucket short"]["pages"], groups["bucket short"]["accuracy"]) == (1, 1.0)
    assert groups["bucket long"]["accuracy"] == 0.5
    assert found["runs"][0]["confusion"] == [{"gold": "deu", "answer": "fra", "pages": 1}]
    table = graphlang("evaluate", db, "--gold", gold, "--all-runs")
    assert "run 1: content by nfc" in table.stdout
    assert "run 3: propagation" in table.stdout
    assert "unknown language code in the gold file: qqq-nonsense" in table.stderr


def test_a_run_says_which_one_it_started_from(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    graphlang("ingest", db, museum)
    for method in ("nfc", "nfc-2004"):
        graphlang("classify", db, "--method", method)
    assert "run 1: content by nfc, 5 pages\n" in graphlang("classify", db, "--method", "nfc").stderr  # it was there
    assert "converged after 2 rounds, from run 1\n" in graphlang("propagate", db).stderr  # chosen
    assert ", from run 1\n" in graphlang("vote", db, "--seed", 1).stderr


def test_a_gold_page_counts_once(graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path) -> None:
    db, gold = tmp_path / "crawl.db", tmp_path / "gold.tsv"
    run_museum(db)
    gold.write_text(
        "url\tlanguage\tbucket\n"
        "http://museum.example/\tde\tlong\n"
        "http://MUSEUM.example:80/#top\tdeu\tlong\n"  # the same page in another spelling
        "http://museum.example/anna.html\tdeu\tshort\n"
        "http://musee.example/\tde\tlong\n"
        "http://musee.example/\tfr\tlong\n"
        "http://musee.example/\tfr\tlong\n",
        encoding="utf-8",
    )
    result = graphlang("evaluate", db, "--gold", gold, "--by", "bucket", "--format", "json")
    found = json.loads(result.stdout)
    counted = {name: found["gold"][name] for name in ("pages", "missing", "repeated", "contradicted")}
    assert counted == {"pages": 2, "missing": 0, "repeated": 3, "contradicted": 1}
    groups = {group["group"]: group["pages"] for group in found["runs"][0]["groups"]}
    assert (groups["all"], groups["bucket long"], groups["bucket short"]) == (2, 1, 1)
    told = graphlang("evaluate", db, "--gold", gold).stderr
    assert "3 lines of the gold file repeat a page\n" in told
    assert "1 gold page skipped: lines with different languages for one page\n" in told
    gold.write_text("url\tlanguage\n", encoding="utf-8")
    empty = graphlang("evaluate", db, "--gold", gold)
    assert (empty.exit_code, empty.stderr) == (2, f"Error: {gold} names no page: it has no line but the header\n")
    gold.write_text("url\tlanguage\nhttp://nowhere.example/\tde\nhttp://museum.example/\txx\n", encoding="utf-8")
    other = graphlang("evaluate", db, "--gold", gold)
    words = "1 URL that it does not have, and 1 line with an unknown language code"
    assert (other.exit_code, other.stderr) == (3, f"Error: none of the pages of {gold} is in this database: {words}\n")


def test_compare_lists_what_changed_between_two_runs(
    graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path
) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    found = rows(graphlang("compare", db, 1, 3, "--format", "jsonl"))
    changed = {row["url"]: (row["before"] == "deu", row["after"], row["length"]) for row in found}
    assert changed == {
        "http://museum.example/anna.html": (False, "deu", 6),  # "Anna ."
        "http://museum.example/nie-geholt.html": (False, "deu", 0),
    }
    counted = rows(graphlang("compare", db, 1, 3, "--count", "--format", "jsonl"))
    assert sum(int(str(row["pages"])) for row in counted) == 2
    assert {row["bucket"] for row in counted} == {"0..24", "unfetched"}
    (read,) = rows(graphlang("compare", db, 1, 3, "--fetched", "--format", "jsonl"))
    assert read["url"] == "http://museum.example/anna.html"
    (count,) = rows(graphlang("compare", db, 1, 3, "--fetched", "--count", "--format", "jsonl"))
    assert (count["bucket"], count["pages"]) == ("0..24", 1)
    assert rows(graphlang("compare", db, 3, 3, "--format", "jsonl")) == []
    assert graphlang("compare", db, 1, 9).exit_code == 3


def test_frontier_ranks_what_was_never_fetched(
    graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path
) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    (found,) = rows(graphlang("frontier", db, "--want", "German,sw", "--format", "jsonl"))
    assert (found["url"], found["language"], found["referrers"]) == ("http://museum.example/nie-geholt.html", "deu", 1)
    # Its one referrer has fewer than 400 bytes, so that ClueWeb09's rule knows no language and does not fetch it.
    assert (found["clueweb09"], found["fetch"]) == ("", 0)
    assert float(str(found["chance"])) > 0.5
    (saturated,) = rows(graphlang("frontier", db, "--saturated", "de", "--format", "jsonl"))
    assert abs(float(str(saturated["chance"])) + float(str(found["chance"])) - 1) < 0.01
    assert graphlang("frontier", db, "--want", "de", "--saturated", "de").exit_code == 2
    assert "graphlang propagate" in graphlang("frontier", db, "--run", 1).stderr
    assert graphlang("frontier", db, "--want", "?").exit_code == 2


def test_clueweb09s_rule_is_a_run(graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    ruled = graphlang("vote", db, "--clueweb09", "--min-bytes", 100)
    assert (ruled.exit_code, "vote by clueweb09" in ruled.stderr) == (0, True), ruled.output
    found = {row["url"]: row for row in rows(graphlang("pages", db, "--all", "--format", "jsonl"))}
    never = found["http://museum.example/nie-geholt.html"]  # its one referrer is German and has 100 bytes or more
    assert (never["language"], never["confidence"], never["method"]) == ("deu", 1.0, "clueweb09")
    assert found["http://museum.example/anna.html"]["language"] != "deu"  # read: its text alone counts
    (candidate,) = rows(graphlang("frontier", db, "--want", "de", "--format", "jsonl"))
    assert (candidate["language"], candidate["chance"]) == ("deu", 1.0)
    told = json.loads(graphlang("explain", db, never["url"], "--format", "json").stdout)
    assert [reason["source"] for reason in told["reasons"]] == ["inlink"]
    graphlang("vote", db, "--clueweb09")
    assert "nie-geholt" not in "".join(
        str(row["url"]) for row in rows(graphlang("pages", db, "--all", "--language", "deu", "--format", "jsonl"))
    )
    for wrong in (["--min-bytes", 5], ["--clueweb09", "--outlinks"], ["--clueweb09", "--max-links", 3]):
        assert graphlang("vote", db, *wrong).exit_code == 2


def test_tune_writes_weights_that_propagate_reads(
    graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path
) -> None:
    db, gold, weights = tmp_path / "crawl.db", tmp_path / "gold.tsv", tmp_path / "weights.json"
    run_museum(db)
    gold.write_text("url\tlanguage\nhttp://museum.example/anna.html\tde\nhttp://musee.example/\tfr\n", encoding="utf-8")
    tuned = graphlang("tune", db, "--gold", gold, "-o", weights)
    assert tuned.exit_code == 0, tuned.output
    assert "2 gold pages on 2 sites" in tuned.stderr
    fitted = json.loads(weights.read_text(encoding="utf-8"))
    names = {"neighbours", "site", "directory", "hreflang", "link_order", "degree", "declared", "cctld", "url"}
    names.add("calibration")  # a power, not a weight of a signal
    together = graphlang("tune", db, "--gold", gold, "--also", db, gold, "--even", "-o", tmp_path / "both.json")
    assert "4 gold pages on 4 sites" in together.stderr  # of two collections, though they are one here
    (start,) = {line.split()[1] for line in together.stdout.splitlines() if line.split()[:1] == ["site"]}
    assert float(start) == 1
    absent = graphlang("tune", db, "--gold", gold, "--also", tmp_path / "no.db", gold, "-o", weights)
    assert absent.exit_code == 2
    assert set(fitted) == names
    assert graphlang("propagate", db, "--weights", weights, "--site", 0.125).exit_code == 0
    parameters = json.loads(str(rows(graphlang("runs", db, "--format", "jsonl"))[-1]["parameters"]))
    assert parameters["site"] == 0.125  # the option beside it wins
    assert parameters["neighbours"] == fitted["neighbours"]
    assert parameters["signals"]["cctld"] == fitted["cctld"]


@pytest.mark.parametrize(
    "words", ["{", "[]", '{"no-such-weight": 1}', '{"site": -1}', '{"site": NaN}', '{"site": "x"}']
)
def test_weights_that_are_none(graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path, words: str) -> None:
    db, weights = tmp_path / "crawl.db", tmp_path / "weights.json"
    run_museum(db)
    weights.write_text(words, encoding="utf-8")
    result = graphlang("propagate", db, "--weights", weights)
    assert (result.exit_code, "weights.json" in result.stderr) == (2, True)


@pytest.mark.parametrize("name", ["rounds", "certain-length", "degree"])
def test_a_limit_that_nothing_can_hold_is_refused(graphlang: Call, tmp_path: Path, name: str) -> None:
    """Of 401 digits numpy said "ufunc 'isfinite' not supported", and Python "int too large to convert to float"."""
    db, weights = tmp_path / "crawl.db", tmp_path / "weights.json"
    weights.write_text(json.dumps({name.replace("-", "_"): 10**400}), encoding="utf-8")
    for given in (f"--{name}", 10**400), ("--weights", weights):
        result = graphlang("propagate", db, *given)
        assert (result.exit_code, f"'--{name}'" in result.stderr) == (2, True), result.stderr


def test_urls_can_be_identified_and_classified(
    graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path
) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    assert graphlang("classify", db, "--method", "url", "--keep-chosen").exit_code == 0
    listed = rows(graphlang("runs", db, "--format", "jsonl"))
    assert [(row["kind"], row["method"], row["pages"], row["chosen"]) for row in listed][2:] == [
        ("propagation", "propagation", 6, "*"),  # and a URL that was only linked to
        ("url", "url", 6, ""),
    ]
    urls = b"http://www.spiegel.de/wirtschaft/unternehmen/a-123.html\n\nhttp://www.lemonde.fr/politique/article/\n"
    found = rows(graphlang("identify", "--method", "url", "--format", "jsonl", input_=urls))
    assert [row["language"] for row in found] == ["deu", "und", "fra"]


@pytest.mark.parametrize("method", ["url", "url-words-nb"])
def test_a_line_that_is_no_url_is_named(graphlang: Call, method: str) -> None:
    """The text "hello world" was once identified as the URL of an English page."""
    lines = b"hello world\n\nhttps://www.spiegel.de/wirtschaft/unternehmen/\nwww.spiegel.de/wirtschaft/unternehmen/\nZeitung\n"
    result = graphlang("identify", "--method", method, "--format", "jsonl", input_=lines)
    assert [row["language"] for row in rows(result)] == ["und", "und", "deu", "deu", "und"]
    assert result.stderr == "2 lines are not URLs (first: -:1), and und\n"
    assert result.exit_code == 0
    first = graphlang("identify", "--method", method, "--limit", 1, "--format", "jsonl", input_=lines)
    assert first.stderr == "1 line is not a URL (first: -:1), and und\n"
    alone = graphlang("identify", "--method", method, input_=b"spiegel.de\n")
    assert alone.stderr == ""


def test_the_top_level_domain_answers_with_its_commonest_language(
    graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path
) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    assert graphlang("classify", db, "--method", "tld").exit_code == 0
    found = rows(graphlang("pages", db, "--fetched", "--format", "jsonl"))
    # Of the three long pages under .example two are German.
    assert {(row["language"], row["confidence"]) for row in found} == {("deu", 0.6667), ("zxx", 1.0)}


def test_what_pages_declare_is_a_run_of_its_own(
    graphlang: Call, write_warc: Callable[[Path, Iterable[tuple[str, bytes]]], Path], tmp_path: Path
) -> None:
    db, archive = tmp_path / "crawl.db", tmp_path / "declared.warc.gz"
    write_warc(
        archive,
        [
            ("http://a.example/", b'<html lang="sr-Latn"><body>Ana</body></html>'),
            ("http://b.example/", b'<html lang="x-default"><body>Ana</body></html>'),
        ],
    )
    graphlang("ingest", db, archive, "--workers", 1)
    assert graphlang("classify", db, "--method", "declared").exit_code == 0
    found = rows(graphlang("pages", db, "--format", "jsonl"))
    assert [(row["language"], row["script"], row["confidence"]) for row in found] == [
        ("srp", "Latn", 0.7249),
        ("und", None, 0.0),
    ]


def test_identify_texts_files_and_lines(graphlang: Call, tmp_path: Path) -> None:
    file = tmp_path / "zeilen.txt"
    file.write_text("Das Wetter wird morgen leider wieder schlechter.\n\n12345 67\n", encoding="utf-8")
    found = rows(graphlang("identify", "--lines", "--format", "jsonl", file))
    assert [row["language"] for row in found] == ["deu", "und", "zxx"]
    assert [row["input"] for row in found] == [f"{file}:1", f"{file}:2", f"{file}:3"]
    whole = rows(graphlang("identify", "--format", "jsonl", input_=b"Le chat dort dans le jardin de ma voisine."))
    assert [(row["input"], row["language"], row["script"]) for row in whole] == [("-", "fra", "Latn")]


def test_info_counts(graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    counts = {(row["what"], row["value"]): row["count"] for row in rows(graphlang("info", db, "--format", "jsonl"))}
    assert counts["pages", None] == 6
    assert counts["pages read", None] == 5
    assert counts["links", "anchor"] == counts["links", None] == 7
    assert counts["language of pages of text", "deu"] == 3
    assert counts["problems", None] == 0
    told = {value.partition(": ")[0]: value for what, value in counts if what == "method of runs"}
    assert set(told) == {"nfc", "inlinks", "propagation"}
    assert told["nfc"] == "nfc: discriminative descendant of NFC"


def test_methods_are_listed(graphlang: Call) -> None:
    names = [row["method"] for row in rows(graphlang("methods", "--format", "jsonl"))]
    assert {"nfc", "nfc-2004"} <= set(names)


def test_languages_to_look_for_may_be_named_one_by_one(
    graphlang: Call, run_museum: Callable[[Path], Path], tmp_path: Path
) -> None:
    db = tmp_path / "crawl.db"
    run_museum(db)
    together = graphlang("frontier", db, "--want", "deu,fra", "--format", "tsv")
    apart = graphlang("frontier", db, "--want", "fra", "--want", "deu", "--format", "tsv")
    assert together.stdout == apart.stdout
    assert apart.stdout != graphlang("frontier", db, "--want", "fra", "--format", "tsv").stdout
