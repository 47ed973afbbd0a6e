"""Kernels over texts in C.

In: arrays. Out: arrays that the caller made. Open `letters.h` for normalising, `ngrams.h` and `tally.h` for counting,
`scores.h` for scores and probabilities. `graphlang.native` describes how to call them.
"""
