"""Packages of Debian, fetched once by their names through its own client, and unpacked."""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Package:
    """A fetched package: the file, its version, and the folder that it was unpacked to."""

    name: str
    version: str
    sha256: str
    folder: Path

    def told(self) -> str:
        """What SOURCES.tsv says of it."""
        return f"{self.name} {self.version} sha256:{self.sha256}"


class Packages:
    """Fetches packages once, by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "unpacked").mkdir(parents=True, exist_ok=True)

    def get(self, name: str) -> Package | None:
        """A package, unpacked; None where the archive has none of that name."""
        pattern = f"{name}_*.deb"
        if not list(self.folder.glob(pattern)):
            subprocess.run(["apt-get", "download", "--quiet", name], cwd=self.folder, capture_output=True, check=False)
        found = sorted(self.folder.glob(pattern))
        if not found:
            return None
        unpacked = self.folder / "unpacked" / name
        if not unpacked.is_dir():
            subprocess.run(["dpkg-deb", "-x", found[-1], unpacked], check=True)
        version = subprocess.run(["dpkg-deb", "-f", found[-1], "Version"], capture_output=True, text=True, check=True)
        return Package(f"Debian {name}", version.stdout.strip(), _digest(found[-1]), unpacked)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
