"""What Datasette loads: every module here is a plug-in of it.

In: a request. Out: HTML. Open `why` for the reasons of a page; to add a page, add a module.
"""
