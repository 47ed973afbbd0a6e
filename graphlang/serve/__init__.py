"""Browse a collection with Datasette: canned queries, full-text search, and why a page has its language."""
