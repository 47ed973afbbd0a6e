"""The joining of URLs in C.

In: references and the URL of their page. Out: absolute URLs in one buffer. Open `join.h` for the kernel, `url.h` for
the parts of a URL.
"""
