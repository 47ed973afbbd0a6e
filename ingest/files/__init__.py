"""Files as bytes: find archives (`discover`), decompress them (`decompress`), cut large ones (`byte_ranges`).

In: paths from the user. Out: chunks of bytes, and byte ranges that processes read independently. Open `codecs` to add
a compression, `file_slice` for an archive within a file.
"""
