"""A report of a collection: one self-contained page for people.

In: a collection. Out: HTML that loads nothing. Open `facts` for the counts, `page` for the figures and the file,
`report.html` and `report.css` for the layout.
"""
