"""A model file of the user's own: its method, labels and digest, and which languages were added to it or left out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphlang import modelfile
from graphlang.method_cards import sources
from graphlang.visible import quantity, visible

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
    >>> own = {"characters": 9000, "made": {"plain": 900, "words": 7000}, "bias": -0.5}
    >>> step = {"base": "ab" * 32, "labels": {"xho": {**own, "files": ["a.txt"], "more_files": 2}}}
    >>> as_text({"file": "m", "method": "nfc", "labels": 9, "sha256": "c" * 64, "extended": [step]}).splitlines()[-1]
    '  xho  9,000 characters + 900 plain + 7,000 words, bias -0.5  a.txt and 2 more'
    >>> fewer = {"base": "ab" * 32, "removed": 569}
    >>> as_text({"file": "m", "method": "nfc", "labels": 9, "sha256": "c" * 64, "extended": [fewer]}).splitlines()[-1]
    'Left out of the model abababababababab...: 569 labels'
    """
    lines = [
        f"{visible(found['file'])}: a model of {visible(found['method'])}, {quantity(found['labels'], 'label')}",
        f"sha256 {found['sha256'][:_SHORT]}...",
    ]
    for step in found["extended"]:
        base = f"{visible(str(step.get('base'))[:_SHORT])}..."
        if type(removed := step.get("removed")) is int:
            lines += ["", f"Left out of the model {base}: {quantity(removed, 'label')}"]
            continue
        lines += ["", f"Languages were added to the model {base}:"]
        labels = step.get("labels")
        for label, source in sorted(labels.items()) if isinstance(labels, dict) else ():
            own = source if isinstance(source, dict) else {}
            lines.append(f"  {visible(str(label))}  {_size(own)}  {visible(_files(own))}".rstrip())
        if replaced := step.get("replaced"):
            lines.append(f"  instead of the model's own: {visible(str(replaced))}")
    return "\n".join(lines) + "\n"


def _size(source: Mapping[str, Any]) -> str:
    """How much text a label has, how much was made of it, and the bias by which it holds back for its relatives."""
    number, made, bias = source.get("characters"), source.get("made"), source.get("bias")
    words = f"{number:,} characters" if type(number) is int else "? characters"
    for genre, more in sorted(made.items()) if isinstance(made, dict) else ():
        words += f" + {more:,} {visible(str(genre))}" if type(more) is int else ""
    return words + (f", bias {bias:g}" if type(bias) is float and bias else "")


def _files(source: Mapping[str, Any]) -> str:
    files, more = source.get("files"), source.get("more_files")
    names = ", ".join(map(str, files)) if isinstance(files, list) else ""
    return f"{names} and {more:,} more" if type(more) is int and more else names
