"""The URL methods by name: ``url``, the best and the default, and the classifiers of Baykan et al. 2008."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from graphlang import modelfile
from graphlang.modelfile import ModelError
from graphlang.urls import merged_methods
from graphlang.urls.baykan2008.methods import METHODS
from graphlang.urls.default import model

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphlang.urls.baykan2008.cctld import CcTld
    from graphlang.urls.identifier import UrlIdentifier

_DATA = Path(__file__).parent.parent / "data"
DEFAULT = "url"

_FEATURES = {
    "words": "words of the URL",
    "trigrams": "trigrams of the URL",
    "custom": "country codes, dictionaries and cities in the URL",
}
_LEARNERS = {"nb": "Naive Bayes", "re": "Relative Entropy", "me": "Maximum Entropy", "dt": "decision trees"}
_TRAINED = {
    DEFAULT: "words, placed codes and 4-grams of the URL, with knowledge of codes and of running text (default)",
    **{
        name: f"{_LEARNERS[learner]} over {_FEATURES[kind]} (Baykan et al. 2008)"
        for name, (kind, learner) in METHODS.items()
    },
}


def _cctld(*, plus: bool) -> CcTld:
    from graphlang.urls.baykan2008.cctld import CcTld  # noqa: PLC0415 - the main job needs the default alone

    return CcTld(plus=plus)


_RULES: dict[str, tuple[str, Callable[[], CcTld]]] = {
    "url-cctld": ("the language of the country of the top-level domain", lambda: _cctld(plus=False)),
    "url-cctld+": ("the same, with .com and .org as English", lambda: _cctld(plus=True)),
}
#: how two methods are merged, for the list of methods
MERGED = {
    "A or B": "two URL methods merged for recall: yes where either says yes (Baykan et al. 2008, 3.3)",
    "A and B": "two URL methods merged for precision: yes where both say yes; und where no language has it",
}


def names() -> dict[str, str]:
    """Every method's name and one line on what it is; any two of them can be merged, see `MERGED`."""
    return {**_TRAINED, **{name: about for name, (about, _) in _RULES.items()}}


def known(name_or_path: str | Path) -> bool:
    """Whether this is a URL method, two merged ones, or a model file of a URL method.

    >>> known("url-cctld or url"), known("nfc")
    (True, False)
    """
    name = str(name_or_path)
    if name in names() or merged_methods.parts(name) is not None:
        return True
    try:
        return modelfile.method_of(name_or_path) in _TRAINED
    except ModelError:
        return False


def load(name_or_path: str | Path = DEFAULT) -> UrlIdentifier:
    """A method's shipped model, a model file that training made, or two of these merged: ``A or B``, ``A and B``.

    Raises:
        ModelError: neither a method's name nor a usable model file.

    >>> method = load("url-cctld")
    >>> method.labels[int(method.probabilities(["http://example.pl/"])[0].argmax())]
    'pol'
    """
    name = str(name_or_path)
    pair = merged_methods.parts(name)
    if pair is not None:
        main, how, helper = pair
        return merged_methods.Merged(load(main), load(helper), how)
    if name in _RULES:
        return _RULES[name][1]()
    path = _DATA / f"{name}.npz" if name in _TRAINED else Path(name_or_path)
    if name not in _TRAINED and not path.exists():
        raise ModelError(f"{name}: no such URL method ({', '.join(names())}) and no such file")
    content, digest = modelfile.read(path)
    if content.method not in _TRAINED:
        raise ModelError(f"{path}: made for the method {content.method!r}, which is no URL method")
    if content.method == DEFAULT:
        return model.from_model(content, digest, str(path))
    from graphlang.urls.baykan2008 import model_file  # noqa: PLC0415 - as above

    return model_file.from_model(content, digest, str(path))
