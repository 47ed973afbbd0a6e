"""The inference on Spark: `graphlang.graph.partitioned`, whose steps are tasks here and whose records are rows.

In: DataFrames of pages, with what their texts say, and of links. Out: a DataFrame with the language of every page.
`propagate` has the way, `assign` says which partition a page belongs to, `bundle` makes the arrays of one, `steps` and
`supersteps` are what runs on executors, `parcels` how arrays travel between them.
"""
