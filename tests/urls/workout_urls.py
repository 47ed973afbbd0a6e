"""The kernel of the URL model on sound and on damaged arrays, for the sanitisers."""

from __future__ import annotations

import numpy as np

from graphlang.native.kernels import Kernels

TURNS = 400
BUCKETS, ROWS, LABELS = 50, 7, 5


def workout(seed: int) -> str:
    kernels = Kernels("graphlang.urls.native._url_sums")
    rng = np.random.default_rng(seed)
    refused = 0
    for _ in range(TURNS):
        urls = int(rng.integers(0, 6))
        sizes = rng.integers(0, 9, urls)
        first = np.concatenate(([0], np.cumsum(sizes)))
        bucket = rng.integers(0, BUCKETS, int(sizes.sum()))
        row = rng.integers(0, ROWS + 1, BUCKETS).astype(np.int32)
        for array, wild in ((first, 2**62), (bucket, BUCKETS), (row, ROWS + 1)):
            if len(array) and rng.random() < 0.1:
                array[rng.integers(0, len(array))] = rng.choice([wild, -1])
        try:
            kernels.url_sums_add(
                bucket=bucket,
                first=first,
                row=row,
                weights=rng.integers(-128, 128, (ROWS, LABELS)).astype(np.int8),
                enough=float(rng.choice([1, 3, np.inf])),
                own=np.empty(LABELS, dtype=np.float32),
                sums=np.zeros((urls, LABELS), dtype=np.float32),
                known=np.zeros(urls, dtype=np.int64),
            )
        except ValueError:
            refused += 1
    return f"went through {0 < refused < TURNS}"
