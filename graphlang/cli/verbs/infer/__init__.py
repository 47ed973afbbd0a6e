"""Verbs that compute a run: text or URL, vote of the inlinks, inference over all links."""
