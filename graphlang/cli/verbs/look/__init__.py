"""Verbs that show languages of pages, sites and links, and why.

In: a database. Out: rows on standard output. Open `pages`, `sites` or `languages` for the lists, `language_graph` for
links between languages, `explain` for the reasons of one page, `frontier` for URLs to fetch next.
"""
