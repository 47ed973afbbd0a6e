"""Of several captures of a URL one is the page's own, and captures that came in two parts become one."""

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
    """Which of several captures of a URL is the page's own. A revisit record gives way to any other, always."""

    ALL = "all"  #: as `BEST`, and the others are kept beside it, in ``history``
    BEST = "best"  #: the newest with status 200; text without a status counts as that, and links alone count less
    FIRST = "first"  #: the oldest
    LAST = "last"  #: the newest, whatever its status
    LONGEST = "longest"  #: the one with the most visible text


@dataclass(frozen=True, slots=True)
class Facts:
    """What the choice depends on."""

    status: int | None
    date: str
    revisit: bool
    parts: str
    length: int
    digest: str = ""
    size: int = 0

    @classmethod
    def of(cls, page: Page) -> Facts:
        """The facts of a capture that was read."""
        return cls(page.status, page.date, page.revisit_of is not None, page.parts, page.length, page.digest, page.size)

    @property
    def payload(self) -> str:
        """Digest of the content, where equal digests mean equal content; else empty.

        A revisit record says that it is that of another capture. Of a redirect the content is its target, which is in
        no payload.

        >>> [Facts(status, "2020", False, "both", 90, "A", 99).payload for status in (200, 301)]
        ['A', '']
        """
        if self.revisit or (self.size and self.status not in _REDIRECTS):
            return self.digest
        return ""

    def better(self, held: Facts, keep: Keep) -> bool:
        """Whether this capture takes the place of the one that is held; the first to come stays where they are equal.

        Two records of one moment are one capture: what has less of it was cut off, as by a broken download.

        Args:
            held: the capture that is kept so far, of the same URL.
            keep: which one is wanted.

        >>> old, gone = Facts(200, "2020", False, "both", 90), Facts(404, "2024", False, "both", 9)
        >>> gone.better(old, Keep.BEST), gone.better(old, Keep.LAST), gone.better(old, Keep.LONGEST)
        (False, True, False)
        >>> cut, whole = (Facts(200, "2020", False, "both", size, size=size) for size in (4, 9))
        >>> whole.better(cut, Keep.BEST), cut.better(whole, Keep.BEST)
        (True, False)
        """
        mine, its = self._when(), held._when()
        if self.revisit or held.revisit:
            return held.revisit and (not self.revisit or mine > its)
        if mine and (mine, self.status, self.parts) == (its, held.status, held.parts) and keep is not Keep.LONGEST:
            return self.size > held.size
        if keep is Keep.FIRST:
            return (mine or _UNDATED) < (its or _UNDATED)
        if keep is Keep.LAST:
            return mine > its
        if keep is Keep.LONGEST:
            return (self.length, *self._rank()) > (held.length, *held._rank())
        return self._rank() > held._rank()

    def _when(self) -> str:
        # Dates are of any precision: without its last letter a part of a date comes before all that it begins.
        return self.date.removesuffix("Z")

    def _rank(self) -> tuple[bool, bool, str]:
        # What comes with a text and without a status (a resource record, a text that others extracted) was no error.
        fine = self.status == _HTTP_OK or (self.status is None and self.length > 0)
        return fine, self.parts != "links", self._when()

    def wants_text(self, other: Facts) -> bool:
        """Whether this is a whole capture without text, and the other one brings it, as a browser showed it."""
        return self.parts == "both" and not self.length and self.status in {_HTTP_OK, None} and other.length > 0

    def same_capture(self, other: Facts) -> bool:
        """Whether the two are parts of one capture, or one of them is a part of the other.

        >>> wet, wat = Facts(None, "2020", False, "text", 9), Facts(200, "2020", False, "links", 0)
        >>> wet.same_capture(wat), wet.same_capture(wet)
        (True, False)
        """
        if self.parts == other.parts or self.revisit or other.revisit:
            return False
        return self.date == other.date or not self.date or not other.date


def joined(text: Page, links: Page) -> Page:
    """One capture of its two parts: the words of the one, and what the other says of the server and of links.

    Args:
        text: the part that brings the words.
        links: the part that brings status, headers and links.
    """
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


class Rest(NamedTuple):
    """A capture that is not the page's own: it did not take that place, or it gave way."""

    facts: Facts
    page: Page | None  #: None: it is stored as the page's own capture
    place: int  #: where in the batch the capture stands that has its links
    part: Page | None = None  #: the other part of what is stored, not written yet


@dataclass(slots=True)
class Choice:
    """What is to be kept of one URL: a capture that was just read, or the one that is stored, or that and a part."""

    facts: Facts
    count: int  #: captures of this URL so far
    page: Page | None = None  #: to be written, in place of whatever is stored
    place: int = -1  #: where in the batch the capture stands whose links are kept
    part: Page | None = None  #: the other part of what is stored
    stored: tuple[int, int] | None = None  #: file and offset of what is in the collection; None: nothing yet
    others: int = 0  #: captures that were read besides the first of this URL

    @property
    def read(self) -> Page | None:
        """What is written, if anything."""
        return self.page or self.part

    @property
    def links(self) -> Sequence[Link]:
        """The links that are written."""
        return () if self.read is None else self.read.links

    def take(self, page: Page, place: int, keep: Keep) -> Rest | None:
        """Look at one more capture, at a place of the batch.

        Args:
            page: the capture that was read.
            place: its index among the pages of the batch.
            keep: which of several captures is wanted.

        Returns:
            Of two captures the one that is not kept; None where they are parts of one.
        """
        facts = Facts.of(page)
        if facts.same_capture(self.facts):
            if facts.wants_text(self.facts):
                if self.facts.parts == "text":
                    self._join(page, facts, place)
            elif facts.parts == "both":
                self.facts, self.page, self.part, self.place = facts, page, None, place
            elif self.facts.parts in {"text", "links"} or (facts.parts == "text" and self.facts.wants_text(facts)):
                self._join(page, facts, place)
            return None
        self.count += 1
        self.others += 1
        if not facts.better(self.facts, keep):
            return Rest(facts, page, place)
        rest = Rest(self.facts, self.page, self.place, self.part)
        self.facts, self.page, self.part, self.place = facts, page, None, place
        return rest

    def take_again(self, page: Page, place: int, keep: Keep, source: int) -> Rest | None:
        """Look at a capture of a file that is being read again: it was counted before, and may be what is stored.

        Args:
            page: the capture.
            place: in the batch.
            keep: which of several captures of a URL is kept.
            source: the file.

        Returns:
            See `take`.
        """
        facts, count, rest = Facts.of(page), self.count, None
        unchanged = self.page is None and self.part is None
        if unchanged and self.facts.parts == "joined" and facts.parts != "both" and facts.same_capture(self.facts):
            self.part, self.place = page, place
        elif self.page is None and self.part is not None and self._is_other_part(facts):
            text, links = (page, self.part) if facts.parts == "text" else (self.part, page)
            self.page, self.part = joined(text, links), None
            self.place = place if links is page else self.place
        elif unchanged and self.stored == (source, page.offset):
            self.facts, self.page, self.place = facts, page, place
        else:
            rest = self.take(page, place, keep)
        self.count = count
        return rest

    def _is_other_part(self, facts: Facts) -> bool:
        """Whether this is the other of two parts of one capture that were both read again."""
        both = {facts.parts, None if self.part is None else self.part.parts}
        return self.facts.parts == "joined" and both == {"text", "links"} and facts.same_capture(self.facts)

    def _join(self, page: Page, facts: Facts, place: int) -> None:
        text, links = (facts, self.facts) if facts.parts == "text" else (self.facts, facts)
        date = links.date or text.date
        self.facts = replace(links, date=date, revisit=False, parts="joined", length=text.length)
        if self.page is None:
            self.part, self.place = page, place
        elif page.parts == "text":
            self.page = joined(page, self.page)
        else:
            self.page, self.place = joined(self.page, page), place
