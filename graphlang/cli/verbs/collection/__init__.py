"""Verbs that fill a collection, say what is in it, and take pages out.

In: archive files and a database. Out: what was read or removed. Open `ingest` for reading files, `info` and `problems`
for what came of it, `runs` for what was computed, `remove` for takedowns, `convert` for archives to archives.
"""
