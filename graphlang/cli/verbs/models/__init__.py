"""Verbs about methods: which there are, how to train a model, what is in one.

In: texts or labelled URLs, or a model file. Out: a model file, or what is in it. Open `methods` for the list and the
cards, `train` for training, `profiles` and `tree` for the inside of models that people can read.
"""
