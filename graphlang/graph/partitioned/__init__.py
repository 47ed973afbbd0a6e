"""The inference on a collection that is cut into partitions, each of which fits one task: what a cluster runs.

In: partitions of a collection's pages. Out: the same languages that one machine finds. Every step is a pure function of
one partition and of what others told it, so that a task that is repeated changes nothing:

1. `assign`: which partition a URL belongs to. A host stays together unless it is larger than a limit.
2. `introduce.introduce`: what a partition's pages at the border are, for the partitions that they are neighbours of.
   There they stand as *ghosts*.
3. `survey.merge` and `observe.observe`, then `learn.learn`: what is common to the whole collection.
4. `superstep.superstep`: the kernels of `graphlang.graph.propagation` on a partition, the beliefs of its ghosts being
   fixed; over and over, until no belief at a border moves.

`local_driver.run` calls them in this order in one process.
"""
