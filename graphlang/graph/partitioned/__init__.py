"""The inference on a collection that is cut into partitions, each of which fits one task: what a cluster runs.

In: partitions of a collection's pages (`partition`). Out: the same languages that one machine finds. Each step is a
pure function of one partition and of what others told it, so that a task that is repeated changes nothing:

1. `assign`: which partition a URL belongs to. A host stays together unless it is larger than a limit (`cut`).
2. `borders/`: what a partition's pages at the border are, for the partitions whose neighbours they are. There they
   stand as *ghosts*. ``neighbours``: which links there are between ghosts.
3. `learning/`: ``survey``, ``order`` and ``observe``, then ``learn``: what is common to the whole collection, from
   counts and samples that do not depend on the partitions. It is handed to all.
4. `supersteps/`: the kernels of `graphlang.graph.propagation` on a partition and its ghosts (``ready``, ``prepared``),
   a round at a time, and what is told of the pages at the border in between (``beliefs``), until no belief moves.

`local_driver` calls them in this order in one process: read it for what is sent where. `records` is how pages at
borders travel, `stored` how everything else does.
"""
