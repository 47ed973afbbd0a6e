"""Installs the oldest versions of everything that pyproject.toml allows, and tries them.

    python tests/packaging/lowest.py

uv chooses the lowest version of each direct dependency, extras included, in a fresh environment of Python 3.11. The
example crawl and the tests of what leans on other packages most must pass there. Bounds that are too low end it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from wheels import OLDEST, checkout, pythons, run

EXTRAS = "lz4,parquet,serve"
TESTS = (
    "tests/library",
    "tests/export/test_exports.py",
    "tests/maps/test_language_graph.py",
    "tests/languages/test_languages.py",
    "tests/report/test_report.py",
    "tests/serve/test_serve.py",
    "tests/ingest/test_ingest_charset.py",
    "tests/ingest/test_ingest_codecs.py",
    "tests/cli/test_main_job.py",
)


def settings() -> dict[str, str]:
    """What uv is to take from pip's settings: where packages come from, and whom to trust."""
    said = {
        name: os.environ.get(f"PIP_{name.upper().replace('-', '_')}") or configured(name)
        for name in ("index-url", "cert")
    }
    names = {"index-url": "UV_DEFAULT_INDEX", "cert": "SSL_CERT_FILE"}
    return {names[name]: value for name, value in said.items() if value and names[name] not in os.environ}


def configured(name: str) -> str:
    """A setting of pip, or an empty string."""
    asked = [sys.executable, "-m", "pip", "config", "get", f"global.{name}"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def main() -> None:
    """Install and try."""
    os.environ.update(settings())
    oldest = [
        path for path in pythons() if run(path, "-c", "import sys; print(*sys.version_info[:2])").split() == ["3", "11"]
    ]
    if not oldest:
        print(f"there is no Python {'.'.join(map(str, OLDEST))} here, whose wheels the lowest versions have: not tried")
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        own = folder / "python" / "bin" / "python"
        run(oldest[0], "-m", "venv", "--without-pip", own.parents[1])
        install = (sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", own)
        source = checkout(folder / "source")
        run(*install, "--resolution", "lowest-direct", f"graphlang[{EXTRAS}] @ {source.as_uri()}")
        listed = run(*install[:4], "list", "--python", own, "--format", "freeze")
        run(*install, "pytest", "hypothesis")
        after = run(*install[:4], "list", "--python", own, "--format", "freeze")
        if moved := set(listed.split()) - set(after.split()):
            sys.exit(f"the tests need newer versions of {', '.join(sorted(moved))}")
        print(listed)
        environment = {**os.environ, "PATH": f"{own.parent}{os.pathsep}{os.environ['PATH']}"}
        # Old versions warn of what newer ones drop.
        tests = [
            own,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            "-W",
            "default",
            "--disable-warnings",
            *TESTS,
        ]
        done = subprocess.run(list(map(str, tests)), cwd=source, env=environment, check=False)
        if done.returncode:
            sys.exit("the lowest versions that pyproject.toml allows do not do")


if __name__ == "__main__":
    main()
