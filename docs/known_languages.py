"""Writes docs/languages.md, the languages that the default model knows: ``make docs``."""

from __future__ import annotations

from pathlib import Path

from graphlang.content import registry
from graphlang.maps.languages import known

PAGE = Path(__file__).with_name("languages.md")
_HEAD = """\
# Languages that it knows

The default method `nfc` tells {labels} labels apart: {languages} languages, {scripts} scripts. This page is made from
the model; other methods and models know others:

```sh
graphlang languages --known --method byte-trigrams --format csv -o known.csv
```

A language is an ISO 639-3 code, in the form that BCP 47 prefers: macrolanguages stay (`zho`, `ara`, `fas`, `msa`), and
`nob`, `nno`, `hrv`, `srp`, `bos` and `ind` stand for themselves. How well it knows each is told by
`graphlang methods nfc --languages`. Pages in other languages are given to a relative, or to `und`. To add one:
[add a language](howto/add-a-language.md).

| language | code | script | BCP 47 |
|---|---|---|---|
"""


def page() -> str:
    """The whole page."""
    rows = known(registry.load("nfc").labels)
    head = _HEAD.format(
        labels=len(rows), languages=len({one.language for one in rows}), scripts=len({one.script for one in rows})
    )
    return head + "".join(f"| {one.name} | `{one.language}` | {one.script} | `{one.tag}` |\n" for one in rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
