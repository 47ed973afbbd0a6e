"""N-grams of a batch of texts: find those of a `vocabulary`, or count all of them (`count_all`).

In: ``content.text.normalise.Letters``, or bytes (`bytes_input`). Out: arrays of feature numbers and offsets.
"""
