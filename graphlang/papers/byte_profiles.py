"""Byte n-gram profiles of (language, encoding) pairs, and the methods over them.

Each profile is made from its own text alone, so that one can be added, replaced or removed while the others keep their
bytes (Zavarsky et al. 2005, section 2.2). The hash of all n-grams of all profiles, which they share, is built when the
model is loaded. `byte_trigrams` and `quadgrams` are the two methods; both read text, and bytes in an unknown encoding.

Chew et al. 2011 (section 4.1: "Chinese_Simplified_EUC-CN") have such pairs too. Neither paper lists its pairs. Here the
script decides which encodings are candidates, and the language's text which of them matter: an encoding is left out if
it cannot write the language's letters, or if it writes all of them with the same bytes as an encoding before it (German
is the same in windows-1252 and windows-1250).
"""

from __future__ import annotations

import unicodedata
from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import scipy  # .sparse is loaded where it is used, for that takes a tenth of a second

from graphlang.codes import languages
from graphlang.content import calibration
from graphlang.content.identifier import Calibrated
from graphlang.content.native import tally as _kernels
from graphlang.content.ngrams import bytes_input
from graphlang.content.ngrams.count_all import KeyTable, Tally, tally
from graphlang.content.ngrams.keys import wide_hashes
from graphlang.content.text.normalise import blocks, normalise
from graphlang.modelfile import Model, ModelError, take

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

UTF8: Final = "utf-8"
_MISSING = 0.01  # share of the letters beyond ASCII that an encoding may lack
_OLD_GREEK = (
    0.1  # share of Greek letters whose accents an encoding may lack: with more of them it is Greek of another age
)
#: Script -> encodings by WHATWG name (or, where the WHATWG has none, the usual one), commoner ones first.
_BY_SCRIPT: Final = {
    "Arab": ("windows-1256", "iso-8859-6"),
    "Cyrl": ("windows-1251", "koi8-r", "koi8-u", "iso-8859-5", "ibm866", "ibm855", "x-mac-cyrillic"),
    "Grek": ("windows-1253", "iso-8859-7"),
    "Hans": ("gb18030", "hz"),
    "Hant": ("big5", "gb18030"),
    "Hebr": ("windows-1255",),
    "Jpan": ("shift_jis", "euc-jp", "iso-2022-jp"),
    "Kore": ("euc-kr", "johab", "iso-2022-kr"),
    "Latn": (
        "windows-1252",
        "windows-1250",
        "iso-8859-2",
        "windows-1254",
        "windows-1257",
        "windows-1258",
        "iso-8859-3",
        "iso-8859-16",
        "macintosh",
    ),
    "Thai": ("windows-874",),
}
#: All encodings that a profile can be of. A name from a model file goes to Python's codecs only if it is one of these:
#: some of theirs are no encodings of text, others take a time that grows with the square of the length.
ENCODINGS: Final = frozenset((UTF8, *(name for names in _BY_SCRIPT.values() for name in names)))
_CODECS: Final = {
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac_cyrillic",
    "macintosh": "mac_roman",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "iso-2022-kr": "iso2022_kr",
    "big5": "cp950",
}
#: What is typed where an encoding lacks a letter: Persian with an Arabic yeh, Romanian with cedillas (or commas).
_SUBSTITUTES: Final = str.maketrans("یۀۂۓșțȘȚşţŞŢ", "يهہےşţŞŢșțȘȚ")
_TONES: Final = "\u0300\u0301\u0303\u0309\u0323"  # what windows-1258 writes behind a Vietnamese vowel
_HORN: Final = "\u031b"
_VOWELS: Final = "aăâeêioôơuưy"


def encode(text: str, encoding: str) -> bytes:
    r"""The bytes of a text; a character that the encoding lacks is written as people write it there, or left out.

    >>> encode("Größe ☃", "windows-1252"), encode("ὁδός", "windows-1253").decode("cp1253")
    (b'Gr\xf6\xdfe ', 'οδός')
    """
    codec = _CODECS.get(encoding, encoding)
    try:
        return text.encode(codec)
    except UnicodeEncodeError:
        pass
    lost = {c for c in set(text) if c > "\x7f" and not c.encode(codec, "ignore")}
    table = {ord(c): instead for c in lost if (instead := _substitute(c, codec))}
    return text.translate(table).encode(codec, "ignore")


def _substitute(character: str, codec: str) -> str:
    """Return the substitute of a character that an encoding lacks; empty if there is none."""
    base, *marks = tuple(unicodedata.normalize("NFD", character))
    if _is_greek(base):  # the many accents of Greek are one today
        accent = "\u0301" * any(mark in "\u0300\u0301\u0342" for mark in marks)
        other = unicodedata.normalize("NFC", base + accent)
        return other if other.encode(codec, "ignore") else base
    tones = [mark for mark in marks if mark in _TONES]
    if codec == "windows-1258" and len(tones) == 1:
        letter = unicodedata.normalize("NFC", base + "".join(mark for mark in marks if mark not in _TONES))
        return letter + tones[0] if letter.lower() in _VOWELS else ""
    other = character.translate(_SUBSTITUTES)
    return other if other.encode(codec, "ignore") else ""


def _is_greek(letter: str) -> bool:
    return "\u0370" <= unicodedata.normalize("NFD", letter)[0] < "\u0400"


def decode(data: bytes, encoding: str) -> str:
    """The text of some bytes; what does not decode is left out."""
    return data.decode(_CODECS.get(encoding, encoding), "ignore")


def list_encodings(lines: Iterable[str], script: str) -> list[str]:
    """The encodings that a language needs a profile for, UTF-8 first.

    Letters that are written otherwise there (`encode`) are not lacking, but for tones of other languages than
    Vietnamese, and more old accents than a Greek of today has in quotations.

    >>> list_encodings(["Größe und Übung"], "Latn"), list_encodings(["plain English"], "Latn")
    (['utf-8', 'windows-1252', 'macintosh'], ['utf-8'])
    """
    letters = Counter(letter for line in lines for letter in line if letter > "\x7f" and letter.isalpha())
    total = sum(letters.values())
    # Tones behind their vowels could write Italian too, but are not used for it.
    horned = sum(count for letter, count in letters.items() if _HORN in unicodedata.normalize("NFD", letter))
    vietnamese = horned > _MISSING * total
    answer = [UTF8]
    seen: set[tuple[bytes, ...]] = {()}
    for encoding in _BY_SCRIPT.get(script, ()):
        codec = _CODECS.get(encoding, encoding)
        instead = vietnamese or encoding != "windows-1258"
        images = {letter: encode(letter, encoding) if instead else letter.encode(codec, "ignore") for letter in letters}
        if sum(letters[letter] for letter, image in images.items() if not image) > _MISSING * total:
            continue
        old = sum(count for c, count in letters.items() if _is_greek(c) and not c.encode(codec, "ignore"))
        if old > _OLD_GREEK * total:
            continue
        # Rare foreign letters must not make two encodings of a language out of one.
        common = [letter for letter, count in letters.items() if count > _MISSING * total / 2]
        image = tuple(images[letter] for letter in sorted(common or letters))
        if image not in seen:
            seen.add(image)
            answer.append(encoding)
    return answer


_DENSE = 4  # an n-gram that more than one profile in this many has is common
_MOST_DENSE = 1 << 23  # values of common n-grams
_KEY_BITS = np.uint64(16)
_ENCODING_NAMES = "encodings"


@dataclass(frozen=True, slots=True, eq=False)
class ByteProfile:
    """The profile of one language in one WHATWG encoding.

    `grams` are the n-grams, each packed big-endian into a uint32, ascending; `counts` their occurrences in the training
    text.
    """

    label: str
    encoding: str
    grams: NDArray[np.uint32]
    counts: NDArray[np.uint32]

    @property
    def key(self) -> tuple[str, str]:
        """Label and encoding: what names a profile."""
        return self.label, self.encoding


def make_profile(label: str, encoding: str, data: bytes, *, order: int, size: int | None, edges: bool) -> ByteProfile:
    """Make the profile of training bytes: the `size` commonest n-grams, with those at the `edges` or without.

    >>> made = make_profile("eng", "utf-8", b"abab", order=3, size=None, edges=False)
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
    return ByteProfile(label, encoding, grams[ascending], counted.count[chosen][ascending].astype(np.uint32))


def make_profiles(
    labels: Sequence[str], lines: Sequence[Sequence[str]], *, order: int, size: int | None, edges: bool
) -> list[ByteProfile]:
    """Make the profiles of every label in every encoding that matters for it (`list_encodings`)."""
    return [
        make_profile(label, encoding, encode("\n".join(label_lines), encoding), order=order, size=size, edges=edges)
        for label, label_lines in zip(labels, lines, strict=True)
        for encoding in list_encodings(label_lines, languages.split(label)[1])
    ]


def pack_profiles(profiles: Iterable[ByteProfile], *, counts: bool) -> tuple[tuple[str, ...], dict[str, NDArray[Any]]]:
    """Pack profiles as labels and arrays of a model."""
    ordered = sorted(profiles, key=lambda profile: (profile.label, profile.encoding != "utf-8", profile.encoding))
    labels = tuple(sorted({profile.label for profile in ordered}))
    index = {label: number for number, label in enumerate(labels)}
    arrays: dict[str, NDArray[Any]] = {
        "gaps": _encode_gaps(np.concatenate([profile.grams for profile in ordered])),
        "sizes": np.array([len(profile.grams) for profile in ordered], dtype=np.int64),
        "owners": np.array([index[profile.label] for profile in ordered], dtype=np.int32),
        _ENCODING_NAMES: np.frombuffer("\n".join(profile.encoding for profile in ordered).encode(), dtype=np.uint8),
    }
    if counts:
        arrays["counts"] = np.concatenate([profile.counts for profile in ordered])
    return labels, arrays


def unpack_profiles(model: Model, source: str) -> list[ByteProfile]:
    """Unpack the profiles of a model, sorted by label; raise a ModelError if the arrays are damaged."""
    sizes = take(model, "sizes", "i", (None,), source).astype(np.int64)
    grams = _decode_gaps(take(model, "gaps", "u", (4, None), source))
    owners = take(model, "owners", "i", (len(sizes),), source).tolist()
    counts = np.ones(len(grams), dtype=np.uint32)
    if "counts" in model.arrays:
        counts = take(model, "counts", "u", (len(grams),), source).astype(np.uint32)
    try:
        names = take(model, _ENCODING_NAMES, "u", (None,), source).tobytes().decode("ascii").split("\n")
    except UnicodeDecodeError as error:
        raise ModelError(f"{source}: its encodings are damaged ({error})") from error
    if unknown := sorted(set(names) - ENCODINGS):
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
        ByteProfile(model.labels[owner], name, grams[end - size : end], counts[end - size : end])
        for owner, name, size, end in zip(owners, names, sizes.tolist(), ends, strict=True)
    ]
    if len({profile.key for profile in profiles}) != len(profiles):
        raise ModelError(f"{source}: two profiles of one language and encoding")
    return profiles


def _encode_gaps(grams: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Ascending n-grams as the gaps between them, modulo 2 ** 32, byte by byte: half the size once compressed."""
    gaps = np.diff(grams, prepend=np.uint32(0)).astype(">u4")
    return np.ascontiguousarray(gaps.view(np.uint8).reshape(-1, 4).T)


def _decode_gaps(gaps: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Decode the result of `_encode_gaps`."""
    joined = np.ascontiguousarray(gaps.T.astype(np.uint8)).view(">u4").reshape(-1)
    grams: NDArray[np.uint32] = np.cumsum(joined, dtype=np.uint32)
    return grams


def replace_profiles(model: Model, profiles: Iterable[ByteProfile]) -> Model:
    """Replace all profiles of a model."""
    labels, arrays = pack_profiles(profiles, counts="counts" in model.arrays)
    rest = {name: array for name, array in model.arrays.items() if name not in {*arrays, "counts"}}
    return Model(model.method, labels, model.parameters, rest | arrays)


class ProfileIndex:
    """One hash over all profiles, with the value of each n-gram in each profile."""

    def __init__(
        self, profiles: Sequence[ByteProfile], order: int, values: Sequence[NDArray[np.floating] | NDArray[np.integer]]
    ) -> None:
        grams, feature = np.unique(np.concatenate([profile.grams for profile in profiles]), return_inverse=True)
        column = np.repeat(np.arange(len(profiles)), [len(profile.grams) for profile in profiles])
        data = np.concatenate(values).astype(np.float32)
        self.features = len(grams)
        self.table = KeyTable(unpack_keys(grams, order))
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


def unpack_keys(grams: NDArray[np.uint32], order: int) -> NDArray[np.uint64]:
    """The keys, as in `tally`, of n-grams of bytes that are packed big-endian."""
    shifts = np.arange(8 * (order - 1), -1, -8, dtype=np.uint32)
    symbols = ((grams[:, None] >> shifts) & np.uint32(0xFF)).reshape(-1)
    if not len(symbols):
        return np.zeros(0, dtype=np.uint64)
    return wide_hashes(symbols, order)[::order] >> _KEY_BITS


_BLOCK = 1 << 15  # bytes of a batch that are counted together


class ByteIdentifier(Calibrated):
    """A method whose model holds byte n-gram profiles of (language, encoding) pairs."""

    order: int
    edges: bool

    def __init__(self, model: Model, digest: str, source: str, *, name: str) -> None:
        super().__init__(model, digest, source, name=name)
        profiles = unpack_profiles(model, source)
        if any(int(profile.grams.max(initial=0)) >> 8 * self.order for profile in profiles):
            raise ModelError(f"{source}: it holds n-grams of more than {self.order} bytes")
        self.profiles = tuple(profile.key for profile in profiles)
        number = {label: index for index, label in enumerate(model.labels)}
        self._owners = np.array([number[profile.label] for profile in profiles])
        self._first = np.searchsorted(self._owners, np.arange(len(model.labels)))
        self._profiles = profiles
        self._in_utf8 = [profile for profile in profiles if profile.encoding == UTF8]
        self._utf8_labels = np.array([number[profile.label] for profile in self._in_utf8], dtype=np.int64)

    # Text needs only the UTF-8 profiles, bytes all of them: each index is built when it is needed.
    @cached_property
    def _all_profiles(self) -> ProfileIndex:
        return ProfileIndex(self._profiles, self.order, self.values(self._profiles))

    @cached_property
    def _utf8(self) -> ProfileIndex | None:
        return ProfileIndex(self._in_utf8, self.order, self.values(self._in_utf8)) if self._in_utf8 else None

    def describe(self) -> dict[str, Any]:
        """The parameters of training and of the model, for the record of a run."""
        return {**super().describe(), "profiles": len(self.profiles)}

    @abstractmethod
    def values(self, profiles: Sequence[ByteProfile]) -> list[NDArray[np.float32]]:
        """The value of each n-gram in each profile."""

    @abstractmethod
    def closeness(self, counted: Tally, index: ProfileIndex) -> NDArray[np.float32]:
        """Similarity of every row of a batch to every profile of an index, 0 for nothing in common."""

    def similarities(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Similarity of each text, written in UTF-8, to each label's UTF-8 profile; and the letters of each text.

        A label without a UTF-8 profile has 0.
        """
        scores = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        lengths = np.zeros(len(texts), dtype=np.int64)
        for start, stop in blocks(texts, limit=self.limit, characters=_BLOCK):
            lengths[start:stop] = normalise(texts[start:stop], limit=self.limit).lengths
            if self._utf8 is not None:
                data = [text.encode("utf-8", "replace") for text in texts[start:stop]]
                scores[start:stop, self._utf8_labels] = self.closeness(self._tally(data), self._utf8)
        return scores, lengths

    def rates(self, data: Sequence[bytes]) -> NDArray[np.float32]:
        """Similarity of byte strings in any encoding to every profile: (byte strings, profiles)."""
        scores = np.zeros((len(data), len(self.profiles)), dtype=np.float32)
        for start, stop in self._blocks(data):
            scores[start:stop] = self.closeness(self._tally(data[start:stop]), self._all_profiles)
        return scores

    def identify_bytes(self, data: Sequence[bytes]) -> tuple[NDArray[np.int16], NDArray[np.float32], list[str | None]]:
        """Return label, probability and encoding of byte strings in an unknown encoding; see `bytes_probabilities`.

        Strings without a letter have the label -1, the probability 0 and the encoding None.
        """
        probabilities, encodings = self.bytes_probabilities(data)
        best = probabilities.argmax(axis=1).astype(np.int16)
        score = probabilities.max(axis=1, initial=0)
        best[score <= 0] = -1
        return best, score, encodings

    def bytes_probabilities(self, data: Sequence[bytes]) -> tuple[NDArray[np.float32], list[str | None]]:
        """Return the probabilities (byte strings, labels), and the encoding, of byte strings in an unknown encoding.

        Bytes that are all ASCII, without the escapes of ISO-2022 and HZ, are the same in every encoding: it is
        `us-ascii`. Strings without a letter have a row of zeros and the encoding None.
        """
        probabilities = np.zeros((len(data), len(self.labels)), dtype=np.float32)
        encodings: list[str | None] = [None] * len(data)
        for start, stop in self._blocks(data):
            block = data[start:stop]
            scores = self.closeness(self._tally(block), self._all_profiles)
            by_label = self.best_by_label(scores)
            best = by_label.argmax(axis=1)
            # Of equal profiles of the best label the first wins: UTF-8 is first.
            best_profile = np.where(self._owners == best[:, None], scores, np.float32(-np.inf)).argmax(axis=1)
            encodings_of_best = [self.profiles[index][1] for index in best_profile.tolist()]
            cut = [
                decode(bytes_input.sample(item, 4 * self.limit), name)
                for item, name in zip(block, encodings_of_best, strict=True)
            ]
            lengths = normalise(cut, limit=self.limit).lengths
            factor = calibration.inverse_temperature(self._inverse_temperature, lengths)
            own_probabilities = calibration.probabilities(by_label * factor[:, None])
            letters = bytes_input.has_letters(block) & (lengths > 0)
            probabilities[start:stop] = np.where(letters[:, None], own_probabilities, 0)
            encodings[start:stop] = [
                ("us-ascii" if _is_ascii(item) else name) if has_letters else None
                for item, name, has_letters in zip(block, encodings_of_best, letters.tolist(), strict=True)
            ]
        return probabilities, encodings

    def best_by_label(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the best score among the profiles of each label: (byte strings, labels)."""
        best: NDArray[np.float32] = np.maximum.reduceat(scores, self._first, axis=1)
        return best

    def _tally(self, data: Sequence[bytes]) -> Tally:
        return tally(bytes_input.rows(data, limit=4 * self.limit, edges=self.edges), [self.order])

    def _blocks(self, data: Sequence[bytes]) -> list[tuple[int, int]]:
        return blocks(cast("Sequence[str]", data), limit=4 * self.limit, characters=_BLOCK)  # it looks at lengths only


def _is_ascii(item: bytes) -> bool:
    return item.isascii() and b"\x1b" not in item and b"~{" not in item
