"""The content methods by name, and how to load their models.

To add a method, add an entry here, or offer it from another package (`classifier`). The model class of a paper's method
is in `graphlang.papers`, its training in `graphlang.training.train_papers`, and its card in
`graphlang.method_cards.sources`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from graphlang import modelcache, modelfile, plugins
from graphlang.codes import languages
from graphlang.content import adapters, classifier
from graphlang.modelfile import ModelError
from graphlang.plugins import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphlang.content.identifier import Identifier

_DATA = Path(__file__).parent.parent / "data"


@dataclass(frozen=True, slots=True)
class _Method:
    about: str
    module: str  # of graphlang; imported when the method is loaded
    maker: str  # in it: makes an identifier of a model, its hash and its name
    shipped: str | None = None  # file in graphlang/data; None: the user trains a model
    makers: str | None = None  # module whose `makers` unpack large arrays of that file; None: nothing is cached

    def load_cached(self, identity: str) -> modelfile.CachedTables | None:
        """Find the cached arrays of the shipped model."""
        makers = import_module(f"graphlang.{self.makers}").list_makers()
        return modelcache.find_tables(identity, makers)

    @property
    def loader(self) -> Callable[..., Identifier]:
        maker: Callable[..., Identifier] = getattr(import_module(f"graphlang.{self.module}"), self.maker)
        return maker


_METHODS = {
    "nfc": _Method(
        "discriminative descendant of NFC: n-grams and words, trained vectors, spelling; not the paper's (default)",
        "content.nfc.model",
        "Discriminative",
        "nfc.npz",
        "content.nfc.model_parts",
    ),
    "nfc-2004": _Method(
        "NFC as published: trigrams, the top 1000, cosine (Hayati 2004)", "papers.nfc_2004", "Nfc2004", "nfc-2004.npz"
    ),
    "nfc-2004-11": _Method(
        "NFC as published, in the eleven languages of the paper (Hayati 2004)",
        "papers.nfc_2004",
        "Nfc2004",
        "nfc-2004-11.npz",
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
    """List all methods, each with a line about it; those of other packages come last.

    Raise a PluginError if two packages add a method under one name, or one adds a method under a built-in name.
    """
    ours = {name: method.about for name, method in _METHODS.items()}
    ours |= {name: program.about for name, program in adapters.ADAPTERS.items()}
    plugin_methods = classifier.names()
    if conflicts := sorted(ours.keys() & plugin_methods.keys()):
        raise PluginError(f"{conflicts[0]} is a method of graphlang and cannot be {plugin_methods[conflicts[0]]}")
    return ours | plugin_methods


def path(name_or_path: str | Path) -> Path:
    """Find the model file of a method, or that of a path.

    Raise a ModelError for a method without a model, or if there is no such method or file.
    """
    name = str(name_or_path)
    method = _METHODS.get(name)
    if method is not None and method.shipped is None:
        raise ModelError(
            f"{name} comes without a model: train one (graphlang train MODEL CORPUS --method {name}) and give its path"
        )
    file = _DATA / method.shipped if method is not None and method.shipped else Path(name_or_path)
    is_name = len(file.parts) == 1  # a folder of the current directory may have the name of a method
    if method is None and (not file.exists() or (is_name and file.is_dir())):
        hint = "" if plugins.are_enabled() else "; --plugins loads methods of other packages"
        raise ModelError(f"{name}: no such method ({', '.join(names())}) and no such file{hint}")
    return file


def load(name_or_path: str | Path) -> Identifier:
    """Load the identifier of a method, of a model file that `train` made, or of another program.

    Raise a ModelError for a name that is neither a method nor a usable model file, a method without a model, or a
    program that is not installed; a PluginError if a method of another package cannot be loaded.
    """
    name = str(name_or_path)
    if name in adapters.ADAPTERS:
        return adapters.load(name)
    if name not in _METHODS and name in classifier.names():
        return classifier.load(name)
    file = path(name)
    shipped = _METHODS.get(name)
    content, digest = modelfile.read(file, None if shipped is None or shipped.makers is None else shipped.load_cached)
    method = _METHODS.get(content.method)
    if method is None:
        raise ModelError(f"{file}: unknown method {content.method!r}")
    if shipped is not None and content.method != name:  # a second model of a method
        return method.loader(content, digest, str(file), name=name)
    identifier = method.loader(content, digest, str(file))
    for label in () if name in _METHODS else identifier.labels:  # a test checks those of our own files
        if languages.label(label) != label:
            raise ModelError(f"{file}: {label!r} is not a language label")
    return identifier
