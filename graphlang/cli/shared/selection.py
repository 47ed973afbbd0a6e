"""The options that say which pages count."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from graphlang.cli.shared.options import Finite, min_confidence, moment
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.codes.wanted import Wanted, wanted
from graphlang.maps.captures import CHOICES, OWN, which
from graphlang.maps.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable

_LAST_STATUS: Final = 999  #: of HTTP has three digits
#: A media type of RFC 9110, section 8.3.1; ``image/*`` is every image.
_MEDIA_TYPE: Final = re.compile(r"[\w!#$&^.+-]+/(?:[\w!#$&^.+-]+|\*)", re.ASCII)


def tags_of(values: tuple[str, ...]) -> list[str]:
    """What users give for languages: several times, or with commas between.

    Args:
        values: of the option, as often as it was given.

    Raises:
        click.BadParameter: one names nothing; an empty variable of the shell must not stand for all languages.
    """
    found = []
    for value in values:
        tags = [tag for part in value.split(",") if (tag := part.strip())]
        if not tags:
            raise click.BadParameter(f"{value!r} names no language", param_hint="--language")
        found += tags
    return found


def languages_of(values: tuple[str, ...], *, option: str = "--language") -> tuple[Wanted, ...]:
    """Languages as users give them: several times, or with commas between.

    Args:
        values: of the option.
        option: its name, for messages.

    Raises:
        click.BadParameter: no language is called that.
    """
    found = []
    for tag in tags_of(values):
        try:
            found.append(wanted(tag))
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint=option) from error
    return tuple(found)


def _numbers(values: tuple[str, ...]) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for value in values for part in value.split(","))
    except ValueError as error:
        raise click.BadParameter(f"{','.join(values)} is no list of numbers", param_hint="--status") from error
    if strange := [number for number in found if not 0 <= number <= _LAST_STATUS]:
        raise click.BadParameter(f"{strange[0]} is no HTTP status", param_hint="--status")
    return found


def _media_types(values: tuple[str, ...]) -> tuple[str, ...]:
    found = tuple(part.strip().lower() for value in values for part in value.split(","))
    for one in found:
        if not _MEDIA_TYPE.fullmatch(one):
            msg = f"{one!r} is no media type, such as text/html or image/*"
            raise click.BadParameter(msg, param_hint="--mime")
    return found


def _lengths(least: int | None, most: int | None) -> None:
    if least is not None and most is not None and least > most:
        msg = f"no page has {least} characters or more and {most} or fewer"
        raise click.BadParameter(msg, param_hint="--min-length and --max-length")


_OPTIONS = (
    click.option(
        "--language",
        "language",
        multiple=True,
        metavar="CODES",
        help="Only these languages: any usual codes or names, with commas between. A script counts: zho_Hant, zh-TW,"
        " sr-Latn.",
    ),
    click.option("--below", type=Finite(0, 1), metavar="C", help="Only pages with less confidence."),
    click.option("--min-length", type=WholeNumber(0), metavar="N", help="Only pages of N characters or more."),
    click.option("--max-length", type=WholeNumber(0), metavar="N", help="Only pages of N characters or fewer."),
    click.option("--status", multiple=True, metavar="CODES", help="Only these HTTP statuses, instead of 200."),
    click.option("--mime", multiple=True, metavar="TYPES", help="Only these media types (image/* is all images)."),
    click.option(
        "--all", "everything", is_flag=True, help="Count captures of all kinds: images, redirects and error pages, too."
    ),
    min_confidence,
)


def selects(function: Callable[..., None]) -> Callable[..., None]:
    """The options that say which pages count; the verb gets a `Selection`."""

    @functools.wraps(function)
    def called(
        *args: Any,
        language: tuple[str, ...],
        below: float | None,
        min_length: int | None,
        max_length: int | None,
        status: tuple[str, ...],
        mime: tuple[str, ...],
        everything: bool,
        min_confidence: float,
        **others: Any,
    ) -> None:
        _lengths(min_length, max_length)
        selection = Selection(
            wanted=languages_of(language),
            min_confidence=min_confidence,
            below=below,
            min_length=min_length,
            max_length=max_length,
            status=_numbers(status),
            mime=_media_types(mime),
            everything=everything,
        )
        function(*args, selection=selection, **others)

    for option in reversed(_OPTIONS):
        called = option(called)
    return called


_CAPTURES = (
    click.option(
        "--captures",
        type=click.Choice(CHOICES),
        default=OWN,
        show_default=True,
        help="own: each page's own capture. all: every capture that was kept, each with its date, text and language.",
    ),
    click.option(
        "--at",
        callback=moment,
        metavar="MOMENT",
        help="Of each page the capture nearest to MOMENT (2012, 2012-05, ...), with the languages of that time, which"
        " 'graphlang propagate --at' finds.",
    ),
)


def selects_captures(function: Callable[..., None]) -> Callable[..., None]:
    """The options that say which captures of a page count, around `selects`; the verb gets ``at`` besides."""

    @functools.wraps(function)
    def called(*args: Any, captures: str, at: str | None, selection: Selection, **others: Any) -> None:
        try:
            chosen = replace(selection, captures=which(captures, at))
        except ValueError as error:
            raise click.UsageError(f"--captures and --at: {error}") from error
        function(*args, selection=chosen, at=at, **others)

    selecting = selects(called)
    for option in reversed(_CAPTURES):
        selecting = option(selecting)
    return selecting
