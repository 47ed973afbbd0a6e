"""From scores to probabilities: `calibration` by length, the `speaker_prior`, and the `top_k` labels that are kept."""
