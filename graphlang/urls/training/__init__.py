"""From labelled URLs to a model file: `train` picks the way by the method's name.

In: files of labelled URLs (`labelled_urls`), and running text. Out: a ``graphlang.modelfile.Model``. `train_default`
makes the shipped model from `knowledge`, `slugs` of text, `translated_sites` and labelled URLs; `train_baykan2008`
makes the paper's.
"""
