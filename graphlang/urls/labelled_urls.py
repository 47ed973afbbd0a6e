"""Labelled URLs: read them from files, group them by domain, and measure a method on them.

The measures are those of Baykan et al. 2008, section 4.2. URLs of one registered domain are not independent of each
other, so training and tests are split by domain.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from graphlang.codes import languages
from graphlang.files import read_regular
from graphlang.public_suffix import find_registered_domain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.urls.url_methods import UrlIdentifier


class LabelledUrl(NamedTuple):
    """One labelled URL."""

    language: str  #: ISO 639-3 code
    source: str  #: which list it comes from
    url: str


def read_urls(path: str | Path) -> list[LabelledUrl]:
    """Read the labelled URLs of a file or a folder; those of unknown codes are left out.

    A file is tab-separated, and its header names at least ``url`` and ``lang`` (or ``language``). A folder has a
    sub-folder for each language, named by any usual code, with ``.txt`` files of one URL a line. Raise an OSError if it
    cannot be read, a ValueError if a column is missing.
    """
    return _read_folder(Path(path)) if Path(path).is_dir() else _read_table(Path(path))


def _read_table(path: Path) -> list[LabelledUrl]:
    lines = read_regular(path).decode("utf-8", "surrogateescape").split("\n")
    columns = lines[0].removeprefix("\ufeff").rstrip("\r").split("\t")
    column = "lang" if "lang" in columns else "language"
    if not {column, "url"} <= set(columns):
        raise ValueError("the first line must name the columns lang (or language) and url")
    lang, url = columns.index(column), columns.index("url")
    source = columns.index("source") if "source" in columns else None
    rows = []
    for line in lines[1:]:
        cells = line.rstrip("\r").split("\t")
        if len(cells) != len(columns):
            continue
        code = _parse_code(cells[lang])
        if code is not None:
            rows.append(LabelledUrl(code, cells[source] if source is not None else "", cells[url]))
    return rows


def _read_folder(path: Path) -> list[LabelledUrl]:
    rows = []
    for place in sorted(path.iterdir()):
        code = _parse_code(place.name) if place.is_dir() else None
        if code is None:
            continue
        for file in sorted(place.glob("*.txt")):
            lines = read_regular(file).decode("utf-8", "surrogateescape").split("\n")
            rows += [LabelledUrl(code, file.stem, url) for line in lines if (url := line.strip())]
    return rows


def _parse_code(tag: str) -> str | None:
    code = languages.code(tag)
    return code if code not in (languages.UND, languages.ZXX) else None


_WITH_PATH = re.compile(r"(https?://[^/?#]+)[/?#]..", re.DOTALL)


def find_registered_domains(urls: Sequence[str]) -> list[str]:
    """Return the domain of each URL below the ICANN public suffix: ``epfl.ch`` (footnote 12 of Baykan et al. 2008).

    The private section of the list does not count: all of ``*.github.io`` is one domain. A host without a registered
    domain (an IP address, a bare suffix) is its own; a URL without a host has the empty string.

    >>> find_registered_domains(["http://ltaa.epfl.ch/algorithms.html", "http://chu.cam.ac.uk/", "http://10.0.0.1/"])
    ['epfl.ch', 'cam.ac.uk', '10.0.0.1']
    """
    domains: dict[str, str] = {}
    for host in map(_find_host_name, urls):
        if host not in domains:
            domains[host] = find_registered_domain(host, private=False) or host
    return [domains[_find_host_name(url)] for url in urls]


def cut_after_host(url: str) -> str:
    """Cut a URL after its host and a slash; empty if there is nothing more to cut.

    >>> cut_after_host("http://www.example.fr/feed"), cut_after_host("http://www.example.fr/")
    ('http://www.example.fr/', '')
    """
    match = _WITH_PATH.match(url)
    return f"{match[1]}/" if match else ""


def _find_host_name(url: str) -> str:
    try:
        return (urlsplit(url if "//" in url else "//" + url).hostname or "").strip(".")
    except ValueError:  # an invalid IPv6 address
        return ""


_BATCH = 65_536
_FEWEST = 2  # languages


class UrlMeasures(NamedTuple):
    """Measures of one binary classifier on one test set."""

    precision: float  #: in the balanced setting, as many positive as negative URLs
    recall: float  #: p(+|+)
    negative: float  #: p(-|-), negative success ratio
    f: float  #: harmonic mean of the first two


def measure_decisions(decided: NDArray[np.bool_], truth: NDArray[np.bool_]) -> UrlMeasures:
    """Compute P, R, p(-|-) and F of yes-decisions against the truth.

    P = n+ p(+|+) / (n+ p(+|+) + n- (1 - p(-|-))) with n+ = n-, so P = R / (R + 1 - p(-|-)); F = 2 / (1/R + 1/P).
    A classifier that never says yes has P = F = 0.

    Args:
        decided: [URLs] whether the classifier accepts the URL.
        truth: [URLs] the right decision.

    Raises:
        ValueError: there is no positive or no negative URL, and a ratio has no meaning.

    >>> measure_decisions(np.array([True, True, False, False]), np.array([True, False, True, False]))
    UrlMeasures(precision=0.5, recall=0.5, negative=0.5, f=0.5)
    """
    if truth.all() or not truth.any():
        raise ValueError("a test set needs positive and negative URLs")
    recall = float(decided[truth].mean())
    negative = float(1 - decided[~truth].mean())
    if recall == 0:
        return UrlMeasures(0.0, 0.0, negative, 0.0)
    precision = recall / (recall + 1 - negative)
    return UrlMeasures(precision, recall, negative, 2 / (1 / recall + 1 / precision))


def count_confusion(
    decided: NDArray[np.bool_], language: NDArray[np.str_], languages: Sequence[str]
) -> NDArray[np.float64]:
    """Return the share of the URLs of each language (row) that each classifier (column) accepts.

    The diagonal is recall. Neither rows nor columns have to sum to 1, as every classifier decides alone.

    Shapes: decided [URLs, languages], language [URLs].
    """
    return np.array([decided[language == code].mean(axis=0) for code in languages])


def compute_balanced_f(decided: NDArray[np.bool_], language: NDArray[np.str_], languages: Sequence[str]) -> float:
    """Return F in the balanced setting, averaged over the languages.

    Shapes: decided [URLs, languages], language [URLs] with the true codes.
    """
    return float(np.mean([measure_decisions(decided[:, n], language == code).f for n, code in enumerate(languages)]))


class UrlDecisions(NamedTuple):
    """The decisions of a method on labelled URLs."""

    languages: tuple[str, ...]  #: codes of the columns
    language: NDArray[np.str_]  #: true code of each URL, (URLs,)
    decided: NDArray[np.bool_]  #: (URLs, languages)

    def compute_measures(self) -> list[tuple[str, int, UrlMeasures]]:
        """Return code, number of URLs and measures of each language; the average comes last."""
        each = [
            (
                code,
                int((self.language == code).sum()),
                measure_decisions(self.decided[:, column], self.language == code),
            )
            for column, code in enumerate(self.languages)
        ]
        means = (float(np.mean(column)) for column in zip(*(values for _, _, values in each), strict=True))
        return [*each, ("average", len(self.language), UrlMeasures(*means))]

    def compute_confusion(self) -> list[tuple[Any, ...]]:
        """Return a row per language: its code, and the share of its URLs that each classifier accepts."""
        shares = count_confusion(self.decided, self.language, self.languages).tolist()
        return [(code, *row) for code, row in zip(self.languages, shares, strict=True)]


def decide_urls(
    identifier: UrlIdentifier, urls: Sequence[LabelledUrl], languages: Sequence[str] | None = None
) -> UrlDecisions:
    """Decide labelled URLs by a method, for `languages`, or for all languages of both.

    Raise a ValueError for fewer than two languages, or one without URLs or that the method does not know.

    >>> from graphlang.urls import url_methods
    >>> from graphlang.urls.labelled_urls import LabelledUrl
    >>> urls = [LabelledUrl("deu", "list", "http://a.example.de/"), LabelledUrl("fra", "list", "http://a.example.fr/")]
    >>> decide_urls(url_methods.load("url-cctld"), urls).compute_measures()[-1]
    ('average', 2, UrlMeasures(precision=1.0, recall=1.0, negative=1.0, f=1.0))
    """
    present = {row.language for row in urls}
    codes = tuple(languages or sorted(present & set(identifier.labels)))
    missing = [code for code in codes if code not in identifier.labels or code not in present]
    if missing:
        raise ValueError(f"{', '.join(missing)}: not in the file, or not known to {identifier.name}")
    if len(codes) < _FEWEST:
        raise ValueError("fewer than two")
    rows = [row for row in urls if row.language in codes]
    columns = [identifier.labels.index(code) for code in codes]
    decided = np.zeros((len(rows), len(codes)), dtype=bool)
    for begin in range(0, len(rows), _BATCH):
        urls_of_batch = [row.url for row in rows[begin : begin + _BATCH]]
        decided[begin : begin + _BATCH] = identifier.decisions(urls_of_batch)[:, columns]
    return UrlDecisions(codes, np.array([row.language for row in rows]), decided)
