"""The URL kernel in C.

In: the characters of URLs and a model's weights. Out: sums, in an array that the caller made. `url_sums.h` is wrapped
by `graphlang.urls.url_model`, its definition is `graphlang.urls.url_features`; `graphlang.native.kernels` calls it.
"""
