"""Describe a model file: its method, labels and digest, and the languages that were added or removed."""

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
    """Return True if a name from a user is a file, and not a method of graphlang or of another package."""
    return name not in sources.names() and Path(name).is_file()


def describe_model_file(path: Path) -> dict[str, Any]:
    """Return `file`, `method`, `labels`, `sha256`, `corpus` and `extended` of a model file.

    Raise a ModelError if it is not a model file.
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


def format_model_file(description: Mapping[str, Any]) -> str:
    """Format a description of `describe_model_file` as lines; names from the file are made visible.

    >>> facts = {"file": "m.npz", "method": "nfc", "labels": 9, "sha256": "c" * 64}
    >>> step = {"base": "ab" * 32, "labels": {"xho": {"characters": 9000, "files": ["xho/a.txt"]}}, "replaced": []}
    >>> print(format_model_file({**facts, "extended": [step]}), end="")
    m.npz: a model of nfc, 9 labels
    sha256 cccccccccccccccc...
    <BLANKLINE>
    Languages were added to the model abababababababab...:
      xho  9,000 characters  xho/a.txt
    >>> source = {"characters": 9000, "made": {"plain": 900, "words": 7000}, "bias": -0.5}
    >>> step = {"base": "ab" * 32, "labels": {"xho": {**source, "files": ["a.txt"], "more_files": 2}}}
    >>> format_model_file({**facts, "extended": [step]}).splitlines()[-1]
    '  xho  9,000 characters + 900 plain + 7,000 words, bias -0.5  a.txt and 2 more'
    >>> fewer = {"base": "ab" * 32, "removed": 569}
    >>> format_model_file({**facts, "extended": [fewer]}).splitlines()[-1]
    'Left out of the model abababababababab...: 569 labels'
    """
    file, method = visible(description["file"]), visible(description["method"])
    lines = [
        f"{file}: a model of {method}, {quantity(description['labels'], 'label')}",
        f"sha256 {description['sha256'][:_SHORT]}...",
    ]
    for step in description["extended"]:
        base = f"{visible(str(step.get('base'))[:_SHORT])}..."
        if type(removed := step.get("removed")) is int:
            lines += ["", f"Left out of the model {base}: {quantity(removed, 'label')}"]
            continue
        lines += ["", f"Languages were added to the model {base}:"]
        labels = step.get("labels")
        for label, source in sorted(labels.items()) if isinstance(labels, dict) else ():
            facts = source if isinstance(source, dict) else {}
            lines.append(f"  {visible(str(label))}  {_size(facts)}  {visible(_files(facts))}".rstrip())
        if replaced := step.get("replaced"):
            lines.append(f"  instead of the model's own: {visible(str(replaced))}")
    return "\n".join(lines) + "\n"


def _size(source: Mapping[str, Any]) -> str:
    """Format the amounts of text and of derived text of a label, and its bias against close relatives."""
    number, derived, bias = source.get("characters"), source.get("made"), source.get("bias")
    size = f"{number:,} characters" if type(number) is int else "? characters"
    for genre, amount in sorted(derived.items()) if isinstance(derived, dict) else ():
        size += f" + {amount:,} {visible(str(genre))}" if type(amount) is int else ""
    return size + (f", bias {bias:g}" if type(bias) is float and bias else "")


def _files(source: Mapping[str, Any]) -> str:
    files, omitted = source.get("files"), source.get("more_files")
    names = ", ".join(map(str, files)) if isinstance(files, list) else ""
    return f"{names} and {omitted:,} more" if type(omitted) is int and omitted else names
