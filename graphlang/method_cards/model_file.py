"""A model file of the user's own: its method, labels and digest, and which languages were added to it or left out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphlang import modelfile
from graphlang.method_cards import sources
from graphlang.printing.counted import counted
from graphlang.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHORT = 16  # digits of a digest in text


def is_model_file(name: str) -> bool:
    """Whether a name means a file, and no method that comes with graphlang or another package.

    Args:
        name: As users give it.
    """
    return name not in sources.names() and Path(name).is_file()


def of_file(path: Path) -> dict[str, Any]:
    """What a model file says of itself: `file`, `method`, `labels`, `sha256`, `corpus` and `extended`.

    Args:
        path: Of the file.

    Raises:
        ModelError: it is no model file.
    """
    model, digest = modelfile.read(path)
    extended: Any = model.parameters.get("extended", [])
    steps = [step for step in extended if isinstance(step, dict)] if isinstance(extended, list) else []
    return {
        "file": str(path),
        "method": model.method,
        "labels": len(model.labels),
        "sha256": digest,
        "corpus": model.parameters.get("corpus"),
        "extended": steps,
    }


def as_text(found: Mapping[str, Any]) -> str:
    """That as text, ending with a line's end; names out of a stranger's file are made visible.

    Args:
        found: What `of_file` gives.

    >>> step = {"base": "ab" * 32, "labels": {"xho": {"characters": 9000, "files": ["xho/a.txt"]}}, "replaced": []}
    >>> print(as_text({"file": "m.npz", "method": "nfc", "labels": 9, "sha256": "c" * 64, "extended": [step]}), end="")
    m.npz: a model of nfc, 9 labels
    sha256 cccccccccccccccc...
    <BLANKLINE>
    Languages were added to the model abababababababab...:
      xho  9,000 characters  xho/a.txt
    >>> fewer = {"base": "ab" * 32, "removed": 569}
    >>> as_text({"file": "m", "method": "nfc", "labels": 9, "sha256": "c" * 64, "extended": [fewer]}).splitlines()[-1]
    'Left out of the model abababababababab...: 569 labels'
    """
    lines = [
        f"{visible(found['file'])}: a model of {visible(found['method'])}, {counted(found['labels'], 'label')}",
        f"sha256 {found['sha256'][:_SHORT]}...",
    ]
    for step in found["extended"]:
        base = f"{visible(str(step.get('base'))[:_SHORT])}..."
        if type(removed := step.get("removed")) is int:
            lines += ["", f"Left out of the model {base}: {counted(removed, 'label')}"]
            continue
        lines += ["", f"Languages were added to the model {base}:"]
        labels = step.get("labels")
        for label, source in sorted(labels.items()) if isinstance(labels, dict) else ():
            own = source if isinstance(source, dict) else {}
            number, files = own.get("characters"), own.get("files")
            size = f"{number:,}" if type(number) is int else "?"
            names = ", ".join(map(str, files)) if isinstance(files, list) else ""
            lines.append(f"  {visible(str(label))}  {size} characters  {visible(names)}")
        if replaced := step.get("replaced"):
            lines.append(f"  instead of the model's own: {visible(str(replaced))}")
    return "\n".join(lines) + "\n"
