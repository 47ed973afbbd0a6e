"""From scores to probabilities: `calibration` by length, the `speaker_prior`, and the `top_k` labels that are kept.

In: one score for each text and label. Out: probabilities, and the best few of each text.
"""
