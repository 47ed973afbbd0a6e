"""Precision and recall of each language, by hand."""

import math
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from graphlang.db import open_existing
from graphlang.db.runs.run import get_chosen_run
from graphlang.evaluation.evaluate import evaluate, read_gold
from graphlang.evaluation.metrics import wilson_interval


def test_precision_and_recall_of_each_language(
    make_collection: Callable[..., Path], written: Any, tmp_path: Path
) -> None:
    said = {"1": ("deu", "deu"), "2": ("deu", "fra"), "3": ("fra", "fra"), "4": ("fra", "nld"), "5": ("und", "und")}
    db = make_collection([written(f"http://a.example/{page}", answer, 0.9) for page, (_, answer) in said.items()])
    gold = tmp_path / "gold.tsv"
    lines = [f"http://a.example/{page}\t{language}" for page, (language, _) in said.items()]
    gold.write_text("\n".join(["url\tlanguage", *lines]))
    with closing(open_existing(db)) as connection:
        run = get_chosen_run(connection)
        assert run is not None
        found = evaluate(connection, read_gold(connection, gold, None), run).languages
    # Of two German pages one is found, and nothing else is taken for German; 2 * 1 / (2 + 1) = 2/3.
    assert found[0][:6] == ("fra", 2, 2, 0.5, 0.5, 0.5)
    assert found[1][:6] == ("deu", 2, 1, 1.0, 0.5, 2 / 3)
    assert found[1][6:] == (*wilson_interval(1, 1), *wilson_interval(1, 2))
    assert found[2][:4] == ("nld", 0, 1, 0.0)
    assert math.isnan(found[2].recall)
    assert found[2].f1 == 0
    assert len(found) == 3
