"""Runs: computations of languages with their parameters and answers. Nothing is overwritten.

`run` finds runs and chooses the one that the views show, `lifecycle` starts, finishes and drops them, `answers` writes
and reads their answers, and `linked_answers` packs those for unfetched URLs.
"""
