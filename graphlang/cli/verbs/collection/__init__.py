"""Verbs that fill a collection, say what is in it, and take pages out."""
