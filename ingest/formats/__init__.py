"""Archive formats: bytes of a file -> raw records. `detect` chooses a reader, `record_reader` reads WARC and ARC.

In: chunks of a file. Out: a ``RawRecord`` of `graphlang.ingest.raw` for each record. Each format has its module:
add yours beside them, or as a plug-in (`graphlang.plugins`). `records` is the engine for records of declared length.
"""
