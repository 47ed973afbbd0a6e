"""``identify`` the language of texts without a database, ``train`` a model, list the ``methods``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphlang import languages
from graphlang.analysis import declared, tld
from graphlang.cli import options
from graphlang.cli.output import output_options, visible, write_rows
from graphlang.cli.progress import bars
from graphlang.content import methods as content_methods
from graphlang.content import train as training
from graphlang.content.answers import top
from graphlang.urls import methods as url_methods
from graphlang.urls import training as url_training
from graphlang.urls.readable import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from graphlang.content.identifier import Identifier
    from graphlang.modelfile import Model
    from graphlang.urls.identifier import UrlIdentifier
    from graphlang.urls.model import Url
    from graphlang.urls.published import Published

_COLUMNS = ("input", "language", "script", "confidence", "runner_up", "runner_up_confidence", "characters")
_BATCH = 4096
_BATCH_CHARACTERS = 1 << 24  # texts of a batch together, so that long ones do not fill the memory
#: Names that training takes apart from its settings.
_NO_SETTINGS = frozenset(("file", "folder", "method", "progress", "text", "words"))
#: A file, or a line, is identified by at most so many bytes from its start.
_BYTES = 1 << 20


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=str, allow_dash=True))
@click.option("--method", default="nfc", show_default=True, help="Method (see 'graphlang methods'), or a model file.")
@click.option("--lines", is_flag=True, help="Every line is a text of its own; without it every file is one.")
@output_options
def identify(files: tuple[str, ...], method: str, format_: str, limit: int | None, output: str, *, lines: bool) -> None:
    """Identify the language of texts: FILES in UTF-8, '-' (or nothing) for standard input.

    Files that cannot be read are told at the end, and the rest is identified; the exit code is 1 then.

    'und' means that there is no text, 'zxx' that it has no letters. Of a file, or a line, the first MiB is read. With a
    URL method every line is a URL; 'und' is one that names no page (data:, javascript:), or has no yes from two merged
    methods.

    \b
    Examples:
      echo 'Ein kurzer Satz.' | graphlang identify
      graphlang identify --lines --format tsv sentences.txt
      graphlang identify --method url --lines urls.txt
    """
    if files.count("-") > 1:
        raise click.UsageError("standard input (-) can be read once")
    if method in (declared.NAME, tld.NAME):
        raise click.UsageError(f"{method} is about the pages of a collection: graphlang classify DB --method {method}")
    identifier: Identifier | UrlIdentifier
    if url_methods.known(method):
        lines = True  # a URL is a line, whatever else the file holds
        identifier = url_methods.load(method)
    else:
        identifier = content_methods.load(method)
    unread: list[str] = []
    texts = (_lines if lines else _files)(files or ("-",), unread)
    write_rows(_COLUMNS, _answers(identifier, texts), format_=format_, limit=limit, output=output)
    for name in unread:
        click.echo(f"Error: {name}", err=True)
    if unread:
        sys.exit(1)


def _answers(identifier: Identifier | UrlIdentifier, texts: Iterable[tuple[str, str]]) -> Iterator[tuple[Any, ...]]:
    """One row a text. ``und``: there is no text, or a URL that embeds its content or names no page (data:, tel:)."""
    is_url = hasattr(identifier, "decisions")
    for batch in _batches(texts):
        best, score = top(identifier.probabilities([text for _, text in batch]), 2)
        for (name, text), (first, second), (sure, less) in zip(batch, best.tolist(), score.tolist(), strict=True):
            if is_url and not readable(text).strip():
                yield name, languages.UND, None, 0.0, None, None, len(text)
                continue
            if sure <= 0 or not text.strip():
                code = languages.ZXX if text.strip() else languages.UND
                yield name, code, None, 1.0 if text.strip() else 0.0, None, None, len(text)
                continue
            label = identifier.labels[first]
            language, script = (label, None) if label == languages.UND else languages.split(label)
            other = identifier.labels[second] if second >= 0 and less > 0 else None
            yield name, language, script, sure, other, less if other else None, len(text)


def _batches(texts: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    batch: list[tuple[str, str]] = []
    characters = 0
    for item in texts:
        batch.append(item)
        characters += len(item[1])
        if len(batch) == _BATCH or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _open(name: str) -> BinaryIO:
    return sys.stdin.buffer if name == "-" else Path(name).open("rb")


def _files(names: Iterable[str], unread: list[str]) -> Iterator[tuple[str, str]]:
    """The beginning of each file; what cannot be read, and why, is added to `unread`."""
    for name in names:
        try:
            with _open(name) as file:
                data = file.read(_BYTES)
        except OSError as error:
            unread.append(f"{name}: {error.strerror or error}")
            continue
        yield name, _decode(data)


def _lines(names: Iterable[str], unread: list[str]) -> Iterator[tuple[str, str]]:
    """The lines of each file; what cannot be read, and why, is added to `unread`."""
    for name in names:
        try:
            with _open(name) as file:
                yield from _lines_of(file, name)
        except OSError as error:
            unread.append(f"{name}: {error.strerror or error}")


def _lines_of(file: BinaryIO, name: str) -> Iterator[tuple[str, str]]:
    number = 0
    while line := file.readline(_BYTES):
        number += 1
        text = _decode(line)
        while not line.endswith(b"\n") and (line := file.readline(_BYTES)):
            continue  # the rest of a line that is longer than any language needs
        yield f"{name}:{number}", text


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r\n")


@click.command()
@click.argument("model", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("corpus", type=click.Path(exists=True, path_type=Path))
@click.option("--method", default="nfc", show_default=True, help="Method to train.")
@click.option(
    "--text",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="For --method url: running text, one sub-folder for each language; teaches words that are in no URL.",
)
@click.option(
    "--option",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Setting of the method, e.g. features=50000 or orders=1,2,3; may be given several times.",
)
@click.option(
    "--words",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of word lists CODE*.txt, lines of a word and its frequency, to learn from as well ('nfc' only).",
)
@options.quiet
def train(
    model: Path,
    corpus: Path,
    method: str,
    text: Path | None,
    words: Path | None,
    settings: tuple[str, ...],
    *,
    quiet: bool,
) -> None:
    """Train MODEL from CORPUS, a folder with one sub-folder for each label, UTF-8 text files in them.

    Files are named *.txt, folders by the code of their language. Those of no known language, or with too little text,
    are left out, and named. The model's settings are kept in it. A setting that the method does not have is refused,
    with the names it has.

    URL methods learn from labelled URLs: CORPUS is a tab-separated file whose header names the columns lang (or
    language) and url, or such a folder with one URL a line in its files.

    \b
    Examples:
      graphlang train my.npz corpus/ --method nfc
      graphlang train my.npz corpus/ --words frequencies/
      graphlang train my.npz corpus/ --method nfc-2004 --option features=5000 --option orders=2,3
      graphlang train my.npz urls.tsv --method url --text corpus/
      graphlang train my.npz urls.tsv --method url-words-nb --option binary=true
      graphlang classify crawl.db --method my.npz
    """
    with bars(quiet=quiet) as shown:
        stage = ""

        def told(name: str, done: float, total: float) -> None:
            nonlocal stage
            if name != stage:
                stage = name
                shown.stage(name, total, "steps")
            shown.advance(done)

        made: Model | Url | Published
        if method == url_methods.DEFAULT or method.startswith("url-"):
            if words is not None:
                raise click.UsageError(f"{method} learns from URLs, and takes no --words")
            made = url_training.train_file(corpus, method=method, text=text, progress=told, **_settings(settings))
        elif text is not None or not corpus.is_dir():
            raise click.UsageError(
                f"{method} learns from a folder with one sub-folder for each label, and takes no --text"
            )
        else:
            made = training.train(corpus, method=method, words=words, progress=told, **_settings(settings))
        digest = made.save(model)
    if not quiet:
        click.echo(f"{model}: {len(made.labels)} labels, {model.stat().st_size:,} bytes, sha256 {digest}", err=True)
        if left_out := made.parameters.get("left_out"):
            names = ", ".join(f"{visible(name)} ({size:,} characters)" for name, size in sorted(left_out.items()))
            click.echo(f"left out, as no known language or too little text in *.txt: {names}", err=True)


def _settings(given: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE with a value that is a number, true or false, or several numbers with commas between them."""
    found: dict[str, Any] = {}
    for setting in given:
        name, equals, value = setting.partition("=")
        if name.strip() in _NO_SETTINGS:
            raise click.BadParameter(f"{setting!r}: {name.strip()} is no setting of a model", param_hint="--option")
        try:
            parsed = [json.loads(part) for part in value.split(",")]
        except ValueError as error:
            raise click.BadParameter(f"{setting!r}: {value!r} is not a number", param_hint="--option") from error
        if not equals or not all(isinstance(part, (int, float)) for part in parsed):
            raise click.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="--option")
        found[name.strip()] = tuple(parsed) if len(parsed) > 1 or name.strip() == "orders" else parsed[0]
    return found


@click.command()
@output_options
def methods(format_: str, limit: int | None, output: str) -> None:
    """List the methods that identify languages.

    \b
    Example:
      graphlang methods
    """
    rows = [(name, "content", what) for name, what in content_methods.names().items()]
    rows.append((declared.NAME, "content", "what the pages declare for themselves, a baseline (Chew et al. 2011)"))
    rows += [(name, "url", what) for name, what in (url_methods.names() | url_methods.MERGED).items()]
    rows.append((tld.NAME, "url", "the commonest language of the collection's top-level domain (Hayati 2004, 5.1)"))
    write_rows(("method", "kind", "what"), rows, format_=format_, limit=limit, output=output)
