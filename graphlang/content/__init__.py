"""Text -> languages, in batches: `methods.load("nfc").probabilities(texts)`."""
