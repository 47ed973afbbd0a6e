"""``methods``: which methods identify languages, and the card of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.files.targets import refuse_inputs
from graphlang.cli.shared.tables.output import output_options, write_json, write_lines, write_rows
from graphlang.method_cards import sources
from graphlang.method_cards.as_text import as_text
from graphlang.method_cards.card import NoCardError, OfLanguage, card, languages_of
from graphlang.method_cards.model_file import as_text as file_as_text
from graphlang.method_cards.model_file import is_model_file, of_file
from graphlang.printing.as_json import json_text
from graphlang.whole_file import replacing


@click.command()
@click.argument("name", required=False)
@click.option(
    "--languages",
    is_flag=True,
    help="List the languages that NAME knows, with its accuracy in each where it was measured.",
)
@click.option("--json", "as_json", is_flag=True, help="The card as JSON; without NAME all cards, as one array.")
@options.plugins
@output_options
def methods(name: str | None, format_: str, limit: int | None, output: str, *, languages: bool, as_json: bool) -> None:
    """List the methods that identify languages, or one's card.

    A card has the source of a method, what differs from it, what the shipped model was trained on, how many languages
    it knows, how often it is right by length of the text, and what it takes for what. The figures are measured by a
    program that the card names. "nfc" is a discriminative descendant of the paper's NFC, which is "nfc-2004". NAME may
    be a model file of your own: what it was made of, and which languages were added to it.

    \b
    Examples:
      graphlang methods
      graphlang methods nfc
      graphlang methods nfc --languages --format csv -o languages.csv
      graphlang methods --json -o cards.json
    """
    if languages and (name is None or as_json):
        raise click.UsageError("--languages needs NAME, and --format instead of --json")
    if name is None and not as_json:
        rows = [(method, kind, about) for method, (kind, about) in sources.names().items()]
        write_rows(("method", "kind", "what"), rows, format_=format_, limit=limit, output=output)
        return
    if not languages and (format_ != "table" or limit is not None):
        what = "a card is" if name is not None else "cards are"
        raise click.UsageError(
            f"{what} text or --json; --format and --limit go with --languages, or with no NAME at all"
        )
    if name is not None and not languages and is_model_file(name):
        own = of_file(Path(name))
        if as_json:
            _write_json(own, output)
        else:
            _write(file_as_text(own), output)
        return
    try:
        if name is not None and languages:
            known = languages_of(name)
            write_rows(OfLanguage._fields, known, format_=format_, limit=limit, output=output)
            return
        cards = [card(one) for one in ([name] if name is not None else sources.names())]
    except NoCardError as error:
        raise click.BadParameter(str(error), param_hint="NAME") from error
    if as_json:
        found = [one.as_dict() for one in cards]
        _write_json(found if name is None else found[0], output)
    else:
        _write(as_text(cards[0]), output)


def _write_json(value: Any, output: str) -> None:
    if output == "-":
        write_json(value, indent=1)
    else:
        _write(json_text(value, indent=1) + "\n", output)


def _write(text: str, output: str) -> None:
    if output == "-":
        write_lines(text.removesuffix("\n"))
        return
    refuse_inputs(output)
    with replacing(Path(output)) as file:
        file.write(text.encode())
