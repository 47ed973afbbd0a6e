"""What the byte methods share: profiles of (language, encoding) pairs, asked about text or about undecoded bytes."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from graphlang.content import calibration
from graphlang.content.identifier import Calibrated
from graphlang.content.ngrams import bytes_input
from graphlang.content.ngrams.count_all import Tally, tally
from graphlang.content.published.bytes.encodings import UTF8, decode
from graphlang.content.published.bytes.profiles import Index, Profile, unpack
from graphlang.content.text.normalise import blocks, normalise
from graphlang.modelfile import Model, ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_BLOCK = 1 << 15  # bytes of a batch that are counted together


class ByteIdentifier(Calibrated):
    """A method whose model holds byte n-gram profiles of (language, encoding) pairs."""

    order: int
    edges: bool

    def __init__(self, model: Model, digest: str, source: str, *, name: str) -> None:
        super().__init__(model, digest, source, name=name)
        profiles = unpack(model, source)
        if any(int(profile.grams.max(initial=0)) >> 8 * self.order for profile in profiles):
            raise ModelError(f"{source}: it holds n-grams of more than {self.order} bytes")
        self.profiles = tuple(profile.key for profile in profiles)
        number = {label: index for index, label in enumerate(model.labels)}
        self._owners = np.array([number[profile.label] for profile in profiles])
        self._first = np.searchsorted(self._owners, np.arange(len(model.labels)))
        self._profiles = profiles
        self._in_utf8 = [profile for profile in profiles if profile.encoding == UTF8]
        self._utf8_labels = np.array([number[profile.label] for profile in self._in_utf8], dtype=np.int64)

    # Who asks about text needs only the UTF-8 profiles, who asks about bytes all of them: each index waits to be asked.
    @cached_property
    def _every(self) -> Index:
        return Index(self._profiles, self.order, self.values(self._profiles))

    @cached_property
    def _utf8(self) -> Index | None:
        return Index(self._in_utf8, self.order, self.values(self._in_utf8)) if self._in_utf8 else None

    def describe(self) -> dict[str, Any]:
        """The parameters of training and of the model, for the record of a run."""
        return {**super().describe(), "profiles": len(self.profiles)}

    @abstractmethod
    def values(self, profiles: Sequence[Profile]) -> list[NDArray[np.float32]]:
        """What each profile has of each of its n-grams."""

    @abstractmethod
    def closeness(self, counted: Tally, index: Index) -> NDArray[np.float32]:
        """Similarity of every row of a batch to every profile of an index, 0 for nothing in common.

        Args:
            counted: The n-grams of a batch.
            index: The profiles.
        """

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
            scores[start:stop] = self.closeness(self._tally(data[start:stop]), self._every)
        return scores

    def identify_bytes(self, data: Sequence[bytes]) -> tuple[NDArray[np.int16], NDArray[np.float32], list[str | None]]:
        """Label, probability and encoding of byte strings whose encoding nobody knows; see `bytes_probabilities`.

        Returns:
            `(labels, probabilities, encodings)`; label -1, probability 0 and None where there is no letter.
        """
        probabilities, encodings = self.bytes_probabilities(data)
        best = probabilities.argmax(axis=1).astype(np.int16)
        score = probabilities.max(axis=1, initial=0)
        best[score <= 0] = -1
        return best, score, encodings

    def bytes_probabilities(self, data: Sequence[bytes]) -> tuple[NDArray[np.float32], list[str | None]]:
        """Probabilities of the labels, and the encoding, of byte strings whose encoding nobody knows.

        Bytes that are all ASCII, without the escapes of ISO-2022 and HZ, are the same in every encoding: it is
        `us-ascii`.

        Returns:
            `(probabilities, encodings)`: (byte strings, labels), a row of zeros and None where there is no letter.
        """
        probabilities = np.zeros((len(data), len(self.labels)), dtype=np.float32)
        encodings: list[str | None] = [None] * len(data)
        for start, stop in self._blocks(data):
            part = data[start:stop]
            scores = self.closeness(self._tally(part), self._every)
            by_label = self.by_label(scores)
            best = by_label.argmax(axis=1)
            # Of the profiles of the best label the first that is as good as any: UTF-8 stands first.
            own = np.where(self._owners == best[:, None], scores, np.float32(-np.inf)).argmax(axis=1)
            found = [self.profiles[index][1] for index in own.tolist()]
            cut = [
                decode(bytes_input.sample(item, 4 * self.limit), name) for item, name in zip(part, found, strict=True)
            ]
            lengths = normalise(cut, limit=self.limit).lengths
            factor = calibration.inverse_temperature(self._inverse_temperature, lengths)
            own_probabilities = calibration.probabilities(by_label * factor[:, None])
            letters = bytes_input.has_letters(part) & (lengths > 0)
            probabilities[start:stop] = np.where(letters[:, None], own_probabilities, 0)
            encodings[start:stop] = [
                ("us-ascii" if _is_ascii(item) else name) if known else None
                for item, name, known in zip(part, found, letters.tolist(), strict=True)
            ]
        return probabilities, encodings

    def by_label(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Of the profiles of each label the best: (byte strings, labels)."""
        best: NDArray[np.float32] = np.maximum.reduceat(scores, self._first, axis=1)
        return best

    def _tally(self, data: Sequence[bytes]) -> Tally:
        return tally(bytes_input.rows(data, limit=4 * self.limit, edges=self.edges), [self.order])

    def _blocks(self, data: Sequence[bytes]) -> list[tuple[int, int]]:
        return blocks(cast("Sequence[str]", data), limit=4 * self.limit, characters=_BLOCK)  # it looks at lengths only


def _is_ascii(item: bytes) -> bool:
    return item.isascii() and b"\x1b" not in item and b"~{" not in item
