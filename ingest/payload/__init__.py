"""The payload of one record: `http_response`, its `media_type` and `charset`.

In: bytes of a record. Out: status, header fields, and characters with the charset they were in. Open `detect_charset`
for bytes that nobody declares, `visible_bytes` for methods that read bytes.
"""
