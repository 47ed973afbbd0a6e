"""Markup -> title, visible text, main content, references and declarations, in one pass (`document`).

In: bytes in UTF-8. Out: values. `tokenizer` is the kernel in C, which also separates content from menus. Open `native/`
for how markup is read, and for what is no content.
"""
