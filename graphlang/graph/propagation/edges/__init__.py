"""Edge compatibility: how often links keep the language, learned from the collection itself.

In: links and certain pages. Out: `compatibility`, a coupling for each link, and `degree_cap`, what its message weighs.
On the way `link_sample` draws links to learn from, `edge_features` is the shape of the graph around a link,
`link_regressions` how likely it keeps the language (`random_intercept_logistic` fits them), and `group_tables` which
languages links of a host lead from and to; `by_language` is what each language does of its own. `from_sample` learns
the same where the graph lies on several machines.
"""
