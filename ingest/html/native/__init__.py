"""The reader of markup in C."""
