"""The programs here import their siblings, as scripts do: pytest runs the tests alone."""

collect_ignore_glob = ["fuzz_*.py", "targets.py", "native/*"]
