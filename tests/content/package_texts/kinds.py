"""Kinds of messages: of which packages they are, and where in these those of a language stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from package_texts import messages, word_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from package_texts.packages import Package, Packages

    Found = tuple[list[str], list[Package]]

GNOME: Final = ("nautilus-data", "libgtk-3-common", "evolution-common", "epiphany-browser-data", "gimp-data")
MEDIA: Final = ("vlc-l10n",)
NAMES: Final = {"sr-Latn": ("sr@latin",), "pt": ("pt", "pt-pt", "pt_PT"), "nb": ("nb", "nb-no", "nb_NO")}
NAMES_MORE: Final = {"es": ("es", "es-es"), "nn": ("nn", "nn-no"), "hi": ("hi", "hi-in"), "sv": ("sv", "sv-se")}
REGIONS: Final = {"bs": "bs_BA", "sr": "sr_RS", "ms": "ms_MY", "id": "id_ID", "jv": "jv_ID", "su": "su_ID"}


def names(code: str) -> tuple[str, ...]:
    """The names that packages and catalogues have for a code.

    >>> names("sr-Latn"), names("nb"), names("xh")
    (('sr@latin',), ('nb', 'nb-no', 'nb_NO'), ('xh',))
    """
    return NAMES.get(code) or NAMES_MORE.get(code) or (code,)


def _gettext(package_names: Sequence[str], code: str, packages: Packages) -> Found:
    found: list[str] = []
    used = []
    for name in package_names:
        package = packages.get(name)
        if package is None:
            continue
        files = sorted(
            path
            for path in package.folder.rglob("*.mo")
            if re.search(rf"/(?:locale|resource)/(?:{'|'.join(map(re.escape, names(code)))})/LC_MESSAGES/", str(path))
        )
        for path in files:
            found += _catalogue(path)
        if files:
            used.append(package)
    return found, used


def _catalogue(path: Path) -> list[str]:
    try:
        return list(messages.catalogue(path))
    except (IndexError, ValueError, OSError):  # some have a broken header
        return []


def gnome(code: str, packages: Packages) -> Found:
    """Messages of programs of GNOME."""
    return _gettext(GNOME, code, packages)


def vlc(code: str, packages: Packages) -> Found:
    """Messages of VLC."""
    return _gettext(MEDIA, code, packages)


def libreoffice(code: str, packages: Packages) -> Found:
    """Messages of LibreOffice."""
    return _gettext([f"libreoffice-l10n-{code.partition('-')[0]}"], code, packages)


def _mozilla(program: str, code: str, packages: Packages) -> Found:
    for name in names(code):
        if package := packages.get(f"{program}-l10n-{name.lower().replace('_', '-')}"):
            packs = sorted(package.folder.rglob("*.xpi"))
            return [message for path in packs for message in messages.language_pack(path)], [package]
    return [], []


def firefox(code: str, packages: Packages) -> Found:
    """Messages of Firefox."""
    return _mozilla("firefox-esr", code, packages)


def thunderbird(code: str, packages: Packages) -> Found:
    """Messages of Thunderbird."""
    return _mozilla("thunderbird", code, packages)


def wordpress(code: str, packages: Packages) -> Found:
    """Messages of WordPress."""
    package = packages.get("wordpress-l10n")
    if package is None:
        return [], []
    wanted = REGIONS.get(code, code)
    files = sorted(path for path in package.folder.rglob("*.mo") if path.stem in (wanted, f"admin-{wanted}"))
    return [message for path in files for message in _catalogue(path)], [package]


def scratch(code: str, packages: Packages) -> Found:
    """Messages of Scratch, where children learn to program."""
    package = packages.get("npm:scratch-l10n")
    if package is None:
        return [], []
    files = sorted((package.folder / "package" / "locales").glob("*-msgs.js"))
    found = [pair for path in files for pair in messages.objects(path.read_text(encoding="utf-8"))]
    return [message for own, message in found if own == code], [package]


KINDS: Final[dict[str, tuple[Callable[[str, Packages], Found], str]]] = {
    "firefox": (firefox, "MPL-2.0"),
    "gnome": (gnome, "GPL-2.0-or-later, LGPL-2.1-or-later, GPL-3.0-or-later"),
    "libreoffice": (libreoffice, "MPL-2.0, LGPL-3.0-or-later"),
    "scratch": (scratch, "AGPL-3.0-only"),
    "thunderbird": (thunderbird, "MPL-2.0"),
    "vlc": (vlc, "GPL-2.0-or-later"),
    "wordpress": (wordpress, "GPL-2.0-or-later"),
}


#: Kinds whose files do not have what they translate, and the name of English there.
ENGLISH: Final = {"firefox": "en-gb", "thunderbird": "en-gb", "scratch": "en"}


def of_language(kind: str, code: str, packages: Packages) -> Found:
    """The lines of a kind in a language, and the packages that they are from."""
    take = KINDS[kind][0]
    english: frozenset[str] = frozenset()
    if kind in ENGLISH:
        english = frozenset(messages.lines(take(ENGLISH[kind], packages)[0]))
    found, used = take(code, packages)
    if not found and code == "sr-Latn":
        found, used = take("sr", packages)
        found = [messages.serbian_in_latin(message) for message in found]
    return messages.lines(found, english=english), used


def common_words(name: str, packages: Packages) -> Found:
    """The common words of a language by Tesseract's name of it."""
    package = packages.get(f"tesseract-ocr-{name}")
    if package is None:
        return [], []
    files = sorted(package.folder.rglob("*.traineddata"))
    words = {word.strip("|") for path in files for word in word_graph.words(path.read_bytes())}
    return word_graph.common(words), [package]
