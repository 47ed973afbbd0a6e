"""How the parts of the default method are fitted.

In: features of training excerpts. Out: weights (`fit`, `logistic_regression`), a character language model
(`fit_char_lm` by `witten_bell`). Open `close_languages` for languages that share most of their words.
"""
