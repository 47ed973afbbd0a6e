"""Draws the rooms, and who imports whom, into architecture.md; `make docs` runs it, and a test holds the page."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- picture: made by docs/picture.py -->\n", "<!-- end of picture -->"
FOLDERS = {"graphlang": "graphlang", "db": "graphlang.db", "ingest": "graphlang.ingest"}
#: Single modules that stand beside the rooms, under the name of the box that they belong to.
BOXES = {
    "collection": "library",
    "identification": "library",
    "reading": "library",
    "rows": "library",
    "": "library",
    "__main__": "cli",
}


def box(module: str) -> str:
    """The box of a module of ours: the room below `graphlang`, or what `BOXES` says of a single module.

    >>> box("graphlang.graph.propagation.messages"), box("graphlang.collection"), box("graphlang")
    ('graph', 'library', 'library')
    """
    name = "__main__" if module.endswith(".__main__") else [*module.split("."), ""][1]
    return BOXES.get(name, name)


def imports(module: str, path: Path) -> set[str]:
    """Full names that a module imports from ours, those for types alone left out.

    Args:
        module: its full name.
        path: its file.
    """
    found: set[str] = set()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    todo: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            name = ".".join(part for part in (base, node.module) if part)
            found |= {f"{name}.{alias.name}" for alias in node.names}
        todo.extend(ast.iter_child_nodes(node))
    return {name for name in found if name.split(".")[0] == "graphlang"}


def edges() -> set[tuple[str, str]]:
    """Pairs of boxes of which the first imports the second."""
    found = set()
    for folder, package in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            module = ".".join((package, *(part for part in parts if part != "__init__")))
            for name in imports(module, path):
                if box(module) != box(name):
                    found.add((box(module), box(name)))
    return found


def without_detours(given: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The edges that no longer way replaces.

    >>> sorted(without_detours({("a", "b"), ("b", "c"), ("a", "c")}))
    [('a', 'b'), ('b', 'c')]
    """

    def reach(start: str, skip: tuple[str, str]) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            here = todo.pop()
            for edge in given:
                if edge[0] == here and edge != skip and edge[1] not in seen:
                    seen.add(edge[1])
                    todo.append(edge[1])
        return seen

    return {edge for edge in given if edge[1] not in reach(edge[0], edge)}


def picture() -> str:
    """The picture in Mermaid's words: an arrow from who uses to who is used."""
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"    {one} --> {other}" for one, other in sorted(without_detours(edges()))]
    return "\n".join([*lines, "```", ""])


def written(page: str) -> str:
    """The page with today's picture in it.

    Args:
        page: the page as it stands.
    """
    before, _, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    return before + BEGIN + picture() + end + after


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
