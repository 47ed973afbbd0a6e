"""The reader of markup in C.

In: bytes of a page. Out: text, references and elements in buffers of the caller. Open `tags.h` for what an element
does, `tokens.h` and `tree.h` for how markup is cut and nested, `text.h` for visible text, `references.h` for characters
by name (`make_entities` writes the table), `boilerplate.h` for menus.
"""
