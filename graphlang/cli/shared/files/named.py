"""URLs and hosts that the user names, one by one or in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from graphlang.ingest.links.named import named_host, named_url
from graphlang.regular_file import read_regular

if TYPE_CHECKING:
    from pathlib import Path


def lines_of(path: Path) -> list[str]:
    """The lines of a list; empty ones, and those that begin with ``#``, are left out.

    Args:
        path: of the list.

    Raises:
        click.BadParameter: it is not UTF-8.
        OSError: it cannot be read, see `read_regular`.
    """
    try:
        lines = read_regular(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise click.BadParameter(f"{path} is not UTF-8", param_hint="--from") from error
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def url_named(name: str) -> str:
    """The canonical form of a URL.

    Args:
        name: as written.

    Raises:
        click.UsageError: it is no http(s) URL.
    """
    try:
        return named_url(name)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def host_named(name: str) -> str:
    """A host in lower case, in ASCII.

    Args:
        name: as written.

    Raises:
        click.UsageError: it is no host.
    """
    try:
        return named_host(name)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
