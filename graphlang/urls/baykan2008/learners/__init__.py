"""The learners of Baykan et al. 2008, section 3.2, one file each; all are trained one language against the rest.

In: counts of features and labels. Out: `linear` weights, or trees.
"""
