"""``methods``: which methods identify languages."""

from __future__ import annotations

import click

from graphlang.analysis.of_collections import DECLARED, TLD
from graphlang.cli.shared import options
from graphlang.cli.shared.output import output_options, write_rows
from graphlang.content import registry as content_methods
from graphlang.urls import registry as url_methods


@click.command()
@options.plugins
@output_options
def methods(format_: str, limit: int | None, output: str) -> None:
    """List the methods that identify languages.

    \b
    Example:
      graphlang methods
    """
    rows = [(name, "content", what) for name, what in content_methods.names().items()]
    rows.append((DECLARED, "content", "what the pages declare for themselves, a baseline (Chew et al. 2011)"))
    rows += [(name, "url", what) for name, what in (url_methods.names() | url_methods.MERGED).items()]
    rows.append((TLD, "url", "the commonest language of the collection's top-level domain (Hayati 2004, 5.1)"))
    write_rows(("method", "kind", "what"), rows, format_=format_, limit=limit, output=output)
