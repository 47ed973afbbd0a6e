"""``identify`` and ``train`` with what users may hand over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graphlang import identification
from graphlang.db import create

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Call = Callable[..., Result]


def test_standard_input_twice(graphlang: Call) -> None:
    result = graphlang("identify", "-", "-", input_=b"Ein kurzer Satz.\n")
    assert result.exit_code == 2
    assert "can be read once" in result.stderr


@pytest.mark.parametrize("method", ["declared", "tld"])
def test_methods_that_are_about_collections(graphlang: Call, method: str) -> None:
    result = graphlang("identify", "--method", method, input_=b"Ein kurzer Satz.\n")
    assert result.exit_code == 2
    assert f"graphlang classify DB --method {method}" in result.stderr


@pytest.mark.parametrize("method", ["declared", "tld", "url", "url-words-nb or url-words-re"])
@pytest.mark.parametrize("option", ["--title", "--no-title", "--anchors"])
def test_options_of_texts_with_methods_that_read_none(
    graphlang: Call, tmp_path: Path, method: str, option: str
) -> None:
    create(tmp_path / "crawl.db").close()
    result = graphlang("classify", tmp_path / "crawl.db", "--method", method, option)
    assert result.exit_code == 2
    assert "reads no text" in result.stderr


def test_long_lines_are_not_gathered_by_the_thousand() -> None:
    megabyte = "a" * (1 << 20)
    sizes = [len(batch) for batch in identification._batches((str(number), megabyte) for number in range(40))]
    assert sizes == [16, 16, 8]
    assert [len(batch) for batch in identification._batches(("x", "a") for _ in range(5000))] == [4096, 904]


def test_training_names_what_it_leaves_out(graphlang: Call, tmp_path: Path) -> None:
    for name, words in (("de", "der hund und die katze\n"), ("en", "the dog and the cat\n"), ("nl", "kort")):
        (tmp_path / "corpus" / name).mkdir(parents=True)
        (tmp_path / "corpus" / name / "a.txt").write_text(words * 2, encoding="utf-8")
    (tmp_path / "corpus" / "\x1b[2J").mkdir()
    told = graphlang("train", tmp_path / "m.npz", tmp_path / "corpus", "--method", "textcat", "--option", "minimum=20")
    assert told.exit_code == 0
    assert "too little text in *.txt: \\x1b[2J (0 characters), nld (8 characters)" in told.stderr


@pytest.mark.parametrize("name", ["words", "method", "progress"])
def test_settings_by_the_name_of_something_else(graphlang: Call, tmp_path: Path, name: str) -> None:
    (tmp_path / "corpus").mkdir()
    told = graphlang("train", tmp_path / "m.npz", tmp_path / "corpus", "--method", "nfc", "--option", f"{name}=1")
    assert told.exit_code == 2
    assert f"{name} is no setting of a model" in told.stderr


@pytest.mark.parametrize("lines", [[], ["--lines"]])
def test_files_that_cannot_be_read_do_not_cost_the_others(graphlang: Call, tmp_path: Path, lines: list[str]) -> None:
    for name in ("a", "c"):
        (tmp_path / name).write_text("Das Wetter wird morgen leider wieder schlechter.\n", encoding="utf-8")
    files = [tmp_path / name for name in ("a", "b", "c")]
    result = graphlang("identify", *lines, "--format", "tsv", *files)
    assert result.stdout.count("\tdeu\t") == 2
    assert result.stderr == f"Error: {files[1]}: No such file or directory\n"
    assert result.exit_code == 1
