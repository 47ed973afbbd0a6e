"""The steps of the main job. Each reads the collection, calls a kernel and writes one run; none prints.

``ingest`` files into pages, ``classify`` by content, ``vote`` and ``propagate`` over the links. ``seeds`` turns a
finished run and the links into the arrays that the graph kernels take, ``answers`` turns what they say back into
labels.
"""
