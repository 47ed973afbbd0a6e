"""The reader of markup in C.

In: bytes of a page. Out: text, references and elements in buffers of the caller. Open `tags.h` for what an element
does, `tokens.h` and `tree.h` for how markup is cut and nested, `text.h` for visible text, `references.h` for characters
by name (`make_entities` writes the table), `around.h` for what of a page is no content, `class_words.h` and
`language_names.h` for the words that tell it.
"""
