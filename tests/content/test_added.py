"""The text of the languages that are added to the default model: its own, cleaned, and each line once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import make_added
import pytest

from graphlang.content import registry
from graphlang.modelfile import read

from .test_translations import DATA

if TYPE_CHECKING:
    from pathlib import Path


def test_text_of_added_languages_is_cleaned_and_each_line_stands_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_added, "ADDED", ("nds",))
    for name, text in {
        "train/en/news.txt": "the new page and the old page\n",
        "train-software/nds/wiki_a.txt": "en ole stad an de see\nthe new page\n",
        "train-software/nds/wiki_b.txt": "en ole stad an de see\nveel lüüd\n",
        "train-software/nds/app.txt": "dat Finster\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    out = tmp_path / "out"
    (out / "old").mkdir(parents=True)
    make_added.main(tmp_path, out)
    found = {path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in out.rglob("*.txt")}
    assert found == {"nds/app.txt": "dat Finster\n", "nds/wiki.txt": "en ole stad an de see\nveel lüüd\n"}
    assert not (out / "old").exists()


@pytest.mark.skipif(not (DATA / "train-software").is_dir(), reason="the training text is not here (GRAPHLANG_DATA)")
def test_the_default_model_says_of_which_text_its_added_languages_are(tmp_path: Path) -> None:
    make_added.main(DATA, tmp_path / "added")
    model, _ = read(registry.path("nfc"))
    [added] = model.parameters["extended"]
    assert sorted(added["labels"]) == sorted(make_added.ADDED)
    for label, told in added["labels"].items():
        lines = [
            line
            for path in sorted((tmp_path / "added" / label).glob("*.txt"))
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        assert told["characters"] == sum(map(len, lines))
        assert told["files"] == [f"{label}/mediawiki.txt"]
    assert set(make_added.ADDED) <= set(model.parameters["left_out"])
