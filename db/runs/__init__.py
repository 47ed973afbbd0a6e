"""Runs: computations of languages with their parameters and answers. Nothing is overwritten.

In: a method, its parameters, answers as arrays. Out: a `run.Run`, its answers and scores as arrays. Open `run` for
finding and choosing runs, `lifecycle` for starting, finishing and dropping them, `answers` for what they answer, and
`linked_answers` for unfetched URLs.
"""
