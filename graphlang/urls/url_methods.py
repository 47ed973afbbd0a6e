"""The URL methods by name: ``url``, the default, and those of Baykan, Henzinger and Weber 2008 in `graphlang.papers`.

A module of the papers is imported when one of its methods is loaded.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from graphlang import modelfile
from graphlang.modelfile import ModelError
from graphlang.urls import url_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_DATA = Path(__file__).parent.parent / "data"
DEFAULT = "url"
#: the paper's methods, each with its feature set and its learner; trees have custom features only, as in the paper
PAPER_METHODS = {
    f"url-{kind}-{learner}": (kind, learner)
    for kind in ("words", "trigrams", "custom")
    for learner in ("nb", "re", "me", "dt")
    if learner != "dt" or kind == "custom"
}
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
        for name, (kind, learner) in PAPER_METHODS.items()
    },
}
#: methods without a model
_CCTLD = {
    "url-cctld": "the language of the country of the top-level domain",
    "url-cctld+": "the same, with .com and .org as English",
}
#: how two methods are merged, for the list of methods
MERGED = {
    "A or B": "two URL methods merged for recall: yes where either says yes (Baykan et al. 2008, 3.3)",
    "A and B": "two URL methods merged for precision: yes where both say yes; und where no language has it",
}


class UrlIdentifier(Protocol):
    """A URL method with its model."""

    @property
    def name(self) -> str:
        """The method's name."""

    @property
    def labels(self) -> tuple[str, ...]:
        """ISO 639-3 codes, in the order of the columns of `probabilities`; a merged method has ``und`` at the end."""

    @property
    def hash(self) -> str:
        """SHA-256 of the model file, in hexadecimal; empty for a method without a model."""

    def describe(self) -> dict[str, Any]:
        """The parameters of training and of the model, for the record of a run."""

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Shape (urls, labels); each row sums to 1, whatever the string holds."""

    def decisions(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Shape (urls, labels): yes or no for each language, as the paper decides."""


def list_methods() -> dict[str, str]:
    """Return each method's name with a description; any two can be merged, see `MERGED`."""
    return {**_TRAINED, **_CCTLD}


def split_merged(name: str) -> tuple[str, str, str] | None:
    """Split the name of a merged method: main method, ``or`` or ``and``, and helper; None for any other name.

    >>> split_merged("url-words-me or url-words-re")
    ('url-words-me', 'or', 'url-words-re')
    """
    for operator in ("or", "and"):
        main, mark, helper = name.partition(f" {operator} ")
        if mark and main.strip() and helper.strip():
            return main.strip(), operator, helper.strip()
    return None


def is_url_method(name_or_path: str | Path) -> bool:
    """Return True for a URL method, two merged ones, or a model file of a URL method.

    >>> is_url_method("url-cctld or url"), is_url_method("nfc")
    (True, False)
    """
    name = str(name_or_path)
    if name in list_methods() or split_merged(name) is not None:
        return True
    try:
        return modelfile.read_method(name_or_path) in _TRAINED
    except ModelError:
        return False


@cache
def digest_default() -> str:
    """Return the SHA-256 of the model file of the default method, without loading it."""
    with (_DATA / f"{DEFAULT}.npz").open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load(name_or_path: str | Path = DEFAULT) -> UrlIdentifier:
    """Load a shipped model, a model file that training made, or two of these merged: ``A or B``, ``A and B``.

    Raise a ModelError if it is neither a method's name nor a usable model file.

    >>> method = load("url-cctld")
    >>> method.labels[int(method.probabilities(["http://example.pl/"])[0].argmax())]
    'pol'
    """
    name = str(name_or_path)
    merged = split_merged(name)
    identifier: UrlIdentifier
    if merged is not None:
        main, operator, helper = merged
        identifier = import_module("graphlang.papers.baykan2008").MergedMethods(load(main), load(helper), operator)
        return identifier
    if name in _CCTLD:
        identifier = import_module("graphlang.papers.baykan2008_features").CcTld(plus=name.endswith("+"))
        return identifier
    path = _DATA / f"{name}.npz" if name in _TRAINED else Path(name_or_path)
    if name not in _TRAINED and not path.exists():
        raise ModelError(f"{name}: no such URL method ({', '.join(list_methods())}) and no such file")
    content, digest = modelfile.read(path)
    if content.method not in _TRAINED:
        raise ModelError(f"{path}: made for the method {content.method!r}, which is no URL method")
    if content.method == DEFAULT:
        return url_model.read_url_model(content, digest, str(path))
    identifier = import_module("graphlang.papers.baykan2008").read_classifier(content, digest, str(path))
    return identifier
