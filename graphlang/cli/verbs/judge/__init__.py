"""Verbs that compare answers with labels or with one another.

In: a database and a file of labels, or two runs. Out: accuracy, differences, weights. Open `evaluate` for gold labels,
`score` for labelled URLs, `compare` for two runs, `tune` for the weights of the inference.
"""
