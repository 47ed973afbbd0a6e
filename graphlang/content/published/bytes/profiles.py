"""Byte n-gram profiles of (language, encoding) pairs, apart in the model file and under one hash in memory.

Each profile is made from its own text alone, so that one can be added, replaced or removed while the others keep their
bytes (Zavarsky et al. 2005, section 2.2). What they share, the hash of all n-grams of all profiles, is built when the
model is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # .sparse is loaded where it is used, for that takes a tenth of a second

from graphlang.codes import languages
from graphlang.content.ngrams import bytes_input
from graphlang.content.ngrams.count_all import KeyTable, tally
from graphlang.content.ngrams.keys import wide_hashes
from graphlang.content.published.bytes.encodings import NAMES, encode, encodings_of
from graphlang.modelfile import Model, ModelError, take
from graphlang.native.kernels import Kernels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_kernels = Kernels("graphlang.content.native._tally")
_DENSE = 4  # an n-gram that more than one profile in so many has is common
_MOST_DENSE = 1 << 23  # values of common n-grams
_KEY_BITS = np.uint64(16)
_NAMES = "encodings"


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """One language in one encoding.

    Attributes:
        label: Our label.
        encoding: WHATWG name.
        grams: The n-grams, each packed big-endian into a uint32, ascending.
        counts: How often each stands in the training text.
    """

    label: str
    encoding: str
    grams: NDArray[np.uint32]
    counts: NDArray[np.uint32]

    @property
    def key(self) -> tuple[str, str]:
        """Label and encoding: what names a profile."""
        return self.label, self.encoding


def make(label: str, encoding: str, data: bytes, *, order: int, size: int | None, edges: bool) -> Profile:
    """The profile of some training bytes.

    Args:
        label: Our label.
        encoding: Name of their encoding.
        data: The training bytes.
        order: Length of the n-grams, up to 4.
        size: Keep the commonest so many; None keeps all.
        edges: Whether the n-grams at the beginning and end, with a space outside, count.

    >>> made = make("eng", "utf-8", b"abab", order=3, size=None, edges=False)
    >>> [(gram.to_bytes(3), count) for gram, count in zip(made.grams.tolist(), made.counts.tolist())]
    [(b'aba', 1), (b'bab', 1)]
    """
    read = bytes_input.rows([data], limit=len(data) + 1, edges=edges)
    counted = tally(read, [order])
    chosen, _ = counted.ranks(len(counted.key) if size is None else size)
    grams = np.zeros(len(chosen), dtype=np.uint32)
    for place in range(order):
        grams = (grams << np.uint32(8)) | read.symbols[counted.place[chosen] + place]
    ascending = np.argsort(grams)
    return Profile(label, encoding, grams[ascending], counted.count[chosen][ascending].astype(np.uint32))


def of_lines(
    labels: Sequence[str], lines: Sequence[Sequence[str]], *, order: int, size: int | None, edges: bool
) -> list[Profile]:
    """Profiles of every label in every encoding that matters for it (see `encodings`).

    Args:
        labels: Names of the languages.
        lines: Of each language its lines.
        order: Length of the n-grams, in bytes.
        size: N-grams of a profile, the commonest; None for all.
        edges: Whether a space stands before and after each line.
    """
    return [
        make(label, encoding, encode("\n".join(own), encoding), order=order, size=size, edges=edges)
        for label, own in zip(labels, lines, strict=True)
        for encoding in encodings_of(own, languages.split(label)[1])
    ]


def pack(profiles: Iterable[Profile], *, counts: bool) -> tuple[tuple[str, ...], dict[str, NDArray[Any]]]:
    """Labels and arrays of a model that holds some profiles.

    Args:
        profiles: In any order.
        counts: Whether the counts of n-grams are kept, not only which there are.
    """
    ordered = sorted(profiles, key=lambda profile: (profile.label, profile.encoding != "utf-8", profile.encoding))
    labels = tuple(sorted({profile.label for profile in ordered}))
    index = {label: number for number, label in enumerate(labels)}
    arrays: dict[str, NDArray[Any]] = {
        "gaps": _gaps(np.concatenate([profile.grams for profile in ordered])),
        "sizes": np.array([len(profile.grams) for profile in ordered], dtype=np.int64),
        "owners": np.array([index[profile.label] for profile in ordered], dtype=np.int32),
        _NAMES: np.frombuffer("\n".join(profile.encoding for profile in ordered).encode(), dtype=np.uint8),
    }
    if counts:
        arrays["counts"] = np.concatenate([profile.counts for profile in ordered])
    return labels, arrays


def unpack(model: Model, source: str) -> list[Profile]:
    """The profiles of a model, by label.

    Args:
        model: What the file holds.
        source: For messages.

    Raises:
        ModelError: the arrays are damaged.
    """
    sizes = take(model, "sizes", "i", (None,), source).astype(np.int64)
    grams = _grams(take(model, "gaps", "u", (4, None), source))
    owners = take(model, "owners", "i", (len(sizes),), source).tolist()
    counts = np.ones(len(grams), dtype=np.uint32)
    if "counts" in model.arrays:
        counts = take(model, "counts", "u", (len(grams),), source).astype(np.uint32)
    try:
        names = take(model, _NAMES, "u", (None,), source).tobytes().decode("ascii").split("\n")
    except UnicodeDecodeError as error:
        raise ModelError(f"{source}: its encodings are damaged ({error})") from error
    if unknown := sorted(set(names) - NAMES):
        raise ModelError(f"{source}: {unknown[0]!r} is no encoding that this program has profiles of")
    sound = len(names) == len(sizes) > 0 and bool((sizes >= 0).all()) and int(sizes.sum()) == len(grams)
    if not sound or owners != sorted(owners) or set(owners) != set(range(len(model.labels))):
        raise ModelError(f"{source}: its profiles do not fit together")
    ends = np.cumsum(sizes).tolist()
    rising = grams[1:] > grams[:-1]
    rising[[end - 1 for end in ends[:-1] if 0 < end < len(grams)]] = True  # from one profile to the next
    if not rising.all():
        raise ModelError(f"{source}: its n-grams are out of order")
    profiles = [
        Profile(model.labels[owner], name, grams[end - size : end], counts[end - size : end])
        for owner, name, size, end in zip(owners, names, sizes.tolist(), ends, strict=True)
    ]
    if len({profile.key for profile in profiles}) != len(profiles):
        raise ModelError(f"{source}: two profiles of one language and encoding")
    return profiles


def _gaps(grams: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Ascending n-grams as the gaps between them, modulo 2 ** 32, byte by byte: half the size once compressed."""
    gaps = np.diff(grams, prepend=np.uint32(0)).astype(">u4")
    return np.ascontiguousarray(gaps.view(np.uint8).reshape(-1, 4).T)


def _grams(gaps: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """What `_gaps` was made of."""
    joined = np.ascontiguousarray(gaps.T.astype(np.uint8)).view(">u4").reshape(-1)
    grams: NDArray[np.uint32] = np.cumsum(joined, dtype=np.uint32)
    return grams


def with_profile(model: Model, profile: Profile) -> Model:
    """A model that has one more profile, or this one in the place of the one of the same label and encoding.

    Args:
        model: Of a byte method.
        profile: Of the same shape as its own.
    """
    kept = [own for own in unpack(model, "the model") if own.key != profile.key]
    return repacked(model, [*kept, profile])


def without_profile(model: Model, label: str, encoding: str) -> Model:
    """A model that lacks one profile.

    Args:
        model: Of a byte method.
        label: Of the profile.
        encoding: Of the profile.

    Raises:
        ModelError: there is no such profile, or no other.
    """
    profiles = unpack(model, "the model")
    kept = [own for own in profiles if own.key != (label, encoding)]
    if len(kept) == len(profiles) or not kept:
        raise ModelError(f"{label} in {encoding}: no profile of the model, or its only one")
    return repacked(model, kept)


def repacked(model: Model, profiles: Iterable[Profile]) -> Model:
    """A model with other profiles and all else as it was.

    Args:
        model: Of a byte method.
        profiles: All that it shall have.
    """
    labels, arrays = pack(profiles, counts="counts" in model.arrays)
    rest = {name: array for name, array in model.arrays.items() if name not in {*arrays, "counts"}}
    return Model(model.method, labels, model.parameters, rest | arrays)


class Index:
    """The one hash over all profiles, and what each profile has of each n-gram.

    Args:
        profiles: Sorted by label.
        order: Length of the n-grams.
        values: Per profile its value at each of its n-grams.
    """

    def __init__(
        self, profiles: Sequence[Profile], order: int, values: Sequence[NDArray[np.floating] | NDArray[np.integer]]
    ) -> None:
        grams, feature = np.unique(np.concatenate([own.grams for own in profiles]), return_inverse=True)
        column = np.repeat(np.arange(len(profiles)), [len(own.grams) for own in profiles])
        data = np.concatenate(values).astype(np.float32)
        self.features = len(grams)
        self.table = KeyTable(keys_of_packed(grams, order))
        shape = (len(grams), len(profiles))
        matrix = scipy.sparse.csr_array(scipy.sparse.coo_array((data, (feature, column)), shape=shape))
        # Rows of common n-grams are quicker as they are, all others as lists.
        often = np.diff(matrix.indptr)
        common = np.flatnonzero(often * _DENSE > len(profiles))
        common = common[np.argsort(-often[common], kind="stable")[: _MOST_DENSE // max(1, len(profiles))]]
        self._dense = matrix[common].toarray().astype(np.float32)
        self._dense_of = np.full(len(grams), -1, dtype=np.int32)
        self._dense_of[common] = np.arange(len(common))
        self._starts = matrix.indptr.astype(np.int64)
        self._columns, self._values = matrix.indices.astype(np.int32), matrix.data.astype(np.float32)

    def products(self, counts: scipy.sparse.csr_array) -> NDArray[np.float32]:
        """Inner products of rows of counts with every profile: dense (rows, profiles)."""
        feature, value = counts.indices.astype(np.int32), counts.data.astype(np.float32)
        offsets = counts.indptr.astype(np.int64)
        product = np.empty((len(offsets) - 1, self._dense.shape[1]), dtype=np.float32)
        _kernels.tally_products(
            feature=feature,
            value=value,
            offsets=offsets,
            dense_of=self._dense_of,
            dense=self._dense,
            starts=self._starts,
            columns=self._columns,
            values=self._values,
            out=product,
        )
        return product


def keys_of_packed(grams: NDArray[np.uint32], order: int) -> NDArray[np.uint64]:
    """The keys, as in `tally`, of n-grams of bytes that are packed big-endian.

    Args:
        grams: N-grams, a byte each eight bits.
        order: Bytes of an n-gram.
    """
    shifts = np.arange(8 * (order - 1), -1, -8, dtype=np.uint32)
    symbols = ((grams[:, None] >> shifts) & np.uint32(0xFF)).reshape(-1)
    if not len(symbols):
        return np.zeros(0, dtype=np.uint64)
    return wide_hashes(symbols, order)[::order] >> _KEY_BITS
