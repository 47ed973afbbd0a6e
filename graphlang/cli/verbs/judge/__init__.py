"""Verbs that compare answers with labels or with one another."""
