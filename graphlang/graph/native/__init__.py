"""Graph kernels in C.

They fill arrays of the caller. `adjacency.h` is used by ``graph.adjacency``, `language_tables.h` by ``graph.tables``,
and the others by modules of ``graph.propagation``. `checks.h` has the checks of indices, `wide.h` compiler settings
for loops. `graphlang.native.kernels` calls the kernels.
"""
