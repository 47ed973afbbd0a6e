"""What Datasette loads: every module here is a plug-in of it.

In: a request. Out: HTML. Open `pages` for the home page and the reasons of a page.
"""
