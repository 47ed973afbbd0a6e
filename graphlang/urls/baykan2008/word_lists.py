"""The dictionaries and the names of cities that the custom features use, for every language that has any.

``data/url-lists.npz`` is made by ``tests/urls/make_lists.py``: the commonest words of running text, and cities of more
than 15,000 people from GeoNames (CC BY 4.0; the note of credit lies beside the table). Country codes come from
`graphlang.urls.baykan2008.cctld`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphlang import modelfile
from graphlang.modelfile import Model, ModelError, take
from graphlang.urls.baykan2008 import cctld
from graphlang.urls.baykan2008.custom_features import Custom
from graphlang.urls.baykan2008.lexicon import Lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_FILE = Path(__file__).parents[2] / "data" / "url-lists.npz"
NAME = "url-lists"


def save(path: Path, languages: Sequence[str], words: Lexicon, cities: Lexicon, about: dict[str, object]) -> str:
    """Write the table. Returns its SHA-256.

    Args:
        path: Of the file.
        languages: In the order of their numbers.
        words: Common words of each language.
        cities: Cities of each language's countries.
        about: Parameters to be kept with them.
    """
    arrays: dict[str, NDArray[Any]] = {
        "word": words.word, "word_language": words.language, "city": cities.word, "city_language": cities.language,
    }  # fmt: skip
    return Model(NAME, tuple(languages), about, arrays).save(path)


@cache
def _shipped() -> tuple[tuple[str, ...], Lexicon, Lexicon, str]:
    content, digest = modelfile.read(_FILE)
    if content.method != NAME:
        raise ModelError(f"{_FILE}: no table of words")
    words, cities = (
        Lexicon(
            take(content, name, "u", (None,), str(_FILE)), take(content, f"{name}_language", "i", (None,), str(_FILE))
        )
        for name in ("word", "city")
    )
    return content.labels, words, cities, digest


def digest() -> str:
    """SHA-256 of the table: a model knows the lists that it was trained with."""
    return _shipped()[3]


def custom(languages: Sequence[str], trained: Lexicon) -> Custom:
    """The custom features of these languages, with trained dictionaries numbered in their order.

    Args:
        languages: Codes, in the order of the columns.
        trained: The trained dictionaries.

    >>> from graphlang.urls.baykan2008.custom_features import KINDS
    >>> made = custom(["deu", "fra"], Lexicon.of([]))
    >>> row = made.counts(["http://berlin.example.fr/das-haus"]).toarray()[0]
    >>> [name for name, value in zip(made.names, row) if value][:3]
    ['fra: code is the TLD', 'fra: code before the first /', 'deu: tokens in dictionary']
    """
    known, words, cities, _ = _shipped()
    place = {language: number for number, language in enumerate(known)}
    numbers = [place.get(language, -1) for language in languages]
    codes = Lexicon.of_words(cctld.codes(languages), languages)
    return Custom(tuple(languages), codes, words.only(numbers), cities.only(numbers), trained)
