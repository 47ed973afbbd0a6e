"""The options of the inference: the weights of its signals, and its limits."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import click

from graphlang.analysis import propagate
from graphlang.cli.shared.options import Finite
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.graph.data import LARGEST
from graphlang.graph.propagation.defaults import WEIGHTS
from graphlang.graph.propagation.options import FORMER, Options
from graphlang.regular_file import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LARGEST = 1 << 20  #: bytes of a file of weights
_INFERENCE = {
    "rounds": "At most so many rounds.",
    "tolerance": "Stop when no probability changes by more than this in a round.",
    "neighbours": "Weight of the links; 0 switches them off.",
    "site": "Weight of the languages of the page's site.",
    "directory": "Weight of the languages of the page's directory, relative to the site's.",
    "hreflang": "Weight of the languages that links announce for their targets.",
    "link_order": "Weight of the order of links: menus of a site name its languages in one order.",
    "degree": "All links of a page together weigh no more than so many.",
    "clamp_length": "A page with so many letters keeps the language of its own text ...",
    "doubtful": "... unless its probability is below this: then the page's neighbours count as well. 0: never.",
    "calibration": "Power of the probabilities of a page that keeps its text's language; fitted so that confidence is"
    " accuracy, 1 leaves them as the text run has them.",
    "certain_length": "How often links keep the language is learned from pages with so many letters ...",
    "certain": "... and at least this probability of their language.",
}
_SIGNALS = {
    "declared": "Weight of the language that the page declares.",
    "cctld": "Weight of the languages of the country of the page's ccTLD.",
    "url": "Weight of what the page's URL says.",
}


def read_weights(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    """Let the weights in a file be the defaults of the options that name them.

    Args:
        ctx: of the command; its defaults are changed.
        param: not looked at.
        path: the file, JSON; None where none was named.

    Raises:
        click.BadParameter: the file cannot be read, is not JSON, or has a name or a value that no option takes.
    """
    del param
    if path is None:
        return
    try:
        given = json.loads(read_regular(path, most=_LARGEST))
    except OSError as error:
        raise click.BadParameter(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"{path} is not JSON: {error}") from error
    known = {*_INFERENCE, *_SIGNALS}
    if isinstance(given, dict):
        given = {FORMER.get(name, name): value for name, value in given.items()}
    if not isinstance(given, dict) or not set(given) <= known:
        raise click.BadParameter(f"{path} must be a JSON object whose names are among {', '.join(sorted(known))}")
    wrong = [name for name, value in given.items() if isinstance(value, bool) or not isinstance(value, (int, float))]
    wrong += [name for name, value in given.items() if name not in wrong and not 0 <= value < math.inf]
    if wrong:
        raise click.BadParameter(f"{path}: {', '.join(wrong)} must be numbers that are not negative")
    large = [name for name, value in given.items() if value > (_most(name) or math.inf)]
    if large:
        raise click.BadParameter(f"{path}: {', '.join(large)} must be {LARGEST:g} at most")
    ctx.default_map = {**(ctx.default_map or {}), **given}


def _most(name: str) -> float | None:
    """The largest value that an option takes: weights have one, limits have none."""
    return LARGEST if name in WEIGHTS and name != "degree" else None


def weights(function: Callable[..., None]) -> Callable[..., None]:
    """The weights and limits of the inference, with the defaults of the kernel."""
    for name, words in reversed(_SIGNALS.items()):
        default = propagate.SIGNALS[name]
        function = click.option(
            f"--{name}", type=Finite(min=0, max=LARGEST), default=default, show_default=True, help=words
        )(function)
    for name, words in reversed(_INFERENCE.items()):
        default = getattr(Options(), name)
        least = 1 if name == "rounds" else 0
        kind = WholeNumber(least) if isinstance(default, int) else Finite(min=0, max=_most(name))
        names = [name, *(former for former, now in FORMER.items() if now == name)]
        spelt = [f"--{one.replace('_', '-')}" for one in names]
        function = click.option(*spelt, name, type=kind, default=default, show_default=True, help=words)(function)
    return function
