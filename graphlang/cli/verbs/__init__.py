"""The verbs of the command line: each parses, calls and prints."""
