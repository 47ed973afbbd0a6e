"""Supersteps: the rounds of one machine in each partition, the beliefs of its ghosts fixed, until no border moves.

In: a partition, its ghosts and what was learned (`ready`). Out: what stays the same in all supersteps (`prepared`), one
of them (`superstep`), and what partitions tell each other in between (`beliefs`).
"""
