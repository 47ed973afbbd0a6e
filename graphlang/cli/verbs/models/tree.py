"""``tree``: a decision tree of a URL method."""

from __future__ import annotations

import click

from graphlang.cli.shared.tables.output import write_lines
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.codes import languages
from graphlang.modelfile import ModelError
from graphlang.urls import registry
from graphlang.urls.baykan2008.learners.tree_per_language import Forest
from graphlang.urls.baykan2008.methods import Published


@click.command()
@click.argument("language")
@click.option("--method", default="url-custom-dt", show_default=True, help="Method, or model file, of decision trees.")
@click.option("--depth", type=WholeNumber(1), default=4, show_default=True, help="Questions on a way to a leaf.")
def tree(language: str, method: str, depth: int) -> None:
    """Print the decision tree of LANGUAGE (Baykan et al. 2008).

    Each line is a question about a URL, indented below the answer that leads to it, as in the paper's figure 1. A leaf
    has the number of training URLs that end there; URLs of other languages are weighted down, so that they count as
    much in all as those of the language.

    \b
    Examples:
      graphlang tree de
      graphlang tree French --depth 3
    """
    identifier = registry.load(method)
    if not isinstance(identifier, Published) or not isinstance(identifier.scorer, Forest):
        raise ModelError(f"{method} has no decision trees")
    code = languages.code(language)
    if code not in identifier.labels:
        raise click.BadParameter(f"no tree for {language!r}", param_hint="LANGUAGE")
    found = identifier.scorer.trees[identifier.labels.index(code)].pruned(depth)
    write_lines(found.text(identifier.features.names, ["other", languages.name(code)]))
