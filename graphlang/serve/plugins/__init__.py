"""Plug-ins that Datasette loads: every module here is one.

In: a request. Out: HTML. Open `pages` for the home page and the reasons of a page.
"""
