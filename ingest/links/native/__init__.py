"""The joining of URLs in C."""
