"""The payload of one record: `http` parses the answer, `charset` decodes it.

In: bytes of a record. Out: status, header fields, and characters with their charset. Open `content_encoding` for gzip
and the like, `detect_charset` for pages without a declaration, `encoded_twice` for text that was encoded twice,
`visible_bytes` for methods that read bytes.
"""
