"""Dense ids of URLs: kept `in_memory` by a kernel in C, or asked of the `stored` ones.

In: URLs, many at a time. Out: an id for each, and which of them are new.
"""
