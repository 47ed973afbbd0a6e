"""What the kernels of this room share in C.

In: nothing. Out: nothing: headers alone. Open `buffer.h` for memory that grows, `hash.h` for tables, `utf8.h` for
characters.
"""
