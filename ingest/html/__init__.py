"""Markup -> title, visible text, main content, references and declarations, in one pass (`document`).

In: bytes in UTF-8. Out: values; `tokenizer` is the kernel in C, which parts content from menus as well, `declarations`
has what a page says of itself. Open `native/` for how markup is read and what of it is no content, `xhtml` for XML.
"""
