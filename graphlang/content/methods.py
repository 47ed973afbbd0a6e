"""The content methods by name: what each is, and how its model is loaded. A further method is one more entry here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphlang.content import model
from graphlang.content.errors import ModelError
from graphlang.content.nfc import Nfc
from graphlang.content.refined import Refined

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphlang.content.identifier import Identifier

_DATA = Path(__file__).parent.parent / "data"


@dataclass(frozen=True, slots=True)
class _Method:
    about: str
    loader: Callable[[model.Model, str, str], Identifier]
    shipped: str  # file in graphlang/data


_METHODS = {
    "nfc": _Method(
        "n-grams of 1 to 4 characters chosen by Fisher discriminant, refined language vectors (default)",
        Refined,
        "nfc.npz",
    ),
    "nfc-2004": _Method("NFC as published: trigrams, the top 1000, cosine (Hayati 2004)", Nfc, "nfc-2004.npz"),
}
DEFAULT = "nfc"


def names() -> dict[str, str]:
    """Every method's name and one line on what it is."""
    return {name: method.about for name, method in _METHODS.items()}


def load(name_or_path: str | Path) -> Identifier:
    """The identifier of a method's shipped model, or of a model file that `train` made.

    Raises:
        ModelError: neither a method's name nor a usable model file.
    """
    known = _METHODS.get(str(name_or_path))
    path = _DATA / known.shipped if known else Path(name_or_path)
    if known is None and not path.exists():
        raise ModelError(f"{name_or_path}: no such method ({', '.join(_METHODS)}) and no such file")
    content, digest = model.read(path)
    method = _METHODS.get(content.method)
    if method is None:
        raise ModelError(f"{path}: made for the method {content.method!r}, which is not known here")
    return method.loader(content, digest, str(path))
