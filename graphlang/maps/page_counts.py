"""Pages of a language on a site or in a collection: their expected number, its interval, and their share."""

from __future__ import annotations

from collections import Counter
from typing import Final

from graphlang.codes import languages
from graphlang.maps.poisson_binomial import any_at_all, interval

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
        self._chances: Counter[float] = Counter()  # pages by their probability

    def add_pages(self, pages: int, confidence: float) -> None:
        """Add fetched pages with this sum of confidences."""
        self.pages += pages
        self.confidence += confidence
        if pages:
            self.add_chances(pages, confidence)

    def add_chances(self, pages: int, confidence: float) -> None:
        """Add pages that are in the language with this sum of probabilities, such as those with it as runner-up."""
        self._chances[confidence / pages] += pages

    @property
    def expected(self) -> float:
        """Expected number of pages: the sum of their probabilities."""
        if self.language in (languages.UND, languages.ZXX):
            return float(self.pages)
        return sum(probability * pages for probability, pages in self._chances.items())

    @property
    def weight(self) -> float:
        """Expected number of pages, where those in several languages count by their shares."""
        return max(0.0, self.expected + self.parts)

    def interval(self, exact: int) -> tuple[int, int]:
        """Return the 95 % interval of the number of pages; exact up to this many doubtful pages."""
        if self.language in (languages.UND, languages.ZXX):
            return self.pages, self.pages
        return interval(list(self._chances), list(self._chances.values()), exact=exact)

    @property
    def certainty(self) -> float:
        """Probability that at least one page is in the language."""
        if self.language in (languages.UND, languages.ZXX):
            return float(bool(self.pages))
        return any_at_all(list(self._chances), list(self._chances.values()))

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
