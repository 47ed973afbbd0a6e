"""The URL kernel in C.

In: buckets of features and a model's weights. Out: sums, in an array that the caller made. `url_sums.h` is wrapped by
``urls.default.model``; `graphlang.native.kernels` calls it.
"""
