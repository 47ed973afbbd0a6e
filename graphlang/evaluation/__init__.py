"""Measure a run against gold labels (`evaluate`), compare two runs (`compare`), and fit weights (`tune`).

In: a collection, and labels of some of its pages, or two runs. Out: counts and shares, or weights. `metrics` has the
definitions.
"""
