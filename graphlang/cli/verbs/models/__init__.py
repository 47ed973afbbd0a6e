"""Verbs about methods: which there are, how to train a model, what is in one."""
