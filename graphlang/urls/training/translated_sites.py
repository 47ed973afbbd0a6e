"""Made-up URLs of translated sites: the words of the original's path, and the code that says it is a translation.

``/ko/news/2013/ruby-released`` is a Korean page with an English name. Labelled lists of news sites hold few such URLs,
so that a model trained on them alone believes the words; these examples teach it to believe the code.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from graphlang.codes import languages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: a URL whose host does not end in a country, and which has a path
_GENERIC = re.compile(r"^https?://(?:www\.)?([a-z0-9.-]+\.(?:com|org|net|info))(/[^?#]{3,200})", re.IGNORECASE)
#: tags that sites write beside the bare code
_REGIONAL = {"por": ("pt-br", "pt_BR"), "zho": ("zh-cn", "zh_TW"), "nob": ("no",), "eng": ("en-us",), "spa": ("es-mx",)}
#: how often a code stands as a segment, before the host, in the query, and at the end of a name
_SHARES = (0.6, 0.15, 0.1, 0.15)


def translated(urls: Sequence[str], labels: Sequence[str], count: int, seed: int = 0) -> Iterator[tuple[str, int]]:
    """``count`` URLs of each label, each with the label's column.

    Args:
        urls: Any URLs; those of a generic domain and with a path are the originals. None of them, no examples.
        labels: ISO 639-3 codes.
        count: Of each label.
        seed: The same seed gives the same examples.

    >>> [url for url, _ in translated(["http://www.a.org/news/today.html"], ["kor"], 1, seed=2)]
    ['http://a.org/ko/news/today.html']
    """
    originals = [(found[1], found[2]) for url in urls if (found := _GENERIC.match(url))]
    if not originals:
        return
    draws = random.Random(seed)  # noqa: S311 no secret is drawn
    for column, label in enumerate(labels):
        tags = (languages.bcp47(label), *_REGIONAL.get(label, ()))
        for _ in range(count):
            host, path = draws.choice(originals)
            yield _marked(host, path, draws.choice(tags), draws), column


def _marked(host: str, path: str, tag: str, draws: random.Random) -> str:
    form = draws.choices(range(4), _SHARES)[0]
    if form == 0:
        return f"http://{host}/{tag}{path}"
    if form == 1:
        return f"http://{tag}.{host}{path}"
    if form == 2:  # noqa: PLR2004 the third
        return f"http://{host}{path}?lang={tag}"
    name, dot, ending = path.rpartition(".")
    if not dot or not ending.isalnum():
        name, ending = path.rstrip("/"), "html"
    return f"http://{host}{name}{draws.choice('_.')}{tag}.{ending}"
