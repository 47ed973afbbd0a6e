"""Verbs that compute a run: text or URL, vote of the inlinks, inference over all links.

In: a database. Out: one more run in it. Open `classify` for the options of content and URL methods, `vote` for those of
the vote, `propagate` for those of the inference.
"""
