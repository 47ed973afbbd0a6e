"""References as written -> links: one for each distinct canonical URL.

In: references and the URL of their page. Out: ``Links`` of `graphlang.db.records`. Open `canonical` for the form of a
URL and for hosts, `resolve` for joining many references at once, `extract` for the merge by target, and
`strip_tracking` for session ids.
"""
