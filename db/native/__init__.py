"""The kernels of the collection in C.

In: arrays. Out: arrays that the caller made. `ids.h` gives ids to texts, `link_rows.h` makes rows of links.
"""
