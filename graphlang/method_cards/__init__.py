"""A card for each method: where it is from, how it differs from that, what it was trained on, how good it is.

In: a method's name. Out: a `card.Card`, or its text. `sources` has the words (edit these when a method changes),
`figures` the numbers that ``tests/benchmarks/method_cards.py`` measured, `training_text` what the shipped models read;
`card` puts them together, and `as_text` lays a card out for people.
"""
