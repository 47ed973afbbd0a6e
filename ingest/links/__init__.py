"""References as written -> links: one for each distinct canonical URL.

In: references and the URL of their page. Out: `graphlang.db.records.Links`. Open `canonical` for the form of a URL and
for hosts, `resolve` for joining many references at once, `extract` for the merge by target, `strip_tracking` for
session ids.
"""
