"""A report of a collection: one self-contained page for people.

In: a collection. Out: HTML that asks for nothing. Open `facts` for what is counted, `page` for how it is shown
and written, `report.html` and `report.css` for its look.
"""
