"""Martins & Silva 2005 as Chew, Mikami & Nagano 2011 (section 2.1) describe it: n-grams, Lin's similarity, heuristics.

The six heuristics, and their implementation here:

i.   separate text, markup information and metadata: `Marked`, with title, blocks of text, and metadata;
ii.  "use meta-data information, if available and valid": the declared language of a page is a separate method
     (`graphlang.content.declared`), so that the two can be compared;
iii. "Filter common or automatically generated strings. For example, 'This page uses frames'.": `STOCK_PHRASES`; the
     paper does not have its list;
iv.  n-grams count more in the title than in the body, and more there than in metadata: `WEIGHTS`;
v.   fewer than `SHORTEST` = 40 characters (letters, and one space between words) are "unknown language": `und`;
vi.  if two languages are close, the largest block counts three times and the pages are scored again.

Profiles are those of Cavnar & Trenkle, the top n-grams of 1 to 5 characters. Lin's similarity (1998) of two
descriptions A and B is twice the information in their intersection over the information in both,

    sim(A, B) = 2 * sum of I(t) over A and B / (sum of I(t) over A + sum of I(t) over B),    I(t) = -log P(t)

Section 2.1 has neither the formula nor P. Here P(t) is the mean over all languages of the share of t in the n-grams of
a language, and t has the weight w(t), its (weighted) share of a profile: the sums are of w(t) I(t), and the shared part
is the sum of (w_A(t) + w_B(t)) I(t). With equal shares this is Lin's formula; without shares the weights of step iv
would have no effect. A page "cannot be clearly classified" if the second similarity is within `DOUBT` of the first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # scipy.sparse is imported on first use: it takes a tenth of a second

from graphlang.codes.languages import UND
from graphlang.content import calibration
from graphlang.content.identifier import Calibrated
from graphlang.content.ngrams.count_all import KeyTable, Tally, compute_tally_keys, decode_ngrams, tally
from graphlang.content.ngrams.vocabulary import pack_ngrams
from graphlang.content.page_input import Marked
from graphlang.content.text.normalise import cut_blocks, normalise
from graphlang.modelfile import Model, ModelError, take_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


ORDERS = (1, 2, 3, 4, 5)
SIZE = 400
SHORTEST = 40
DOUBT = 0.02
LARGEST_FACTOR = 3
WEIGHTS = {"title": 4, "body": 2, "metadata": 1}
_MAX_FEATURES = 1_000_000  # of a language
_MAX_INFORMATION = 1e3  # far more than -log P of an n-gram that occurs once
_MAX_BLOCKS = 1_000  # separate blocks of a page; the rest is one block


def build(lines: Sequence[Sequence[str]], *, features: int = SIZE) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Build the arrays and parameters of a model from the lines of each language."""
    tallies, grams = [], []
    for language_lines in lines:
        text = " ".join(language_lines)
        letters = normalise([text], limit=len(text) + 1, margin=max(ORDERS) - 1)
        counted = tally(letters, ORDERS)
        chosen, _ = counted.rank_ngrams(features)
        grams.append(decode_ngrams(letters, counted.place[chosen], counted.order[chosen]))
        tallies.append(counted)
    vocabulary = sorted({gram for ngrams in grams for gram in ngrams})
    number = {gram: index for index, gram in enumerate(vocabulary)}
    table = KeyTable(compute_tally_keys(vocabulary))
    counts = np.stack([counted.to_matrix(table, len(vocabulary)).toarray()[0] for counted in tallies])
    totals = np.array([max(int(counted.totals[0]), 1) for counted in tallies])
    shares = (counts / totals[:, None]).mean(axis=0)
    listed = np.zeros_like(counts, dtype=np.uint32)
    for row, ngrams, language_counts in zip(listed, grams, counts, strict=True):
        columns = [number[gram] for gram in ngrams]
        row[columns] = language_counts[columns]
    owner, gram = np.nonzero(listed)
    arrays: dict[str, NDArray[Any]] = {
        "ngrams": pack_ngrams(vocabulary),
        "information": -np.log(shares).astype(np.float32),
        "owners": owner.astype(np.int32),
        "grams": gram.astype(np.int32),
        "counts": listed[owner, gram],
    }
    return arrays, {"features": features, "orders": list(ORDERS), "closed": True}


class MartinsSilva(Calibrated):
    """The method with its model; its labels end with `und`."""

    def __init__(self, model: Model, digest: str, source: str, *, name: str = "") -> None:
        super().__init__(model, digest, source, name=name, labels=(*model.labels, UND))
        size: Any = model.parameters.get("features")
        self._languages = len(model.labels)
        self._information = take_array(model, "information", "f", (None,), source).astype(np.float32)
        owner = take_array(model, "owners", "i", (None,), source)
        gram = take_array(model, "grams", "i", owner.shape, source)
        counts = take_array(model, "counts", "u", owner.shape, source).astype(np.float64)
        shape = (len(self._information), self._languages)
        try:
            vocabulary = take_array(model, "ngrams", "u", (None,), source).tobytes().decode("utf-8").split("\n")
            listed = scipy.sparse.csr_array(scipy.sparse.coo_array((counts, (gram, owner)), shape=shape))
            self._table = KeyTable(compute_tally_keys(vocabulary))
        except ValueError as error:
            raise ModelError(f"{source}: its profiles are damaged ({error})") from error
        bounds = self._information.min(initial=0), self._information.max(initial=0)
        if (
            type(size) is not int
            or not 1 <= size <= _MAX_FEATURES
            or len(vocabulary) != shape[0]
            or bounds[0] < 0
            or bounds[1] > _MAX_INFORMATION
        ):
            raise ModelError(f"{source}: its profiles do not fit together")
        self._size = size
        shares = scipy.sparse.csr_array(listed.multiply(1 / np.maximum(listed.sum(axis=0), 1)[None, :]))
        self._weighted = scipy.sparse.csr_array(shares.multiply(self._information[:, None])).astype(np.float32)
        self._unweighted = scipy.sparse.csr_array((shares > 0).astype(np.float32).multiply(self._information[:, None]))
        self._totals = np.asarray(self._weighted.sum(axis=0), dtype=np.float32)

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Compute probabilities of plain texts, each a block without title; rows as in `identify`."""
        return self.identify([Marked(blocks=(text,)) for text in texts])

    def identify(self, pages: Sequence[Marked]) -> NDArray[np.float32]:
        """Compute calibrated probabilities, (pages, labels): 1 for `und` below 40 characters, all 0 without letters."""
        answer = np.zeros((len(pages), len(self.labels)), dtype=np.float32)
        parts = [_weigh_parts(page) for page in pages]
        for start, stop in cut_blocks(
            ["".join(text for text, _ in page_parts) for page_parts in parts], limit=self.limit
        ):
            scores, letters, characters = self._score_pages(parts[start:stop])
            scores *= calibration.interpolate_inverse_temperature(self._inverse_temperature, letters)[:, None]
            answer[start:stop, :-1] = calibration.compute_probabilities(scores)
            answer[start:stop][characters < SHORTEST] = 0
            answer[start:stop, -1] = (letters > 0) & (characters < SHORTEST)
        return answer

    def similarities(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Compute Lin's similarity of each plain text to each language (without `und`), and the length of each text."""
        return self._score_pages([_weigh_parts(Marked(blocks=(text,))) for text in texts])[:2]

    def _score_pages(
        self, pages: Sequence[Sequence[tuple[str, int]]]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
        """Compute similarities, and the length of each page with and without the spaces that end its parts."""
        page = np.repeat(np.arange(len(pages)), [len(page_parts) for page_parts in pages])
        texts = [text for page_parts in pages for text, _ in page_parts]
        weight = np.array([weight for page_parts in pages for _, weight in page_parts], dtype=np.int64)
        letters = normalise(texts, limit=self.limit, margin=max(ORDERS) - 1, closed=self.closed)
        counted = tally(letters, ORDERS)
        lengths = np.bincount(page, weights=letters.lengths, minlength=len(pages)).astype(np.int64)
        ends = (letters.lengths > 0) & self.closed
        characters = lengths - np.bincount(page, weights=ends, minlength=len(pages)).astype(np.int64)
        scores = self._compute_similarity(merge_parts(counted, page, weight, len(pages)))
        if scores.shape[1] > 1:
            second, first = np.partition(scores, -2, axis=1)[:, -2:].T
            # A page with one part would get the same answer.
            unsure = np.flatnonzero((second > first * (1 - DOUBT)) & (np.bincount(page, minlength=len(pages)) > 1))
            if len(unsure):
                block = weight == WEIGHTS["body"]  # title and metadata are not blocks
                largest = _find_largest_part(page, np.where(block, letters.lengths, -1)) & block
                heavier = weight * np.where(largest, LARGEST_FACTOR, 1)
                scores[unsure] = self._compute_similarity(merge_parts(counted, page, heavier, len(pages)))[unsure]
        return scores, lengths, characters

    def _compute_similarity(self, counted: Tally) -> NDArray[np.float32]:
        chosen, _ = counted.rank_ngrams(self._size)
        row = counted.row[chosen]
        count = counted.count[chosen].astype(np.float32)
        rows = len(counted.totals)
        share = count / np.maximum(np.bincount(row, weights=count, minlength=rows), 1)[row].astype(np.float32)
        feature = self._table.find(counted.key[chosen])
        is_feature = feature >= 0
        # An n-gram that no language has is as rare as the rarest known one.
        information = np.where(is_feature, self._information[feature], self._information.max(initial=0))
        text_information = np.bincount(row, weights=share * information, minlength=rows).astype(np.float32)
        ends = np.searchsorted(row[is_feature], np.arange(rows + 1))
        shape = (rows, len(self._information))
        weights = scipy.sparse.csr_array((share[is_feature], feature[is_feature], ends), shape=shape)
        flags = scipy.sparse.csr_array((np.ones(len(weights.data), np.float32), feature[is_feature], ends), shape=shape)
        shared = (weights @ self._unweighted).toarray() + (flags @ self._weighted).toarray()
        scores: NDArray[np.float32] = (shared / np.maximum(text_information[:, None] + self._totals, 1e-9)).astype(
            np.float32
        )
        return scores


def _weigh_parts(page: Marked) -> list[tuple[str, int]]:
    """Weigh the parts of a page, without stock phrases."""
    body = [*page.blocks[: _MAX_BLOCKS - 1], " ".join(page.blocks[_MAX_BLOCKS - 1 :])]
    parts = [(page.title, WEIGHTS["title"]), (page.metadata, WEIGHTS["metadata"])]
    parts += [(text, WEIGHTS["body"]) for text in body]
    weighted = [(remove_stock_phrases(text), weight) for text, weight in parts if text]
    return weighted or [("", WEIGHTS["body"])]


def _find_largest_part(page: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find the largest part of each page, the first of equals."""
    order = np.lexsort((np.arange(len(page)), -lengths, page))
    first = order[np.unique(page[order], return_index=True)[1]]
    answer = np.zeros(len(page), dtype=np.bool_)
    answer[first] = True
    return answer


def merge_parts(counted: Tally, page: NDArray[np.int64], weight: NDArray[np.int64], pages: int) -> Tally:
    """Sum the rows of a tally by page, with their weights."""
    order = np.lexsort((counted.key, page[counted.row]))
    row, key = page[counted.row][order], counted.key[order]
    first = np.flatnonzero(
        np.concatenate((np.ones(min(len(row), 1), np.bool_), (row[1:] != row[:-1]) | (key[1:] != key[:-1])))
    )
    count = (counted.count * weight[counted.row])[order]
    place = counted.place[order]
    if not len(first):
        return Tally(row, key, count, counted.order, place, np.zeros(pages, dtype=np.int64))
    return Tally(
        row=row[first],
        key=key[first],
        count=np.add.reduceat(count, first),
        order=counted.order[order][first],
        place=np.minimum.reduceat(place, first),
        totals=np.bincount(page, weights=counted.totals * weight, minlength=pages).astype(np.int64),
    )


STOCK_PHRASES = (
    "this page uses frames, but your browser doesn't support them",
    "this page uses frames, but your browser does not support them",
    "this page uses frames",
    "your browser does not support frames",
    "your browser does not support inline frames or is currently configured not to display inline frames",
    "your browser does not support inline frames",
    "your browser does not support the video tag",
    "your browser does not support javascript",
    "please enable javascript to view this page",
    "please enable javascript",
    "you need to enable javascript to run this app",
    "javascript is disabled",
    "this site is under construction",
    "under construction",
    "best viewed with internet explorer",
    "best viewed with netscape",
    "best viewed in",
    "created with microsoft frontpage",
    "powered by wordpress",
    "powered by phpbb",
    "powered by",
    "all rights reserved",
    "click here",
    "last modified",
    "last updated",
    "untitled document",
    "untitled page",
    "new page 1",
    "index of /",
    "parent directory",
    "404 not found",
    "403 forbidden",
    "301 moved permanently",
    "302 found",
    "object moved",
    "the requested url was not found on this server",
    "apache server at",
    "this is the default welcome page",
    "copyright ©",
    "copyright (c)",
)
#: A phrase that ends with a letter must end a word; after a sign anything may follow ("Index of /pub").
_ALTERNATIVES = [
    re.escape(phrase) + r"(?!\w)" * phrase[-1].isalnum() for phrase in sorted(STOCK_PHRASES, key=len, reverse=True)
]
_STOCK_PHRASE = re.compile(rf"(?<!\w)(?:{'|'.join(_ALTERNATIVES)})", re.IGNORECASE)


def remove_stock_phrases(text: str) -> str:
    """Replace every stock phrase by a space, in any case.

    >>> remove_stock_phrases("This page uses frames. Bonjour!")
    ' . Bonjour!'
    """
    return _STOCK_PHRASE.sub(" ", text)
