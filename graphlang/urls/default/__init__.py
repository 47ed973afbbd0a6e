"""The shipped model ``url``: `features` of a URL, one sum of weights (`model`), made a probability (`calibration`).

In: URLs. Out: probabilities of languages. How it is trained: `graphlang.urls.training.train_default`.
"""
