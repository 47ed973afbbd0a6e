"""Run verbs over altered databases, each in a process of its own, and print what became of them.

    python tests/benchmarks/altered_runs.py [--verbs pages,check] [--only WORDS] [--every N] [--verbose]

A run is bad if it ends in a traceback or another way than with a documented exit code and one line, takes ten seconds,
more than 500 MB of memory, or lets a file grow by 50 MB. The processes are copies of this one, which has loaded what
they need, so that some thousand of them take minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import NamedTuple

import graphlang.analysis
import graphlang.cli
import graphlang.export
import graphlang.maps
import graphlang.report
from graphlang.cli import cli
from graphlang.cli.main import main as command_line
from graphlang.content import registry as content_methods
from graphlang.urls import url_methods

sys.path.append(str(Path(__file__).parents[1] / "db"))
import altered_databases as altered

SECONDS, MEGABYTES, GROWTH = 10, 500, 50 << 20
CODES = {0, 1, 2, 3, 4, 5}
URL = "http://museum.example/anna.html"
#: By name, what comes behind the verb and the database; ``{folder}`` is a folder of the run's own.
VERBS = {
    "info": (),
    "pages": ("--format", "jsonl", "-o", "{folder}/out"),
    "sites": ("--by", "path"),
    "explain": (URL,),
    "evaluate": ("--gold", "{folder}/gold.tsv"),
    "frontier": (),
    "report": ("-o", "{folder}/out.html"),
    "export": ("--what", "links", "--format", "csv", "-o", "{folder}/out"),
    "ingest": ("{folder}/more.warc.gz", "--workers", "1", "-q"),
    "classify": ("--method", "nfc-2004", "--anchors", "-q"),
    "vote": ("-q", "--max-links", "7"),
    "propagate": ("-q", "--site", "0.4"),
    "remove": ("--url", URL, "-q"),
    "correct": (URL, "--language", "fra", "--by", "nobody", "-q"),
    "check": (),
}
#: Further ones, which are run only where they are named.
MORE = {
    "corrections": (),
    "info-encodings": ("--encodings",),
    "pages-csv": ("--format", "csv"),
    "languages": (),
    "language-graph": (),
    "problems": (),
    "runs": (),
    "compare": ("1", "3"),
    "texts": ("--language", "deu"),
    "export-hosts": ("--what", "hosts", "--format", "graphml", "-o", "{folder}/out"),
    "export-cdxj": ("--what", "cdxj", "-o", "{folder}/out"),
    "export-vertices": ("--what", "vertices-edges", "-o", "{folder}/out"),
    "run": ("{folder}/more.warc.gz", "--workers", "1", "-q"),
    "classify-tld": ("--method", "tld", "-q"),
    "classify-declared": ("--method", "declared", "-q"),
    "vote-clueweb09": ("-q", "--clueweb09"),
    "propagate-update": ("-q", "--update"),
    "choose": ("--choose", "2"),
}


class Outcome(NamedTuple):
    """What became of a run."""

    code: int | None  #: None where it had to be killed
    lines: list[str]
    seconds: float
    megabytes: float
    grown: int
    listed: bool  #: whether the verb says what is wrong in rows of its own, and nothing besides

    @property
    def fault(self) -> str | None:
        """Why it is bad, if it is."""
        if self.code is None:
            return "hang"
        if any("Traceback" in line for line in self.lines):
            return "traceback"
        if self.code not in CODES:
            return "code"
        if self.code and self.code != 1 and len(self.lines) != 1 and not self.listed:
            return "lines"
        if self.megabytes > MEGABYTES:
            return "memory"
        return "growth" if self.grown > GROWTH else None


def arguments(verb: str, db: Path) -> list[str]:
    """The command line of a verb over a database."""
    name = verb if verb in cli.commands else verb.partition("-")[0]
    name = "runs" if name == "choose" else name
    rest = [word.format(folder=db.parent) for word in {**VERBS, **MORE}[verb]]
    return ["run", rest[0], "--db", str(db), *rest[1:]] if name == "run" else [name, str(db), *rest]


def run(verb: str, db: Path) -> Outcome:
    """Run a verb in a copy of this process."""
    told, before, begin = db.with_name("told"), _size(db.parent), time.monotonic()
    child = os.fork()
    if not child:
        _be(arguments(verb, db), told)
    code: int | None = None
    while True:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            break
        if time.monotonic() - begin > SECONDS:
            os.kill(child, signal.SIGKILL)
            _, _, used = os.wait4(child, 0)
            break
        time.sleep(0.002)
    seconds = time.monotonic() - begin
    lines = told.read_text(errors="replace").splitlines()
    told.unlink()
    return Outcome(
        code, lines, seconds, used.ru_maxrss / 1024, _size(db.parent) - before, verb == "check" and not lines
    )


def _be(words: list[str], told: Path) -> None:
    """Become the command line; never returns."""
    code = 1
    try:
        nothing, errors = os.open(os.devnull, os.O_RDWR), os.open(told, os.O_WRONLY | os.O_CREAT, 0o666)
        for number, descriptor in ((0, nothing), (1, nothing), (2, errors)):
            os.dup2(descriptor, number)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        sys.argv = ["graphlang", *words]
        sys.stdin, sys.stdout, sys.stderr = (
            open(number, mode, closefd=False)  # noqa: SIM115 - the command line replaces them
            for number, mode in enumerate("rww")
        )
        try:
            command_line()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        except BaseException:  # noqa: BLE001 - this process ends here
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]  there is one
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
    finally:
        os._exit(code)


def load_all() -> None:
    """Import what the verbs import, and read the models, once for all runs."""
    for package in (graphlang.cli, graphlang.analysis, graphlang.export, graphlang.maps, graphlang.report):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    for registry in (content_methods, url_methods):
        registry.load = cache(registry.load)  # type: ignore[attr-defined]  modules
    content_methods.load("nfc-2004")
    url_methods.load()
    gc.freeze()


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())


def prepare(folder: Path) -> Path:
    """The sound collection and what verbs read besides; returns the collection."""
    altered.archive(folder / "more.warc.gz", more=True)
    (folder / "gold.tsv").write_text(f"url\tlanguage\n{altered.SITE}\tdeu\n{URL}\tdeu\n")
    return altered.make(altered.archive(folder / "museum.warc.gz"), folder / "sound.db")


def main() -> None:
    """Run them and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verbs", help="of these only, with commas between; 'all' for all")
    parser.add_argument("--only", default="", help="alterations whose names have these words in them")
    parser.add_argument("--every", type=int, default=1, help="every so many alterations")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first of them")
    parser.add_argument("--verbose", action="store_true", help="say what each run said")
    asked = parser.parse_args()
    verbs = asked.verbs.split(",") if asked.verbs else list(VERBS)
    verbs = [*VERBS, *MORE] if asked.verbs == "all" else verbs
    names = [name for name in altered.ALTERATIONS if asked.only in name][asked.first :: asked.every]
    load_all()
    codes: dict[str, Counter[str]] = {verb: Counter() for verb in verbs}
    peak, longest, bad = 0.0, 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()  # so that this process stays small
        if not child:
            prepare(Path(folder))
            os._exit(0)
        os.waitpid(child, 0)
        sound = Path(folder, "sound.db")
        for name in names:
            made = Path(folder, "made")
            made.mkdir()
            for path in Path(folder).iterdir():
                if path.is_file():
                    shutil.copy(path, made / path.name)
            altered.ALTERATIONS[name](made / sound.name)
            for verb in verbs:
                here = Path(folder, "here")
                shutil.copytree(made, here)
                outcome = run(verb, here / sound.name)
                shutil.rmtree(here)
                fault = outcome.fault
                codes[verb][fault or str(outcome.code)] += 1
                peak, longest = max(peak, outcome.megabytes), max(longest, outcome.seconds)
                if fault or asked.verbose:
                    bad += bool(fault)
                    said = outcome.lines[-1][:200] if outcome.lines else ""
                    print(
                        f"{fault or outcome.code}: {name}: {verb}: {outcome.seconds:.1f} s,"
                        f" {outcome.megabytes:.0f} MB, {outcome.grown}: {said}",
                        flush=True,
                    )
            shutil.rmtree(made)
    columns = sorted({code for counts in codes.values() for code in counts})
    print(f"{'verb':20}", *(f"{column:>9}" for column in columns))
    for verb, counts in codes.items():
        print(f"{verb:20}", *(f"{counts[column]:9}" for column in columns))
    total = sum(sum(counts.values()) for counts in codes.values())
    print(f"{len(names)} alterations, {total} runs, {bad} bad; the longest {longest:.1f} s, peak {peak:.0f} MB")


if __name__ == "__main__":
    main()
