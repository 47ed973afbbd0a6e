"""The graph kernels in C; `graphlang.native.kernels` calls them, and the modules beside this folder wrap them."""
