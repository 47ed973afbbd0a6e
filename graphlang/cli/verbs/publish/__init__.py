"""Verbs that write what others read: reports, texts, files for other programs."""
