"""Write docs/languages.md, the languages of the default model (``make docs``)."""

from __future__ import annotations

from pathlib import Path

from graphlang.content import registry
from graphlang.maps.languages import known

PAGE = Path(__file__).with_name("languages.md")
_HEAD = """\
# Known languages

The default method `nfc` has {labels} labels: {languages} languages in {scripts} scripts. This page is generated from
the model. Other methods and models have other languages:

```sh
graphlang languages --known --method byte-trigrams --format csv -o known.csv
```

A language is an ISO 639-3 code, in the form that BCP 47 prefers: macrolanguages are kept (`zho`, `ara`, `fas`, `msa`);
`nob`, `nno`, `hrv`, `srp`, `bos` and `ind` are languages of their own. `graphlang methods nfc --languages` lists the
accuracy in each. Pages in other languages get the language of a relative, or `und`.
[Add a language](howto/add-a-language.md) explains how to add one.

| language | code | script | BCP 47 |
|---|---|---|---|
"""


def page() -> str:
    """Return the page."""
    rows = known(registry.load("nfc").labels)
    head = _HEAD.format(
        labels=len(rows), languages=len({row.language for row in rows}), scripts=len({row.script for row in rows})
    )
    return head + "".join(f"| {row.name} | `{row.language}` | {row.script} | `{row.tag}` |\n" for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
