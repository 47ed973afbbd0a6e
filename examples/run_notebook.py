"""Runs a notebook and writes what comes out into it, without Jupyter.

    python examples/run_notebook.py examples/notebook.ipynb

A cell's output is what it prints, the value of its last line, and the figures that it draws (PNG, small). Figures are
drawn by matplotlib without a screen.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any


def outputs(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run one cell.

    Args:
        source: its code.
        names: what the cells before it have defined; what this one defines is added.

    Returns:
        its outputs, as a notebook has them.
    """
    from matplotlib import pyplot as plt  # noqa: PLC0415 - after the backend was chosen

    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value: Any = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102 - the notebook is ours
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    for number in plt.get_fignums():
        data = io.BytesIO()
        plt.figure(number).savefig(data, format="png", dpi=60, metadata={"Software": None})
        picture = {"image/png": base64.b64encode(data.getvalue()).decode()}
        found.append({"output_type": "display_data", "metadata": {}, "data": picture})
    plt.close("all")
    if value is not None and not found:
        text = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            text["text/html"] = lines(value._repr_html_())
        found.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": text})
    return found


def lines(text: str) -> list[str]:
    """A text as a notebook has it."""
    return text.splitlines(keepends=True)


def executed(path: Path) -> dict[str, Any]:
    """A notebook with the outputs of all its cells.

    Args:
        path: of the notebook, in whose folder the cells run.
    """
    os.environ["MPLBACKEND"] = "agg"
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(path.parent):
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, cell in enumerate(code, 1):
            cell["outputs"] = outputs("".join(cell["source"]), names)
            cell["execution_count"] = number
            for one in cell["outputs"]:
                if "execution_count" in one:
                    one["execution_count"] = number
    return notebook


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.write_text(json.dumps(executed(target), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
