"""The cached tables of a model: the same arrays or none, with any files in the folder."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from graphlang import modelcache
from graphlang.content import registry
from graphlang.content.nfc.model_parts import PACKED, list_large_arrays, list_makers
from graphlang.modelfile import Model, ModelError, read

ARRAYS = {"table": np.arange(5000, dtype=np.uint16), "rest": np.int32([-1, 7]), "none": np.zeros((0, 3), np.uint8)}
DIGEST = "d" * 64
TEXTS = ["Guten Tag, wie geht es Ihnen heute?", "Η θάλασσα είναι ήρεμη", "ja", "", "12 34", "mahayag ang adlaw " * 40]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(modelcache.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def identity() -> str:
    """Identity of the shipped model's file."""
    return read(registry.path("nfc"), lambda _: None)[0].identity


@pytest.fixture
def maker(tmp_path: Path) -> Path:
    path = tmp_path / "maker.py"
    path.write_text("", encoding="utf-8")
    return path


def test_what_is_kept_is_found_as_it_was(folder: Path, maker: Path) -> None:
    assert modelcache.find_tables("a" * 64, [maker]) is None
    assert modelcache.store_tables("a" * 64, [maker], ARRAYS, ["packed"], digest=DIGEST)
    found = modelcache.find_tables("a" * 64, [maker])
    assert found is not None
    assert found.instead_of == {"packed"}
    assert found.digest == DIGEST
    assert list(found.arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found.arrays[name].dtype == array.dtype
        assert found.arrays[name].shape == array.shape
        assert found.arrays[name].tolist() == array.tolist()
        assert not found.arrays[name].flags.writeable
        assert found.arrays[name].ctypes.data % 64 == 0
    assert [path.suffix for path in folder.iterdir()] == [".arrays"]


@pytest.mark.usefixtures("folder")
def test_another_model_or_another_maker_finds_none(maker: Path, tmp_path: Path) -> None:
    modelcache.store_tables("a" * 64, [maker], ARRAYS, [], digest=DIGEST)
    assert modelcache.find_tables("b" * 64, [maker]) is None
    os.utime(maker, ns=(1, 1))
    assert modelcache.find_tables("a" * 64, [maker]) is None
    assert modelcache.find_tables("a" * 64, [tmp_path / "gone.py"]) is None
    assert not modelcache.store_tables("a" * 64, [tmp_path / "gone.py"], ARRAYS, [], digest=DIGEST)


@pytest.mark.parametrize("named", ["x" * 300, "/dev/null", "/proc/none"])
def test_a_folder_that_cannot_be_is_no_error(maker: Path, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv(modelcache.VARIABLE, named)
    assert modelcache.find_tables("a" * 64, [maker]) is None
    assert not modelcache.store_tables("a" * 64, [maker], ARRAYS, [], digest=DIGEST)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_folder_of_another_user_is_no_error(folder: Path) -> None:
    assert modelcache.store_tables("a" * 64, [], ARRAYS, [], digest=DIGEST)
    folder.chmod(0o700)
    os.seteuid(65534)
    try:
        assert modelcache.find_tables("a" * 64, []) is None
        assert not modelcache.store_tables("a" * 64, [], ARRAYS, [], digest=DIGEST)
    finally:
        os.seteuid(0)


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="the variable is that of other systems")
def test_a_folder_of_caches_that_is_no_absolute_path_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(modelcache.VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "caches")
    assert modelcache.find_folder() == tmp_path / ".cache" / "graphlang"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert modelcache.find_folder() == tmp_path / "caches" / "graphlang"


def test_a_file_that_others_may_write_to_is_not_read(folder: Path, maker: Path) -> None:
    modelcache.store_tables("a" * 64, [maker], ARRAYS, [], digest=DIGEST)
    (file,) = folder.iterdir()
    file.chmod(0o666)
    assert modelcache.find_tables("a" * 64, [maker]) is None


@given(data=st.data())
def test_a_file_that_is_not_whole_is_none_and_never_an_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(modelcache.VARIABLE, str(folder))
        modelcache.store_tables("a" * 64, [], ARRAYS, ["packed"], digest=DIGEST)
        (file,) = folder.iterdir()
        whole = file.read_bytes()
        header = len(whole) - 4 * 4096 if len(whole) > 4 * 4096 else len(whole)
        how = data.draw(st.sampled_from(["cut", "longer", "changed", "other"]))
        if how == "cut":
            file.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
        elif how == "longer":
            file.write_bytes(whole + b"\0")
        elif how == "other":
            file.write_bytes(data.draw(st.binary(max_size=200)))
        else:
            at = data.draw(st.integers(0, min(header, 200)))
            file.write_bytes(whole[:at] + data.draw(st.binary(min_size=1, max_size=3)) + whole[at + 1 :])
        found = modelcache.find_tables("a" * 64, [])
        if how in {"cut", "longer", "other"}:
            assert found is None
        elif found is not None:  # a name or a number of the header is another one now
            assert all(isinstance(array, np.ndarray) for array in found.arrays.values())


def test_an_array_with_one_other_bit_is_not_read(folder: Path, maker: Path) -> None:
    modelcache.store_tables("a" * 64, [maker], ARRAYS, [], digest=DIGEST)
    (file,) = folder.iterdir()
    whole = bytearray(file.read_bytes())
    whole[4096 + 100] ^= 1
    file.write_bytes(whole)
    assert modelcache.find_tables("a" * 64, [maker]) is None
    assert modelcache.store_tables("a" * 64, [maker], ARRAYS, [], digest=DIGEST)  # in its place
    assert modelcache.find_tables("a" * 64, [maker]) is not None


def test_a_pipe_in_its_place_is_not_waited_for(folder: Path, maker: Path) -> None:
    modelcache.store_tables("a" * 64, [maker], ARRAYS, [], digest=DIGEST)
    (file,) = folder.iterdir()
    file.unlink()
    os.mkfifo(file)
    assert modelcache.find_tables("a" * 64, [maker]) is None


def test_nothing_is_kept_where_nothing_is_to_be_or_can_be(
    tmp_path: Path, maker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(modelcache.VARIABLE, "no")
    assert modelcache.find_folder() is None
    assert not modelcache.store_tables("a" * 64, [maker], ARRAYS, [], digest=DIGEST)
    monkeypatch.setenv(modelcache.VARIABLE, str(maker))  # a file stands there
    assert not modelcache.store_tables("a" * 64, [maker], ARRAYS, [], digest=DIGEST)
    assert modelcache.find_tables("a" * 64, [maker]) is None
    monkeypatch.delenv(modelcache.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert modelcache.find_folder() == tmp_path / "graphlang"


def test_the_four_files_that_were_used_last_are_kept(folder: Path, maker: Path) -> None:
    for number in range(6):
        assert number < 1 or modelcache.find_tables("0" * 64, [maker])
        assert modelcache.store_tables(str(number) * 64, [maker], ARRAYS, [], digest=DIGEST)
        for path in folder.iterdir():  # older by a second
            os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns - 10**9))
    found = [number for number in range(6) if modelcache.find_tables(str(number) * 64, [maker])]
    assert found == [0, 3, 4, 5]


def test_what_a_killed_process_left_goes_with_the_next_file_and_what_is_being_written_stays(
    folder: Path, maker: Path
) -> None:
    folder.mkdir(parents=True)
    left, being_written, foreign = (folder / name for name in (".1.arrays.ab.part", ".2.arrays.cd.part", ".3.part"))
    for path in (left, being_written, foreign):
        path.write_bytes(b"half")
    for path in (left, foreign):
        os.utime(path, (1, 1))
    assert modelcache.store_tables("a" * 64, [maker], ARRAYS, [], digest=DIGEST)
    assert sorted(path.name for path in folder.glob(".*")) == [being_written.name, foreign.name]


def test_answers_are_the_same_to_the_bit_from_what_was_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = registry.load("nfc"), registry.load("nfc")  # the first one keeps, the second one finds
    assert len(list(folder.iterdir())) == 1
    monkeypatch.setenv(modelcache.VARIABLE, "no")
    unpacked = registry.load("nfc")
    wanted = unpacked.probabilities(TEXTS)
    for made in (first, second):
        assert made.hash == unpacked.hash  # type: ignore[attr-defined]
        assert np.array_equal(made.probabilities(TEXTS), wanted)
    assert second.vocabulary.ngrams == unpacked.vocabulary.ngrams  # type: ignore[attr-defined]


def test_a_model_file_in_the_place_of_another_one_is_read(tmp_path: Path) -> None:
    first, second = (Model("nfc", (label,), {}, {}) for label in ("deu", "fra"))
    path, identities = tmp_path / "a.npz", []
    for model in (first, second):
        digest = model.save(path)
        read_back, found = read(path, lambda one: identities.append(one))  # noqa: PLW0108 - it finds nothing
        assert (read_back.labels, found) == (model.labels, digest)
    assert len(set(identities)) == 2


def test_a_model_file_that_is_written_over_is_another_one_even_with_its_size_and_time(tmp_path: Path) -> None:
    path, identities = tmp_path / "a.npz", []
    Model("nfc", ("deu",), {}, {}).save(path)
    for _ in range(2):
        read(path, lambda one: identities.append(one))  # noqa: PLW0108 - it finds nothing
        status = path.stat()
        path.write_bytes(path.read_bytes())
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert len(set(identities)) == 2


def test_what_does_not_fit_the_model_is_refused_and_the_way_out_named(folder: Path) -> None:
    modelcache.store_tables(
        identity(), list_makers(), {"marks": np.zeros(1 << 14, np.uint64)}, ["ngrams"], digest=DIGEST
    )
    with pytest.raises(ModelError, match="GRAPHLANG_CACHE=no computes them again"):
        registry.load("nfc")
    assert folder.exists()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("marks", lambda own: own[1:]),
        ("marks", lambda own: own & ~np.uint64(1)),
        ("entries", lambda own: own[1:]),
        ("spelling_marks", lambda own: np.concatenate([own, own])),
        ("spelling_entries", lambda own: own[1:]),
    ],
)
def test_tables_that_do_not_hold_together_are_refused(
    folder: Path, name: str, change: Callable[[NDArray[Any]], NDArray[Any]]
) -> None:
    kept = list_large_arrays(registry.load("nfc").parts)  # type: ignore[attr-defined]
    for path in folder.iterdir():
        path.unlink()
    modelcache.store_tables(identity(), list_makers(), {**kept, name: change(kept[name])}, PACKED, digest=DIGEST)
    with pytest.raises(ModelError, match="its cached tables are damaged"):
        registry.load("nfc")
