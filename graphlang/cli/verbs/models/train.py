"""``train``: a model from a folder of texts, or from labelled URLs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphlang import modelfile
from graphlang.cli.shared.messages.log import logs, say
from graphlang.cli.shared.messages.progress import bars
from graphlang.content import registry as content_methods
from graphlang.content.training import corpus as training_corpus
from graphlang.content.training import extend as extension
from graphlang.content.training import train as training
from graphlang.printing.counted import counted
from graphlang.urls import registry as url_methods
from graphlang.urls.training import train as url_training
from graphlang.visible import visible
from graphlang.whole_file import OutputError, refuse_unwritable

if TYPE_CHECKING:
    from graphlang.modelfile import Model
    from graphlang.urls.baykan2008.methods import Published
    from graphlang.urls.default.model import Url


#: Names that training takes apart from its settings.
_NO_SETTINGS = frozenset(
    (
        *("base", "digest", "file", "folder", "messages", "method"),
        *("path", "progress", "relatives", "replace", "text", "words"),
    )
)


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("corpus", type=click.Path(exists=True, path_type=Path), required=False)
@click.option(
    "--extend",
    "base",
    metavar="MODEL",
    help="Add the languages of the one folder given to this model ('nfc' or a file), and write it to --output.",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="File for --extend.")
@click.option("--replace", is_flag=True, help="With --extend: labels that the model has are trained anew.")
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
@click.option(
    "--messages",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    help="Folder like CORPUS with translated messages of programs or lists of words, for languages with little other "
    "text ('nfc' only); may be given several times.",
)
@click.option(
    "--relatives",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="With --extend: folder of texts of languages that the model has, which the new ones are to leave theirs.",
)
@logs
def train(
    model: Path,
    corpus: Path | None,
    base: str | None,
    output: Path | None,
    replace: bool,
    relatives: Path | None,
    method: str,
    text: Path | None,
    words: Path | None,
    messages: tuple[Path, ...],
    settings: tuple[str, ...],
) -> None:
    """Train MODEL from CORPUS, a folder of texts for each label.

    Files are in UTF-8 and named *.txt, folders by the code of their language. Those of no known language, or with too
    little text, are left out, and named. The model's settings are kept in it. A setting that the method does not have
    is refused, with the names it has.

    With --extend a model is not trained from the beginning: its labels stay as they are, and those of the folder are
    added, without the text of the others. --words and --messages are taken as well, and the settings bare, bare_least,
    seed and words_size. The folder is refused where it has a label of the model (but with --replace), too little text,
    a label in two scripts, or the name of no language. With --relatives, texts that nobody was trained on, the new
    labels take fewer of these languages' texts: one in 500, if that costs them no more than one in 100 of theirs.

    URL methods learn from labelled URLs: CORPUS is a tab-separated file whose header names the columns lang (or
    language) and url, or such a folder with one URL a line in its files.

    \b
    Examples:
      graphlang train my.npz corpus/ --method nfc
      graphlang train my.npz corpus/ --words frequencies/ --messages translations/
      graphlang train my.npz corpus/ --method nfc-2004 --option features=5000 --option orders=2,3
      graphlang train --extend nfc more/ -o my.npz
      graphlang train --extend nfc more/ -o my.npz --words frequencies/ --messages translations/
      graphlang train --extend nfc more/ -o my.npz --relatives others/
      graphlang train my.npz urls.tsv --method url --text corpus/
      graphlang train my.npz urls.tsv --method url-words-nb --option binary=true
      graphlang classify crawl.db --method my.npz
    """
    if base is not None or output is not None or replace or relatives is not None:
        if method != extension.METHOD:
            raise click.UsageError(f"--extend is for models of {extension.METHOD}, and takes no --method {method}")
        given = {"replace": replace, "words": words, "messages": messages, "relatives": relatives}
        given |= _settings(settings)
        _extend(base, model, output, second=corpus, text=text, given=given)
        return
    if corpus is None or model.is_dir():
        raise click.UsageError("train takes MODEL, a file to write, and CORPUS")
    refuse_unwritable(model)
    if model.exists() and model.samefile(corpus):
        raise OutputError(f"cannot write to {model}: it is the corpus")
    made = _trained(corpus, method, text, words, messages, _settings(settings))
    digest = made.save(model)
    say(f"{model}: {counted(len(made.labels), 'label')}, {model.stat().st_size:,} bytes, sha256 {digest}")
    if left_out := made.parameters.get("left_out"):
        say(f"left out: {', '.join(visible(words) for words in training_corpus.why_left_out(left_out))}")


def _trained(
    corpus: Path, method: str, text: Path | None, words: Path | None, messages: tuple[Path, ...], given: dict[str, Any]
) -> Model | Url | Published:
    """A model of any method, from its beginning."""
    with bars() as shown:
        stage = ""

        def told(name: str, done: float, total: float) -> None:
            nonlocal stage
            if name != stage:
                stage = name
                shown.stage(name, total, "steps")
            shown.advance(done)

        if method == url_methods.DEFAULT or method.startswith("url-"):
            if words is not None or messages:
                wrong = "--messages" if words is None else "--words"
                raise click.UsageError(f"{method} learns from URLs, and takes no {wrong}")
            return url_training.train_file(corpus, method=method, text=text, progress=told, **given)
        if text is not None or not corpus.is_dir():
            why = "--text is for URLs" if text is not None else f"{corpus} is no folder"
            raise click.UsageError(f"{why}: {method} learns from one folder, with a sub-folder for each label")
        return training.train(corpus, method=method, words=words, messages=messages, progress=told, **given)


def _extend(
    base: str | None,
    folder: Path,
    output: Path | None,
    *,
    second: Path | None,
    text: Path | None,
    given: dict[str, Any],
) -> None:
    """Add the languages of a folder to a model."""
    if base is None:
        raise click.UsageError("--output, --replace and --relatives go with --extend")
    if output is None:
        raise click.UsageError("--output is missing: --extend takes one folder, and the file for the new model")
    if second is not None:
        raise click.UsageError(f"--extend takes one folder, and {second} is a second one")
    if text is not None:
        raise click.UsageError("--text is for --method url, and means nothing to --extend")
    if not folder.is_dir():
        raise click.BadParameter(f"{folder}: no such folder", param_hint="'MODEL'")
    refuse_unwritable(output)
    path = content_methods.path(base)
    content, digest = modelfile.read(path)
    made = extension.extend(folder, base=content, path=path, digest=digest, **given)
    written = made.save(output)
    say(f"{output}: {counted(len(made.labels), 'label')}, {output.stat().st_size:,} bytes, sha256 {written}")
    added = made.parameters["extended"][-1]
    names = ", ".join(f"{label} ({of['characters']:,} characters)" for label, of in sorted(added["labels"].items()))
    say(f"added to {digest[:12]}: {names}")
    if back := [f"{label} ({of['bias']:g})" for label, of in sorted(added["labels"].items()) if of.get("bias")]:
        say(f"hold back for their relatives, by a bias: {', '.join(back)}")
    if added["replaced"]:
        say(f"replaced: {', '.join(added['replaced'])}")


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
