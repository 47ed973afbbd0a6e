"""Languages of a page by its top-level domain: by training (Hayati 2004) or by official languages (Baykan 2008)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE, Answer, make_answer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

KEEP = 5
ENGLISH = "eng"
ENGLISH_TERRITORIES = ("au", "ie", "nz", "us", "gov", "mil", "gb", "uk")  #: Baykan et al. 2008, section 3.2
ALSO_ENGLISH = ("com", "org")  #: what ccTLD+ adds


def top_level_domain(
    tld: NDArray[np.int32], language: NDArray[np.int16], languages: int, trusted: NDArray[np.bool_] | None = None
) -> Answer:
    """TOP-LEVEL DOMAIN (Hayati 2004, algorithm 5.2), trained on the collection itself.

    Training finds the most frequent language of each top-level domain, and every page gets the language of its domain.
    Two cases are not in the paper: ties go to the lowest number, and a domain without trained pages has no language.

    Args:
        tld: number of each page's top-level domain, -1 none, shape (n,).
        language: each page's language by its text, -1 none, shape (n,).
        languages: number of languages.
        trusted: pages to train on, shape (n,); default: all pages with a language.

    Returns:
        an Answer; the confidence is the share of the language among the trained pages of the domain.

    >>> import numpy as np
    >>> a = top_level_domain(np.int32([0, 0, 0, 1, -1]), np.int16([4, 4, 2, -1, 3]), 5)
    >>> a.language.tolist(), [round(float(c), 2) for c in a.confidence]
    ([4, 4, 4, -1, -1], [0.67, 0.67, 0.67, 0.0, 0.0])
    """
    seen = (tld >= 0) & (language >= 0)
    if trusted is not None:
        seen &= trusted
    domains = int(tld.max(initial=-1)) + 1
    key = tld[seen].astype(np.int64) * languages + language[seen]
    counts = np.bincount(key, minlength=domains * languages).reshape(domains, languages)
    keep = min(KEEP, languages)
    order = np.argsort(-counts, axis=1, kind="stable")[:, :keep]
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shares = np.take_along_axis(counts, order, 1) / total
    # an empty last row for pages without a domain (index -1)
    order = np.vstack([order, np.full((1, keep), NONE)])
    shares = np.vstack([shares, np.zeros((1, keep))])
    return make_answer(order[tld].astype(np.int16), shares[tld].astype(np.float32))


def territory(
    tlds: Sequence[str],
    tld: NDArray[np.int32],
    codes: Sequence[str],
    official: Mapping[str, Sequence[str]],
    *,
    plus: bool = False,
) -> Answer:
    """Country code top-level domains (Baykan, Henzinger, Weber 2008, section 3.2): ccTLD, and ccTLD+ with ``plus``.

    A page gets the first official language of the country of its domain. The paper lists the domains of five
    languages; ``official`` lists those of the world. As in the paper, ``gov`` and ``mil`` are English, and with
    ``plus`` also ``com`` and ``org``.

    Args:
        tlds: names of the top-level domains, lower case, without a dot.
        tld: index into ``tlds`` for each page, -1 none, shape (n,).
        codes: ISO 639-3 codes; the answer holds indices into them.
        official: the languages of each ccTLD, most speakers first.
        plus: count com and org as English.

    Returns:
        an Answer. The i-th of k official languages (from 1) has probability 2^-i, and the last two have the same. The
        paper assigns one language to each domain.
    """
    index = {code: i for i, code in enumerate(codes)}
    english = {*ENGLISH_TERRITORIES, *(ALSO_ENGLISH if plus else ())}
    languages = np.full((len(tlds) + 1, KEEP), NONE, np.int16)
    shares = np.zeros((len(tlds) + 1, KEEP), np.float32)
    for row, name in enumerate(tlds):
        names = [ENGLISH] if name in english else list(official.get(name, ()))
        names = [code for code in names if code in index][:KEEP]
        for rank, code in enumerate(names):
            languages[row, rank] = index[code]
            shares[row, rank] = 0.5 ** min(rank + 1, len(names) - 1)
    return make_answer(languages[tld], shares[tld])
