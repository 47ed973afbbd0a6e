"""Train the models that ``graphlang train`` writes, and add languages to them.

In: folders of text (`corpus`) or labelled URLs. Out: a ``graphlang.modelfile.Model``. `train` trains methods that read
text, with `fit_nfc` for the default one and `train_papers` for those of papers; `train_url` trains those that read
URLs. `extend` adds languages to a model of ``nfc``, and `model_columns` removes some.
"""
