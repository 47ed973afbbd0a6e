"""Feed damaged input to every reader: ``python tests/fuzz/fuzz_ingest.py --seconds 60``.

Sound inputs are mutated. Each must be read to its end within seconds, without an exception and without a problem of
kind ``failed`` (an exception that was caught). A file cut into byte ranges must give what it gives uncut. The current
input is in ``fuzz-input.bin``, which remains if it crashes the process. An input that breaks a rule is kept under
another name, and the exit status is 1. With ``--inputs`` and ``--seed`` the inputs are the same on every machine.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from targets import markup, targets

from graphlang.ingest.files import byte_ranges

SLOW = 10.0  # seconds of CPU for one input of a few kilobytes


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Change a few places."""
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        at = chance.randrange(len(data) + 1)
        size = chance.choice((1, 1, 2, 4, 16, 200))
        how = chance.randrange(6)
        if how == 0:
            data = data[:at] + chance.randbytes(size) + data[at + size :]
        elif how == 1:
            data = data[:at] + data[at + size :]
        elif how == 2:
            data = data[:at] + data[max(0, at - size * 8) : at] + data[at:]
        elif how == 3:
            data = data[:at]
        elif how == 4:
            number = str(chance.choice((0, 1, 7, 255, 1 << 16, 1 << 31, (1 << 63) - 1))).encode()
            data = data[:at] + number + data[at:]
        elif at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
    return data


def main() -> int:
    """Run until the time is up or the number of inputs is read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--inputs", type=int, default=None, help="so many instead, whatever time they take")
    parser.add_argument("--seed", type=int, default=None, help="else it changes from run to run, and is printed")
    parser.add_argument("--target", action="append", help="only this one; may be repeated")
    parser.add_argument("--keep", type=Path, default=Path(), help="folder for what broke a rule")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)  # noqa: S311 - a run can be repeated
    every = targets(chance)
    chosen = options.target or list(every)
    byte_ranges.LENGTH = 1 << 11
    counts = dict.fromkeys(chosen, 0)
    broken = 0
    hand = options.keep / "fuzz-input.bin"
    end = time.monotonic() + options.seconds
    with TemporaryDirectory() as folder:
        while time.monotonic() < end if options.inputs is None else sum(counts.values()) < options.inputs:
            name = chance.choice(chosen)
            target = every[name]
            seed_input = chance.choice(target.seeds) if target.seeds else markup(chance)
            data = mutated(seed_input, chance) if target.seeds or chance.random() < 0.3 else seed_input
            hand.write_bytes(data)
            started = time.process_time()
            try:
                target.check(data, Path(folder))
                assert time.process_time() - started < SLOW, "it took too long"
            except Exception as error:  # noqa: BLE001 - any of them is a find
                broken += 1
                kept = options.keep / f"fuzz-{name}-{seed}-{counts[name]}.bin"
                kept.write_bytes(data)
                sys.stdout.write(f"{name}: {type(error).__name__}: {str(error)[:300]} ({kept})" + "\n")
            counts[name] += 1
    hand.unlink(missing_ok=True)
    done = ", ".join(f"{name} {count}" for name, count in counts.items())
    sys.stdout.write(f"seed {seed}: {done}; {broken} broke a rule\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
