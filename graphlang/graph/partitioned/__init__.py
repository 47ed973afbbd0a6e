"""The inference on a collection that is cut into partitions, each of which fits one task of a cluster.

In: partitions of a collection's pages (`partition`). Out: the languages that one machine finds. Each step is a pure
function of one partition and of what others sent it, so that a task may be repeated:

1. `assign`: the partition of each URL. A host stays together unless it has more pages than a limit.
2. `borders`: what the neighbours of a partition learn about its pages at the border. There these pages are *ghosts*.
3. `learning` and `list_counts`: what is common to the whole collection, learned once from counts and samples that do
   not depend on the partitions.
4. `supersteps`: the kernels of `graphlang.graph.propagation` on a partition and its ghosts (`local`), a round at a
   time. Between rounds go beliefs of pages at the border, until no belief moves.

The tests call them in this order in one process (``local_driver.py``). `records` is how pages at borders travel,
`stored` how everything else does.
"""
