"""N-grams of a batch of texts: those of a vocabulary (`vocabulary`), or all of them counted (`count_all`).

In: ``content.text.normalise.Letters``, or bytes (`bytes_input`). Out: arrays of feature numbers and offsets.
`hash_index` finds the numbers of n-grams.
"""
