"""Writes entities.h beside this file: the named character references, from Python's copy of the standard's list.

Run when the package is built, see `graphlang/native/build.py`; alone: ``python ingest/html/native/make_entities.py``.
"""

from __future__ import annotations

import os
from html.entities import html5
from pathlib import Path

HEADER = Path(__file__).with_name("entities.h")


def make_header(references: dict[str, str]) -> str:
    """Return the text of the header for names with their characters.

    Names that may lack a semicolon are there twice.
    """
    names = sorted(name.removesuffix(";").encode() for name in references if name.endswith(";"))
    at, blob, begins = 0, [], []
    for name in names:
        value = references[name.decode() + ";"].encode()
        mark = "!" if name.decode() in references else "."
        octal = "".join(rf"\{byte:03o}" for byte in value)
        blob.append(rf'  "{name.decode()}\0{mark}{octal}\0"')
        begins.append(at)
        at += len(name) + len(value) + 3
    rows = [", ".join(map(str, begins[n : n + 18])) for n in range(0, len(begins), 18)]
    return "\n".join(
        [
            "/* Made by make_entities.py: the named character references (WHATWG HTML 13.5), sorted.",
            "   Of each: its name, a zero, '!' where browsers take it without a semicolon, else '.', UTF-8, a zero. */",
            "#include <stdint.h>",
            "",
            f"enum {{ ENTITIES = {len(names)}, ENTITY_LONGEST = {max(map(len, names))} }};",
            "",
            "static const char ENTITY[] =",
            *blob[:-1],
            blob[-1] + ";",
            "",
            "static const uint16_t ENTITY_AT[ENTITIES] = {",
            *(f"  {row}," for row in rows),
            "};",
            "",
        ]
    )


def write() -> None:
    """Write the header, unless it is up to date: the compiler looks at its date."""
    text = make_header(html5)
    if HEADER.exists() and HEADER.read_text(encoding="ascii") == text:
        return
    unfinished = HEADER.with_name(f"{HEADER.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="ascii")
    unfinished.replace(HEADER)


if __name__ == "__main__":
    write()
