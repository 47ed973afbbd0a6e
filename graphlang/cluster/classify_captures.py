"""The stage ``classify``: identify the language of the text of each page's capture.

A task takes the captures of one file, and the template lines of their hosts (`graphlang.cluster.template_lines`).
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from graphlang.analysis.templates import digest_pages, read_bodies
from graphlang.cluster.stages import read_batches
from graphlang.cluster.tables import ANSWER, ANSWERS
from graphlang.cluster.template_lines import TEMPLATES_TABLE, digest_hosts, make_page_texts, read_templates
from graphlang.codes import languages
from graphlang.content import registry
from graphlang.content.page_input import ask
from graphlang.content.score_lists import count_letters, make_score_lists
from graphlang.content.segments.page_shares import compute_page_shares, doubt_minorities
from graphlang.content.segments.readers import ReadsParts
from graphlang.content.template_lines import NO_TEMPLATES
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from graphlang.cluster.stages import Stages, TaskOutput
    from graphlang.cluster.storage import Location
    from graphlang.content.identifier import Identifier
    from graphlang.content.template_lines import Templates

CONTENT: Final = "answers/run=1"
_ROWS: Final = 1024  # pages that are classified at once
#: Columns that a method reads; those after the first may be missing.
READ: Final = ("text", "title", "main", "visible")


class Method(NamedTuple):
    """A content method that all executors are to have."""

    name: str  #: of a method that comes with its model; or the name of a model file
    hash: str  #: SHA-256 of the model
    shipped: bool  #: whether the model comes with the program; else Spark sends the file along


def classify_captures(stages: Stages, method: Method) -> None:
    """Write the answers of a content method for each capture with a text or a title."""
    tables = {CONTENT: ANSWERS}
    stages.begin("classify", tables)
    done = stages.run(stages.files("captures"), partial(_classify_file, method, stages.files(TEMPLATES_TABLE)))
    stages.end("classify", tables, [file for _, files in done for file in files], {})


def _classify_file(method: Method, templates: Sequence[Location], location: Location, output: TaskOutput) -> None:
    urls = (batch.column("url").to_pylist() for batch in read_batches(location, ["url"], _ROWS))
    hosts = read_templates(templates, {host for some in urls for host in digest_hosts(some)})
    answers = output.rows(CONTENT, location.name.removesuffix(".parquet"), ANSWERS)
    captures = map(_select_with_text, read_batches(location, ["page", "url", *READ], _ROWS))
    for batch in classify_batches(captures, method, hosts):
        answers.write(batch.select(ANSWERS.names))


def _select_with_text(batch: pa.RecordBatch) -> pa.RecordBatch:
    filled = [pc.not_equal(batch.column(name), "").fill_null(False) for name in ("text", "title")]  # noqa: FBT003 - the value
    return batch.select(["page", "url", *READ]).filter(pc.or_(*filled))


def load_method(name: str) -> tuple[Method, Identifier]:
    """Load a content method by its name or model file."""
    identifier = registry.load(name)
    return Method(name, identifier.hash, name in registry.names()), identifier


def _load_method(method: Method) -> Identifier:
    identifier = load_shipped(method.name) if method.shipped else _load_sent(method.name, method.hash)
    if identifier.hash != method.hash:
        raise ModelError(
            f"the model of {method.name} on this executor is another one than the driver's: install one version"
        )
    return identifier


@lru_cache(maxsize=1)  # for as long as the process lives: Spark keeps it for many tasks
def load_shipped(name: str) -> Identifier:
    """Load a method that comes with its model, once a process."""
    return registry.load(name)


@lru_cache(maxsize=1)
def _load_sent(name: str, digest: str) -> Identifier:
    """Load a model file that Spark sent; the digest distinguishes files of one name."""
    from pyspark import SparkFiles  # noqa: PLC0415 - an extra

    del digest
    return registry.load(str(SparkFiles.get(name.rsplit("/", 1)[-1])))


def classify_batches(
    batches: Iterable[pa.RecordBatch], method: Method, hosts: Mapping[int, Templates] | None = None
) -> Iterator[pa.RecordBatch]:
    """Append the columns of `ANSWER` to rows with texts; ``hosts`` are template lines by `host_digests`."""
    identifier = _load_method(method)
    for batch in batches:
        for at in range(0, batch.num_rows, _ROWS):
            chunk = batch.slice(at, _ROWS)
            answers = _make_answers(chunk, identifier, hosts or {})
            yield pa.RecordBatch.from_arrays([*chunk.columns, *answers], schema=pa.schema([*chunk.schema, *ANSWER]))


def _make_answers(batch: pa.RecordBatch, identifier: Identifier, hosts: Mapping[int, Templates]) -> list[Any]:
    columns = {name: batch.column(name).to_pylist() for name in ("url", *READ) if name in batch.schema.names}
    pages = make_page_texts(columns)
    places = [place for place, page in enumerate(pages) if page.title or page.text]
    urls = [columns["url"][place] for place in places] if hosts else []
    templates = [hosts.get(host, NO_TEMPLATES) for host in digest_hosts(urls)] or [NO_TEMPLATES] * len(places)
    visible = [columns["visible"][place] or b"" if "visible" in columns else b"" for place in places]
    bodies = read_bodies([pages[place] for place in places], templates, visible, [""] * len(places))
    answer = ask(identifier, bodies.material) if places else None
    with_shares = isinstance(identifier, ReadsParts)
    rows: list[dict[str, Any]] = [dict.fromkeys(ANSWER.names) for _ in range(batch.num_rows)]
    if answer is not None:
        characters = count_letters(answer.texts)
        parts = (
            compute_page_shares(identifier, answer.texts, answer.probabilities) if with_shares else [[] for _ in places]
        )
        doubt_minorities(answer.probabilities, parts)
        label, score = make_score_lists(answer.probabilities, characters, framed=bodies.framed)
        names = [*identifier.labels, languages.UND, languages.ZXX]
        read = digest_pages(*bodies.material)
        for row, place in enumerate(places):
            listed = [
                {"label": names[number], "score": round(float(value), 6)}
                for number, value in zip(label[row].tolist(), score[row].tolist(), strict=True)
                if number >= 0
            ]
            second = listed[1] if len(listed) > 1 else {"label": None, "score": None}
            rows[place] = {
                "label": listed[0]["label"],
                "confidence": listed[0]["score"],
                "runner_up_label": second["label"],
                "runner_up_confidence": second["score"],
                "characters": int(characters[row]),
                "encoding": None if answer.encodings is None else answer.encodings[row],
                "read": read[row],
                "scores": listed,
                "shares": [{"label": names[number.label], "share": number.share} for number in parts[row]],
            }
    return [pa.array([row[field.name] for row in rows], type=field.type) for field in ANSWER]
