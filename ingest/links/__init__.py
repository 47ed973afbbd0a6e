"""References as written -> links: one for each distinct canonical URL.

In: references and the URL of their page. Out: ``Links`` of `graphlang.db.records`. Open `canonical` for the form of a
URL, for hosts and for session ids, `resolve` for joining many references at once, and `extract` for the merge by
target.
"""
