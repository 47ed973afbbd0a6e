"""The steps by which a file's schema has grown, one file each; a new file goes through all of them.

In: a connection to a file that has had the steps before. Out: the same with one more. To change a table, add a step at
the end: a file like `corrections` (statements) or `ids_given_once` (a function), and its line in `STEPS`. Steps that
have been released stay as they are. To change a view, drop it and make it anew in a step: what it is today stands in
the newest step that makes it (and in any new file: ``.schema page_languages`` in the program sqlite3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphlang.db.schema.steps import (
    anchor_texts,
    capture_languages,
    content_of_history,
    corrections,
    first,
    history,
    how_files_were_read,
    ids_given_once,
    label_spreading,
    linked_answers,
    page_shares,
    parts_revisits_bytes,
    places_of_links,
    records_of_history,
    rests_of_texts,
    runs_with_owners,
    what_runs_read,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

#: By the name in the ledger: statements, or what executes some.
STEPS: Final[dict[str, str | Callable[[sqlite3.Connection], None]]] = {
    "0001_first": first.STEP,
    "0002_parts_revisits_bytes": parts_revisits_bytes.STEP,
    "0003_anchor_texts": anchor_texts.STEP,
    "0004_what_runs_read": what_runs_read.STEP,
    "0005_places_of_links": places_of_links.STEP,
    "0006_runs_with_owners": runs_with_owners.STEP,
    "0007_ids_given_once": ids_given_once.step,
    "0008_label_spreading": label_spreading.step,
    "0009_linked_answers": linked_answers.STEP,
    "0010_corrections": corrections.STEP,
    "0011_how_files_were_read": how_files_were_read.step,
    "0012_history": history.STEP,
    "0013_capture_languages": capture_languages.STEP,
    "0014_page_shares": page_shares.STEP,
    "0015_rests_of_texts": rests_of_texts.STEP,
    "0016_content_of_history": content_of_history.STEP,
    "0017_records_of_history": records_of_history.STEP,
}
