"""The reference lists every kind of problem, and nothing else."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
KIND = re.compile(r"[a-z]+(-[a-z]+)*")
MAKERS = {"Problem", "_fault"}


def documented() -> list[str]:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([a-z-]+)` \|", page.split("\n## Kinds of problems\n")[1].split("\n## ")[0], re.MULTILINE)


def in_code(source: str) -> Iterator[str]:
    """Yield the kinds in a module: the first of a pair with a sentence, or the first argument of a maker."""
    for node in ast.walk(ast.parse(source)):
        first: list[ast.expr] = []
        if isinstance(node, ast.Tuple) and len(node.elts) == 2 and _is_sentence(node.elts[1]):
            first = node.elts[:1]
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in MAKERS:
                first = node.args[:1]
            sorts = ast.unparse(node.func).endswith("sort")  # whose kind is an algorithm
            first += [one.value for one in node.keywords if one.arg == "kind" and not sorts]
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "kind" and node.value is not None:
            first = [node.value]
        for one in first:
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and KIND.fullmatch(one.value):
                yield one.value


def _is_sentence(node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        return node.id == "reason"
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and " " in str(node.value))


def test_every_kind_is_documented() -> None:
    writers = ("analysis/ingest.py", "cluster/read_archives.py")
    paths = [*(ROOT / "ingest").rglob("*.py"), *(ROOT / "graphlang" / path for path in writers)]
    paths.remove(ROOT / "ingest" / "convert.py")  # which writes records, and whose pairs are other things
    found = {kind for path in paths for kind in in_code(path.read_text(encoding="utf-8"))}
    assert sorted(found) == sorted(documented()), "docs/reference.md has a table of them"


def test_a_kind_is_found_in_code() -> None:
    source = 'faults = (("bad-url", f"no {url}"), ("text", other))\nProblem("failed", why)\nreplace(kind="too-large")\n'
    assert sorted(in_code(source)) == ["bad-url", "failed", "too-large"]
