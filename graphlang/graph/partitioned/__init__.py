"""Inference on a collection that is cut into partitions, each small enough for one task of a cluster.

Input: partitions of a collection's pages (`partition`, which also assigns URLs to them). Output: the same answers as
on one machine. Each step is a pure function of a partition and of records from others, so a task can be repeated:

1. `borders`: records about pages at the border, for partitions where they are *ghosts*.
2. `learning` and `list_counts`: the parameters that all partitions share, learned once from counts and samples that do
   not depend on the cut.
3. `supersteps`: the stages of `graphlang.graph.propagation` on a partition and its ghosts, one round at a time. Between
   rounds, beliefs at the border are exchanged until none changes.

The tests call them in this order in one process (``local_driver.py``). `records` encodes pages at the border, and
`graphlang.cluster.parcels` all other objects.
"""
