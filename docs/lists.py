"""Write docs/lists.md, the columns of the lists that verbs print (``make docs``), from the comments of row classes."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any, Final

from graphlang.analysis.frontier import FrontierUrl
from graphlang.db.check import Finding
from graphlang.db.corrections import Correction
from graphlang.export.corpora import ParagraphRow, Quality
from graphlang.export.tables import TranslationRow
from graphlang.export.texts import TextRow
from graphlang.maps import languages, sites
from graphlang.maps.changes import Change, ChangeCount, PageChange, PageChangeCount
from graphlang.maps.facts import Encoding, Fact, ProblemRow
from graphlang.maps.pages import PageRow
from graphlang.maps.review import ReviewRow, SampleRow
from graphlang.method_cards.card import MethodLanguage

PAGE: Final = Path(__file__).with_name("lists.md")
#: Verb that prints a list -> class of its rows.
LISTS: Final[dict[str, type[Any]]] = {
    "pages": PageRow,
    "sites": sites.SiteRow,
    "languages": languages.LanguageRow,
    "languages --known": languages.KnownLanguage,
    "frontier": FrontierUrl,
    "texts": TextRow,
    "texts --quality": Quality,
    "texts --paragraphs": ParagraphRow,
    "export --what translations": TranslationRow,
    "review": ReviewRow,
    "review --random": SampleRow,
    "corrections": Correction,
    "compare": Change,
    "compare --count": ChangeCount,
    "compare --years": PageChange,
    "compare --years --count": PageChangeCount,
    "problems": ProblemRow,
    "info": Fact,
    "info --encodings": Encoding,
    "check": Finding,
    "methods NAME --languages": MethodLanguage,
}
_HEAD = """\
# The columns of lists

The columns of `--format csv`, `tsv` and `jsonl`; in Python, the attributes of a row. Columns may be added, and keep
their names ([what is stable](stability.md)). This page is generated from the code. Other columns:

- `identify`: a [`Prediction`](library.md), with `input` before it and `characters` after it.
- `runs`: the [table of runs](../db/SCHEMA.md#runs) and its moment (`at`). `chosen` is `*` for the run that the views
  show, `model_hash` has the first 12 digits, and `seeds` are separated by spaces.
- [`export`](howto/exports.md): `pages` has the columns of the view [`page_languages`](../db/SCHEMA.md#page_languages),
  `languages`, `shares` and `guess`; `links` those of [`link_details`](../db/SCHEMA.md#link_details) and the languages
  of both ends; `sites`, `languages` and `texts` those of the lists below.
- `language-graph` and `score`: see their [help](../graphlang/COMMANDS.md).
"""


def meanings(row: type[Any]) -> dict[str, str]:
    """Return the meaning of each column: the `#:` comment after a field of the row class, or the lines before it."""
    source = textwrap.dedent(inspect.getsource(row))
    lines = source.splitlines()
    [row_class] = ast.parse(source).body
    texts = {}
    for field in row_class.body if isinstance(row_class, ast.ClassDef) else ():
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            behind = re.search(r"#: (.*)", lines[field.lineno - 1][field.end_col_offset :])
            before: list[str] = []
            for line in reversed(lines[: field.lineno - 1]):
                if not line.strip().startswith("#: "):
                    break
                before.insert(0, line.strip().removeprefix("#: "))
            texts[field.target.id] = behind[1] if behind else " ".join(before)
    return texts


def page() -> str:
    """Return the page."""
    parts = [_HEAD]
    for verb, row in LISTS.items():
        parts.append(f"\n## {verb}\n\n| column | meaning |\n|---|---|\n")
        parts += [f"| `{name}` | {meaning.replace('``', '`')} |\n" for name, meaning in meanings(row).items()]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
