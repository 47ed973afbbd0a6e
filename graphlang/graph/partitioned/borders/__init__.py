"""Pages at the border of a partition, and the pages beyond it, which stand there as ghosts.

In: a partition. Out: what it tells its neighbours of its pages (`introduce`), which links join its ghosts
(`neighbours`), and the rows of pages and ghosts that the kernels take (`local`).
"""
