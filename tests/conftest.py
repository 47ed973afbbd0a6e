"""What many tests need: a small archive made on the spot, and the command line in this process."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# 'python -m pytest' puts the checkout before the installed package, and graphlang.db is only in the latter.
_CHECKOUT = Path(__file__).parents[1].resolve()
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != _CHECKOUT]

# A shell without job control starts background jobs with Ctrl-C ignored, and their children would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

GERMAN = (
    "Das Museum der Gezeiten liegt am Hafen und zeigt alte Boote, Netze und Karten. Jeden Morgen öffnet eine Frau die"
    " schwere Tür, und die ersten Gäste warten schon im Regen. Am Nachmittag gibt es Kuchen und heißen Tee."
)
FRENCH = (
    "Le musée des marées se trouve près du port et montre de vieux bateaux, des filets et des cartes. Chaque matin une"
    " femme ouvre la lourde porte, et les premiers visiteurs attendent déjà sous la pluie. Ensuite il y a du gâteau."
)


def html(text: str, *links: str, head: str = "") -> bytes:
    anchors = "".join(f'<a href="{link}">.</a>' for link in links)
    return f"<!doctype html><html><head>{head}</head><body><p>{text}</p>{anchors}</body></html>".encode()


def _write_warc(path: Path, pages: Iterable[tuple[str, bytes]]) -> Path:
    """One gzip member a record, as crawlers write them."""
    with path.open("wb") as file:
        for url, body in pages:
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
            record = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-21T00:00:00Z\r\n"
                f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            )
            file.write(gzip.compress(record.encode() + http + b"\r\n\r\n", mtime=0))
    return path


@pytest.fixture
def write_warc() -> Callable[[Path, Iterable[tuple[str, bytes]]], Path]:
    """Write an archive of (URL, HTML) pages."""
    return _write_warc


@pytest.fixture
def museum(tmp_path: Path) -> Path:
    """Two long German pages and a French one; German pages link to a page whose only text is a name, and further."""
    site = "http://museum.example/"
    return _write_warc(
        tmp_path / "museum.warc.gz",
        [
            (site, html(GERMAN, "/karten.html", "/anna.html", "/nie-geholt.html")),
            (site + "karten.html", html(GERMAN + " Die Karten hängen im zweiten Stock.", "/anna.html", "/")),
            (site + "anna.html", html("Anna", "/")),
            ("http://musee.example/", html(FRENCH, "/luc.html")),
            ("http://musee.example/luc.html", html("12 34 56")),
        ],
    )


@pytest.fixture
def graphlang() -> Callable[..., Result]:
    """Run the command line in this process: ``graphlang("pages", db)`` gives exit_code, stdout and stderr."""
    from graphlang.cli import cli  # noqa: PLC0415 - tests of other parts need no command line

    def call(*arguments: object, input_: bytes | None = None) -> Result:
        result = CliRunner().invoke(cli, [str(argument) for argument in arguments], input=input_)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return call


_SANITISED = ("-O1", "-g", "-std=c11", "-shared", "-fPIC", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@pytest.fixture
def sanitised(tmp_path: Path) -> Callable[..., str]:
    """Builds kernels with the sanitisers of addresses and of undefined behaviour, and runs a program on them.

    The program gets the path of the library (of several sources the folder of their libraries) as its first argument;
    what it prints is returned.
    """

    def run(source: Path | Sequence[Path], program: str, *arguments: str) -> str:
        compiler = shutil.which(os.environ.get("CC", "cc"))
        if compiler is None:
            pytest.skip("no C compiler")
        library = subprocess.run(
            [compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=False
        ).stdout.strip()
        if not Path(library).is_absolute():
            pytest.skip("the compiler has no address sanitiser that can be loaded before Python")
        sources = [source] if isinstance(source, Path) else source
        for one in sources:
            made = subprocess.run(
                [compiler, *_SANITISED, str(one), "-o", str(tmp_path / f"{one.stem}.so"), "-lm"],
                capture_output=True,
                text=True,
                check=False,
            )
            if made.returncode:
                pytest.skip(f"the compiler has no sanitisers: {made.stderr[-200:]}")
        built = tmp_path / f"{source.stem}.so" if isinstance(source, Path) else tmp_path
        done = subprocess.run(
            [sys.executable, "-P", "-c", program, str(built), *arguments],
            env={**os.environ, "LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0", "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return run
