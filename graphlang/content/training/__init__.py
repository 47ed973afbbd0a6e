"""From a folder of texts to a model file.

In: one sub-folder a label. Out: a ``graphlang.modelfile.Model``. `train` is the default method's way, `train_published`
that of the papers' methods; `options` says what can be chosen, `corpus` reads the texts, `select_features` chooses the
vocabulary; `discriminative/` fits what ``nfc`` is made of.
"""
