"""What pages say by themselves, beside what the chosen run says of them."""

from __future__ import annotations

from typing import Final

#: Columns that `beside_own_text` adds: letters of the page's text, and where no run has counted them its characters;
#: the language that a content run read from it, and
#: how sure that is; NULL where the run has no answer for the page.
OWN_COLUMNS: Final = ("letters", "own_language", "own_confidence")


def beside_own_text(source: str, run: str = ":own") -> str:
    """SQL: a subquery of pages with `OWN_COLUMNS`.

    Args:
        source: a subquery of pages (`Selection.source`).
        run: SQL for the content run; of a page it is ``pages``.
    """
    return (
        "(SELECT pages.*, COALESCE(own.characters, pages.characters, pages.length, 0) AS letters,"
        " own_label.language AS own_language, own.confidence AS own_confidence"
        f" FROM {source} AS pages LEFT JOIN predictions AS own ON own.run = {run} AND own.page = pages.page"
        " LEFT JOIN labels AS own_label ON own_label.id = own.label)"
    )
