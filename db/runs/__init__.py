"""What was computed and how: runs, what they answered, and the one that the views show. Nothing is overwritten.

In: a method, its parameters, answers as arrays. Out: a `run.Run`, its answers and scores as arrays. Open `begin`,
`write_answers` and `finish` for the way of a run, `ownership` for who may write one, `drop` for how those go that were
stopped halfway, `find` and `choose` for which run is meant, `read_answers` for the way back, `linked_answers` for URLs
that were only linked to, `digests` for what need not be read again.
"""
