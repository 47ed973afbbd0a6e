"""Supersteps: the rounds of one machine in each partition, its ghosts held, until no belief moves.

In: a partition, its ghosts and what was learned (`ready`). Out: what stays the same in all supersteps (`prepared`), one
of them (`superstep`), what partitions tell each other in between (`beliefs`) and keep for themselves (`moves`).
"""
