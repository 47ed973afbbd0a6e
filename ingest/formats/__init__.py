"""Archive formats: bytes of a file -> raw records. `detect` tells the format, `record_reader` reads any of them.

In: chunks of a file. Out: `records.RawRecord`, one for each record. One file a format: add yours beside them, or as a
plug-in (`graphlang.plugins`).
"""
