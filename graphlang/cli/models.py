"""Verbs about methods and models: ``methods``, ``train``, ``profiles`` and ``tree``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphlang import modelfile
from graphlang.cli.shared import options
from graphlang.cli.shared.log import logs, say
from graphlang.cli.shared.options import WholeNumber
from graphlang.cli.shared.output import (
    output_options,
    table_options,
    write_json,
    write_line,
    write_lines,
    write_rows,
)
from graphlang.cli.shared.paths import refuse_inputs
from graphlang.cli.shared.progress import bars
from graphlang.codes import languages as codes
from graphlang.content import registry as content_methods
from graphlang.files import OutputError, open_replacement, refuse_unwritable
from graphlang.printing import format_json, quantity, visible
from graphlang.urls import url_methods

if TYPE_CHECKING:
    from graphlang.codes.languages import LanguageChoice
    from graphlang.modelfile import Model

_LISTED = 20  #: removed labels, at most
_NFC = "nfc"  # the method whose models can be extended, and can lose languages
#: Parameters of training that are not settings of a method.
_NOT_SETTINGS = frozenset(
    (
        *("base", "digest", "file", "folder", "messages", "method"),
        *("path", "progress", "relatives", "replace", "text", "words"),
    )
)


@click.command()
@click.argument("name", required=False)
@click.option(
    "--languages",
    is_flag=True,
    help="List the languages that NAME knows, with its accuracy in each where it was measured.",
)
@click.option("--json", "as_json", is_flag=True, help="The card as JSON; without NAME all cards, as one array.")
@options.plugins
@output_options
def methods(name: str | None, format_: str, limit: int | None, output: str, *, languages: bool, as_json: bool) -> None:
    """List the methods that identify languages, or one's card.

    A card has the source of a method, its differences from the paper, and the training data of the shipped model.
    It also has the number of languages, the accuracy by length of the text, the languages that the method confuses,
    and the program that measured these figures. NAME may be your own model file: its card has the training data,
    and the languages that were added.

    "nfc-2004" is the NFC of Hayati 2004 (n-grams, Fisher, cosine). "nfc", the default, descends from it.

    \b
    Examples:
      graphlang methods
      graphlang methods nfc
      graphlang methods nfc --languages --format csv -o languages.csv
      graphlang methods --json -o cards.json
    """
    from graphlang.method_cards import sources  # noqa: PLC0415
    from graphlang.method_cards.card import (  # noqa: PLC0415
        MethodLanguage,
        NoCardError,
        describe_model_file,
        format_card,
        format_model_file,
        is_model_file,
        list_languages,
        make_card,
    )

    if languages and (name is None or as_json):
        raise click.UsageError("--languages needs NAME, and --format instead of --json")
    if name is None and not as_json:
        rows = [(method, kind, about) for method, (kind, about) in sources.names().items()]
        write_rows(("method", "kind", "what"), rows, format_=format_, limit=limit, output=output)
        return
    if not languages and (format_ != "table" or limit is not None):
        what = "a card is" if name is not None else "cards are"
        raise click.UsageError(
            f"{what} text or --json; --format and --limit go with --languages, or with no NAME at all"
        )
    if name is not None and not languages and is_model_file(name):
        description = describe_model_file(Path(name))
        if as_json:
            _write_json(description, output)
        else:
            _write_text(format_model_file(description), output)
        return
    try:
        if name is not None and languages:
            write_rows(MethodLanguage._fields, list_languages(name), format_=format_, limit=limit, output=output)
            return
        cards = [make_card(method) for method in ([name] if name is not None else sources.names())]
    except NoCardError as error:
        raise click.BadParameter(str(error), param_hint="NAME") from error
    if as_json:
        values = [each.to_dict() for each in cards]
        _write_json(values if name is None else values[0], output)
    else:
        _write_text(format_card(cards[0]), output)


def _write_json(value: Any, output: str) -> None:
    if output == "-":
        write_json(value, indent=1)
    else:
        _write_text(format_json(value, indent=1) + "\n", output)


def _write_text(text: str, output: str) -> None:
    if output == "-":
        write_lines(text.removesuffix("\n"))
        return
    refuse_inputs(output)
    with open_replacement(Path(output)) as file:
        file.write(text.encode())


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("corpus", type=click.Path(exists=True, path_type=Path), required=False)
@click.option(
    "--extend",
    "base",
    metavar="MODEL",
    help="Add the languages of a folder to this model ('nfc' or a file), and write the result to --output.",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="File for --extend.")
@click.option("--replace", is_flag=True, help="With --extend: labels that the model has are trained again.")
@click.option("--method", default=_NFC, show_default=True, help="Method to train.")
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
    help="Setting of the method, e.g. features=50000 or orders=1,2,3; repeatable.",
)
@click.option(
    "--words",
    "frequencies",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of word lists CODE*.txt, lines of a word and its frequency, to learn from as well ('nfc' only).",
)
@click.option(
    "--messages",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    help="Folder like CORPUS with translated messages of programs or lists of words, for languages with little other "
    "text ('nfc' only); repeatable.",
)
@click.option(
    "--relatives",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="With --extend: folder of texts of languages that the model has, which the new ones must not take over.",
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
    frequencies: Path | None,
    messages: tuple[Path, ...],
    settings: tuple[str, ...],
) -> None:
    """Train MODEL from CORPUS, a folder of texts for each label.

    Files are UTF-8 and named *.txt, folders are named by the code of their language. Folders of an unknown language
    or with too little text are left out, and named. The model stores its settings. An unknown setting is refused,
    with the names of all settings.

    --extend adds the languages of a folder to an existing model. The labels of the model do not change, and no text
    of them is needed. --words and --messages work as well, and so do the settings bare, bare_least, seed and
    words_size. The folder is refused if it has a label of the model (unless --replace), too little text, a label in
    two scripts, or a name that is no language.

    --relatives names texts of related languages that were not used in training. Fewer of their texts are then taken
    for the new labels: one in 500, if that costs a new label at most one in 100 of its own.

    URL methods learn from labelled URLs: CORPUS is a tab-separated file whose header has the columns lang (or
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
    values = _parse_settings(settings)
    if base is not None or output is not None or replace or relatives is not None:
        if method != _NFC:
            raise click.UsageError(f"--extend is for models of {_NFC}, and takes no --method {method}")
        values |= {"replace": replace, "words": frequencies, "messages": messages, "relatives": relatives}
        _extend_model(base, model, output, second=corpus, text=text, settings=values)
        return
    if corpus is None or model.is_dir():
        raise click.UsageError("train takes MODEL, a file to write, and CORPUS")
    refuse_unwritable(model)
    if model.exists() and model.samefile(corpus):
        raise OutputError(f"cannot write to {model}: it is the corpus")
    from graphlang.model_training import check_material, make_reporter, train_model  # noqa: PLC0415
    from graphlang.training.corpus import explain_left_out  # noqa: PLC0415

    material: dict[str, Any] = {"text": text, "words": frequencies, "messages": messages}
    try:
        check_material(corpus, method, **material)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    with bars() as progress:
        trained = train_model(corpus, method, report=make_reporter(progress), **material, **values)
    digest = trained.save(model)
    say(f"{model}: {quantity(len(trained.labels), 'label')}, {model.stat().st_size:,} bytes, sha256 {digest}")
    if left_out := trained.parameters.get("left_out"):
        say(f"left out: {', '.join(visible(reason) for reason in explain_left_out(left_out))}")


def _extend_model(
    base: str | None,
    folder: Path,
    output: Path | None,
    *,
    second: Path | None,
    text: Path | None,
    settings: dict[str, Any],
) -> None:
    """Add the languages of a folder to a model."""
    if base is None:
        raise click.UsageError("--output, --replace and --relatives go with --extend")
    if output is None:
        raise click.UsageError("--output is missing: --extend takes one folder, and the file for the new model")
    if second is not None:
        raise click.UsageError(f"--extend takes one folder, and {second} is a second one")
    if text is not None:
        raise click.UsageError("--text is not supported by --extend; it is for --method url")
    if not folder.is_dir():
        raise click.BadParameter(f"{folder}: no such folder", param_hint="'MODEL'")
    from graphlang.training.extend import extend_model  # noqa: PLC0415

    refuse_unwritable(output)
    path = content_methods.path(base)
    content, digest = modelfile.read(path)
    extended = extend_model(folder, base=content, path=path, digest=digest, **settings)
    sha256 = extended.save(output)
    known = len(content_methods.load(output).labels)  # with those of the second part
    say(f"{output}: {quantity(known, 'label')}, {output.stat().st_size:,} bytes, sha256 {sha256}")
    added = extended.parameters["extended"][-1]
    labels = sorted(added["labels"].items())
    names = ", ".join(f"{label} ({facts['characters']:,} characters)" for label, facts in labels)
    say(f"added to {digest[:12]}: {names}")
    if biased := [f"{label} ({facts['bias']:g})" for label, facts in labels if facts.get("bias")]:
        say(f"with a bias in favour of relatives: {', '.join(biased)}")
    if added["replaced"]:
        say(f"replaced: {', '.join(added['replaced'])}")


def _parse_settings(pairs: tuple[str, ...]) -> dict[str, Any]:
    """Parse NAME=VALUE: a value is a number, true or false, or several numbers with commas between them."""
    settings: dict[str, Any] = {}
    for setting in pairs:
        name, equals, value = setting.partition("=")
        if name.strip() in _NOT_SETTINGS:
            raise click.BadParameter(f"{setting!r}: {name.strip()} is not a setting of a model", param_hint="--option")
        try:
            parsed = [json.loads(item) for item in value.split(",")]
        except ValueError as error:
            raise click.BadParameter(f"{setting!r}: {value!r} is not a number", param_hint="--option") from error
        if not equals or not all(isinstance(item, (int, float)) for item in parsed):
            raise click.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="--option")
        settings[name.strip()] = tuple(parsed) if len(parsed) > 1 or name.strip() == "orders" else parsed[0]
    return settings


@click.command()
@click.argument("name", metavar="MODEL")
@click.option(
    "--only",
    multiple=True,
    metavar="CODES",
    help="Keep only these languages: any usual codes or names, separated by commas. A script counts: srp_Latn.",
)
@click.option(
    "--remove",
    multiple=True,
    metavar="LABEL[:ENCODING]",
    help="Drop a language, or one encoding of it; repeatable.",
)
@click.option(
    "--licence",
    multiple=True,
    metavar="TEXT",
    help="Drop the languages of 'nfc' that were trained on a text whose licence contains this, e.g. NC-ND; repeatable.",
)
@click.option(
    "--add",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Make profiles of the languages in this folder (as for 'train'), in place of those in MODEL.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the changed model; by default MODEL, if that is a file.",
)
@table_options
def profiles(
    name: str,
    only: tuple[str, ...],
    remove: tuple[str, ...],
    licence: tuple[str, ...],
    folder: Path | None,
    output: Path | None,
    format_: str,
) -> None:
    """List the profiles of MODEL, or change some of them.

    MODEL is a file, or a method with a model; other profiles do not change. Models of quadgrams and byte-trigrams
    have a profile for each language and encoding, models of nfc one for each language.

    If you know which languages to expect, drop the others: short texts get more accurate. Keep languages that occur
    on many sites, such as English, since texts in dropped languages are more often taken for a remaining one. If
    one language is left in a script, all text in that script gets it. 'graphlang train --extend' adds languages to
    a model of nfc.

    \b
    Examples:
      graphlang profiles byte-trigrams
      graphlang profiles nfc --only dan,fao,isl,nob,nno,swe,fin,sme,eng,deu -o nordic.npz
      graphlang profiles nfc --licence NC-ND -o mine.npz
      graphlang profiles my.npz --add klingon-corpus/ --remove rus:koi8-r
      graphlang profiles byte-trigrams --add corpus/ -o mine.npz
    """
    from graphlang.training.train_papers import PROFILE_METHODS  # noqa: PLC0415

    path = content_methods.path(name)
    model, digest = modelfile.read(path)
    if model.method not in (*PROFILE_METHODS, _NFC):
        raise click.BadParameter(
            f"{visible(name)} has no profiles; only models of {', '.join(PROFILE_METHODS)} and {_NFC} have some",
            param_hint="MODEL",
        )
    remove = (*remove, *_find_labels_under(licence, path))
    if folder is None and not remove and not only:
        if output is not None:
            raise click.UsageError("--output without --add, --only, --remove or --licence")
        _list_profiles(model, path, format_)
        return
    if format_ != "table":
        raise click.UsageError("--format is for the list of profiles, without --add, --only, --remove and --licence")
    if output is None and str(path) != name:
        raise click.UsageError(f"{name} comes with graphlang: name a file for the changed model with --output")
    target = output or path
    refuse_unwritable(target)
    only_tags = _parse_choices(only, "--only")
    if model.method == _NFC:
        if folder is not None:
            raise click.UsageError(f"graphlang train --extend {name} adds languages to a model of {_NFC}")
        _drop_labels(model, path, digest, only_tags, remove, target)
    else:
        _edit_profiles(model, folder, remove, only_tags, target)


def _find_labels_under(licences: tuple[str, ...], path: Path) -> list[str]:
    """Find the labels that were trained on a text under one of the licences."""
    from graphlang.method_cards.training_text import read_label_licences  # noqa: PLC0415

    if licences and path != content_methods.path(_NFC):
        raise click.BadParameter(f"the licences of the texts are known of {_NFC} alone", param_hint="--licence")
    labels: set[str] = set()
    for text in licences:
        found = {label for label, names in read_label_licences().items() if any(text in name for name in names)}
        if not found:
            raise click.BadParameter(f"no licence of a training text contains {text!r}", param_hint="--licence")
        labels |= found
    return sorted(labels & set(content_methods.load(_NFC).labels)) if labels else []


def _parse_choices(values: tuple[str, ...], option: str) -> tuple[LanguageChoice, ...]:
    from graphlang.codes.languages import parse_choice  # noqa: PLC0415

    return tuple(map(parse_choice, options.tags(values, option)))


def _list_profiles(model: Model, path: Path, format_: str) -> None:
    from graphlang.papers import byte_profiles  # noqa: PLC0415
    from graphlang.training.model_columns import count_label_ngrams  # noqa: PLC0415

    if model.method == _NFC:
        rows = [(label, "", ngrams) for label, ngrams in count_label_ngrams(model).items()]
    else:
        unpacked = byte_profiles.unpack_profiles(model, str(path))
        rows = [(profile.label, profile.encoding, len(profile.grams)) for profile in unpacked]
    write_rows(("label", "encoding", "ngrams"), rows, format_=format_)


def _edit_profiles(
    model: Model, folder: Path | None, remove: tuple[str, ...], only: tuple[LanguageChoice, ...], target: Path
) -> None:
    """Write a byte model with other profiles."""
    from graphlang.training.train_papers import edit_profiles  # noqa: PLC0415

    edited = edit_profiles(model, folder=folder, remove=remove, only=only)
    sha256 = edited.model.save(target)
    keys = {profile.key for profile in edited.added}
    for profile in edited.removed:
        if profile.key not in keys:
            write_line(f"removed {profile.label} in {profile.encoding}")
    before = {profile.key for profile in edited.removed}
    for profile in edited.added:
        write_line(f"{'replaced' if profile.key in before else 'added'} {profile.label} in {profile.encoding}")
    say(f"{target}: {quantity(len(edited.model.labels), 'label')}, sha256 {sha256}")


def _drop_labels(
    model: Model, path: Path, digest: str, only: tuple[LanguageChoice, ...], remove: tuple[str, ...], target: Path
) -> None:
    """Write a model of nfc with some of its languages."""
    from graphlang.training.model_columns import select_labels  # noqa: PLC0415

    smaller = select_labels(model, path=path, digest=digest, only=only, without=_parse_choices(remove, "--remove"))
    sha256 = smaller.model.save(target)
    if len(smaller.removed) <= _LISTED:
        for label in smaller.removed:
            write_line(f"removed {label}")
    else:
        write_line(f"removed {quantity(len(smaller.removed), 'label')}")
    for label in smaller.single:
        language, script = codes.split_label(label)
        say(f"{codes.name(language)} is the only language left in the script {script}: all texts in it get it")
    say(f"{target}: {quantity(len(smaller.model.labels), 'label')}, sha256 {sha256}")


@click.command()
@click.argument("language")
@click.option("--method", default="url-custom-dt", show_default=True, help="Method, or model file, of decision trees.")
@click.option("--depth", type=WholeNumber(1), default=4, show_default=True, help="Questions on a path to a leaf.")
def tree(language: str, method: str, depth: int) -> None:
    """Print the decision tree of LANGUAGE (Baykan et al. 2008).

    Each line is a question about a URL, indented below the answer that leads to it, as in figure 1 of the paper. A
    leaf has the number of training URLs that end there; URLs of other languages are weighted so that they count as
    much in total as those of the language.

    \b
    Examples:
      graphlang tree de
      graphlang tree French --depth 3
    """
    from graphlang.papers.baykan2008 import UrlClassifier  # noqa: PLC0415
    from graphlang.papers.baykan2008_learners import TreePerLanguage  # noqa: PLC0415

    identifier = url_methods.load(method)
    if not isinstance(identifier, UrlClassifier) or not isinstance(identifier.scorer, TreePerLanguage):
        raise modelfile.ModelError(f"{method} has no decision trees")
    code = codes.code(language)
    if code not in identifier.labels:
        raise click.BadParameter(f"no tree for {language!r}", param_hint="LANGUAGE")
    pruned = identifier.scorer.trees[identifier.labels.index(code)].prune(depth)
    write_lines(pruned.format(identifier.features.names, ["other", codes.name(code)]))
