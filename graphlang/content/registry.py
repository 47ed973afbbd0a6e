"""The content methods by name: what each is, and how its model is loaded.

A further method is one more entry here, or comes from another package (`adapters.foreign`). One of ours has its model
class in `graphlang.papers`, its training in `graphlang.training.train_papers`, and the words of its card in
``graphlang/method_cards/sources.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from graphlang import modelcache, modelfile, plugins
from graphlang.codes import languages
from graphlang.content import adapters
from graphlang.content.adapters import foreign
from graphlang.modelfile import ModelError
from graphlang.plugins import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphlang.content.identifier import Identifier

_DATA = Path(__file__).parent.parent / "data"


@dataclass(frozen=True, slots=True)
class _Method:
    about: str
    module: str  # of graphlang; imported when the method is asked for
    maker: str  # in it: makes an identifier of a model, its hash and its name
    shipped: str | None = None  # file in graphlang/data; None: the user trains a model of his own
    makers: str | None = None  # module whose `makers` work large arrays out of that file; None: none are kept

    def kept(self, digest: str) -> modelfile.Kept | None:
        """What was worked out of the shipped model earlier."""
        makers = import_module(f"graphlang.{self.makers}").makers()
        return modelcache.find(digest, makers)

    @property
    def loader(self) -> Callable[[modelfile.Model, str, str], Identifier]:
        found: Callable[[modelfile.Model, str, str], Identifier] = getattr(
            import_module(f"graphlang.{self.module}"), self.maker
        )
        return found


_METHODS = {
    "nfc": _Method(
        "discriminative descendant of NFC: n-grams and words, trained vectors, spelling; not the paper's (default)",
        "content.discriminative.model",
        "Discriminative",
        "nfc.npz",
        "content.discriminative.trained",
    ),
    "nfc-2004": _Method(
        "NFC as published: trigrams, the top 1000, cosine (Hayati 2004)", "papers.nfc_2004", "Nfc2004", "nfc-2004.npz"
    ),
    "rank-order": _Method(
        "ranks of the 399 commonest n-grams of 1 to 5 characters (Cavnar & Trenkle; BASE of Hayati 2004)",
        "papers.rank_order",
        "RankOrder",
    ),
    "textcat": _Method(
        "ranks of the 400 commonest n-grams of 1 to 5 UTF-8 bytes (ClueWeb09)", "papers.textcat", "TextCat"
    ),
    "quadgrams": _Method(
        "byte quad-grams of languages in their encodings, vector distance (Zavarsky et al. 2005)",
        "papers.quadgrams",
        "Quadgrams",
    ),
    "byte-trigrams": _Method(
        "set membership rate of byte trigrams, with the encoding (Chew et al. 2011)",
        "papers.byte_trigrams",
        "load_trigrams",
        "byte-trigrams.npz",
    ),
    "martins-silva": _Method(
        "Lin's similarity, n-grams weighted by markup (Martins & Silva 2005, in Chew et al. 2011)",
        "papers.martins_silva",
        "MartinsSilva",
    ),
}
DEFAULT = "nfc"


def names() -> dict[str, str]:
    """Every method's name and one line on what it is; what other packages add comes last.

    Raises:
        PluginError: two packages add a method under one name, or one adds a method under a name of ours.
    """
    own = {name: method.about for name, method in _METHODS.items()} | adapters.ABOUT
    added = foreign.names()
    if taken := sorted(own.keys() & added.keys()):
        raise PluginError(f"{taken[0]} is a method of graphlang and cannot be {added[taken[0]]}")
    return own | added


def path(name_or_path: str | Path) -> Path:
    """The model file of a method that comes with one, or that of a path.

    Raises:
        ModelError: a method that comes without a model, or no such method and no such file.
    """
    name = str(name_or_path)
    known = _METHODS.get(name)
    if known is not None and known.shipped is None:
        raise ModelError(
            f"{name} comes without a model: train one (graphlang train MODEL CORPUS --method {name}) and give its path"
        )
    found = _DATA / known.shipped if known is not None and known.shipped else Path(name_or_path)
    is_name = len(found.parts) == 1  # the folder of a package beside us is named like its method
    if known is None and (not found.exists() or (is_name and found.is_dir())):
        more = "" if plugins.allowed() else "; what other packages add is loaded by --plugins (use_plugins() in Python)"
        raise ModelError(f"{name}: no such method ({', '.join(names())}) and no such file{more}")
    return found


def load(name_or_path: str | Path) -> Identifier:
    """The identifier of a method's shipped model, of a model file that `train` made, or of another program installed.

    Raises:
        ModelError: neither a method's name nor a usable model file; a method that comes without a model; a program that
            is not installed.
        PluginError: a method of another package that cannot be loaded.
    """
    name = str(name_or_path)
    if name in adapters.ABOUT:
        return adapters.load(name)
    if name not in _METHODS and name in foreign.names():
        return foreign.load(name)
    file = path(name)
    shipped = _METHODS.get(name)
    content, digest = modelfile.read(file, None if shipped is None or shipped.makers is None else shipped.kept)
    method = _METHODS.get(content.method)
    if method is None:
        raise ModelError(f"{file}: made for the method {content.method!r}, which is not known here")
    for label in () if name in _METHODS else content.labels:  # tests look at those of our own files
        if languages.label(label) != label:
            raise ModelError(f"{file}: {label!r} is no label of this program")
    return method.loader(content, digest, str(file))
