r"""JSON of other programs -> values that can be stored.

JSON may hold half of a surrogate pair (``\ud83d``, where a program cut a text within a character), which Python keeps,
and which neither UTF-8 nor a database can hold. It becomes U+FFFD, as in browsers.
"""

from __future__ import annotations

import json
import re
from typing import Any

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")


def loads(data: bytes) -> Any:
    r"""Return the value of a JSON text, without lone surrogates.

    Raises:
        ValueError: it is none.
        RecursionError: it is nested too deep.

    >>> loads(rb'["\ud83d", "\ud83d\ude00"]') == ["\ufffd", "\U0001f600"]
    True
    """
    found = json.loads(data.decode("utf-8-sig", "surrogatepass"))
    if _SURROGATE.search(data):
        return json.loads(sound(json.dumps(found, ensure_ascii=False)))
    return found


def sound(text: str) -> str:
    r"""Return a text with U+FFFD for each surrogate that stands alone.

    >>> sound("caf\udce9") == "caf\ufffd"
    True
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
