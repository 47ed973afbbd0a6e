"""The payload of one record: `http_response`, its `media_type` and `charset`.

In: bytes of a record. Out: status, header fields, and characters with the charset they were in.
"""
