"""The command line as ``python -m graphlang``, and as the program ``graphlang``."""

from __future__ import annotations

import signal


def begin() -> None:
    """Run the command line. Ctrl-C during its imports ends the program at once, without a traceback."""
    handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # nohup ignores it
    if handled:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from graphlang.cli import main  # noqa: PLC0415 - see above

    if handled:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    main()


if __name__ == "__main__":
    begin()
