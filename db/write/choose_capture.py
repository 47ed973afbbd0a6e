"""Choose the main capture of a page among several, and join captures that came in two parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphlang.db.records import Link, Page

_HTTP_OK = 200
_REDIRECTS = range(300, 400)
_UNDATED = "~"  # after every date


class Keep(StrEnum):
    """Rule that chooses the main capture of a page among several. Any other replaces a revisit record."""

    ALL = "all"  #: as `BEST`, with the others in ``history``
    BEST = "best"  #: the newest with status 200; text without a status counts as that, and links alone count less
    FIRST = "first"  #: the oldest
    LAST = "last"  #: the newest, whatever its status
    LONGEST = "longest"  #: the one with the most visible text


@dataclass(frozen=True, slots=True)
class CaptureProperties:
    """Properties of a capture that the choice depends on."""

    status: int | None
    date: str
    revisit: bool
    parts: str
    length: int
    digest: str = ""
    size: int = 0

    @classmethod
    def from_page(cls, page: Page) -> CaptureProperties:
        """Return the properties of a capture that was read."""
        return cls(page.status, page.date, page.revisit_of is not None, page.parts, page.length, page.digest, page.size)

    @property
    def payload(self) -> str:
        """Payload digest if equal digests mean equal content, else empty.

        A revisit record has the digest of another capture. The content of a redirect is its target, not its payload.

        >>> [CaptureProperties(status, "2020", False, "both", 90, "A", 99).payload for status in (200, 301)]
        ['A', '']
        """
        if self.revisit or (self.size and self.status not in _REDIRECTS):
            return self.digest
        return ""

    def replaces(self, other: CaptureProperties, keep: Keep) -> bool:
        """Return True if this capture replaces another of the same URL; among equal ones the first stays.

        Two records of one moment are one capture: the smaller one was truncated, as by a broken download.

        >>> old = CaptureProperties(200, "2020", False, "both", 90)
        >>> gone = CaptureProperties(404, "2024", False, "both", 9)
        >>> gone.replaces(old, Keep.BEST), gone.replaces(old, Keep.LAST), gone.replaces(old, Keep.LONGEST)
        (False, True, False)
        >>> cut, whole = (CaptureProperties(200, "2020", False, "both", size, size=size) for size in (4, 9))
        >>> whole.replaces(cut, Keep.BEST), cut.replaces(whole, Keep.BEST)
        (True, False)
        """
        date, other_date = self._sortable_date(), other._sortable_date()
        if self.revisit or other.revisit:
            return other.revisit and (not self.revisit or date > other_date)
        if (
            date
            and (date, self.status, self.parts) == (other_date, other.status, other.parts)
            and keep is not Keep.LONGEST
        ):
            return self.size > other.size
        if keep is Keep.FIRST:
            return (date or _UNDATED) < (other_date or _UNDATED)
        if keep is Keep.LAST:
            return date > other_date
        if keep is Keep.LONGEST:
            return (self.length, *self._rank()) > (other.length, *other._rank())
        return self._rank() > other._rank()

    def _sortable_date(self) -> str:
        # Dates have any precision: without the last letter a date sorts before all longer ones that begin with it.
        return self.date.removesuffix("Z")

    def _rank(self) -> tuple[bool, bool, str]:
        # A text without a status (a resource record, an extracted text) was no error.
        fine = self.status == _HTTP_OK or (self.status is None and self.length > 0)
        return fine, self.parts != "links", self._sortable_date()

    def needs_text(self, other: CaptureProperties) -> bool:
        """Return True if this is a whole capture without text and the other has it, as a browser rendered it."""
        return self.parts == "both" and not self.length and self.status in {_HTTP_OK, None} and other.length > 0

    def is_same_capture(self, other: CaptureProperties) -> bool:
        """Return True if two captures are parts of one, or one is a part of the other.

        >>> wet = CaptureProperties(None, "2020", False, "text", 9)
        >>> wat = CaptureProperties(200, "2020", False, "links", 0)
        >>> wet.is_same_capture(wat), wet.is_same_capture(wet)
        (True, False)
        """
        if self.parts == other.parts or self.revisit or other.revisit:
            return False
        return self.date == other.date or not self.date or not other.date


def join_parts(text: Page, links: Page) -> Page:
    """Join two parts of a capture: the words of one, and status, headers and links of the other."""
    return replace(
        links,
        offset=text.offset,
        date=links.date or text.date,
        charset=text.charset,
        charset_from=text.charset_from,
        title=links.title or text.title,
        text=text.text,
        length=text.length,
        main_length=text.main_length,
        visible=text.visible,
        parts="joined",
    )


class FurtherCapture(NamedTuple):
    """A further capture of a page: it was not chosen, or it was replaced."""

    facts: CaptureProperties
    page: Page | None  #: None: it is stored as the main capture
    place: int  #: in the batch, of the capture with its links
    other_part: Page | None = None  #: the other part of the stored capture, not written yet


@dataclass(slots=True)
class Choice:
    """The main capture of a URL: one just read, or the stored one, or that and its other part."""

    facts: CaptureProperties
    count: int  #: captures of this URL so far
    page: Page | None = None  #: to be written, replacing the stored one
    place: int = -1  #: in the batch, of the capture whose links are kept
    other_part: Page | None = None  #: the other part of the stored capture
    stored: tuple[int, int] | None = None  #: file and offset of the stored capture, if any
    further: int = 0  #: further captures that were read

    @property
    def new_page(self) -> Page | None:
        """The capture or part to be written, if any."""
        return self.page or self.other_part

    @property
    def links(self) -> Sequence[Link]:
        """The links to be written."""
        return () if self.new_page is None else self.new_page.links

    def add_capture(self, page: Page, place: int, keep: Keep) -> FurtherCapture | None:
        """Consider one more capture, with its index in the batch.

        Returns the one of two captures that is not chosen, or None if they are parts of one.
        """
        facts = CaptureProperties.from_page(page)
        if facts.is_same_capture(self.facts):
            if facts.needs_text(self.facts):
                if self.facts.parts == "text":
                    self._join(page, facts, place)
            elif facts.parts == "both":
                self.facts, self.page, self.other_part, self.place = facts, page, None, place
            elif self.facts.parts in {"text", "links"} or (facts.parts == "text" and self.facts.needs_text(facts)):
                self._join(page, facts, place)
            return None
        self.count += 1
        self.further += 1
        if not facts.replaces(self.facts, keep):
            return FurtherCapture(facts, page, place)
        rest = FurtherCapture(self.facts, self.page, self.place, self.other_part)
        self.facts, self.page, self.other_part, self.place = facts, page, None, place
        return rest

    def add_repeated(self, page: Page, place: int, keep: Keep, source: int) -> FurtherCapture | None:
        """Consider, as `take`, a capture of a file that is read again: it was counted, and may be the stored one."""
        facts, count, rest = CaptureProperties.from_page(page), self.count, None
        unchanged = self.page is None and self.other_part is None
        if unchanged and self.facts.parts == "joined" and facts.parts != "both" and facts.is_same_capture(self.facts):
            self.other_part, self.place = page, place
        elif self.page is None and self.other_part is not None and self._is_other_part(facts):
            text, links = (page, self.other_part) if facts.parts == "text" else (self.other_part, page)
            self.page, self.other_part = join_parts(text, links), None
            self.place = place if links is page else self.place
        elif unchanged and self.stored == (source, page.offset):
            self.facts, self.page, self.place = facts, page, place
        else:
            rest = self.add_capture(page, place, keep)
        self.count = count
        return rest

    def _is_other_part(self, facts: CaptureProperties) -> bool:
        """Return True if this is the second of two parts of one capture, both read again."""
        both = {facts.parts, None if self.other_part is None else self.other_part.parts}
        return self.facts.parts == "joined" and both == {"text", "links"} and facts.is_same_capture(self.facts)

    def _join(self, page: Page, facts: CaptureProperties, place: int) -> None:
        text, links = (facts, self.facts) if facts.parts == "text" else (self.facts, facts)
        date = links.date or text.date
        self.facts = replace(links, date=date, revisit=False, parts="joined", length=text.length)
        if self.page is None:
            self.other_part, self.place = page, place
        elif page.parts == "text":
            self.page = join_parts(page, self.page)
        else:
            self.page, self.place = join_parts(self.page, page), place
