"""On an executor: turn rows of pages and links into the arrays that the kernels take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphlang.analysis import signals
from graphlang.analysis.graph_input import SHORT, WIDTH, join_scripts
from graphlang.analysis.page_scripts import HostLabels, Scripts
from graphlang.cluster.tables import link_kinds
from graphlang.codes import languages
from graphlang.graph.data import Signal
from graphlang.graph.partitioned.partition import Partition, find_directory, find_host, hash_name
from graphlang.graph.partitioned.records import index_lists
from graphlang.graph.propagation.candidates import LIKELY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from graphlang.graph.options import Options


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """L labels of C languages."""

    names: tuple[str, ...]  #: labels, ascending
    codes: tuple[str, ...]  #: languages, ascending
    scripts: Scripts
    #: commonest labels of the hosts that are cut; partitions count those of their other hosts
    cut_hosts: HostLabels | None = None

    @property
    def language(self) -> NDArray[np.int16]:
        """Index of the language of each label; a last entry of -1; shape (L + 1,)."""
        return self.scripts.language

    @property
    def index(self) -> dict[str, int]:
        """The number of each language."""
        return {code: number for number, code in enumerate(self.codes)}

    @property
    def several(self) -> list[str]:
        """The labels of languages with several scripts."""
        return [self.names[label] for label in np.flatnonzero(self.scripts.column[self.language[:-1]] >= 0)]


def number_labels(names: Iterable[str], pages: Mapping[str, int]) -> Labels:
    """Number labels and languages.

    >>> numbered = number_labels(["srp_Latn", "deu", "srp_Cyrl", "und"], {"srp_Latn": 3})
    >>> numbered.codes, [numbered.names[at] for at in numbered.scripts.usual[:-1]], numbered.several
    (('deu', 'srp'), ['deu', 'srp_Latn'], ['srp_Cyrl', 'srp_Latn'])
    """
    names_known = sorted(set(names) - {languages.UND, languages.ZXX})
    codes = sorted({languages.split_label(name)[0] for name in names_known})
    index = {code: number for number, code in enumerate(codes)}
    language_of = {label: index[languages.split_label(name)[0]] for label, name in enumerate(names_known)}
    counts = np.array([pages.get(name, 0) for name in names_known], dtype=np.int64)
    return Labels(
        tuple(names_known), tuple(codes), Scripts.from_labels(language_of, dict(enumerate(names_known)), counts)
    )


#: Columns of the pages of a partition; ``copies`` only of pages on hosts that are cut.
PAGES: Final = ("page", "url", "tld", "label", "characters", "scores", "declared", "read", "copies")
#: Columns of its links; ``other`` is the partition of the other end.
LINKS: Final = ("source", "target", "kind", "hreflang", "place", "other")
_TOGETHER: Final = 4096
_BEGIN: Final = r"^(?P<begin>[^/]*//[^/]+)"
_LAST: Final = np.iinfo(np.int16).max


class TooLargeError(ValueError):
    """A partition is larger than the limit; the message names its largest host."""


@dataclass(frozen=True, slots=True, eq=False)
class PageDetails:
    """Data for the answers of a partition besides its arrays; n pages in ascending order, g ghosts."""

    ghosts: NDArray[np.int64]  #: ids, ascending, shape (g,)
    homes: NDArray[np.int32]  #: partition of each ghost, shape (g,)
    labels: NDArray[np.int16]  #: of the texts, best first, -1 padding, shape (n, k)
    no_letters: NDArray[np.bool_]  #: pages that are ``zxx``, whatever links to them, shape (n,)
    unknown: NDArray[np.bool_]  #: pages with a long text in an unknown language, shape (n,)
    characters: NDArray[np.int64]  #: letters of the texts, shape (n,)
    read: NDArray[np.bool_]  #: pages that were read, and not only linked to, shape (n,)
    default_labels: NDArray[np.int16]  #: see `graphlang.analysis.page_scripts.Scripts`, shape (n, s)


def bundle_partition(  # noqa: PLR0917  all that it depends on
    number: int,
    pages: pa.Table,
    links: pa.Table,
    labels: Labels,
    weights: Mapping[str, float],
    most_links: int,
    cut_hosts: NDArray[np.int64],
) -> tuple[Partition, PageDetails]:
    """Make the arrays of a partition from its pages, with the columns `PAGES`, and links.

    The links, with the columns `LINKS`, are those from or to one of the pages. `labels` are those of all partitions,
    `weights` those of the signals (``graphlang.analysis.signals.NAMES``). `cut_hosts` are keys of the hosts that have
    pages in other partitions, ascending. Raise a TooLargeError if there are more than `most_links` links.
    """
    if links.num_rows > most_links:
        raise TooLargeError(_describe_too_large(number, pages, links, most_links))
    pages = pages.sort_by("page")
    text_labels, score = read_scores(pages, labels)
    indices, probabilities = join_scripts(labels.language[text_labels], score)
    characters = pages["characters"].fill_null(0).to_numpy()
    length = np.where(indices[:, 0] < 0, 0, characters).astype(np.int32)  # no letters: no evidence
    best = pages["label"]
    ids = pages["page"].to_numpy()
    urls = [url.encode() for url in pages["url"].to_pylist()]
    host = hash_names(map(find_host, urls))
    partition = Partition(
        labels.codes,
        ids,
        host,
        hash_names(map(find_directory, urls)),
        indices,
        probabilities,
        length,
        links["source"].to_numpy(),
        links["target"].to_numpy(),
        (pc.index_in(links["kind"], value_set=link_kinds()).to_numpy() + 1).astype(np.uint8),
        _find_hreflangs(links["hreflang"], labels),
        np.minimum(links["place"].fill_null(-1).to_numpy(), _LAST).astype(np.int16),
        make_signals(pages, labels, weights),
        _count_copies(pages, host, cut_hosts),
    ).sort()
    ghosts, homes = _find_ghosts(partition, number, links)
    return partition, PageDetails(
        ghosts,
        homes,
        text_labels,
        _to_mask(pc.equal(best, languages.ZXX)),
        _to_mask(pc.equal(best, languages.UND)) & (characters >= SHORT),
        characters,
        ~(_to_mask(pc.is_null(best)) & _to_mask(pc.is_null(pages["declared"]))),
        _find_default_labels(urls, host, text_labels, labels),
    )


def _find_default_labels(
    urls: list[bytes], host: NDArray[np.int64], text_labels: NDArray[np.int16], labels: Labels
) -> NDArray[np.int16]:
    counts = HostLabels.count(labels.scripts, host, text_labels[:, 0].astype(np.int64))
    if labels.cut_hosts is not None:
        counts = counts.merge(labels.cut_hosts)
    url_label = labels.scripts.find_url_labels(url.decode() for url in urls)
    return labels.scripts.find_default_labels(host, counts, url_label).astype(np.int16)


def hash_names(names: Iterable[bytes]) -> NDArray[np.int64]:
    """Return the keys of hosts or directories; names may repeat."""
    keys: dict[bytes, int] = {}
    return np.array([keys.get(name) or keys.setdefault(name, hash_name(name)) for name in names], np.int64)


def hash_hosts(urls: pa.ChunkedArray) -> NDArray[np.int64]:
    """Keys of the hosts of URLs, each host looked at once; shape (n,).

    >>> keys = hash_hosts(pa.chunked_array([["http://a.example/x", "https://a.example/?y", "http://b.example/"]]))
    >>> int(keys[0]) == int(keys[1]) == hash_name(b"a.example"), int(keys[2]) == hash_name(b"b.example")
    (True, True)
    """
    begin = pc.struct_field(pc.extract_regex(urls, _BEGIN), "begin")
    # A URL that begins otherwise is its own key; `host_of` finds its host.
    encoded = pc.coalesce(begin, urls).combine_chunks().dictionary_encode()
    keys = hash_names(find_host(begin_of.encode()) for begin_of in encoded.dictionary.to_pylist())
    hosts: NDArray[np.int64] = keys[encoded.indices.to_numpy()]
    return hosts


def _count_copies(pages: pa.Table, host: NDArray[np.int64], cut_hosts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Count the pages of each page's host with the very same short text."""
    copies: NDArray[np.int32] = pages["copies"].fill_null(1).to_numpy().astype(np.int32)
    short = _to_mask(pc.less(pages["characters"], SHORT)) & ~_to_mask(pages["read"].is_null())
    rows = np.flatnonzero(short & ~np.isin(host, cut_hosts))
    read = pages["read"].fill_null(0).to_numpy()
    order = rows[np.lexsort((read[rows], host[rows]))]
    new = np.ones(len(order), np.bool_)
    new[1:] = (host[order][1:] != host[order][:-1]) | (read[order][1:] != read[order][:-1])
    group = np.cumsum(new) - 1
    copies[order] = np.bincount(group)[group] if len(order) else 1
    return copies


def _to_mask(flags: Any) -> NDArray[np.bool_]:
    return np.asarray(flags.fill_null(False).to_numpy(zero_copy_only=False), dtype=np.bool_)  # noqa: FBT003 - the value


def read_scores(pages: pa.Table, labels: Labels) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Return labels and probabilities of the texts, shape (n, WIDTH) each."""
    lists = pages["scores"].combine_chunks()
    counts = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    flat = lists.flatten()
    rows, rank = index_lists(counts)
    within = rank < WIDTH
    labels_of_page = np.full((pages.num_rows, WIDTH), -1, dtype=np.int16)
    score = np.zeros((pages.num_rows, WIDTH), dtype=np.float32)
    numbers = pc.index_in(flat.field("label"), value_set=pa.array(labels.names, type=pa.string())).fill_null(-1)
    labels_of_page[rows[within], rank[within]] = numbers.to_numpy(zero_copy_only=False)[within]
    score[rows[within], rank[within]] = flat.field("score").to_numpy(zero_copy_only=False)[within]
    return labels_of_page, np.where(labels_of_page >= 0, score, np.float32(0))


def find_listening(
    probabilities: NDArray[np.float32], length: NDArray[np.int32], options: Options
) -> NDArray[np.bool_]:
    """Return which pages listen to their neighbours: those whose text is short, or leaves a question; shape (n,)."""
    sure = probabilities[:, 0]
    silent = (sure >= options.doubtful) & (length >= options.clamp_length)
    in_play = (sure >= LIKELY) | ((sure > 0) & (length >= options.certain_length))
    return np.asarray(~(silent & in_play))


def _find_hreflangs(column: Any, labels: Labels) -> NDArray[np.int16]:
    index = labels.index
    encoded = column.combine_chunks().dictionary_encode()
    tags = [index.get(languages.code(tag) or "", -1) for tag in encoded.dictionary.to_pylist()]
    numbers = encoded.indices.fill_null(len(tags)).to_numpy(zero_copy_only=False)
    hreflangs: NDArray[np.int16] = np.array([*tags, -1], dtype=np.int16)[numbers]
    return hreflangs


def make_signals(pages: pa.Table, labels: Labels, weights: Mapping[str, float]) -> dict[str, Signal]:
    """Return the signals with a weight, in the order of `graphlang.analysis.signals.load`."""
    signals_by_name, index = {}, labels.index
    if weights.get("declared", 0):
        declarations = [
            "\n".join(f"{declaration['source']}={declaration['value']}" for declaration in listed or ())
            for listed in pages["declared"].to_pylist()
        ]
        language = np.array(
            [index.get(signals.find_declared_language(declaration), -1) for declaration in declarations], dtype=np.int16
        )
        language = language.reshape(-1, 1)
        signals_by_name["declared"] = Signal(language, (language >= 0).astype(np.float32), weights["declared"])
    if weights.get("cctld", 0):
        tlds = pages["tld"].combine_chunks().dictionary_encode()
        table, share = signals.list_tld_languages(tlds.dictionary.to_pylist(), index)
        rows = tlds.indices.fill_null(len(tlds.dictionary)).to_numpy(zero_copy_only=False)
        signals_by_name["cctld"] = Signal(table[rows], share[rows], weights["cctld"])
    if weights.get("url", 0):
        parts = (
            (np.arange(at, min(at + _TOGETHER, pages.num_rows)), pages["url"].slice(at, _TOGETHER).to_pylist())
            for at in range(0, pages.num_rows, _TOGETHER)
        )
        signals_by_name["url"] = signals.make_url_signal(parts, pages.num_rows, index, weights["url"])
    return signals_by_name


def _find_ghosts(partition: Partition, number: int, links: pa.Table) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    other = links["other"].to_numpy()
    away = np.flatnonzero(other != number)
    source, target = (links[name].to_numpy()[away] for name in ("source", "target"))
    ends = np.where(partition.is_inside(source), target, source)
    ghosts, first = np.unique(ends, return_index=True)
    return ghosts, other[away][first].astype(np.int32)


def _describe_too_large(number: int, pages: pa.Table, links: pa.Table, limit: int) -> str:
    hosts = pc.value_counts(pc.extract_regex(pages["url"], r"//(?P<host>[^/?#]*)").combine_chunks().field("host"))
    largest = max(hosts.to_pylist(), key=lambda host: (host["counts"], host["values"]))
    return (
        f"partition {number} has {links.num_rows:,} links, more than the limit of {limit:,}; its largest host is"
        f" {largest['values']} with {largest['counts']:,} of {pages.num_rows:,} pages: take more partitions, or cut"
        " hosts smaller"
    )
