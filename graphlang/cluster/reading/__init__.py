"""Archives into rows: what executors read, each a part.

In: paths and addresses. Out: batches of `records`, a row for each capture and each problem. `archives` lists and cuts
them, `pieces` reads, `misread` finds what was cut in a wrong place, `hashing` gives the digests by which a collection
knows archives again, `page_ids` the numbers of pages.
"""
