"""What Datasette makes of a collection, asked without a network; and databases that cannot be written to."""

import asyncio
import html
import http.client
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from graphlang.db import open_existing
from graphlang.serve.site import QUERIES, describe_database, make_index

Call = Callable[..., Any]
EVIL = "<script>alert(1)</script>\u202e\x1b[2J\x00"
LEADING_OUT = "http://evil.example/"


@pytest.fixture
def db(make_collection: Call, written: Any) -> Path:
    path: Path = make_collection(
        [
            written(
                *("http://a.example/", "deu", 0.9),
                own="und",
                own_confidence=0.0,
                title=EVIL,
                text="Guten Tag",
                links=(1,),
            ),
            written("http://b.example/", "jpn", 0.7, own="jpn", title=LEADING_OUT, text="東京都の天気予報です"),
            written("http://c.example/", "tha", 0.9, fetched=False),
            written("http://d.example/", "ces", 0.9, own="ces", text="Dobrý den"),
            written("http://e.example/", "tha", 0.9, own="tha", text="ยินดีต้อนรับสู่พิพิธภัณฑ์"),
        ]
    )
    declared = ((1, "html-lang", "ja"), (2, "html-lang", "ja"), (4, "html-lang", "cs"), (5, "robots", "noindex"))
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany("INSERT INTO declarations VALUES (?, ?, ?)", declared)
        connection.commit()
    return path


def close(site: Any) -> None:
    """Close the connections of a Datasette and end its threads: it has no way to, and Python 3.13 tells of each."""
    from datasette.database import WriteTask, connections  # noqa: PLC0415 - not without Datasette

    readers = len(site.executor._threads)
    together = threading.Barrier(readers + 1, timeout=60)  # so that each thread has one of the tasks

    def end_reader() -> None:
        together.wait()
        for connection in vars(connections).values():
            connection.close()

    def end_writer(connection: sqlite3.Connection) -> None:
        connection.close()
        raise SystemExit  # which ends a thread, and no more

    done = [site.executor.submit(end_reader) for _ in range(readers)]
    together.wait()
    for task in done:
        task.result()
    site.executor.shutdown()
    for database in site.databases.values():
        if database._write_thread is not None:
            database._write_queue.put(WriteTask(end_writer, None, None))
            database._write_thread.join()
        database.close()


@pytest.fixture
def ask(db: Path, tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    pytest.importorskip("datasette", reason="Datasette is not installed: pip install 'graphlang[serve]'")
    from graphlang.serve.site import make_datasette  # noqa: PLC0415 - not without Datasette

    make_index(db, tmp_path / "search.db")
    site = make_datasette(db, tmp_path / "search.db")

    async def asked(path: str) -> Any:
        await site.invoke_startup()
        return await site.client.get(path, follow_redirects=True)

    yield lambda path: asyncio.run(asked(path))
    close(site)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", QUERIES)
def test_every_query_is_answered(ask: Callable[[str], Any], name: str) -> None:
    answer = ask(f"/crawl/{name}.json?_shape=array&language=tha&from_language=deu&to_language=jpn")
    assert answer.status_code == 200, answer.text
    rows = answer.json()
    expected = {
        "changed": ["http://a.example/"],
        "doubtful_sites": [],
        "unfetched": ["http://c.example/"],
        "links_between": ["http://a.example/"],
        "declared_otherwise": ["http://a.example/"],  # Japanese is not German; cs is ces
    }[name]
    if name == "doubtful_sites":
        assert [row["host"] for row in rows] == ["b.example"]
    else:
        assert [row.get("url") or row.get("source_url") for row in rows] == expected


@pytest.mark.filterwarnings("ignore")
def test_words_are_found_in_scripts_without_blanks(ask: Callable[[str], Any]) -> None:
    rows = ask(f"/search/search.json?_shape=array&words={quote('天気予')}").json()
    assert [row["url"] for row in rows] == ["http://b.example/"]
    rows = ask(f"/search/search.json?_shape=array&words={quote('พิพิธ')}").json()
    assert [row["url"] for row in rows] == ["http://e.example/"]
    quoted = quote('x" OR "y')
    assert ask(f"/search/search.json?_shape=array&words={quoted}").json() == []


@pytest.mark.filterwarnings("ignore")
def test_nothing_can_be_written_and_nothing_of_the_crawl_is_markup(ask: Callable[[str], Any]) -> None:
    page = ask("/crawl/texts")
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\u202e\\x1b[2J\\x00" in page.text
    assert LEADING_OUT in page.text
    assert f'href="{LEADING_OUT}' not in page.text
    assert ask("/crawl.json?sql=DELETE+FROM+pages").status_code in (400, 403)
    assert 'href="/-/why?url=http%3A%2F%2Fa.example%2F"' in ask("/crawl/pages").text
    assert ask("/-/why?url=http://nowhere.example/").status_code == 404
    scripts = [ask(f"/-/search?words={words}").text.count("<script>") for words in ("a%3Cscript%3E", "abc")]
    assert scripts[0] == scripts[1]


@pytest.mark.filterwarnings("ignore")
def test_the_home_page_has_a_search_languages_and_views_and_hides_the_tables_behind_them(
    ask: Callable[[str], Any],
) -> None:
    page = ask("/").text
    assert "4 pages in 4 languages, 0 undetermined; 1 more URLs were only linked to." in page
    assert 'action="/-/search"' in page
    german = re.findall(r'href="(/crawl/page_languages[?][^"]*language=deu)"', page)[0].replace("&amp;", "&")
    assert ask(german).text.count("http://a.example/ <a") == 1
    tables = {table["name"]: table["hidden"] for table in ask("/crawl.json").json()["tables"]}
    assert (tables["predictions"], tables["problems"]) == (True, False)


@pytest.mark.filterwarnings("ignore")
def test_why_is_in_words_with_links_to_neighbours_and_the_command_that_corrects(ask: Callable[[str], Any]) -> None:
    page = re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]*>", "", ask("/-/why?url=b.example").text)))
    assert "http://b.example/ answer jpn (Japanese) in Jpan, confidence 0.700 (run 2, propagation by bp)" in page
    assert "/crawl.db http://b.example/ --language CODE --by NAME" in page


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("天気予", "東京都の<mark>天気予</mark>報です"),
        ("tag", "Guten <mark>Tag</mark>"),
        ("evil", LEADING_OUT),
        ("xy", "Three characters or more"),
    ],
)
def test_a_search_shows_the_place(ask: Callable[[str], Any], words: str, expected: str) -> None:
    assert expected in ask(f"/-/search?words={quote(words)}").text


def test_the_collection_stays_as_it_is(db: Path, tmp_path: Path) -> None:
    before = db.read_bytes()
    assert make_index(db, tmp_path / "s.db") == 4
    assert db.read_bytes() == before


def test_metadata_names_tables_and_columns_that_there_are(db: Path) -> None:
    tables = describe_database(db)["databases"]["crawl"]["tables"]
    with closing(open_existing(db)) as connection:
        for name, table in tables.items():
            columns = {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}
            assert set(table["columns"]) <= columns, name


def test_a_database_is_read_where_not_even_side_files_can_be_made(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite raises this for a file in write-ahead mode on a read-only medium; here the connection raises it."""
    connect = sqlite3.connect

    class Medium(sqlite3.Connection):
        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            if "FROM" in arguments[0]:  # whatever looks into the file
                raise sqlite3.OperationalError("unable to open database file")
            return super().execute(*arguments)

    def refuse(name: str, **options: Any) -> sqlite3.Connection:
        on_medium = name != ":memory:" and "immutable" not in name
        return connect(name, **(options | ({"factory": Medium} if on_medium else {})))

    monkeypatch.setattr(sqlite3, "connect", refuse)
    with closing(open_existing(db)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM pages").fetchone() == (5,)


def test_a_finished_collection_leaves_no_log(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    graphlang(
        "run", museum, "--db", tmp_path / "m.db", "--workers", 1, "--quiet"
    )  # without a map, which a reader prints
    assert not (tmp_path / "m.db-wal").exists()


def test_a_taken_port_is_reported_at_once(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    assert graphlang("run", museum, "--db", db, "--workers", 1, "--quiet").exit_code == 0
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = graphlang("serve", db, "--port", port)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == f"Error: Invalid value for --port: {port}: Address already in use"


@pytest.mark.parametrize("asked_to", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_well_when_it_is_asked_to(
    graphlang: Call, museum: Path, tmp_path: Path, asked_to: signal.Signals
) -> None:
    pytest.importorskip("datasette", reason="Datasette is not installed: pip install 'graphlang[serve]'")
    db = tmp_path / "crawl.db"
    assert graphlang("run", museum, "--db", db, "--workers", 1, "--quiet").exit_code == 0
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    # Tests that "nohup" started would hand on that a hangup is ignored.
    program = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL); from graphlang.cli import main; main()"
    call = [sys.executable, "-P", "-c", program, "serve", str(db), "--port", str(port)]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    where = os.environ | {"TMPDIR": str(temporary)}
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=where) as server:
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as asked:
                assert server.stdout is not None
                assert server.stdout.readline() == f"http://127.0.0.1:{port}/ (stop it with Ctrl-C)\n"
                asked.request("GET", "/")
                assert asked.getresponse().status == 200
            assert len(list(temporary.iterdir())) == 1  # with the index of the search
            server.send_signal(asked_to)
            assert server.wait(60) == (0 if asked_to == signal.SIGINT else -asked_to)
            assert server.stderr is not None
            assert server.stderr.read() == "5 pages can be searched\n"
        finally:
            server.kill()  # or the test would wait for it for ever
    assert not list(temporary.iterdir())
