"""Prepare texts for corpora: leave out near duplicates, measure quality, and identify each paragraph.

*Near duplicates* are found by MinHash with rensa, an extra. Broder (1997): the share of equal minima of many hash
functions is the Jaccard similarity of two sets, here of the runs of five words. Bands of minima find similar texts
without a comparison of all pairs.

*Signals of quality*: their meaning depends on the language and on the use of a corpus.

*Paragraphs* have a language each: a page may hold a menu, a quotation or a comment in another.
"""

from __future__ import annotations

import sqlite3
import unicodedata
from collections import Counter, deque
from contextlib import closing
from functools import lru_cache
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages
from graphlang.content.nfc.rubbish import is_filler
from graphlang.export.tables import MissingExtraError, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphlang.content.identifier import Identifier
    from graphlang.content.segments.spans import Span

_RUN_LENGTH: Final = 5  # words, or characters of a text without spaces
_PERMUTATIONS, _BANDS, _SEED = 128, 16, 42  # a text of similarity 0.9 is found with a probability of 0.99
_LONGEST_WORD: Final = 20  # characters; a text with longer ones on average has no spaces between words
#: Texts in a language that a text is compared with: the last ones. They take 2 KB each, and so 1 GB at most.
REMEMBERED: Final = 500_000


class NearDuplicates:
    """Finds texts that are nearly the same as an earlier text in the language."""

    def __init__(self, share: float, remembered: int = REMEMBERED) -> None:
        """``share`` is the part of their runs that similar texts share; raise MissingExtraError without rensa."""
        try:
            self._rensa: Any = import_module("rensa")
        except ImportError as error:
            raise MissingExtraError("near duplicates need rensa: pip install 'graphlang[near]'") from error
        self._share, self._remembered = share, remembered
        self._texts: dict[str, tuple[Any, deque[str]]] = {}
        self._added = 0

    def add(self, language: str, text: str) -> bool:
        """Remember a text; return False if it is nearly the same as an earlier one in the language."""
        signature = self._rensa.RMinHash(num_perm=_PERMUTATIONS, seed=_SEED)
        signature.update(list(_split_runs(text)))
        if language not in self._texts:
            seen = self._rensa.RMinHashDeduplicator(
                self._share, _PERMUTATIONS, use_lsh=True, num_bands=_BANDS, seed=_SEED
            )
            self._texts[language] = seen, deque()
        seen, names = self._texts[language]
        self._added += 1
        name = str(self._added)
        if not seen.add(name, signature):
            return False
        names.append(name)
        if len(names) > self._remembered:
            seen.remove(names.popleft())
        return True


def _split_runs(text: str) -> Iterable[str]:
    """Return the different runs of words, or of characters where words have no spaces between them.

    >>> sorted(_split_runs("One two three four five six"))
    ['one two three four five', 'two three four five six']
    >>> _split_runs("Two words"), len(_split_runs("粉屋は朝早く戸を開け、最初の袋を荷車に積みました"))
    ({'two words'}, 20)
    """
    units: list[str] | str = text.casefold().split()
    between = " "
    if len(text) > _LONGEST_WORD * len(units):
        units, between = "".join(units), ""
    return {between.join(units[at : at + _RUN_LENGTH]) for at in range(max(1, len(units) - _RUN_LENGTH + 1))}


_UNSPACED: Final = frozenset(("bod", "jpn", "khm", "lao", "mya", "tha", "zho"))  #: no spaces between words
_AROUND: Final = "\"'`´‘’“”„‚«»‹›()[]{}<>.,;:!?¡¿…·•*/\\|_=+-–—،؛؟।॥"  # punctuation at the ends of words


class Quality(NamedTuple):
    """Signals of the quality of a text."""

    letters: float  #: share of letters and their marks among the characters that are no spaces
    repeated: float  #: share of these characters in lines that came before
    filler: int  #: 1 for Lorem ipsum, whatever its language is
    #: share of stop words among the words; empty without the package, a list of the language, or spaces between words
    stopwords: float | None


def measure_quality(text: str, language: str = "") -> Quality:
    r"""Measure signals of the quality of a text in a language (ISO 639-3).

    >>> measure_quality("one line\none line\n12345")
    Quality(letters=0.7368, repeated=0.3684, filler=0, stopwords=None)
    >>> measure_quality("हिन्दी में").letters, measure_quality("").letters
    (1.0, 0.0)
    >>> measure_quality("Lorem ipsum dolor sit amet, consectetur adipiscing elit.").filler
    1
    """
    counts = Counter(text)
    total = sum(count for character, count in counts.items() if not character.isspace()) or 1
    letters = sum(count for character, count in counts.items() if _is_letter(character))
    lines: set[str] = set()
    repeated = 0
    for line in text.split("\n"):
        if line in lines:
            repeated += sum(map(len, line.split()))
        lines.add(line)
    stop_words = _measure_stop_words(text, language)
    return Quality(round(letters / total, 4), round(repeated / total, 4), int(is_filler(text)), stop_words)


def _measure_stop_words(text: str, language: str) -> float | None:
    """Return the share of stop words among the words of a text; None where they are unknown."""
    stop_words = _find_stop_words(language)
    if not stop_words:
        return None
    words = [word for word in (word.strip(_AROUND).casefold() for word in text.split()) if word]
    return round(sum(map(stop_words.__contains__, words)) / len(words), 4) if words else 0.0


@lru_cache(256)
def _find_stop_words(language: str) -> frozenset[str]:
    """Return the list of a language in stopwordsiso, an extra; empty without one."""
    tag = languages.bcp47(language) if language and language not in _UNSPACED else ""
    try:
        lists = import_module("stopwordsiso")
    except ImportError:
        return frozenset()
    return frozenset(map(str.casefold, lists.stopwords(tag))) if tag and lists.has_lang(tag) else frozenset()


@lru_cache(4096)
def _is_letter(character: str) -> bool:
    """Return whether a character is a letter or a mark, such as the vowels of Hindi."""
    return unicodedata.category(character)[0] in "LM"


_BATCH: Final = 64  # texts whose paragraphs are identified together


class ParagraphRow(NamedTuple):
    """A paragraph of a page."""

    url: str  #: of the page
    date: str | None  #: of the capture, ISO 8601
    page_language: str  #: the language of the page, ISO 639-3
    paragraph: int  #: its number in the text, from 1
    is_main: int  #: 1 where it is main content
    language: str  #: of the paragraph, ISO 639-3: the one that most of it is in; und if unknown
    script: str | None  #: ISO 15924
    confidence: float  #: mean probability of the language in the part of the text that the paragraph is in
    text: str  #: the paragraph


def split_paragraphs(table: Table, identifier: Identifier) -> Table:
    """Return the paragraphs of the texts of a table, in its order, with their languages.

    A paragraph is read together with those around it: a language seldom changes with each line.
    """
    from graphlang.content.segments.spans import find_spans  # noqa: PLC0415 - slow to import

    place = {name: table.columns.index(name) for name in ("url", "date", "language", "main")}
    column = table.columns.index("text" if "text" in table.columns else "main")

    def iterate_rows() -> Iterator[tuple[Any, ...]]:
        texts = iter(table.rows)
        while batch := list(islice(texts, _BATCH)):
            for row, spans in zip(batch, find_spans(identifier, [row[column] for row in batch]), strict=True):
                page = tuple(row[place[name]] for name in ("url", "date", "language"))
                main = len(row[place["main"]])
                for number, (begin, line, label, confidence) in enumerate(_split_lines(row[column], spans), start=1):
                    language, script = (label, None) if label == languages.UND else languages.split_label(label)
                    yield (*page, number, int(begin < main), language, script, confidence, line)

    return Table(ParagraphRow._fields, iterate_rows())


def sort_by_language(table: Table) -> Table:
    """Return the rows of a table in order of languages, by a temporary file."""

    def iterate_rows() -> Iterator[tuple[Any, ...]]:
        with closing(sqlite3.connect("")) as file:
            columns = ", ".join(f'"{name}"' for name in table.columns)
            file.execute(f"CREATE TABLE rows ({columns})")
            file.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(table.columns))})", table.rows)
            yield from file.execute("SELECT * FROM rows ORDER BY language, rowid")

    return Table(table.columns, iterate_rows())


def _split_lines(text: str, spans: list[Span]) -> Iterator[tuple[int, str, str, float]]:
    """Yield where each paragraph begins, the paragraph, and label and confidence of the span that has most of it."""
    begin = first = 0
    for line in text.split("\n"):
        end = begin + len(line)
        while first < len(spans) and spans[first].end <= begin:
            first += 1
        best, longest = None, 0
        for span in spans[first:]:
            if span.begin >= end:
                break
            common = min(span.end, end) - max(span.begin, begin)
            if common > longest:
                best, longest = span, common
        if line.strip():
            yield begin, line.strip(), best.label if best else languages.UND, best.confidence if best else 0.0
        begin = end + 1
