"""Code in C that the kernels of this room share, and the kernel that joins them.

In: a page of HTML and its URL. Out: its text, title and links, by the kernels of markup and of links. Open
`ordinary_page.h` for this, `buffer.h` for memory that grows, `hash.h` for tables, `utf8.h` for characters.
"""
