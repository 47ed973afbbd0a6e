"""What somebody means who names a language: the language, and a script where they say one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from graphlang.codes import languages

_SCRIPT: Final = re.compile(r"[A-Za-z]{4}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A language that is wanted, in one script or in any."""

    language: str
    script: str | None = None

    def takes(self, language: str, script: str | None) -> bool:
        """Whether a text in a language and script is one that is wanted.

        Args:
            language: of the text.
            script: in which it is written.

        >>> Wanted("zho", "Hant").takes("zho", "Hans"), Wanted("zho").takes("zho", "Hans")
        (False, True)
        """
        return self.language == language and self.script in (None, script)


def wanted(tag: str) -> Wanted:
    """What somebody means by a code, tag or name of a language; a script counts where it is said or follows.

    Args:
        tag: a code, a BCP 47 tag or a name.

    Raises:
        ValueError: no language is called that.

    >>> wanted("zh-TW"), wanted("zho"), wanted("sr-Latn").script, wanted("de-AT").script, wanted("Swahili").language
    (Wanted(language='zho', script='Hant'), Wanted(language='zho', script=None), 'Latn', None, 'swa')
    """
    tag = tag.strip()
    if tag in (languages.UND, languages.ZXX):
        return Wanted(tag)
    code = languages.code(tag)
    if code is None:
        raise ValueError(f"unknown language {tag!r}")
    script = languages.script(tag)
    subtags = re.split("[-_]", tag)[1:]
    said = any(_SCRIPT.fullmatch(subtag) for subtag in subtags) or (bool(subtags) and code in languages.MULTISCRIPT)
    return Wanted(code, script if said or script != languages.likely_script(code) else None)
