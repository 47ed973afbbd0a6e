"""The learners of Baykan et al. 2008, section 3.2, one file each; all are trained one language against the rest.

In: counts of features and labels. Out: weights (`linear`), or trees (`tree_per_language`). Open `naive_bayes`,
`relative_entropy`, `maximum_entropy` or `decision_tree` for a learner, `one_against_rest` for what trains them.
"""
