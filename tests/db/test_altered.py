"""Databases that strangers altered: every verb ends with one line and a documented exit code, or does its work.

Here all alterations meet a verb that reads and one that writes; ``make altered`` has all verbs meet them.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from graphlang.db import StoreError, create, open_existing
from graphlang.db.schema.migrations import VERSION

sys.path.append(str(Path(__file__).parent))
import altered_databases as altered

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    Call = Callable[..., Result]

GROWTH = 1 << 20


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    return altered.make(altered.archive(folder / "museum.warc.gz"), folder / "sound.db")


@pytest.fixture
def stranger(sound: Path, tmp_path: Path) -> Callable[[str], Path]:
    def make(name: str) -> Path:
        path = tmp_path / "stranger.db"
        shutil.copy(sound, path)
        altered.ALTERATIONS[name](path)
        return path

    return make


def test_there_are_some_hundreds(sound: Path) -> None:
    assert len(altered.ALTERATIONS) > 211
    with closing(open_existing(sound)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM pages").fetchone()[0] > 5


@pytest.mark.parametrize("name", altered.ALTERATIONS)
def test_a_line_or_the_work_but_no_traceback(graphlang: Call, stranger: Callable[[str], Path], name: str) -> None:
    path = stranger(name)
    for verb in (("pages", path, "--format", "csv"), ("choose", path)):
        arguments = ("runs", path, "--choose", "1", "--format", "csv") if verb[0] == "choose" else verb
        before = sum(file.stat().st_size for file in path.parent.iterdir())
        result = graphlang(*arguments)
        assert result.exit_code in {0, 3, 4, 5}, result.output
        assert len(result.stderr.splitlines()) == (1 if result.exit_code else 0), result.stderr
        assert sum(file.stat().st_size for file in path.parent.iterdir()) < before + GROWTH


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a trigger on INSERT of pages", "has a trigger fills, which graphlang does not make"),
        ("endless view page_languages", "has a view page_languages that is not as graphlang makes it"),
        ("no table sources", "lacks the table sources"),
        ("not strict links", "has a table links that is not as graphlang makes it"),
        ("a virtual table", "has a table words, which graphlang does not make"),
        ("a foreign table with a hostile name", r"has a table a\x1b[2J\nb, which graphlang does not make"),
        ("a partial index of URLs", "has a index pages_url that is not as graphlang makes it"),
        (
            "a migration less",
            f"says that its schema is {VERSION}, which its list of {VERSION - 1} migrations does not bear out",
        ),
        ("two tables in one place", "keeps two tables in one place"),
        ("id 16777216 in pages", "has 16777216 in pages.id, where it can have 1 to"),
        ("id -1 in hosts", "has -1 in hosts.id, where it can have 1 to"),
        ("'many' ids given out", "says that pages has had 'many' ids, which the file cannot hold"),
        ("source 16777216 in links", "has 16777216 in links.source, where it can have 1 to 7"),
        ("another kind of link", "has other link_kinds than graphlang"),
        ("a journal that deletes", "would have another file deleted, and no graphlang wrote it: remove it"),
        ("of another program", "is not a graphlang database (it is a SQLite file of something else)"),
        ("schema of the future", "was made by a newer graphlang (schema 999; this one knows"),
    ],
)
@pytest.mark.parametrize("opened", [open_existing, create])
def test_what_is_wrong_is_told_when_it_is_opened(
    stranger: Callable[[str], Path], opened: Callable[[Path], object], name: str, words: str
) -> None:
    with pytest.raises(StoreError) as told:
        opened(stranger(name))
    assert words in str(told.value)
    assert "\n" not in str(told.value)
