"""Methods that read bytes nobody decoded: profiles of byte n-grams a language and charset (Chew et al. 2011).

In: visible bytes of a page. Out: probabilities of labels with their encodings. Open `byte_trigrams` or `quadgrams` for
a method, `identifier` for what both share, `profiles` and `edit_profiles` for their models, `encodings` for charsets.
"""
