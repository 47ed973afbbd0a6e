"""Markup -> title, visible text, main content, references and declarations, in one pass (`document`).

In: bytes in UTF-8. Out: values; `tokenizer` is the kernel in C, `boilerplate` parts content from menus.
"""
