"""Train a model of any method, and write its file: the verb `train` for Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphlang import modelfile
from graphlang.analysis.progress import Progress, make_progress
from graphlang.content import registry
from graphlang.files import OutputError
from graphlang.urls import url_methods

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphlang.papers.baykan2008 import UrlClassifier
    from graphlang.urls.url_model import UrlModel


def train(
    output: str | Path,
    corpus: str | Path,
    *,
    method: str = "nfc",
    extend: str | Path | None = None,
    text: str | Path | None = None,
    words: str | Path | None = None,
    messages: Sequence[str | Path] = (),
    relatives: str | Path | None = None,
    replace: bool = False,
    progress: Progress | bool = False,
    **options: Any,
) -> tuple[str, ...]:
    """Train a model, and write its file: the verb `train`.

    Args:
        output: the model file, which is replaced when the model is trained.
        corpus: a folder with a sub-folder of UTF-8 texts for each language; for URL methods a table of labelled URLs.
        method: what to train (`graphlang methods`).
        extend: a model of ``nfc``, or ``nfc`` itself, to which the languages of the corpus are added.
        text: of the method ``url``: a folder of running text.
        words: a folder of word lists to learn from as well (``nfc`` only).
        messages: folders of translated messages to learn from as well (``nfc`` only).
        relatives: with `extend`: a folder of texts of languages of the model, which the new ones must not take.
        replace: with `extend`: whether labels of the model are trained again.
        progress: True draws a bar; an object receives the stages.
        options: settings of the method, as ``--option`` of the verb takes them.

    Returns:
        The labels of the model.

    Raises:
        ModelError: an unknown method or setting, or a corpus that cannot be used.
        OutputError: `output` is the corpus.
    """
    target, folder = Path(output), Path(corpus)
    if target.exists() and target.samefile(folder):
        raise OutputError(f"cannot write to {target}: it is the corpus")
    paths: dict[str, Any] = {"words": _to_path(words), "messages": tuple(map(Path, messages))}
    report = make_reporter(make_progress(progress))
    if extend is None:
        model: Any = train_model(folder, method, text=_to_path(text), report=report, **paths, **options)
    else:
        from graphlang.training.extend import extend_model  # noqa: PLC0415 - rarely needed

        base = registry.path(extend)
        content, digest = modelfile.read(base)
        paths |= {"replace": replace, "relatives": _to_path(relatives)}
        model = extend_model(folder, base=content, path=base, digest=digest, **paths, **options)
    model.save(target)
    labels: tuple[str, ...] = tuple(model.labels)
    return labels


def train_model(
    corpus: Path,
    method: str,
    *,
    report: Callable[[str, int, int], None],
    text: Path | None = None,
    words: Path | None = None,
    messages: Sequence[Path] = (),
    **options: Any,
) -> modelfile.Model | UrlModel | UrlClassifier:
    """Train a model of any method; raise ValueError for material that the method does not take."""
    from graphlang.training import train, train_url  # noqa: PLC0415 - takes long to import

    check_material(corpus, method, text=text, words=words, messages=messages)
    if _reads_urls(method):
        return train_url.train_url_method(corpus, method=method, text=text, progress=report, **options)
    return train.train(corpus, method=method, words=words, messages=messages, progress=report, **options)


def check_material(
    corpus: Path, method: str, *, text: Path | None, words: Path | None, messages: Sequence[Path]
) -> None:
    """Raise ValueError for material that a method does not take."""
    if _reads_urls(method):
        if words is not None or messages:
            raise ValueError(f"{method} learns from URLs, and takes no {'messages' if words is None else 'words'}")
    elif text is not None or not corpus.is_dir():
        why = "text is for URLs" if text is not None else f"{corpus} is not a folder"
        raise ValueError(f"{why}: {method} learns from one folder, with a sub-folder for each label")


def _reads_urls(method: str) -> bool:
    return method == url_methods.DEFAULT or method.startswith("url-")


def make_reporter(progress: Progress) -> Callable[[str, int, int], None]:
    """Make the callback of training, which receives a stage, the steps done and the total."""
    stage = ""

    def report(name: str, done: int, total: int) -> None:
        nonlocal stage
        if name != stage:
            stage = name
            progress.stage(name, total, "steps")
        progress.advance(done)

    return report


def _to_path(name: str | Path | None) -> Path | None:
    return None if name is None else Path(name)
