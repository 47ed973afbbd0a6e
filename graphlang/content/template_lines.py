"""Find template lines, which a site repeats from page to page, and extract the text of a page without them.

A page of a few words has the frame of its site around it: a menu, the names of the site's languages, a breadcrumb, a
footer. Markup shows much of that frame (`graphlang.ingest.html.document`), but not a plain ``<div>`` full of links.
Repetition shows the rest: a line on several pages of one host with different contents is a template line, in any
markup. (Yi, Liu and Li, KDD 2003, compare trees of elements instead of lines.)

A line that only some pages share, such as the menu of one language version, is evidence of their language. It is read
if a page has nothing else. A line on most pages of the host is never read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: Pages with different contents that have a template line in common, at least.
REPEATED: Final = 3
#: Share of a host's pages: a line on more of them is no evidence of the language of one.
GENERAL: Final = 0.5
#: Characters of content from which template lines that are a small part of it are read as well.
_FEW_TEMPLATES_FROM: Final = 200
#: The part of such content that they are at most: close languages differ by few words.
_SMALL_PART: Final = 0.25
#: Letters that make a text.
_FEWEST_LETTERS: Final = 2
#: What separates the items of a breadcrumb, a menu in one line, or a title.
_SEPARATOR: Final = re.compile(r" (?:[|·•»›>«/–—-]|::) ")
_LETTER: Final = re.compile(r"[^\W\d_]")


class PageText(NamedTuple):
    """A stored page."""

    title: str
    text: str  #: main content first, lines separated by line feeds
    main: int  #: characters of the text that are main content

    @property
    def content(self) -> str:
        """The main content; of a page without any, the whole text."""
        return self.text[: self.main] or self.text


class Templates(NamedTuple):
    """The template lines of a host."""

    counts: Mapping[str, int]  #: pages on which each line is, `REPEATED` or more
    pages: int  #: pages with different contents that were compared


#: Of a host without templates.
NO_TEMPLATES: Final = Templates({}, 0)


class Body(NamedTuple):
    """The text of a page that is read."""

    title: str
    text: str
    dropped: tuple[str, ...]  #: template lines of the content that are not read


def find_templates(pages: Iterable[PageText]) -> Templates:
    r"""Count the lines of a host's pages.

    Pages with equal contents count as one: a text that is on many URLs is no template. The pages may be a sample.

    >>> pages = [PageText("", f"Home\nFoto {number}", 11) for number in range(3)]
    >>> find_templates(pages), find_templates(pages[:1] * 3)
    (Templates(counts={'Home': 3}, pages=3), Templates(counts={}, pages=1))
    """
    distinct: dict[str, set[str]] = defaultdict(set)
    for page in pages:
        distinct[page.content] |= list_page_lines(page)
    counts = Counter(line for lines in distinct.values() for line in lines)
    return Templates({line: count for line, count in counts.items() if count >= REPEATED}, len(distinct))


def list_page_lines(page: PageText) -> set[str]:
    """Return the lines of a page, split at separators."""
    return set(_split_lines(page.title, page.text)) - {""}


def extract_body(page: PageText, templates: Templates) -> Body:
    r"""Return the title and content of a page without the template lines of its host.

    If that leaves no letters, lines that are on few pages of the host are read as well. Of a page without main content
    only these are read, or all its text if the host repeats nothing.

    >>> extract_body(PageText("", "Home\nFoto 12\nDeutsch", 12), Templates({"Home": 9}, 9))
    Body(title='', text='Foto 12', dropped=('Home',))
    """
    content = page.text[: page.main]
    if not _LETTER.search(content):
        content = page.text
        if not _LETTER.search(content):
            return Body(page.title, content, ())
    counts, limit = templates.counts, GENERAL * templates.pages
    if not counts:
        return Body(" ".join(_split_lines(page.title)), content if _has_letters([content]) else "", ())
    title = " ".join(item for item in _split_lines(page.title) if item not in counts)
    lines = [line for line in _split_lines(content) if line]
    remaining = [line for line in lines if line not in counts]
    if content is page.text and page.main < len(content) and counts:
        # Markup excluded this text: comments and teasers in any language, and the menu of a section in its own.
        remaining = [line for line in lines if line in counts and counts[line] <= limit]
    elif not _has_letters(remaining):
        remaining = [line for line in lines if counts.get(line, 0) <= limit]
    if not _has_letters(remaining):
        return Body(title, "", tuple(line for line in lines if line in counts))
    dropped = len(content) - sum(map(len, remaining))
    if len(remaining) == len(lines) or (len(content) >= _FEW_TEMPLATES_FROM and dropped <= _SMALL_PART * len(content)):
        return Body(title, content, ())
    read = frozenset(remaining)
    return Body(title, "\n".join(remaining), tuple(line for line in lines if line in counts and line not in read))


def _split_lines(*texts: str) -> list[str]:
    """Split texts into lines, and lines at separators."""
    return _SEPARATOR.sub("\n", "\n".join(texts)).split("\n")


def _has_letters(lines: Sequence[str]) -> bool:
    letters = (letter for line in lines for letter in _LETTER.finditer(line))  # most lines have them at once
    return next(islice(letters, _FEWEST_LETTERS - 1, None), None) is not None
