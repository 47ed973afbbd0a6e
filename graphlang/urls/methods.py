"""The URL methods by name: ``url``, the best and the default, and the classifiers of Baykan et al. 2008."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from graphlang.urls import model, modelfile, published
from graphlang.urls.cctld import CcTld
from graphlang.urls.modelfile import ModelError
from graphlang.urls.vectors import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

_DATA = Path(__file__).parent.parent / "data"
DEFAULT = "url"

_LEARNERS = {"nb": "Naive Bayes", "re": "Relative Entropy", "me": "Maximum Entropy"}
_TRAINED = {
    DEFAULT: "words, placed codes and 4-grams of the URL, with knowledge of codes and of running text (default)",
    **{
        f"url-{kind}-{learner}": f"{title} over {kind} of the URL (Baykan et al. 2008)"
        for kind in KINDS
        for learner, title in _LEARNERS.items()
    },
}
_RULES: dict[str, tuple[str, Callable[[], CcTld]]] = {
    "url-cctld": ("the language of the country of the top-level domain", lambda: CcTld(plus=False)),
    "url-cctld+": ("the same, with .com and .org as English", lambda: CcTld(plus=True)),
}


class UrlIdentifier(Protocol):
    """What every URL method is to the rest of the program."""

    @property
    def name(self) -> str:
        """The method's name."""

    @property
    def labels(self) -> tuple[str, ...]:
        """ISO 639-3 codes, in the order of the columns of `probabilities`."""

    @property
    def hash(self) -> str:
        """SHA-256 of the model file, in hexadecimal; empty for a method without a model."""

    def describe(self) -> dict[str, Any]:
        """The parameters of training and of the model, for the record of a run."""

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Shape (urls, labels); each row sums to 1, whatever the string holds."""


def names() -> dict[str, str]:
    """Every method's name and one line on what it is."""
    return {**_TRAINED, **{name: about for name, (about, _) in _RULES.items()}}


def load(name_or_path: str | Path = DEFAULT) -> UrlIdentifier:
    """A method's shipped model, or a model file that training made.

    Raises:
        ModelError: neither a method's name nor a usable model file.

    >>> method = load("url-cctld")
    >>> method.labels[int(method.probabilities(["http://example.pl/"])[0].argmax())]
    'pol'
    """
    name = str(name_or_path)
    if name in _RULES:
        return _RULES[name][1]()
    path = _DATA / f"{name}.npz" if name in _TRAINED else Path(name_or_path)
    if name not in _TRAINED and not path.exists():
        raise ModelError(f"{name}: no such URL method ({', '.join(names())}) and no such file")
    header, arrays, digest = modelfile.read(path)
    method = header["method"]
    if method not in _TRAINED:
        raise ModelError(f"{path}: made for the method {method!r}, which is not known here")
    reader = model.from_file if method == DEFAULT else published.from_file
    return reader(header, arrays, digest, str(path))
