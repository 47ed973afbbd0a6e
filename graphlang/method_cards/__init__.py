"""A card for each method: its source, the differences from it, its training data and its accuracy.

In: a method's name. Out: a `card.Card`, or its text. `sources` has the sentences (edit these if a method changes), and
`training_text` lists the data of the shipped models. `card` joins them with the figures that
``tests/benchmarks/method_cards.py`` measured, and formats them.
"""
