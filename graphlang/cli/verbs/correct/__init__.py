"""Verbs by which people check languages and say what is right.

In: a database, and what somebody says of its pages. Out: corrections, and lists of them. Open `review` for the pages to
look at, `correct` for what is taken, `corrections` for what was said.
"""
