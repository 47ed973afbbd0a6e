"""Files as bytes: which are read (`discover`), what is in them unpacked (`decompress`), and where they can be cut.

In: paths of the user. Out: chunks of bytes, and byte ranges that workers read apart from each other (`byte_ranges`).
Open `codecs` and `frames` to add a compression, `file_slice` for an archive within a file.
"""
