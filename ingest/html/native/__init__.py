"""The reader of markup in C.

In: bytes of a page. Out: text, references and elements in buffers of the caller. Open `tags.h` for the effect of
elements, `tokens.h` and `tree.h` for tokens and nesting, `text.h` for visible text, `references.h` for characters by
name (`make_entities` writes the table), `around.h` for the parts of a page that are not content, `class_words.h` and
`language_names.h` for the words that identify them.
"""
