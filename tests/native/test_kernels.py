"""The binding: what it takes, what it refuses and in which words, and that arrays live as long as a call."""

from __future__ import annotations

import gc
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from graphlang.native.kernels import KernelError, copy_bytes, decode_bytes, load

if TYPE_CHECKING:
    from collections.abc import Callable

WEIGHTS = np.float32([[1, 2, 3], [10, 20, 30]])
FACTORS = np.array([1.0, 0.5, 2.0])
READ_ONLY = np.zeros((2, 3), np.int32)
READ_ONLY.flags.writeable = False


def test_sizes_are_taken_from_the_arrays(probe: Any) -> None:
    assert probe.probe_sum(WEIGHTS, FACTORS, None) == 1 + 1 + 6 + 10 + 10 + 60
    assert probe.probe_sum(factors=FACTORS, weights=WEIGHTS, chosen=np.array([False, True])) == 80
    assert probe.probe_sum(WEIGHTS[:0], FACTORS, b"") == 0


@pytest.mark.parametrize("rows", [np.zeros((2, 3), np.int32), np.zeros(6, np.int32), array("i", [0] * 6)])
def test_a_product_is_an_array_of_two_dimensions_or_a_flat_one(probe: Any, rows: Any) -> None:
    assert probe.probe_fill(array("i", [7, 8]), rows) == 1
    assert np.asarray(rows).ravel().tolist() == [7, 7, 7, 8, 8, 8]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"factors": FACTORS[:2]}, "weights has shape (2, 3), expected (rows, columns) = (2, 2)"),
        ({"factors": FACTORS[None]}, "factors has shape (1, 3), expected (columns,) = (1,)"),
        ({"weights": WEIGHTS[0]}, "weights has shape (3,), expected (rows, columns)"),
        ({"weights": WEIGHTS[None]}, "weights has shape (1, 2, 3), expected (rows, columns)"),
        ({"chosen": b"\1"}, "chosen has shape (1,), expected (rows,) = (2,)"),
        ({"weights": WEIGHTS.astype(float)}, "weights is float64, expected float32"),
        ({"weights": WEIGHTS.astype(">f4")}, "weights is >f, expected float32"),
        ({"weights": WEIGHTS.astype("f2")}, "weights is float16, expected float32"),
        ({"weights": np.asfortranarray(WEIGHTS)}, "weights is not contiguous"),
        ({"factors": np.arange(6.0)[::2]}, "factors is not contiguous"),
        ({"factors": np.float64(1)}, "factors is a single number, expected an array"),
        ({"factors": [1.0, 0.5, 2.0]}, "factors is list, expected an array of float64"),
        ({"factors": FACTORS.ctypes.data}, "factors is int, expected an array of float64"),
        ({"chosen": 0}, "chosen is int, expected an array of uint8"),
        ({"factors": None}, "factors is NoneType, expected an array of float64"),
        ({"factors": "abc"}, "factors is str, expected an array of float64"),
    ],
)
def test_an_array_that_does_not_fit_is_refused_by_its_name(probe: Any, change: dict[str, Any], words: str) -> None:
    with pytest.raises(KernelError) as refused:
        probe.probe_sum(**{"weights": WEIGHTS, "factors": FACTORS, "chosen": None, **change})
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (READ_ONLY, "rows is read-only, and the kernel writes to it"),
        (bytes(24), "rows is uint8, expected int32"),
        (np.zeros((3, 2), np.int32), "rows has shape (3, 2), expected (count, GRAPHLANG_PROBE_WIDTH) = (2, 3)"),
        (np.zeros(5, np.int32), "rows has shape (5,), expected (count, GRAPHLANG_PROBE_WIDTH) = (2, 3)"),
        (np.zeros((2, 6), np.int32)[:, ::2], "rows is not contiguous"),
    ],
)
def test_what_a_kernel_writes_to_must_be_writable_and_of_the_right_shape(probe: Any, rows: Any, words: str) -> None:
    with pytest.raises(KernelError) as refused:
        probe.probe_fill(np.int32([7, 8]), rows)
    assert str(refused.value) == words
    assert not np.asarray(memoryview(rows)).any()


@pytest.mark.parametrize(
    ("scores", "target", "words"),
    [
        ([1, 2, 3], [0, 3], "target[1] = 3 is outside 0..2"),
        ([1, 2, 3], [0, 1, -1], "target[2] = -1 is outside 0..2"),
        ([1, 2, 3], [1 << 40], "target[0] = 1099511627776 is outside 0..2"),
        ([], [0], "target[0] = 0 is outside 0..-1"),
        ([1, np.nan], [0], "scores[1] is not a finite number"),
        ([np.inf], [0], "scores[0] is not a finite number"),
    ],
)
def test_the_number_that_a_kernel_refuses_is_named(
    probe: Any, scores: list[float], target: list[int], words: str
) -> None:
    with pytest.raises(KernelError) as refused:
        probe.probe_gather(np.array(scores, float), np.array(target, np.int64), np.zeros(len(target)))
    assert str(refused.value) == words


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), st.data())
def test_it_hands_over_what_numpy_has(probe: Any, scores: list[float], data: st.DataObject) -> None:
    target = data.draw(arrays(np.int64, st.integers(0, 9), elements=st.integers(0, len(scores) - 1)))
    found = np.zeros(len(target))
    assert probe.probe_gather(np.array(scores), target, found) == 1
    assert found.tolist() == [scores[page] for page in target]


def test_a_size_that_only_optional_arrays_have(probe: Any) -> None:
    two = np.zeros(2, np.int16)
    assert probe.probe_code(code=9, one=None, other=None) == 9
    assert probe.probe_code(9, two, None) == probe.probe_code(9, None, two) == probe.probe_code(9, two, two) == 2
    with pytest.raises(KernelError, match=r"other has shape \(1,\), expected \(size,\) = \(2,\)"):
        probe.probe_code(9, two, two[:1])


@pytest.mark.parametrize(
    ("code", "error", "words"),
    [
        (-1, MemoryError, ""),
        (-2, KernelError, "probe_code failed with -2"),
        (-4, KernelError, "probe_code: sizes of arrays do not fit their content"),
        (-7, KernelError, "probe_code failed with -7"),
    ],
)
def test_what_a_kernel_returns_when_it_fails(probe: Any, code: int, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as failed:
        probe.probe_code(code, None, None)
    assert str(failed.value) == words


def test_numbers_are_checked_too(probe: Any) -> None:
    for wrong in ("1", 1.5, None):
        with pytest.raises(TypeError):
            probe.probe_code(wrong, None, None)
    for wide in (1 << 63, -(1 << 63) - 1):
        with pytest.raises(OverflowError):
            probe.probe_code(wide, None, None)


def test_a_handle_is_freed_when_nothing_refers_to_it(probe: Any) -> None:
    before = probe.probe_alive()
    kept = [probe.probe_new(b"word") for _ in range(3)]
    assert probe.probe_alive() == before + 3
    del kept
    gc.collect()
    assert probe.probe_alive() == before
    assert not hasattr(probe, "probe_free")
    with pytest.raises(MemoryError):
        probe.probe_new(b"")


@pytest.mark.parametrize("wrong", [1, None, b"word", 0x7F0000000000])
def test_a_handle_is_nothing_but_a_handle(probe: Any, wrong: object) -> None:
    with pytest.raises(TypeError):
        probe.probe_say(wrong, probe.new_probe_said())
    with pytest.raises(TypeError):
        probe.probe_say(probe.new_probe_said(), probe.new_probe_said())


def test_a_struct_is_read_by_its_names(probe: Any) -> None:
    handle, said = probe.probe_new(b"a\0b"), probe.new_probe_said()
    probe.probe_say(handle, said)
    assert copy_bytes(said.word, said.size) == b"a\0b"
    assert decode_bytes(said.word, said.size) == "a\0b"
    assert list(said.thirds) == [0, 1 / 3, 2 / 3]
    assert len(said.thirds) == probe.PROBE_WIDTH == 3


def test_nothing_is_copied_from_nowhere(probe: Any) -> None:
    said = probe.new_probe_said()
    assert copy_bytes(said.word, 0) == b""
    assert not decode_bytes(said.word, 0)
    with pytest.raises(KernelError, match="4 bytes of nothing"):
        copy_bytes(said.word, 4)
    with pytest.raises(KernelError, match="4 bytes of nothing"):
        decode_bytes(said.word, 4)


def test_a_kernel_says_what_it_is_in_c(probe: Any) -> None:
    assert probe.probe_fill.__name__ == "probe_fill"
    assert "const int32_t numbers[count]" in str(probe.probe_fill.__doc__)


def test_temporary_arrays_live_as_long_as_the_call(probe: Any) -> None:
    """With an address instead of the array, others would have its memory while the kernel reads it."""

    def work(seed: int) -> None:
        for n in range(200):
            value = seed * 1000 + n
            sum_ = probe.probe_sum(np.full((400, 25), value, np.float32), np.ones(25), np.ones(400, np.uint8) == 1)
            assert sum_ == 10_000 * value
            if n % 50 == 0:
                gc.collect()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))


@pytest.mark.parametrize(("defect", "complaint"), [("beyond", "AddressSanitizer"), ("race", "data race")])
def test_a_sanitiser_complains_of_a_defect(
    sanitiser: Callable[..., Callable[..., str]], defect: str, complaint: str
) -> None:
    kind = "thread" if defect == "race" else "address,undefined"
    run = sanitiser(kind, kernels="tests/native/probe.c")
    workout = Path(__file__).with_name("workout_defects.py")
    with pytest.raises(AssertionError, match=complaint):
        run(workout, defect)
    assert run(workout, "defect") == "no defect\n"


def test_a_module_that_was_not_built_is_named() -> None:
    with pytest.raises(ImportError, match=r"graphlang.db.native._nothing is missing: graphlang compiles"):
        load("graphlang.db.native._nothing")
