"""How good answers are: against gold labels (`evaluate`), run against run (`compare`), and weights fitted (`tune`).

In: a collection, and labels of some of its pages or two runs. Out: counts and shares as plain values, or weights. Open
`metrics` for how a measure is defined.
"""
