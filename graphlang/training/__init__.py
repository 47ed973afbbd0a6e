"""Train the models that `graphlang train` writes, and add languages to them.

In: folders of text, or labelled URLs. Out: a ``graphlang.modelfile.Model``. `train` is the entry for methods that read
text, `train_url` for those that read URLs, `extend` adds languages to a model of ``nfc``.
"""
