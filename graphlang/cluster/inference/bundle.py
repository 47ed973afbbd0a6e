"""On an executor: the rows of a partition's pages and links -> the arrays that the kernels take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphlang.analysis.arrays import signals
from graphlang.analysis.arrays.graph_input import PARTS, SHORT, WIDTH, join_scripts
from graphlang.cluster.tables import link_kinds
from graphlang.codes import languages
from graphlang.graph.data import FixedBeliefs, Signal
from graphlang.graph.partitioned.assign import directory_of, host_of, key_of
from graphlang.graph.partitioned.partition import Partition
from graphlang.graph.partitioned.records import ragged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from graphlang.cluster.inference.labels import Labels

#: Columns of the pages of a partition; ``copies`` only of pages on hosts that are cut.
PAGES: Final = ("page", "url", "tld", "label", "characters", "scores", "declared", "shares", "read", "copies")
#: Columns of its links; ``other`` is the partition of the other end.
LINKS: Final = ("source", "target", "kind", "hreflang", "place", "other")
_TOGETHER: Final = 4096
_BEGIN: Final = r"^(?P<begin>[^/]*//[^/]+)"
_LAST: Final = np.iinfo(np.int16).max


class TooLargeError(ValueError):
    """A partition is larger than the limit; the words name its largest host."""


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """What is kept beside a partition; n pages in ascending order, g ghosts."""

    ghosts: NDArray[np.int64]  #: ids, ascending, shape (g,)
    homes: NDArray[np.int32]  #: partition of each ghost, shape (g,)
    labels: NDArray[np.int16]  #: of the texts, best first, -1 padding, shape (n, k)
    no_letters: NDArray[np.bool_]  #: pages that are ``zxx``, whatever links to them, shape (n,)
    unknown: NDArray[np.bool_]  #: pages with a long text of which nothing can be told, shape (n,)
    characters: NDArray[np.int64]  #: letters of the texts, shape (n,)
    read: NDArray[np.bool_]  #: pages that were read, and not only linked to, shape (n,)


def bundle(  # noqa: PLR0917  all that it depends on
    number: int,
    pages: pa.Table,
    links: pa.Table,
    labels: Labels,
    weights: Mapping[str, float],
    most_links: int,
    cut_hosts: NDArray[np.int64],
) -> tuple[Partition, Beside]:
    """Make the arrays of a partition.

    Args:
        number: of the partition.
        pages: with the columns `PAGES`.
        links: with the columns `LINKS`, those from or to one of the pages.
        labels: of all partitions.
        weights: of the signals, see ``graphlang.analysis.arrays.signals.NAMES``.
        most_links: a partition with more is refused.
        cut_hosts: keys of the hosts that have pages elsewhere, ascending.

    Raises:
        TooLargeError: there are more links.
    """
    if links.num_rows > most_links:
        raise TooLargeError(_too_large(number, pages, links, most_links))
    pages = pages.sort_by("page")
    own, score = scores_of(pages, labels)
    indices, probabilities = join_scripts(labels.language[own], score)
    characters = pages["characters"].fill_null(0).to_numpy()
    length = np.where(indices[:, 0] < 0, 0, characters).astype(np.int32)  # no letters: no evidence
    best = pages["label"]
    ids = pages["page"].to_numpy()
    urls = [url.encode() for url in pages["url"].to_pylist()]
    host = keys_of(map(host_of, urls))
    partition = Partition(
        labels.codes,
        ids,
        host,
        keys_of(map(directory_of, urls)),
        indices,
        probabilities,
        length,
        links["source"].to_numpy(),
        links["target"].to_numpy(),
        (pc.index_in(links["kind"], value_set=link_kinds()).to_numpy() + 1).astype(np.uint8),
        _hreflangs(links["hreflang"], labels),
        np.minimum(links["place"].fill_null(-1).to_numpy(), _LAST).astype(np.int16),
        signals_of(pages, labels, weights),
        _copies(pages, host, cut_hosts),
        parts=_parts(pages["shares"].combine_chunks(), labels),
    ).sorted()
    ghosts, homes = _ghosts(partition, number, links)
    return partition, Beside(
        ghosts,
        homes,
        own,
        _where(pc.equal(best, languages.ZXX)),
        _where(pc.equal(best, languages.UND)) & (characters >= SHORT),
        characters,
        ~(_where(pc.is_null(best)) & _where(pc.is_null(pages["declared"]))),
    )


def keys_of(names: Iterable[bytes]) -> NDArray[np.int64]:
    """Keys of hosts or directories.

    Args:
        names: as they stand in URLs, as often as one likes.
    """
    known: dict[bytes, int] = {}
    return np.array([known.get(name) or known.setdefault(name, key_of(name)) for name in names], np.int64)


def host_keys(urls: pa.ChunkedArray) -> NDArray[np.int64]:
    """Keys of the hosts of URLs, each host looked at once; shape (n,).

    Args:
        urls: of pages.

    >>> keys = host_keys(pa.chunked_array([["http://a.example/x", "https://a.example/?y", "http://b.example/"]]))
    >>> int(keys[0]) == int(keys[1]) == key_of(b"a.example"), int(keys[2]) == key_of(b"b.example")
    (True, True)
    """
    begin = pc.struct_field(pc.extract_regex(urls, _BEGIN), "begin")
    # A URL that begins otherwise stands for itself: `host_of` knows what its host is.
    encoded = pc.coalesce(begin, urls).combine_chunks().dictionary_encode()
    keys = keys_of(host_of(one.encode()) for one in encoded.dictionary.to_pylist())
    found: NDArray[np.int64] = keys[encoded.indices.to_numpy()]
    return found


def _copies(pages: pa.Table, host: NDArray[np.int64], cut_hosts: NDArray[np.int64]) -> NDArray[np.int32]:
    """How many pages of its host have the very same short text as each page has."""
    found: NDArray[np.int32] = pages["copies"].fill_null(1).to_numpy().astype(np.int32)
    short = _where(pc.less(pages["characters"], SHORT)) & ~_where(pages["read"].is_null())
    rows = np.flatnonzero(short & ~np.isin(host, cut_hosts))
    read = pages["read"].fill_null(0).to_numpy()
    order = rows[np.lexsort((read[rows], host[rows]))]
    new = np.ones(len(order), np.bool_)
    new[1:] = (host[order][1:] != host[order][:-1]) | (read[order][1:] != read[order][:-1])
    group = np.cumsum(new) - 1
    found[order] = np.bincount(group)[group] if len(order) else 1
    return found


def _where(flags: Any) -> NDArray[np.bool_]:
    return np.asarray(flags.fill_null(False).to_numpy(zero_copy_only=False), dtype=np.bool_)  # noqa: FBT003 - the value


def scores_of(pages: pa.Table, labels: Labels) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Labels and probabilities of the texts, shape (n, WIDTH) each.

    Args:
        pages: with the column ``scores``.
        labels: of all pages.
    """
    lists = pages["scores"].combine_chunks()
    counts = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    flat = lists.flatten()
    rows, rank = ragged(counts)
    kept = rank < WIDTH
    own = np.full((pages.num_rows, WIDTH), -1, dtype=np.int16)
    score = np.zeros((pages.num_rows, WIDTH), dtype=np.float32)
    numbers = pc.index_in(flat.field("label"), value_set=pa.array(labels.names, type=pa.string())).fill_null(-1)
    own[rows[kept], rank[kept]] = numbers.to_numpy(zero_copy_only=False)[kept]
    score[rows[kept], rank[kept]] = flat.field("score").to_numpy(zero_copy_only=False)[kept]
    return own, np.where(own >= 0, score, np.float32(0))


def _parts(lists: Any, labels: Labels) -> FixedBeliefs | None:
    """The languages of the parts of pages in several, as `graphlang.analysis.arrays.graph_input` reads them."""
    counts = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    some = np.flatnonzero(counts)
    if not len(some):
        return None
    rows, rank = ragged(counts)
    kept = rank < PARTS
    flat = lists.flatten()
    numbers = pc.index_in(flat.field("label"), value_set=pa.array(labels.names, type=pa.string())).fill_null(-1)
    at = np.searchsorted(some, rows[kept])
    found = np.full((len(some), PARTS), -1, dtype=np.int16)
    part = np.zeros((len(some), PARTS), dtype=np.float32)
    found[at, rank[kept]] = labels.language[numbers.to_numpy(zero_copy_only=False)[kept]]
    part[at, rank[kept]] = np.minimum(flat.field("share").to_numpy(zero_copy_only=False)[kept], 1)
    return FixedBeliefs(some, found, part)


def _hreflangs(column: Any, labels: Labels) -> NDArray[np.int16]:
    index = labels.index
    encoded = column.combine_chunks().dictionary_encode()
    tags = [index.get(languages.code(tag) or "", -1) for tag in encoded.dictionary.to_pylist()]
    numbers = encoded.indices.fill_null(len(tags)).to_numpy(zero_copy_only=False)
    found: NDArray[np.int16] = np.array([*tags, -1], dtype=np.int16)[numbers]
    return found


def signals_of(pages: pa.Table, labels: Labels, weights: Mapping[str, float]) -> dict[str, Signal]:
    """As `graphlang.analysis.arrays.signals.load`, in its order.

    Args:
        pages: with the columns ``url``, ``tld`` and ``declared``.
        labels: of all pages.
        weights: of the signals; those without a weight are left out.
    """
    found, index = {}, labels.index
    if weights.get("declared", 0):
        said = [
            "\n".join(f"{one['source']}={one['value']}" for one in listed or ())
            for listed in pages["declared"].to_pylist()
        ]
        language = np.array([index.get(signals.language_declared(one), -1) for one in said], dtype=np.int16)
        language = language.reshape(-1, 1)
        found["declared"] = Signal(language, (language >= 0).astype(np.float32), weights["declared"])
    if weights.get("cctld", 0):
        tlds = pages["tld"].combine_chunks().dictionary_encode()
        table, share = signals.of_tlds(tlds.dictionary.to_pylist(), index)
        rows = tlds.indices.fill_null(len(tlds.dictionary)).to_numpy(zero_copy_only=False)
        found["cctld"] = Signal(table[rows], share[rows], weights["cctld"])
    if weights.get("url", 0):
        parts = (
            (np.arange(at, min(at + _TOGETHER, pages.num_rows)), pages["url"].slice(at, _TOGETHER).to_pylist())
            for at in range(0, pages.num_rows, _TOGETHER)
        )
        found["url"] = signals.of_urls(parts, pages.num_rows, index, weights["url"])
    return found


def _ghosts(partition: Partition, number: int, links: pa.Table) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    other = links["other"].to_numpy()
    away = np.flatnonzero(other != number)
    source, target = (links[name].to_numpy()[away] for name in ("source", "target"))
    ends = np.where(partition.own(source), target, source)
    ghosts, first = np.unique(ends, return_index=True)
    return ghosts, other[away][first].astype(np.int32)


def _too_large(number: int, pages: pa.Table, links: pa.Table, most: int) -> str:
    hosts = pc.value_counts(pc.extract_regex(pages["url"], r"//(?P<host>[^/?#]*)").combine_chunks().field("host"))
    largest = max(hosts.to_pylist(), key=lambda one: (one["counts"], one["values"]))
    return (
        f"partition {number} has {links.num_rows:,} links, more than the limit of {most:,}; its largest host is"
        f" {largest['values']} with {largest['counts']:,} of {pages.num_rows:,} pages: take more partitions, or cut"
        " hosts smaller"
    )
