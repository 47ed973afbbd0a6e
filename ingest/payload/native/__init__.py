"""Header fields in C.

In: the header of a WARC record or an HTTP message. Out: names and values. Open `fields.h`.
"""
