"""Steps of the main job: each reads the collection, calls an algorithm and writes one run; none prints.

Input: an open collection, a method, options. Output: a finished ``graphlang.db.runs.run.Run``, or what a verb shows.
`ingest`, `classify`, `vote` and `propagate` are the steps of that name. `graph_input`, `graph_rows` and `signals` read
the input of the graph algorithms, and `graph_output` writes their answers. `linked` answers for unfetched URLs,
`replay` repeats a run, `explain` returns reasons, `update` brings a run up to date, `reuse` finds the runs of a job
that has nothing new to do, and `dated` runs over the captures of a moment.
"""
