"""The steps of the main job. Each reads the collection, calls a kernel and writes one run; none prints.

In: an open collection, a method, options. Out: a finished ``graphlang.db.runs.run.Run``, or what a verb shows. Open
`ingest`, `classify`, `vote` or `propagate` for the step of that name, `graph_input` and `signals` for what the graph
kernels take, `graph_output` for the way back, `replay` for an earlier inference with some pages more, `digests` for
what a run read, `linked` for URLs that were only linked to, `explain` for reasons, `update` for what need not be
computed again.
"""
