"""The default method ``nfc``: a discriminative descendant of Hayati's NFC, and a character language model beside it.

In: features of texts. Out: probabilities. `model` has the whole way; `sparse_weights` sums the weights of features,
`char_lm` is the character language model, `scores` makes probabilities of the sums, `weight_codec` packs weights into a
model file. Doubt about languages that are not there is in `unknown` and `stranger`, and shared out by `doubts`.
"""
