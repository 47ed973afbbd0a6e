"""Finds the compiled parts of this package."""
