"""Draw the rooms and their imports into architecture.md (``make docs``)."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- picture: made by docs/picture.py -->\n", "<!-- end of picture -->"
FOLDERS = {"graphlang": "graphlang", "db": "graphlang.db", "ingest": "graphlang.ingest"}
#: Modules beside the rooms that belong to one.
ROOMS = {"": "collection", "identification": "collection", "rows": "collection"}
#: Rooms that many others use, and that would hide the way of the data.
TOOLS = {"codes", "native"}


def room(module: str) -> str | None:
    """Return the room of a module; None for tools and for single modules beside the rooms.

    >>> room("graphlang.graph.propagation.messages"), room("graphlang.rows"), room("graphlang.printing")
    ('graph', 'collection', None)
    """
    if module.endswith(".__main__"):
        return "cli"
    name = [*module.split("."), ""][1]
    if name in ROOMS:
        return ROOMS[name]
    folder = ROOT / ("" if name in FOLDERS else "graphlang") / name
    return name if (folder / "__init__.py").exists() and name not in TOOLS else None


def imports(module: str, path: Path) -> set[str]:
    """Return the full names that a module imports from graphlang, except for types."""
    names: set[str] = set()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    nodes: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            source = ".".join(part for part in (base, node.module) if part)
            names |= {f"{source}.{alias.name}" for alias in node.names}
        nodes.extend(ast.iter_child_nodes(node))
    return {name for name in names if name.split(".")[0] == "graphlang"}


@cache
def edges() -> set[tuple[str, str]]:
    """Return pairs of rooms of which the first imports the second."""
    pairs = set()
    for folder, package in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            module = ".".join((package, *(part for part in parts if part != "__init__")))
            pairs |= {(room(module), room(name)) for name in imports(module, path)}
    return {(user, used) for user, used in pairs if user and used and user != used}


def without_detours(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the edges that no longer path replaces.

    >>> sorted(without_detours({("a", "b"), ("b", "c"), ("a", "c")}))
    [('a', 'b'), ('b', 'c')]
    """

    def reach(start: str, skip: tuple[str, str]) -> set[str]:
        reached: set[str] = set()
        rooms = [start]
        while rooms:
            here = rooms.pop()
            for edge in pairs:
                if edge[0] == here and edge != skip and edge[1] not in reached:
                    reached.add(edge[1])
                    rooms.append(edge[1])
        return reached

    return {edge for edge in pairs if edge[1] not in reach(edge[0], edge)}


def picture() -> str:
    """Return the picture in Mermaid: an arrow from each room to the rooms that it uses."""
    users: dict[str, list[str]] = {}
    for user, used in sorted(without_detours(edges())):
        users.setdefault(user, []).append(used)
    lines = [f"    {user} --> {' & '.join(rooms)}" for user, rooms in users.items()]
    return "\n".join(["```mermaid", "flowchart TD", *lines, "```", ""])


def redraw(page: str) -> str:
    """Return the page with today's picture."""
    before, _, after_begin = page.partition(BEGIN)
    _, end, after = after_begin.partition(END)
    return before + BEGIN + picture() + end + after


if __name__ == "__main__":
    PAGE.write_text(redraw(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
