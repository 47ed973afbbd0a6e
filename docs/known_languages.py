"""Write docs/languages.md, the languages of the default model (``make docs``)."""

from __future__ import annotations

from pathlib import Path

from graphlang.method_cards.card import MethodLanguage, list_languages

PAGE = Path(__file__).with_name("languages.md")
_HEAD = """\
# Known languages

The default method `nfc` has {labels} labels: {languages} languages in {scripts} scripts. This page is generated from
the model. Other methods and models have other languages:

```sh
graphlang languages --known --method byte-trigrams --format csv -o known.csv
```

A label is a language in a script ([how codes are chosen](reference.md#languages)). Pages in other languages get the
language of a relative, or `und`; you can [add a language](howto/add-a-language.md).

{well} labels are known well: from {enough:,} characters or more, of two kinds of text or more. {one} are known from one
kind of text alone: {bible} from a Bible, others mostly from the Universal Declaration of Human Rights or translations
of programs. Expect less of these on other kinds of text. [All texts](../graphlang/data/nfc-sources.tsv) are listed with
their sources and licences.

*Right* is the share of test lines that are identified. They were kept out of training, but are of the same kinds of
text. `graphlang methods nfc --languages` has more: the amount of text, the accuracy of the first 49 and 24 characters,
and the language that a label is mostly taken for.

| language | code | script | BCP 47 | trained on | right |
|---|---|---|---|---|---|
"""
ENOUGH = 100_000  # characters


def page() -> str:
    """Return the page."""
    rows = list_languages("nfc")
    kinds = [len((row.kinds or "").split(", ")) for row in rows]
    head = _HEAD.format(
        labels=len(rows),
        languages=len({row.language for row in rows}),
        scripts=len({row.script for row in rows}),
        well=sum(number > 1 and (row.characters or 0) >= ENOUGH for number, row in zip(kinds, rows, strict=True)),
        one=kinds.count(1),
        bible=sum(row.kinds == "bible" for row in rows),
        enough=ENOUGH,
    )
    return head + "".join(map(_table_row, rows))


def _table_row(row: MethodLanguage) -> str:
    right = "" if row.kept_out_accuracy is None else f"{100 * row.kept_out_accuracy:.0f} %"
    return f"| {row.name} | `{row.language}` | {row.script} | `{row.tag}` | {row.kinds} | {right} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
