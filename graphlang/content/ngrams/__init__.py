"""N-grams of a batch of texts: those of a vocabulary (`vocabulary`), or all of them counted (`count_all`).

In: `text.normalise.Letters`, or bytes (`bytes_input`). Out: arrays of feature numbers and offsets.
"""
