"""What a content method says of each page, and what the inference in one task makes of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow.compute as pc
import pyarrow.parquet as pq

from graphlang.cluster.classifying import READ, classify_batches
from graphlang.cluster.files.buckets import Buckets
from graphlang.cluster.files.facts import TOLD, TOLD_TABLE
from graphlang.cluster.tables import ANSWERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from graphlang.cluster.classifying import Method
    from graphlang.cluster.files.parts import Parts
    from graphlang.cluster.files.stage import Stages
    from graphlang.cluster.inference.alone import Wanted

CONTENT: Final = "answers/run=1"
INFERRED: Final = "answers/run=2"
_ROWS: Final = 1024
#: Columns of `alone_from`'s tables of pages: all URLs, what content says, what pages declare.
_TABLES: Final = {
    "pages": ("page", "url", "tld"),
    CONTENT: ("page", "label", "characters", "scores", "shares", "read"),
    "captures": ("page", "declared"),
    "links": (),
}


def classify(stages: Stages, method: Method) -> None:
    """Identify the language of the text of each capture, where Spark made their table.

    Args:
        stages: of the job; the captures are known.
        method: the content method.
    """
    tables = {CONTENT: ANSWERS}
    stages.begin("classify", tables)
    done = stages.each(stages.files("captures"), partial(_classified, method))
    stages.end("classify", tables, (part for _, parts in done for part in parts), {})


def _classified(method: Method, path: str, parts: Parts) -> None:
    file = parts.parquet(CONTENT, Path(path).stem, ANSWERS)
    with pq.ParquetFile(path) as captures:
        batches = captures.iter_batches(_ROWS, columns=["page", *READ], use_threads=False)
        for batch in answers_for(batches, method):
            file.write(batch)


def answers_for(captures: Iterable[pa.RecordBatch], method: Method) -> Iterator[pa.RecordBatch]:
    """What a content method says of captures with a text or a title.

    Args:
        captures: ``page``, and the columns that a method reads.
        method: the content method.

    Yields:
        Rows of `graphlang.cluster.tables.ANSWERS`.
    """
    for batch in classify_batches(map(_with_text, captures), method):
        yield batch.select(ANSWERS.names)


def _with_text(batch: pa.RecordBatch) -> pa.RecordBatch:
    some = [pc.not_equal(batch.column(name), "").fill_null(False) for name in ("text", "title")]  # noqa: FBT003 - the value
    return batch.select(["page", *READ]).filter(pc.or_(*some))


def infer(stages: Stages, wanted: Wanted, many: int) -> None:
    """Infer the languages of all pages in one task.

    Args:
        stages: of the job; content is classified.
        wanted: what is asked for.
        many: buckets of pages.
    """
    tables = {INFERRED: ANSWERS, TOLD_TABLE: None}
    stages.begin("infer", tables)
    folders = [str(stages.out / name) for name in _TABLES]
    done = stages.each([folders], partial(_inferred, wanted, many))
    stages.end("infer", tables, (part for _, parts in done for part in parts), {})


def _inferred(wanted: Wanted, many: int, folders: Sequence[str], parts: Parts) -> None:
    from graphlang.cluster.inference.alone import alone_from  # noqa: PLC0415 - only one task infers

    file = parts.parquet(INFERRED, "part-00000", ANSWERS)
    told = Buckets(parts, TOLD_TABLE, "part-00000", TOLD, many)
    for batch in alone_from(wanted, list(_TABLES.values())[:-1], folders):
        file.write(batch)
        told.write(batch.select(TOLD.names))
    told.close()
