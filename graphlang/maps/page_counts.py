"""Pages of a language on a site or in a collection: their expected number, its interval, and their share."""

from __future__ import annotations

import math
from typing import Final

from graphlang.codes import languages
from graphlang.maps import intervals

#: A language that no page is mainly in has a row if its parts of pages add up to one page, and to this share of all:
#: English on a bilingual site has one, a misread quotation has none.
LEAST_PART: Final = 0.05


class PageCounts:
    """Pages of a language, from groups of pages with similar confidences; mutable.

    Each page is in its language with its confidence, and in its runner-up with that one's. ``und`` and ``zxx`` are not
    languages: their pages count as a whole.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self.pages = self.unfetched = self.length = 0
        self.also = 0  # pages in another language, and in part in this one
        self.confidence = self.unfetched_confidence = 0.0  # sums
        self.parts = 0.0  # pages in other languages, less parts of these pages; weighted by confidence
        self.variance, self.undetermined = 0.0, 0  # see `intervals.spread_query`
        self._expected = 0.0
        self._candidates = 0  # pages that may be in the language
        self._log_none = 0.0  # logarithm of the probability that none is

    def add_pages(self, pages: int, confidence: float) -> None:
        """Add fetched pages with this sum of confidences."""
        self.pages += pages
        self.confidence += confidence
        if pages:
            self.add_chances(pages, confidence)

    def add_chances(self, pages: int, confidence: float) -> None:
        """Add pages that are in the language with this sum of probabilities, such as those with it as runner-up."""
        probability = min(confidence / pages, 1.0)
        self._expected += confidence
        self._candidates += pages if probability > 0 else 0
        self._log_none += pages * math.log1p(-probability) if probability < 1 else -math.inf

    @property
    def _is_language(self) -> bool:
        return self.language not in (languages.UND, languages.ZXX)

    @property
    def expected(self) -> float:
        """Expected number of pages: the sum of their probabilities."""
        return self._expected if self._is_language else float(self.pages)

    @property
    def weight(self) -> float:
        """Expected number of pages, where those in several languages count by their shares."""
        return max(0.0, self.expected + self.parts)

    def interval(self) -> tuple[int, int]:
        """Return the ends of the 95 % interval of the number of pages; it includes the pages with this answer."""
        if not self._is_language:
            return self.pages, self.pages
        counts = {"candidates": self._candidates, "undetermined": self.undetermined}
        low, high = intervals.interval(self.expected, self.variance, **counts)
        return min(low, self.pages), max(high, self.pages)

    @property
    def certainty(self) -> float:
        """Probability that at least one page is in the language."""
        return -math.expm1(self._log_none) if self._is_language else float(bool(self.pages))

    @property
    def mean_confidence(self) -> float:
        """Mean confidence of the fetched pages, else of the unfetched ones, else 0."""
        if self.pages:
            return self.confidence / self.pages
        return self.unfetched_confidence / self.unfetched if self.unfetched else 0.0

    def has_row(self, total: float, *, unfetched: bool) -> bool:
        """Return whether the language is a row of a map whose weights add up to ``total``, and not only possible."""
        if self.pages or (self.unfetched and unfetched):
            return True
        return self.weight >= max(1.0, LEAST_PART * total)
