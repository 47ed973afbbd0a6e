"""The verbs of the cluster as a program for ``spark-submit``: ``python -m graphlang.cluster run PATHS -o OUT``."""

import sys

from graphlang.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "cluster")
    main()
