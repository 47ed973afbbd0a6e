"""What the kernels of this room share in C, and the one that joins them.

In: nothing. Out: an extension module, `ordinary_page.c`, which reads a page of HTML with the kernels of markup and of
links. Open `buffer.h` for memory that grows, `hash.h` for tables, `utf8.h` for characters.
"""
