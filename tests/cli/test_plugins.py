"""Readers and methods of another package: from its entry points to the pages, and loaded only on request."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import graphlang as gl
from graphlang import plugins
from graphlang.content import registry
from graphlang.identification import _load_named
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from click.testing import Result

CODE = '''
"""A classifier that counts vowels, and a reader of files with a URL and a text on each line."""

class Vowels:
    labels = ("it", "de")

    def probabilities(self, texts):
        shares = [min(1, 2 * sum(letter in "aeiou" for letter in text) / len(text)) for text in texts]
        return [(share, 1 - share) for share in shares]

def nothing():
    raise OSError("no model here")

def lines(head, name):
    return pages if head.startswith(b"LINES\\n") else None

def pages(file):
    from graphlang.db.records import Page

    for number, line in enumerate(file.read().decode().splitlines()[1:]):
        url, text = line.split(" ", 1)
        yield Page(url, number, status=200, mime="text/html", text=text, length=len(text), main_length=len(text))
'''
ENTRIES = """[graphlang.methods]
vowels = others_of_a_test:Vowels
broken = others_of_a_test:nothing
missing = others_of_a_test:NoSuchName
[graphlang.readers]
lines = others_of_a_test:lines
"""
CRAWL = "LINES\nhttp://a.example/ aeiou aeiou\nhttp://b.example/ strscht\n"


def install(folder: Path, name: str, entries: str) -> None:
    """What pip leaves of a package that consists of entry points."""
    metadata = folder / f"{name}-1.5.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
    (metadata / "entry_points.txt").write_text(entries)


@pytest.fixture(autouse=True)
def others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    folder.mkdir()
    install(folder, "others", ENTRIES)
    (folder / "others_of_a_test.py").write_text(CODE)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv(plugins.VARIABLE, "")  # and what a test sets is gone after it
    sys.modules.pop("others_of_a_test", None)
    for cached in (plugins._search_plugins, _load_named):
        cached.cache_clear()
    yield folder
    plugins._search_plugins.cache_clear()
    _load_named.cache_clear()


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.lines"
    path.write_text(CRAWL)
    return path


def test_from_its_files_by_its_method_to_the_graph(
    graphlang: Callable[..., Result], crawl: Path, tmp_path: Path
) -> None:
    db = tmp_path / "crawl.db"
    assert graphlang("ingest", db, crawl, "--plugins", "-q").exit_code == 0
    assert graphlang("classify", db, "--method", "vowels", "--plugins", "-q").exit_code == 0
    listed = graphlang("pages", db, "--format", "tsv").stdout.splitlines()
    assert [line.split("\t")[:2] for line in listed[1:]] == [["http://a.example/", "ita"], ["http://b.example/", "deu"]]
    assert graphlang("propagate", db, "--update", "--plugins", "-q").exit_code == 0
    run = gl.Collection(db).runs()[0]
    assert run.method == "vowels"
    assert (run.parameters["package"], run.parameters["version"]) == ("others", "1.5")


def test_run_and_identify_and_the_lists_know_it(graphlang: Callable[..., Result], crawl: Path, tmp_path: Path) -> None:
    ran = graphlang("run", crawl, "--db", tmp_path / "one.db", "--method", "vowels", "--plugins")
    assert ran.exit_code == 0
    assert "ita 100%" in ran.stdout
    told = graphlang("identify", "--method", "vowels", "--plugins", "--format", "tsv", input_=b"aeiou")
    assert told.stdout.splitlines()[1].split("\t")[1] == "ita"
    assert "vowels\tcontent\tadded by others 1.5" in graphlang("methods", "--plugins", "--format", "tsv").stdout
    known = graphlang("languages", "--known", "--method", "vowels", "--plugins", "--format", "tsv").stdout
    assert [line.split("\t")[0] for line in known.splitlines()[1:]] == ["deu", "ita"]


def test_without_the_option_nothing_of_it_is_loaded(
    graphlang: Callable[..., Result], crawl: Path, tmp_path: Path
) -> None:
    read = graphlang("ingest", tmp_path / "crawl.db", crawl, "-q")
    assert read.exit_code == 1
    refused = graphlang("identify", "--method", "vowels", input_=b"aeiou")
    assert refused.exit_code == 3
    assert "vowels: no such method" in refused.stderr
    assert "--plugins loads methods of other packages" in refused.stderr
    assert "vowels" not in graphlang("methods").stdout
    assert "others_of_a_test" not in sys.modules


def test_the_folder_of_a_package_is_no_model(
    graphlang: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vowels").mkdir()
    refused = graphlang("identify", "--method", "vowels", input_=b"aeiou")
    assert refused.exit_code == 3
    assert "--plugins loads methods of other packages" in refused.stderr
    misspelt = graphlang("identify", "--method", "vowel", "--plugins", input_=b"aeiou")
    assert misspelt.stderr.endswith(" and no such file\n")


def test_the_card_says_how_to_run_it(graphlang: Callable[..., Result]) -> None:
    assert "\n  graphlang classify DB --method vowels --plugins\n" in graphlang("methods", "vowels", "--plugins").stdout


def test_a_file_that_was_no_archive_without_its_reader_is_told_when_the_reader_is_there(
    graphlang: Callable[..., Result], crawl: Path, tmp_path: Path
) -> None:
    """It counts as read, since its bytes were looked at, and nothing said why none of its pages came."""
    db = tmp_path / "crawl.db"
    assert graphlang("ingest", db, crawl, "-q").exit_code == 1
    assert "--again" not in graphlang("ingest", db, crawl).stderr
    told = graphlang("ingest", db, crawl, "--plugins").stderr.splitlines()
    assert told[:2] == [
        f"already read: {crawl}",
        f"not an archive when it was read: {crawl}: --again tries the readers installed now",
    ]
    assert graphlang("ingest", db, crawl, "--plugins", "--again", "-q").exit_code == 0
    assert "--again" not in graphlang("ingest", db, crawl, "--plugins").stderr


def test_a_package_that_cannot_be_loaded_is_told_in_one_line(graphlang: Callable[..., Result]) -> None:
    failed = graphlang("identify", "--method", "broken", "--plugins", input_=b"a")
    assert failed.exit_code == 3
    assert failed.stderr == "Error: the method broken of others 1.5 failed: OSError: no model here\n"
    missing = graphlang("identify", "--method", "missing", "--plugins", input_=b"a")
    assert missing.exit_code == 3
    assert missing.stderr.startswith("Error: the method missing of others 1.5 cannot be loaded: AttributeError: ")
    assert missing.stderr.count("\n") == 1


def test_a_reader_that_cannot_be_loaded_is_told_before_anything_is_read(
    graphlang: Callable[..., Result], crawl: Path, tmp_path: Path, others: Path
) -> None:
    install(others, "worse", "[graphlang.readers]\nworse = no_such_module_of_a_test:reader\n")
    for workers in (1, 2):
        told = graphlang("ingest", tmp_path / "c.db", crawl, "--plugins", "-q", "--workers", workers)
        assert told.exit_code == 3
        assert told.stderr.startswith("Error: the reader worse of worse 1.5 cannot be loaded: ModuleNotFoundError: ")


LEAVING = """
import sys

class Leaves:
    labels = ("it", "de")

    def probabilities(self, texts):
        sys.exit("no licence")

def leaves():
    sys.exit(3)

def reader(head, name):
    return sys.exit(4) if name.startswith("a") else pages

def pages(file):
    from graphlang.db.records import Page

    yield Page("http://b.example/", 7, status=200, text="aeiou", length=5, main_length=5)
    sys.exit()
"""
LEAVING_ENTRIES = """[graphlang.methods]
leaves = leaving_of_a_test:Leaves
leaves-at-once = leaving_of_a_test:leaves
leaves-before = leaving_when_imported:Leaves
[graphlang.readers]
leaves = leaving_of_a_test:reader
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_package_that_ends_the_program_ends_no_verb(
    graphlang: Callable[..., Result], tmp_path: Path, others: Path, workers: int
) -> None:
    """A reader that called sys.exit ended `ingest` with its own exit code, and without a word."""
    install(others, "leaving", LEAVING_ENTRIES)
    (others / "leaving_of_a_test.py").write_text(LEAVING)
    (others / "leaving_when_imported.py").write_text("import sys\nsys.exit(5)\n")
    files = [tmp_path / name for name in ("a.x", "b.x")]
    for file in files:
        file.write_text(file.name)
    db = tmp_path / "c.db"
    assert graphlang("ingest", db, *files, "--plugins", "-q", "--workers", workers).exit_code == 1
    crawl = gl.open(db)
    assert [page.url for page in crawl.pages(everything=True)] == ["http://b.example/"]
    told = [(problem.kind, problem.reason) for problem in crawl.problems()]
    assert told == [("failed", f"the reader leaves failed: SystemExit: {code}") for code in ("4", "")]
    for method, words in {
        "leaves": "the method leaves failed: SystemExit: no licence",
        "leaves-at-once": "the method leaves-at-once of leaving 1.5 failed: SystemExit: 3",
        "leaves-before": "the method leaves-before of leaving 1.5 cannot be loaded: SystemExit: 5",
    }.items():
        failed = graphlang("classify", db, "--method", method, "--plugins", "-q")
        assert (failed.exit_code, failed.stderr) == (3, f"Error: {words}\n")


def test_two_packages_with_one_name_are_told_apart_by_nobody(others: Path) -> None:
    install(others, "rival", "[graphlang.methods]\nvowels = others_of_a_test:Vowels\n")
    gl.use_plugins()
    with pytest.raises(gl.PluginError, match=r"the method vowels of others 1\.5 and the method vowels of rival 1\.5"):
        registry.names()


def test_a_method_of_ours_is_not_replaced(others: Path) -> None:
    install(others, "thief", "[graphlang.methods]\nnfc = others_of_a_test:Vowels\n")
    gl.use_plugins()
    assert registry.load("nfc-2004").name == "nfc-2004"
    with pytest.raises(gl.PluginError, match=r"nfc is a method of graphlang and cannot be added by thief 1\.5"):
        registry.names()


def test_the_library_asks_by_a_call() -> None:
    with pytest.raises(ModelError, match="no such method"):
        gl.identify(["aeiou"], method="vowels")
    gl.use_plugins()
    assert gl.identify(["aeiou"], method="vowels")[0].language == "ita"


def test_an_old_answer_is_brought_up_to_date_only_with_the_option(
    graphlang: Callable[..., Result], crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, more = tmp_path / "crawl.db", tmp_path / "more.lines"
    more.write_text("LINES\nhttp://c.example/ ooo\n")
    graphlang("run", crawl, "--db", db, "--method", "vowels", "--plugins", "-q")
    graphlang("ingest", db, more, "--plugins", "-q")
    monkeypatch.setenv(plugins.VARIABLE, "")
    _load_named.cache_clear()
    refused = graphlang("propagate", db, "--update", "-q")
    assert refused.exit_code == 3
    assert "vowels comes from the package others 1.5: repeat with --plugins" in refused.stderr
    assert graphlang("propagate", db, "--update", "--plugins", "-q").exit_code == 0
    listed = graphlang("pages", db, "--format", "tsv").stdout.splitlines()
    assert [line.split("\t")[1] for line in listed[1:]] == ["ita", "deu", "ita"]
