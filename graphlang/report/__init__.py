"""A report of a collection: one self-contained page for people."""
