"""Verbs that show languages of pages, sites and links, and why."""
