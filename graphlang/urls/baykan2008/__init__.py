"""The classifiers of Baykan et al. 2008: three feature sets, four learners, the ccTLD rule, and merged classifiers.

In: URLs as counts (`count_vectors`, `custom_features`). Out: yes or no for each language. `methods` puts a feature set
and a learner together, `model_file` stores them; the learners are in `learners/`, the rule is `cctld`, and `merge`
merges two.
"""
