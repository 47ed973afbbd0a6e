"""Tests of the URL methods can import the script that makes their table."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
