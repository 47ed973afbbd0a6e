"""Measure a run against gold labels (`evaluate`), and fit weights (`tune`).

In: a collection, and labels of some of its pages. Out: counts and shares, or weights. `metrics` has the definitions.
"""
