"""References as written -> canonical URLs of distinct targets (`extract`, `resolve`), and what a URL belongs to.

In: references of a page and its base. Out: links by kind. `canonical` is the form that URLs are stored in;
`graphlang.public_suffix` tells what domain a host was registered under. Open `query_charset` for letters in queries,
`strip_tracking` for session ids.
"""
