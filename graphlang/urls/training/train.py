"""Labelled URLs in files -> a model of any URL method: what `graphlang train --method url...` calls."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from graphlang.modelfile import ModelError
from graphlang.urls.baykan2008.methods import METHODS
from graphlang.urls.registry import DEFAULT
from graphlang.urls.training import train_baykan2008, train_default
from graphlang.urls.training.examples import ExampleOptions
from graphlang.urls.training.labelled_urls import read_text, read_urls

if TYPE_CHECKING:
    from pathlib import Path

    from graphlang.urls.baykan2008.methods import Published
    from graphlang.urls.default.model import Url
    from graphlang.urls.training.train_default import Progress

#: fewest URLs of a language: `url` knows of each language's codes and words before it has seen any URL
LEAST_URLS = {DEFAULT: 10}
_LEAST_URLS = 20
_PUBLISHED = {"least": 2, "binary": False, "every": False, "seed": 0}


def train_file(
    corpus: Path,
    *,
    method: str = DEFAULT,
    text: Path | None = None,
    progress: Progress = lambda _stage, _done, _all: None,
    **options: Any,
) -> Url | Published:
    """Train a model; its ``save`` writes the file, the same for the same corpus and options.

    Args:
        corpus: What `labelled_urls.read_urls` reads: a table with columns ``lang`` (or ``language``) and ``url``, or
            a folder with one sub-folder per language, text files of one URL a line in them.
        method: ``url`` or one of `methods.METHODS`.
        text: For ``url``: a folder of running text as `labelled_urls.read_text` reads it. Without it the model knows no
            word that is in no URL.
        progress: Called with the stage's name, what is done and all there is to do.
        options: ``least_urls``, below which a language is left out; for ``url`` those of `examples.ExampleOptions`, for
            the others those of `train_baykan2008.train`.

    Raises:
        ModelError: an unknown method or option, or a corpus that cannot be used.
        OSError: the corpus cannot be read.
    """
    if method != DEFAULT and method not in METHODS:
        raise ModelError(f"{method}: no URL method that can be trained ({', '.join((DEFAULT, *METHODS))})")
    if text is not None and method != DEFAULT:
        raise ModelError(f"{method} learns from URLs alone, and takes no running text")
    least = options.pop("least_urls", LEAST_URLS.get(method, _LEAST_URLS))
    known = {field.name for field in fields(ExampleOptions)} if method == DEFAULT else {*_PUBLISHED}
    unknown = sorted(set(options) - known)
    if unknown:
        raise ModelError(f"{', '.join(unknown)}: no option of {method} (least_urls, {', '.join(sorted(known))})")
    try:
        urls: dict[str, list[str]] = defaultdict(list)
        for row in read_urls(corpus):
            urls[row.language].append(row.url)
        progress("read", 1, 1)
        enough = {language: some for language, some in urls.items() if len(some) >= least}
        if method == DEFAULT:
            lines = read_text(text) if text is not None else {}
            return train_default.train(enough, lines, ExampleOptions(**options), progress)
        return train_baykan2008.train(method, enough, **options)
    except ValueError as error:
        raise ModelError(f"{corpus}: {error}") from error
