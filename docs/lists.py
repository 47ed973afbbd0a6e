"""Writes docs/lists.md, the columns of the lists that verbs print: ``make docs``. What they mean stands in the code."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any, Final

from graphlang.analysis.frontier import Candidate
from graphlang.db.check import Finding
from graphlang.db.corrections import Correction
from graphlang.evaluation.compare import Change, Count
from graphlang.export.texts import TextRow
from graphlang.maps import languages, sites
from graphlang.maps.facts import Encoding, Fact
from graphlang.maps.pages import PageRow
from graphlang.maps.problems import ProblemRow
from graphlang.maps.review import ReviewRow
from graphlang.maps.sample import SampleRow
from graphlang.method_cards.card import OfLanguage

PAGE: Final = Path(__file__).with_name("lists.md")
#: What prints a list, and the class of its rows.
LISTS: Final[dict[str, type[Any]]] = {
    "pages": PageRow,
    "sites": sites.Row,
    "languages": languages.Row,
    "languages --known": languages.Known,
    "frontier": Candidate,
    "texts": TextRow,
    "review": ReviewRow,
    "review --random": SampleRow,
    "corrections": Correction,
    "compare": Change,
    "compare --count": Count,
    "problems": ProblemRow,
    "info": Fact,
    "info --encodings": Encoding,
    "check": Finding,
    "methods NAME --languages": OfLanguage,
}
_HEAD = """\
# The columns of lists

What each column of `--format csv`, `tsv` and `jsonl` means; in Python a row has them as attributes. Columns may be
added, and keep their names ([what is stable](stability.md)). This page is made from the code. Elsewhere stand those of

- `identify`: a [`Prediction`](library.md), with `input` before and `characters` behind.
- `runs`: the [table of runs](../db/SCHEMA.md#runs). `chosen` is `*` for the run that is shown, `model_hash` begins the
  hash of the model (12 digits), `seeds` have a blank between.
- [`export`](howto/exports.md): `pages` has those of the view [`page_languages`](../db/SCHEMA.md#page_languages), with
  `languages` and `shares`; `links` those of [`link_details`](../db/SCHEMA.md#link_details), with the languages of both
  ends; `sites`, `languages` and `texts` those of the lists of these names.
- `language-graph` and `score`: their [help](../graphlang/COMMANDS.md).
"""


def meanings(row: type[Any]) -> dict[str, str]:
    """By column what it means: the comment behind the field of a row's class, or the lines of comment before it."""
    source = textwrap.dedent(inspect.getsource(row))
    lines = source.splitlines()
    [found] = ast.parse(source).body
    told = {}
    for field in found.body if isinstance(found, ast.ClassDef) else ():
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            behind = re.search(r"#: (.*)", lines[field.lineno - 1][field.end_col_offset :])
            before: list[str] = []
            for line in reversed(lines[: field.lineno - 1]):
                if not line.strip().startswith("#: "):
                    break
                before.insert(0, line.strip().removeprefix("#: "))
            told[field.target.id] = behind[1] if behind else " ".join(before)
    return told


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for verb, row in LISTS.items():
        parts.append(f"\n## {verb}\n\n| column | meaning |\n|---|---|\n")
        parts += [f"| `{name}` | {told.replace('``', '`')} |\n" for name, told in meanings(row).items()]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
