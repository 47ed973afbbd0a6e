"""The language of texts or URLs, without a database."""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from graphlang.arguments import check_arguments, flag, probability, whole_number, worker_count
from graphlang.codes import languages
from graphlang.content import registry as content_methods
from graphlang.content.classifier import ClassifierMethod
from graphlang.content.identifier import Identifier
from graphlang.content.score_lists import choose_top
from graphlang.native.threads import MOST, run_side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from graphlang.content.classifier import Classifier
    from graphlang.content.segments.spans import Share, Span
    from graphlang.ingest.payload.encoded_twice import RepairedText
    from graphlang.urls.url_methods import UrlIdentifier

_Batch: TypeAlias = "list[tuple[str, str]]"  # names and texts
_Result = TypeVar("_Result")

_BATCH = 4096
_BATCH_CHARACTERS = 1 << 24  # texts of a batch together, so that long ones do not fill the memory


class Prediction(NamedTuple):
    """The answer of a method for one text."""

    #: ISO 639-3; ``und``: no text, no language for its script, or not a URL where one is read; ``zxx``: no letters
    language: str
    script: str | None  #: ISO 15924
    confidence: float  #: probability of the language, 0 to 1
    runner_up: str | None  #: the second label, language and script
    runner_up_confidence: float | None  #: its probability
    top: tuple[Candidate, ...] | None = None  #: the most probable languages, best first; None unless asked for
    shares: tuple[Share, ...] | None = None  #: languages of the text by their share of letters; None unless asked for
    spans: tuple[Span, ...] | None = None  #: where each language is; None unless asked for


class Candidate(NamedTuple):
    """A language that a text may be in."""

    language: str  #: ISO 639-3
    script: str | None  #: ISO 15924
    confidence: float  #: probability of the language, 0 to 1


@check_arguments(workers=worker_count, top=whole_number, min_confidence=probability, shares=flag, spans=flag)
def identify(
    texts: Iterable[str],
    method: str | Path | Classifier = "nfc",
    *,
    workers: int = 1,
    min_confidence: float = 0.0,
    top: int | None = None,
    shares: bool = False,
    spans: bool = False,
) -> list[Prediction]:
    r"""Identify the language of texts, or of URLs with a URL method.

    A text that was encoded twice (its UTF-8 taken for windows-1252) is repaired first.

    Args:
        texts: any strings; for a URL method URLs, the scheme of which may be missing. Others are ``und``.
        method: a name that `graphlang methods` lists, a model file, or a classifier of your own: an object with
            `labels` and `probabilities(texts)`.
        workers: threads that identify, where the method allows more than one. The result is the same with any number.
        min_confidence: a text with less is ``und``, and its most probable language is the runner-up.
        top: how many of the most probable languages to list in `Prediction.top`.
        shares: whether to list the languages of each text by their share of letters, in `Prediction.shares`: at most
            five, none under 3 %.
        spans: whether to list where each language is, in `Prediction.spans`.

    Returns:
        One `Prediction` for each text, in their order.

    Raises:
        TypeError: `texts` is one string instead of several, or has something else; an argument is of the wrong type.
        ValueError: `workers` is not within 1 and 256, `top` is below 1, or `min_confidence` is not within 0 and 1;
            `shares` or `spans` of URLs.
        ModelError: there is no such method or model.

    >>> identify(["Der Nebel liegt noch über dem Tal.", "", "42"])[0].language
    'deu'
    >>> identify(["ÐšÐ°ÐºÐ¾Ð¹ Ñ\x81ÐµÐ³Ð¾Ð´Ð½Ñ\x8f Ð´ÐµÐ½ÑŒ?"])[0].language
    'rus'
    >>> [prediction.language for prediction in identify(["", "42"])]
    ['und', 'zxx']
    >>> text = "Der Nebel liegt noch über dem Tal. The river is quiet this morning."
    >>> [(share.language, round(share.share, 2)) for share in identify([text], shares=True)[0].shares or ()]
    [('deu', 0.51), ('eng', 0.49)]
    """
    if isinstance(texts, str):
        raise TypeError("identify takes a list of texts: gl.identify([text])")
    details = Details(min_confidence, top or 0, shares, spans)
    predicted = predict(load(method), _refuse_unnamed(texts), workers=workers, details=details)
    return [prediction for _, prediction in predicted]


def _refuse_unnamed(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"texts[{number}] is of type {type(text).__name__}, expected str")
        yield "", text


def is_url_method(method: str) -> bool:
    """Return whether a method, or a model file, reads URLs.

    Args:
        method: name, or path of a model file.
    """
    if method in content_methods.names():
        return False
    from graphlang.urls import url_methods  # noqa: PLC0415 - texts do without

    return url_methods.is_url_method(method)


def load(method: str | Path | Classifier) -> Identifier | UrlIdentifier:
    """Load a content or URL method, a model file, or a classifier of the caller.

    Args:
        method: name, path of a model file, or an object with `labels` and `probabilities(texts)`.

    Raises:
        ModelError: there is no such method, or the object lacks something.
        PluginError: the method of another package cannot be loaded.
    """
    if isinstance(method, str | Path):
        return _load_named(str(method))
    if isinstance(method, Identifier):
        return method
    return ClassifierMethod(str(getattr(method, "name", type(method).__name__.lower())), method, {})


@lru_cache(maxsize=4)  # methods in memory
def _load_named(method: str) -> Identifier | UrlIdentifier:
    if not is_url_method(method):
        return content_methods.load(method)
    from graphlang.urls import url_methods  # noqa: PLC0415 - texts do without

    return url_methods.load(method)


class Details(NamedTuple):
    """Further results for each text (`identify`)."""

    min_confidence: float = 0.0
    top: int = 0
    shares: bool = False
    spans: bool = False


def predict(
    identifier: Identifier | UrlIdentifier,
    texts: Iterable[tuple[str, str]],
    *,
    workers: int = 1,
    details: Details = Details(),  # noqa: B008 - it is a tuple
) -> Iterator[tuple[tuple[str, str], Prediction]]:
    """Identify texts in batches, as they come.

    Args:
        identifier: a method.
        texts: pairs of a name and a text.
        workers: threads that identify, where the method allows more than one.
        details: further results.

    Yields:
        Each pair, and its prediction.

    Raises:
        ValueError: shares or spans of URLs.
    """
    reads_urls = hasattr(identifier, "decisions")
    if reads_urls:
        from graphlang.urls.readable_text import is_url, make_readable  # noqa: PLC0415 - texts do without

        if details.shares or details.spans:
            raise ValueError(f"{identifier.name} reads URLs, which have no shares and no spans")

    def predict_batch(batch: _Batch) -> tuple[_Batch, list[list[int]], list[list[float]], Iterable[list[Span]]]:
        read = [text for _, text in batch]
        if not reads_urls:
            read = [repair.text if repair else text for repair, text in zip(_repair(read), read, strict=True)]
        best, score = choose_top(identifier.probabilities(read), max(2, details.top))
        spans: Iterable[list[Span]] = repeat([], len(batch))
        if (details.shares or details.spans) and isinstance(identifier, Identifier):
            spans = _find_spans(identifier, batch)
        return batch, best.tolist(), score.tolist(), spans

    names = [(label, *_split_label(label)) for label in identifier.labels]
    plain = not (details.top or details.shares or details.spans)
    for batch, best, score, spans in _run_in_threads(predict_batch, identifier, texts, workers):
        for item, first, sure, spans_of_text in zip(batch, best, score, spans, strict=True):
            # A method would answer for any line with words, and for data: and tel:, which are no pages.
            if reads_urls and not (is_url(item[1]) and make_readable(item[1]).strip()):
                yield item, Prediction(languages.UND, None, 0.0, None, None)
            else:
                prediction = _make_prediction(names, item[1], first, sure, details.min_confidence)
                if not plain:
                    pairs = zip(first[: details.top], sure, strict=False)
                    candidates = [Candidate(*names[label][1:], chance) for label, chance in pairs if chance > 0]
                    prediction = _add_details(prediction, details, candidates, spans_of_text)
                yield item, prediction


def find_segments(
    identifier: Identifier, texts: Iterable[tuple[str, str]], *, workers: int = 1
) -> Iterator[tuple[tuple[str, str], list[Span]]]:
    """Find the languages inside texts, in batches, as they come.

    Args:
        identifier: a content method.
        texts: pairs of a name and a text.
        workers: threads that identify, where the method allows more than one.

    Yields:
        Each pair, and the spans of its text (`content.segments.spans`).
    """

    def segment_batch(batch: _Batch) -> list[tuple[tuple[str, str], list[Span]]]:
        return list(zip(batch, _find_spans(identifier, batch), strict=True))

    for answers in _run_in_threads(segment_batch, identifier, texts, workers):
        yield from answers


def _find_spans(identifier: Identifier, batch: _Batch) -> list[list[Span]]:
    from graphlang.content.segments.spans import find_spans  # noqa: PLC0415 - one language a text does without

    repaired = _repair([text for _, text in batch])
    read = [repair.text if repair else text for repair, (_, text) in zip(repaired, batch, strict=True)]
    return [
        _restore_offsets(spans, text, repair.encoded) if repair else spans
        for (_, text), repair, spans in zip(batch, repaired, find_spans(identifier, read), strict=True)
    ]


def _add_details(
    prediction: Prediction, details: Details, candidates: list[Candidate], spans: list[Span]
) -> Prediction:
    if details.top:
        prediction = prediction._replace(top=tuple(candidates))
    if details.shares:
        from graphlang.content.segments.spans import list_shares  # noqa: PLC0415 - one language a text does without

        prediction = prediction._replace(shares=tuple(list_shares(spans)))
    return prediction._replace(spans=tuple(spans)) if details.spans else prediction


def _split_label(label: str) -> tuple[str, str | None]:
    return (label, None) if label == languages.UND else languages.split_label(label)


def _run_in_threads(
    work: Callable[[_Batch], _Result],
    identifier: Identifier | UrlIdentifier,
    texts: Iterable[tuple[str, str]],
    workers: int,
) -> Iterator[_Result]:
    """Call ``work`` on each batch, in order; with more threads, batches have fewer characters."""
    threads = min(workers, MOST) if getattr(identifier, "concurrent", False) else 1
    return run_side_by_side(work, _cut_batches(texts, _BATCH_CHARACTERS // threads), threads)


def _repair(texts: list[str]) -> list[RepairedText | None]:
    """Repair texts that were encoded twice; None for each other text, as nearly all are."""
    if all(map(str.isascii, texts)):
        return [None] * len(texts)
    from graphlang.ingest.payload.encoded_twice import repair_encoding  # noqa: PLC0415 - ASCII does without

    return [repair_encoding(text) for text in texts]


def _restore_offsets(spans: list[Span], text: str, encoded: int) -> list[Span]:
    """Convert offsets in a repaired text to offsets in the original."""
    from graphlang.ingest.payload.encoded_twice import find_character_places  # noqa: PLC0415 - rarely needed

    place = find_character_places(text, encoded)
    return [span._replace(begin=place[span.begin], end=place[span.end]) for span in spans]


def _make_prediction(
    names: Sequence[tuple[str, str, str | None]], text: str, best: list[int], score: list[float], min_confidence: float
) -> Prediction:
    """Make the prediction of a text from its best labels; `names` has each label, its language and its script."""
    sure = score[0]
    if sure <= 0 or not text or text.isspace():
        no_letters = bool(text.strip()) and not any(map(str.isalpha, text))
        return Prediction(languages.ZXX if no_letters else languages.UND, None, float(no_letters), None, None)
    label, language, script = names[best[0]]
    if sure < min_confidence:
        return Prediction(languages.UND, None, 0.0, label, sure)
    if best[1] < 0 or score[1] <= 0:
        return Prediction(language, script, sure, None, None)
    return Prediction(language, script, sure, names[best[1]][0], score[1])


def _cut_batches(texts: Iterable[tuple[str, str]], limit: int) -> Iterator[_Batch]:
    batch: _Batch = []
    characters = 0
    for item in texts:
        batch.append(item)
        characters += len(item[1])
        if len(batch) == _BATCH or characters >= limit:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
