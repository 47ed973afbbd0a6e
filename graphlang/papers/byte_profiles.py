"""Byte n-gram profiles of (language, encoding) pairs, and the base class of the methods over them.

Each profile is made only from the text of its language, so profiles can be added, replaced or removed without a change
to the others (Zavarsky et al. 2005, section 2.2). The hash table of all n-grams is built when the model is loaded.
`byte_trigrams` and `quadgrams` are the two methods; both read text, and bytes in an unknown encoding.

Chew et al. 2011 (section 4.1: "Chinese_Simplified_EUC-CN") have such pairs too. Neither paper lists them. Here the
script decides which encodings are candidates, and the text of the language decides which of them matter: an encoding is
left out if it lacks letters of the language, or if it has the same bytes for all of them as an encoding before it
(German is the same in windows-1252 and windows-1250).
"""

from __future__ import annotations

import unicodedata
from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import scipy  # scipy.sparse is imported on first use: it takes a tenth of a second

from graphlang.codes import languages
from graphlang.content import calibration
from graphlang.content.identifier import Calibrated
from graphlang.content.native import tally as _kernels
from graphlang.content.ngrams import bytes_input
from graphlang.content.ngrams.count_all import KeyTable, Tally, tally
from graphlang.content.ngrams.keys import hash_ngrams
from graphlang.content.text.normalise import cut_blocks, normalise
from graphlang.modelfile import Model, ModelError, take_array

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

UTF8: Final = "utf-8"
_MISSING = 0.01  # share of the letters beyond ASCII that an encoding may lack
_OLD_GREEK = 0.1  # share of letters with old Greek accents that an encoding may lack: with more the text is old
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
#: All encodings of profiles. An encoding in a model file must be one of these: some codecs of Python decode no text,
#: and others take quadratic time.
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
#: Substitutes of letters that an encoding lacks: Persian with an Arabic yeh, Romanian with cedillas (or commas).
_SUBSTITUTES: Final = str.maketrans("یۀۂۓșțȘȚşţŞŢ", "يهہےşţŞŢșțȘȚ")
_TONES: Final = "\u0300\u0301\u0303\u0309\u0323"  # windows-1258 has them after Vietnamese vowels
_HORN: Final = "\u031b"
_VOWELS: Final = "aăâeêioôơuưy"


def encode(text: str, encoding: str) -> bytes:
    r"""Encode a text; a character that the encoding lacks gets its usual substitute, or is left out.

    >>> encode("Größe ☃", "windows-1252"), encode("ὁδός", "windows-1253").decode("cp1253")
    (b'Gr\xf6\xdfe ', 'οδός')
    """
    codec = _CODECS.get(encoding, encoding)
    try:
        return text.encode(codec)
    except UnicodeEncodeError:
        pass
    lacking = {c for c in set(text) if c > "\x7f" and not c.encode(codec, "ignore")}
    table = {ord(c): substitute for c in lacking if (substitute := _substitute(c, codec))}
    return text.translate(table).encode(codec, "ignore")


def _substitute(character: str, codec: str) -> str:
    """Return the substitute of a character that an encoding lacks; empty if there is none."""
    base, *marks = tuple(unicodedata.normalize("NFD", character))
    if _is_greek(base):  # modern Greek has one accent for the many old ones
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
    """Decode bytes; invalid ones are left out."""
    return data.decode(_CODECS.get(encoding, encoding), "ignore")


def list_encodings(lines: Iterable[str], script: str) -> list[str]:
    """List the encodings in which a language needs a profile, UTF-8 first.

    A letter with a substitute (`encode`) does not count as lacking, except for tones in other languages than
    Vietnamese, and for more old accents than quotations in modern Greek have.

    >>> list_encodings(["Größe und Übung"], "Latn"), list_encodings(["plain English"], "Latn")
    (['utf-8', 'windows-1252', 'macintosh'], ['utf-8'])
    """
    letters = Counter(letter for line in lines for letter in line if letter > "\x7f" and letter.isalpha())
    total = sum(letters.values())
    # Tones after vowels could write Italian too, but are not used for it.
    horned = sum(count for letter, count in letters.items() if _HORN in unicodedata.normalize("NFD", letter))
    vietnamese = horned > _MISSING * total
    answer = [UTF8]
    unique_images: set[tuple[bytes, ...]] = {()}
    for encoding in _BY_SCRIPT.get(script, ()):
        codec = _CODECS.get(encoding, encoding)
        substitute = vietnamese or encoding != "windows-1258"
        images = {
            letter: encode(letter, encoding) if substitute else letter.encode(codec, "ignore") for letter in letters
        }
        if sum(letters[letter] for letter, image in images.items() if not image) > _MISSING * total:
            continue
        old = sum(count for c, count in letters.items() if _is_greek(c) and not c.encode(codec, "ignore"))
        if old > _OLD_GREEK * total:
            continue
        # Two encodings that differ only in rare foreign letters are one.
        common = [letter for letter, count in letters.items() if count > _MISSING * total / 2]
        image = tuple(images[letter] for letter in sorted(common or letters))
        if image not in unique_images:
            unique_images.add(image)
            answer.append(encoding)
    return answer


_DENSE = 4  # an n-gram in more than one of this many profiles is common
_MAX_DENSE = 1 << 23  # values of common n-grams
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
        """Label and encoding, which identify a profile."""
        return self.label, self.encoding


def make_profile(label: str, encoding: str, data: bytes, *, order: int, size: int | None, edges: bool) -> ByteProfile:
    """Make the profile of training bytes: the `size` commonest n-grams, with or without those at the `edges`.

    >>> profile = make_profile("eng", "utf-8", b"abab", order=3, size=None, edges=False)
    >>> [(gram.to_bytes(3), count) for gram, count in zip(profile.grams.tolist(), profile.counts.tolist())]
    [(b'aba', 1), (b'bab', 1)]
    """
    letters = bytes_input.make_rows([data], limit=len(data) + 1, edges=edges)
    counted = tally(letters, [order])
    chosen, _ = counted.rank_ngrams(len(counted.key) if size is None else size)
    grams = np.zeros(len(chosen), dtype=np.uint32)
    for place in range(order):
        grams = (grams << np.uint32(8)) | letters.symbols[counted.place[chosen] + place]
    ascending = np.argsort(grams)
    return ByteProfile(label, encoding, grams[ascending], counted.count[chosen][ascending].astype(np.uint32))


def make_profiles(
    labels: Sequence[str], lines: Sequence[Sequence[str]], *, order: int, size: int | None, edges: bool
) -> list[ByteProfile]:
    """Make the profiles of every label in every encoding that matters for it (`list_encodings`)."""
    return [
        make_profile(label, encoding, encode("\n".join(label_lines), encoding), order=order, size=size, edges=edges)
        for label, label_lines in zip(labels, lines, strict=True)
        for encoding in list_encodings(label_lines, languages.split_label(label)[1])
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
    sizes = take_array(model, "sizes", "i", (None,), source).astype(np.int64)
    grams = _decode_gaps(take_array(model, "gaps", "u", (4, None), source))
    owners = take_array(model, "owners", "i", (len(sizes),), source).tolist()
    counts = np.ones(len(grams), dtype=np.uint32)
    if "counts" in model.arrays:
        counts = take_array(model, "counts", "u", (len(grams),), source).astype(np.uint32)
    try:
        encodings = take_array(model, _ENCODING_NAMES, "u", (None,), source).tobytes().decode("ascii").split("\n")
    except UnicodeDecodeError as error:
        raise ModelError(f"{source}: its encodings are damaged ({error})") from error
    if unknown := sorted(set(encodings) - ENCODINGS):
        raise ModelError(f"{source}: {unknown[0]!r} is not an encoding with profiles")
    is_consistent = len(encodings) == len(sizes) > 0 and bool((sizes >= 0).all()) and int(sizes.sum()) == len(grams)
    if not is_consistent or owners != sorted(owners) or set(owners) != set(range(len(model.labels))):
        raise ModelError(f"{source}: its profiles do not fit together")
    ends = np.cumsum(sizes).tolist()
    rising = grams[1:] > grams[:-1]
    rising[[end - 1 for end in ends[:-1] if 0 < end < len(grams)]] = True  # from one profile to the next
    if not rising.all():
        raise ModelError(f"{source}: its n-grams are out of order")
    profiles = [
        ByteProfile(model.labels[owner], name, grams[end - size : end], counts[end - size : end])
        for owner, name, size, end in zip(owners, encodings, sizes.tolist(), ends, strict=True)
    ]
    if len({profile.key for profile in profiles}) != len(profiles):
        raise ModelError(f"{source}: two profiles of one language and encoding")
    return profiles


def _encode_gaps(grams: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Encode ascending n-grams as their gaps modulo 2 ** 32, byte by byte, which compress to half the size."""
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
    other_arrays = {name: array for name, array in model.arrays.items() if name not in {*arrays, "counts"}}
    return Model(model.method, labels, model.parameters, other_arrays | arrays)


class ProfileIndex:
    """A hash table over all profiles, with the value of each n-gram in each profile."""

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
        # Rows of common n-grams are faster as dense rows, all others as lists.
        profile_count = np.diff(matrix.indptr)
        common = np.flatnonzero(profile_count * _DENSE > len(profiles))
        common = common[np.argsort(-profile_count[common], kind="stable")[: _MAX_DENSE // max(1, len(profiles))]]
        self._dense = matrix[common].toarray().astype(np.float32)
        self._dense_row = np.full(len(grams), -1, dtype=np.int32)
        self._dense_row[common] = np.arange(len(common))
        self._starts = matrix.indptr.astype(np.int64)
        self._columns, self._values = matrix.indices.astype(np.int32), matrix.data.astype(np.float32)

    def multiply(self, counts: scipy.sparse.csr_array) -> NDArray[np.float32]:
        """Multiply rows of counts by every profile: inner products, (rows, profiles)."""
        feature, value = counts.indices.astype(np.int32), counts.data.astype(np.float32)
        offsets = counts.indptr.astype(np.int64)
        product = np.empty((len(offsets) - 1, self._dense.shape[1]), dtype=np.float32)
        _kernels.tally_products(
            feature=feature,
            value=value,
            offsets=offsets,
            dense_row=self._dense_row,
            dense=self._dense,
            starts=self._starts,
            columns=self._columns,
            values=self._values,
            out=product,
        )
        return product


def unpack_keys(grams: NDArray[np.uint32], order: int) -> NDArray[np.uint64]:
    """Compute the keys (as in `tally`) of n-grams of bytes, packed big-endian."""
    shifts = np.arange(8 * (order - 1), -1, -8, dtype=np.uint32)
    symbols = ((grams[:, None] >> shifts) & np.uint32(0xFF)).reshape(-1)
    if not len(symbols):
        return np.zeros(0, dtype=np.uint64)
    return hash_ngrams(symbols, order)[::order] >> _KEY_BITS


_BLOCK = 1 << 15  # bytes of a batch that are counted together


class ByteIdentifier(Calibrated):
    """A method whose model holds byte n-gram profiles of (language, encoding) pairs."""

    order: int
    edges: bool

    def __init__(self, model: Model, digest: str, source: str, *, name: str = "") -> None:
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

    # Text needs only the UTF-8 profiles, bytes need all: each index is built on first use.
    @cached_property
    def _all_profiles(self) -> ProfileIndex:
        return ProfileIndex(self._profiles, self.order, self.make_values(self._profiles))

    @cached_property
    def _utf8(self) -> ProfileIndex | None:
        return ProfileIndex(self._in_utf8, self.order, self.make_values(self._in_utf8)) if self._in_utf8 else None

    def describe(self) -> dict[str, Any]:
        """Describe the training and the model, for the record of a run."""
        return {**super().describe(), "profiles": len(self.profiles)}

    @abstractmethod
    def make_values(self, profiles: Sequence[ByteProfile]) -> list[NDArray[np.float32]]:
        """Make the value of each n-gram in each profile."""

    @abstractmethod
    def measure_closeness(self, counted: Tally, index: ProfileIndex) -> NDArray[np.float32]:
        """Measure the similarity of every row of a batch to every profile of an index; 0 for nothing in common."""

    def similarities(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Measure the similarity of each text to the UTF-8 profile of each label, and count letters.

        A label without a UTF-8 profile has 0.
        """
        scores = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        lengths = np.zeros(len(texts), dtype=np.int64)
        for start, stop in cut_blocks(texts, limit=self.limit, characters=_BLOCK):
            lengths[start:stop] = normalise(texts[start:stop], limit=self.limit).lengths
            if self._utf8 is not None:
                data = [text.encode("utf-8", "replace") for text in texts[start:stop]]
                scores[start:stop, self._utf8_labels] = self.measure_closeness(self._tally(data), self._utf8)
        return scores, lengths

    def compare_profiles(self, data: Sequence[bytes]) -> NDArray[np.float32]:
        """Measure the similarity of byte strings in any encoding to every profile, (byte strings, profiles)."""
        scores = np.zeros((len(data), len(self.profiles)), dtype=np.float32)
        for start, stop in self._blocks(data):
            scores[start:stop] = self.measure_closeness(self._tally(data[start:stop]), self._all_profiles)
        return scores

    def identify_bytes(self, data: Sequence[bytes]) -> tuple[NDArray[np.int16], NDArray[np.float32], list[str | None]]:
        """Identify byte strings in an unknown encoding: label, probability and encoding (`bytes_probabilities`).

        Strings without a letter have the label -1, the probability 0 and the encoding None.
        """
        probabilities, encodings = self.bytes_probabilities(data)
        return *choose_best(probabilities), encodings

    def bytes_probabilities(self, data: Sequence[bytes]) -> tuple[NDArray[np.float32], list[str | None]]:
        """Compute probabilities (byte strings, labels) and encodings of byte strings in an unknown encoding.

        The encoding of ASCII bytes, without the escapes of ISO-2022 and HZ, is `us-ascii`. Strings without a letter
        have a row of zeros and the encoding None.
        """
        probabilities = np.zeros((len(data), len(self.labels)), dtype=np.float32)
        encodings: list[str | None] = [None] * len(data)
        for start, stop in self._blocks(data):
            block = data[start:stop]
            scores = self.measure_closeness(self._tally(block), self._all_profiles)
            label_scores = self.find_best_by_label(scores)
            best = label_scores.argmax(axis=1)
            # Of equal profiles of the best label the first wins: UTF-8 is first.
            best_profile = np.where(self._owners == best[:, None], scores, np.float32(-np.inf)).argmax(axis=1)
            names = [self.profiles[index][1] for index in best_profile.tolist()]
            texts = [
                decode(bytes_input.sample(item, 4 * self.limit), name) for item, name in zip(block, names, strict=True)
            ]
            lengths = normalise(texts, limit=self.limit).lengths
            factor = calibration.interpolate_inverse_temperature(self._inverse_temperature, lengths)
            block_probabilities = calibration.compute_probabilities(label_scores * factor[:, None])
            letters = bytes_input.has_letters(block) & (lengths > 0)
            probabilities[start:stop] = np.where(letters[:, None], block_probabilities, 0)
            encodings[start:stop] = [
                ("us-ascii" if _is_ascii(item) else name) if has_letters else None
                for item, name, has_letters in zip(block, names, letters.tolist(), strict=True)
            ]
        return probabilities, encodings

    def find_best_by_label(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Find the best score among the profiles of each label, (byte strings, labels)."""
        best: NDArray[np.float32] = np.maximum.reduceat(scores, self._first, axis=1)
        return best

    def _tally(self, data: Sequence[bytes]) -> Tally:
        return tally(bytes_input.make_rows(data, limit=4 * self.limit, edges=self.edges), [self.order])

    def _blocks(self, data: Sequence[bytes]) -> list[tuple[int, int]]:
        return cut_blocks(cast("Sequence[str]", data), limit=4 * self.limit, characters=_BLOCK)  # it reads only lengths


def choose_best(probabilities: NDArray[np.float32]) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Choose the best label of each row and its probability; -1 and 0 for a row of zeros."""
    best = probabilities.argmax(axis=1).astype(np.int16)
    score = probabilities.max(axis=1, initial=0)
    best[score <= 0] = -1
    return best, score


def _is_ascii(item: bytes) -> bool:
    return item.isascii() and b"\x1b" not in item and b"~{" not in item
