"""The kernel of the URL model on sound and on damaged arrays, for the sanitisers."""

from __future__ import annotations

import numpy as np

from graphlang.urls.native import url_sums

TURNS = 300
ROWS, LABELS = 7, 5
TEXT = "http://user@a.stadt.de/de-at/haus?x=\u00e9\u4e2d\U0001f600#aa-bb"


def workout(seed: int) -> str:
    rng = np.random.default_rng(seed)
    words = url_sums.URL_WORDS
    weighs = np.uint64(1) << rng.integers(0, 64, words).astype(np.uint64)  # one bucket of each word
    before = rng.integers(0, ROWS, words).astype(np.int32)
    damaged = rng.choice([-(2**31), -2, 0, ROWS - 1, ROWS, 2**31 - 1], words).astype(np.int32)
    letters = rng.integers(0, 99, url_sums.URL_LETTERS).astype(np.uint16)
    letters[[ord(letter) for letter in "\n/.@?#-"]] = 0
    marks = rng.integers(0, 6, url_sums.URL_MARKS).astype(np.uint8)
    weights = rng.integers(-128, 128, (ROWS, LABELS)).astype(np.int8)
    refused = 0
    for _ in range(TURNS):
        urls = ["".join(rng.permutation([*TEXT])[: rng.integers(0, len(TEXT))]) for _ in range(rng.integers(0, 5))]
        urls += ["a." * 2048] * int(rng.random() < 0.1)
        first = np.concatenate(([0], np.cumsum([len(url) + 1 for url in urls]))).astype(np.int64)
        if len(first) and rng.random() < 0.2:
            first[rng.integers(0, len(first))] = rng.choice([2**62, -1, -(2**63), 3, 5000])
        text = "".join(f"{url}\n" for url in urls).encode("utf-32-le")
        try:
            url_sums.url_sums(
                characters=np.frombuffer(text, dtype=np.uint32),
                first=first,
                letters=letters,
                marks=marks,
                weighs=~weighs if rng.random() < 0.1 else weighs,
                before=damaged if rng.random() < 0.1 else before,
                weights=weights,
                enough=float(rng.choice([1, 3])),
                own=np.empty(LABELS, dtype=np.float32),
                sums=np.zeros((len(urls), LABELS), dtype=np.float32),
                known=np.zeros(len(urls), dtype=np.int64),
            )
        except ValueError:
            refused += 1
    return f"went through {0 < refused < TURNS}"
