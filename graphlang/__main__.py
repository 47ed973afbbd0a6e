"""``python -m graphlang``, and the program ``graphlang``, are the command line."""

from __future__ import annotations

import signal


def begin() -> None:
    """Run the command line. Ctrl-C while its modules are imported ends the program at once, and without a traceback."""
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # nohup has it ignored
    if heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from graphlang.cli import main  # noqa: PLC0415 - see above

    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    main()


if __name__ == "__main__":
    begin()
