"""The colour of each language, the same in reports and in files for Gephi."""

from __future__ import annotations

import colorsys
import zlib
from itertools import islice
from typing import TYPE_CHECKING, Final

from graphlang.codes import languages

if TYPE_CHECKING:
    from collections.abc import Iterable


def _spread_colours(count: int) -> list[str]:
    """Return colours whose hues are a golden angle apart, dark and light in turn."""
    colours = []
    for number in range(count):
        channels = colorsys.hls_to_rgb(number * 0.618034 % 1, 0.35 if number % 2 else 0.65, 0.5)
        colours.append("#" + "".join(f"{round(255 * channel):02x}" for channel in channels))
    return colours


#: Colours of languages, the commonest first. Seven are safe for any colour vision (Okabe and Ito 2008), then follow
#: Tol's qualitative schemes (2021), the darkest lightened for dark screens, then colours for collections with more
#: languages, which need their labels.
COLOURS: Final = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#a3345f", "#44aa99", "#6655cc"),
    *("#999933", "#117733", "#aa4499", "#88ccee", "#ddcc77", "#a0522d", "#6699cc", "#cc6677"),
    *_spread_colours(30),
)
_DISTINCT: Final = 18  # of the colours, without those that need their labels
#: Languages with a colour that no report changes: the commonest of the web, in the order of the colours.
_FIXED: Final = (
    "eng",
    "deu",
    "fra",
    "spa",
    "rus",
    "zho",
    "jpn",
    "por",
    "ita",
    "pol",
    "nld",
    "ara",
    "tur",
    "fas",
    "vie",
)
#: Of languages without a colour, and of undetermined pages.
OTHER: Final = "#999999"


def choose_colours(codes: Iterable[str]) -> dict[str, str]:
    """Give each of the first languages its own colour, in their order.

    The colour depends on the code, unless another language has it, so that reports can be compared.

    >>> choose_colours(["deu", "eng"])["deu"] == choose_colours(["eng", "fra", "deu"])["deu"]
    True
    """
    without = (languages.UND, languages.ZXX)
    listed = list(islice((code for code in dict.fromkeys(codes) if code not in without), len(COLOURS)))
    colours = {code: colour for code, colour in zip(_FIXED, COLOURS, strict=False) if code in listed}
    free = [colour for colour in COLOURS if colour not in colours.values()]
    for code in listed:
        if code not in colours:
            preferred = COLOURS[zlib.crc32(code.encode()) % _DISTINCT]
            colours[code] = preferred if preferred in free else free[0]
            free.remove(colours[code])
    return {code: colours[code] for code in listed}
