"""``ingest``: from files to a collection."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Unpack

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.database import waits, writing
from graphlang.cli.shared.files import reading
from graphlang.cli.shared.messages.log import logs, say
from graphlang.cli.shared.messages.progress import Shown, bars
from graphlang.db.write.choose_capture import Keep
from graphlang.printing.counted import counted
from graphlang.visible import visible

if TYPE_CHECKING:
    from pathlib import Path

    from graphlang.analysis.ingest import Ingested

_SHORT = 0.05  #: seconds; shorter stages are not worth a word


@click.command()
@options.database
@reading.files
@options.plugins
@reading.how
@waits
@logs
def ingest(db: Path, files: tuple[Path, ...], **how: Unpack[reading.How]) -> None:
    """Read FILES into DB.

    FILES are WARC, ARC, WACZ, WET, WAT, store files and JSON lines, compressed or not, told apart by their content;
    folders of them; patterns in quotes; a folder that wget mirrored; and - for standard input. Nothing is fetched.
    Symbolic links within folders are not followed without --follow-links (in a mirror, never).
    Files that DB has already are passed over, whatever their name; a file that was cut off goes on where it stopped.
    What cannot be read is listed by 'graphlang problems', and the exit code is 1.

    \b
    Examples:
      graphlang ingest crawl.db crawl.warc.gz
      graphlang ingest crawl.db archive-folder/ 'more/*.arc.gz' --keep first
      graphlang ingest crawl.db --from paths.txt
      zstdcat crawl.warc.zst | graphlang ingest crawl.db -
    """
    with ExitStack() as stack:
        prestarted = stack.enter_context(reading.prestart(db, files, how))
        inputs = reading.inputs(files, how)
        connection = stack.enter_context(writing(db, new=True))
        shown = stack.enter_context(bars())
        done = reading.read(connection, db, how, shown, inputs=inputs, prestarted=prestarted)
        shown.end()
        summary(done, shown, verbose=how["verbose"])
    finish(done)


def summary(done: Ingested, shown: Shown, *, verbose: bool) -> None:
    """Say what was read, and how long it took.

    Args:
        done: what was read.
        shown: where the times of the stages are.
        verbose: whether each file that was passed over is named.
    """
    _say_passed(done, verbose=verbose)
    if done.known:
        more = f" and {len(done.known) - 1:,} more" if len(done.known) > 1 else ""
        say(f"already read: {visible(str(done.known[0]))}{more}", "already read", files=len(done.known))
    if done.refused:
        more = f" and {len(done.refused) - 1:,} more" if len(done.refused) > 1 else ""
        words = f"no archive when it was read: {visible(str(done.refused[0]))}{more}: --again asks the readers of today"
        say(words, "no archive", files=len(done.refused))
    if done.changed:
        say(_changed(done), "options changed", files=len(done.changed))
    rate = f" ({done.pages / done.seconds:,.0f} pages/s)" if done.pages else ""
    say(
        f"read {counted(done.files, 'file')}: {counted(done.pages, 'page')}, {counted(done.links, 'link')},"
        f" {counted(done.problems, 'problem')} in {done.seconds:.1f} s{rate}",
        "read",
        **counts(done),
    )
    if done.files and not done.pages and not done.problems:
        within = "it" if done.files == 1 else "them"
        say(f"nothing in {within} is a page: pages are what came from http and https URLs", "no pages")
    if done.others:
        what = "is a further capture" if done.others == 1 else "are further captures"
        words = f"{done.others:,} of them {what} of a URL: {_fate(done)} (--keep {done.keep})"
        say(words, "captures", captures=done.others, kept=done.kept)
    stages = {name: round(seconds, 1) for name, seconds in shown.seconds.items() if seconds >= _SHORT}
    if stages:
        say(f"stages: {'  '.join(f'{name} {seconds} s' for name, seconds in stages.items())}", "stages", **stages)


def _changed(done: Ingested) -> str:
    """One line on files that were read with other options than those given now, and how to read them again."""
    path, changes = done.changed[0]
    more = f" and {len(done.changed) - 1:,} more" if len(done.changed) > 1 else ""
    words = "; ".join(
        f"{reading.option(one.name)} {reading.value(one.name, one.before)}, now {reading.value(one.name, one.now)}"
        for one in changes
    )
    return f"read with other options: {visible(str(path))}{more} ({words}): --again reads with those given now"


def _fate(done: Ingested) -> str:
    """What became of further captures."""
    if done.keep is not Keep.ALL:
        return f"one of each URL is kept, the other{' is' if done.others == 1 else 's are'} dropped"
    again = done.others - done.kept
    same = f"{again:,} {'says' if again == 1 else 'say'} nothing that was not known" if again else ""
    kept = "is kept with its date" if done.kept == 1 else "are kept with their dates"
    return ", ".join(part for part in (f"{done.kept:,} {kept}" if done.kept else "", same) if part)


def counts(done: Ingested) -> dict[str, Any]:
    """What was read, in numbers.

    Args:
        done: what was read.
    """
    return {
        "files": done.files,
        "already_read": len(done.known),
        "passed_over": len(done.passed),
        "pages": done.pages,
        "further_captures": done.others,
        "further_captures_kept": done.kept,
        "links": done.links,
        "problems": done.problems,
        "seconds": round(done.seconds, 1),
    }


def _say_passed(done: Ingested, *, verbose: bool) -> None:
    if verbose:
        for path, reason in done.passed:
            say(f"passed over: {visible(str(path))} ({reason})", "passed over", path=str(path), reason=reason)
    elif done.passed:
        by_reason = Counter(one.reason for one in done.passed)
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in by_reason.items())
        words = f"passed over: {len(done.passed):,} ({reasons}); --verbose names them"
        say(words, "passed over", **by_reason)


def finish(done: Ingested) -> None:
    """Exit with 1 where there were problems."""
    if done.problems:
        them = "it" if done.problems == 1 else "them"
        words = f"{counted(done.problems, 'problem')}: 'graphlang problems' lists {them}"
        say(words, "problems", problems=done.problems)
        sys.exit(1)
