"""Edge compatibility: how often links keep the language, learned from the collection itself.

In: links and certain pages. Out: `compatibility`, a coupling for each link, and `degree_cap`, what its message weighs.
`edge_features` is the shape of the graph around a link, `random_intercept_logistic` the regression over it.
"""
