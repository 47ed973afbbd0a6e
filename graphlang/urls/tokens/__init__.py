"""URLs as classifiers see them: decoded (`readable_text`), cut (`tokenize`), each with its position (`token_position`).

In: a batch of URLs. Out: flat arrays of tokens and letter n-grams (`letter_ngrams`), as hashes. Open `fold_letters` and
`romanize` for what becomes of letters beyond ASCII.
"""
