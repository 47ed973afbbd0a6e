"""The default method ``nfc``: a discriminative descendant of Hayati's NFC, and a character language model beside it.

In: texts. Out: calibrated probabilities. `model` describes the whole way; `short_texts` and `long_texts` answer texts,
`doubt` lowers confidence, `sparse_weights` sums weights of features, `char_lm` is the character language model,
`scores` makes probabilities of sums, and `model_parts` reads them from a model file that `weight_codec` packed.
"""
