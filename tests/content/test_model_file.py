"""Model files: a round trip, and every way in which a file can be bad."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.content import registry
from graphlang.content.nfc.model import Discriminative
from graphlang.modelfile import Model, ModelError
from graphlang.training.model_columns import OCCURRENCES, read_occurrences

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL = Model("nfc", ("deu", "eng"), {"limit": 9, "closed": True}, {"a": np.arange(6, dtype=np.int8).reshape(2, 3)})


def parse_model(data: bytes, name: str = "model") -> Model:
    return modelfile.parse_model(io.BytesIO(data), name)


def test_round_trip(tmp_path: Path) -> None:
    digest = SMALL.save(tmp_path / "m.npz")
    back, same = modelfile.read(tmp_path / "m.npz")
    assert (back.method, back.labels, back.parameters) == (SMALL.method, SMALL.labels, SMALL.parameters)
    assert back.arrays["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert back.arrays["a"].dtype == np.int8
    assert digest == same == hashlib.sha256((tmp_path / "m.npz").read_bytes()).hexdigest()
    assert back.to_bytes() == SMALL.to_bytes()


def test_it_is_read_without_the_faster_library_too(tiny_model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tiny_model.to_bytes()
    fast = parse_model(data)
    monkeypatch.setattr(modelfile, "load_zlib", lambda: zlib)
    slow = parse_model(data)
    assert slow.labels == fast.labels == tiny_model.labels
    for name, array in tiny_model.arrays.items():
        assert slow.arrays[name].tobytes() == fast.arrays[name].tobytes() == array.tobytes()
    with pytest.raises(ModelError, match="damaged"):
        parse_model(data[:2000] + bytes([data[2000] ^ 1]) + data[2001:])


@pytest.mark.parametrize("name", ["nfc", "nfc-2004", "nfc-2004-11", "byte-trigrams"])
def test_labels_of_shipped_models_are_labels(name: str) -> None:
    """Which loading them relies upon."""
    labels = modelfile.read(registry.path(name))[0].labels
    assert [languages.label(label) for label in labels] == list(labels)


def test_a_file_that_is_there_is_replaced_whole_or_not_at_all(
    tiny_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, link = tmp_path / "m.npz", tmp_path / "link.npz"
    path.write_bytes(b"the old one")
    link.symlink_to(path)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", _disk_full)
        with pytest.raises(OSError, match="no space") as told:
            tiny_model.save(link)
    assert told.value.filename == str(link)
    assert path.read_bytes() == b"the old one"
    assert tiny_model.save(link) == modelfile.read(path)[1]
    assert link.is_symlink()
    path.chmod(0o640)
    tiny_model.save(path)
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [link, path]


def _disk_full(*_: object) -> None:
    raise OSError("no space")


def test_numpy_reads_it_too(tmp_path: Path) -> None:
    SMALL.save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz", allow_pickle=False) as loaded:
        assert loaded["a"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_every_truncation_is_told_in_one_line(tiny_model: Model) -> None:
    data = tiny_model.to_bytes()
    for size in [0, 1, 10, *range(100, len(data), len(data) // 20), len(data) - 1]:
        with pytest.raises(ModelError, match=r"^here: [^\n]*$"):
            parse_model(data[:size], "here")


def test_flipped_bytes_never_pass_unnoticed(tiny_model: Model, tmp_path: Path) -> None:
    data = tiny_model.to_bytes()
    sound = parse_model(data)
    for place in range(50, len(data) - 50, len(data) // 40):
        broken = bytearray(data)
        broken[place] ^= 0x55
        try:
            back = parse_model(bytes(broken))
        except ModelError:
            continue
        # A zip has bytes that say nothing (dates); everything that was read must be what was written. Where a name was
        # hit, the array is not there: its method raises, or training, which alone needs the occurrences.
        if sound.arrays.keys() - back.arrays.keys() == {OCCURRENCES}:
            with pytest.raises(ModelError):
                read_occurrences(back, tmp_path / "model.npz")
        elif back.arrays.keys() != sound.arrays.keys():
            with pytest.raises(ModelError):
                Discriminative(back, "", "here")
        assert all(np.array_equal(v, sound.arrays[k]) for k, v in back.arrays.items() if k in sound.arrays)
    assert not list(tmp_path.iterdir())


def archive(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in members.items():
            zipped.writestr(name.replace("_", "."), content)
    return file.getvalue()


def claim_size(data: bytes, size: int) -> bytes:
    """Write into an archive that its last member unpacks to this number of bytes."""
    entry = data.rfind(b"PK\x01\x02") + 24
    return data[:entry] + size.to_bytes(4, "little") + data[entry + 4 :]


def header(**changes: Any) -> bytes:
    return json.dumps({"format": 1, "method": "nfc", "labels": ["a"], "parameters": {}} | changes).encode()


def npy(array: np.ndarray, *, version: tuple[int, int] = (1, 0)) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version)
    return file.getvalue()


LYING = npy(np.zeros(8, np.int8)).replace(b"(8,)", b"(9,)")
HUGE = npy(np.zeros(8, np.int8)).replace(b"(8,), }       ", b"(9999999999,)}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"not a zip", "not a model"),
        (archive(a_npy=npy(np.zeros(2))), "no model.json"),
        (archive(model_json=b"{"), "damaged"),
        (archive(model_json=b"[]"), "header"),
        (archive(model_json=b"\xff\xfe"), "damaged"),
        (archive(model_json=b"[" * 100_000), "nested too deep|damaged"),
        (archive(model_json=header(format=2)), "newer version"),
        (archive(model_json=header(format="1")), "header"),
        (archive(model_json=header(labels=["a", "a"])), "lacks"),
        (archive(model_json=header(labels=[str(i) for i in range(1 << 15)])), "more labels"),
        (archive(model_json=header(labels=[1])), "lacks"),
        (archive(model_json=header(parameters=None)), "lacks"),
        (archive(model_json=header(), a_npy=b"no array"), "damaged"),
        (archive(model_json=header(), a_npy=npy(np.zeros(2), version=(2, 0))), "unknown format"),
        (archive(model_json=header(), a_npy=LYING), "disagree"),
        (archive(model_json=header(), a_npy=HUGE), "disagree"),
        (archive(model_json=header(), a_npy=npy(np.array(["text"]))), "kind"),
        (archive(model_json=header(), a_npy=npy(np.zeros(2, np.longdouble))), "kind"),
        (archive(model_json=header(), **{f"x{i}_npy": b"" for i in range(100)}), "unpacks to more"),
        (claim_size(archive(model_json=header(), a_npy=b"0"), 600 << 20), "unpacks to more"),
    ],
)
def test_hostile_files(data: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        parse_model(data)


@pytest.mark.parametrize("way", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_unpacks_to_more_than_it_says_takes_no_memory(way: int) -> None:
    """40 kB of zeros that call themselves 100 bytes: 60 MB, had they been unpacked at once."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", way) as made:
        made.writestr("model.json", header())
        made.writestr("a.npy", bytes(60 << 20))
    data = claim_size(file.getvalue(), 100)
    tracemalloc.start()
    try:
        with pytest.raises(ModelError):
            parse_model(data)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_header_longer_than_any_is_not_read() -> None:
    """58 kB that JSON would make 1.5 GB of lists of."""
    with pytest.raises(ModelError, match="its header is longer"):
        parse_model(archive(model_json=b"[" + b"[]," * (2 << 20) + b"[]]"))


@pytest.mark.parametrize("words", [b"{'descr': '<f4', 'shape': (1,", b"'''abc", b"(" * 100, b"(" * 4000 + b")" * 4000])
def test_an_array_whose_header_is_no_python_is_told(words: bytes) -> None:
    array = b"\x93NUMPY\x01\x00" + (len(words) + 1).to_bytes(2, "little") + words + b"\n"
    with pytest.raises(ModelError, match="damaged"):
        parse_model(archive(model_json=header(), a_npy=array))


def test_an_array_whose_shape_is_no_number_is_told() -> None:
    array = npy(np.zeros(1, np.int8)).replace(b"(1,), }   ", b"(True,), }")
    with pytest.raises(ModelError, match="damaged"):
        parse_model(archive(model_json=header(), a_npy=array))


@pytest.mark.parametrize("outliers", range(1, 8))
def test_arrays_behind_headers_of_any_length_stand_where_numbers_may(outliers: int) -> None:
    array = npy(np.array([1.5, -2], np.float32))
    size = int.from_bytes(array[8:10], "little")
    moved = (
        array[:8] + (size + outliers).to_bytes(2, "little") + array[10 : 9 + size] + b" " * outliers + array[9 + size :]
    )
    back = parse_model(archive(model_json=header(), a_npy=moved)).arrays["a"]
    assert back.flags.aligned
    assert back.tolist() == [1.5, -2]


def test_a_model_that_could_not_be_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for most, size in (("MAX_FILE", 100), ("MAX_ARRAYS", modelfile.MAX_HEADER + 5)):
        with monkeypatch.context() as smaller:
            smaller.setattr(modelfile, most, size)
            with pytest.raises(ModelError, match="too large to read"):
                SMALL.save(tmp_path / "m.npz")
            assert not list(tmp_path.iterdir())
            smaller.setattr(modelfile, most, modelfile.MAX_HEADER + 6)
            SMALL.save(tmp_path / "m.npz")
            (tmp_path / "m.npz").unlink()


def test_pickles_are_never_opened() -> None:
    class Trap:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
            return (pytest.fail, ("a pickle was opened",))

    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([Trap()], dtype=object), allow_pickle=True)
    for data in (pickle.dumps(Trap()), archive(model_json=header(), a_npy=file.getvalue())):
        with pytest.raises(ModelError):
            parse_model(data)


def test_missing_folder_and_oversized_files(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No such file"):
        modelfile.read(tmp_path / "absent.npz")
    with pytest.raises(ModelError, match="directory"):
        registry.load(tmp_path)
    big = tmp_path / "big.npz"
    with big.open("wb") as file:
        file.truncate(modelfile.MAX_FILE + 1)
    with pytest.raises(ModelError, match="larger than"):
        modelfile.read(big)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": None}, "'values' is missing"),
        ({"values": np.zeros((1, 1), np.int8)}, "type and shape"),
        ({"gaps": np.full(9, 255, np.uint8), "values": np.zeros(9, np.int8)}, "do not fit"),
        ({"gaps": np.zeros(1, np.uint8), "values": np.zeros(1, np.int8)}, "do not fit"),
        ({"gaps": np.ones(1, np.uint8), "values": np.zeros(2, np.int8)}, "do not fit"),
        ({"bias": np.array([np.nan] * 3, np.float32)}, "NaN or infinity"),
        ({"ngrams": np.frombuffer(b"\xff\xff", np.uint8)}, "n-grams are damaged"),
        ({"ngrams": np.frombuffer(b"toolong", np.uint8)}, "n-grams are damaged"),
        ({"ngrams": np.frombuffer("aé".encode()[:-1], np.uint8)}, "n-grams are damaged"),
        ({"ngrams": np.frombuffer(b"a\n", np.uint8)}, "n-grams are damaged"),
        ({"ngrams": np.frombuffer(b"\xc1\x81", np.uint8)}, "n-grams are damaged"),
        ({"lean": None}, "'lean' is missing"),
        ({"script": np.array([1, 0, 1], np.uint8)}, "order of their scripts"),
        ({"script": np.array([0, 1, 2], np.uint8)}, "do not fit its labels"),
        ({"features": np.array([[0, 0], [9, 1]], np.int32)}, "do not fit its labels"),
        ({"features": np.array([[0, 0], [0, 1]], np.int32)}, "do not fit its n-grams"),
        ({"sharpness": np.zeros((1, 7), np.float32)}, "calibration does not fit"),
    ],
)
def test_models_with_arrays_of_another_method(
    tiny_model: Model, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    arrays = {k: v for k, v in {**tiny_model.arrays, **change}.items() if v is not None}
    Model("nfc", tiny_model.labels, tiny_model.parameters, arrays).save(tmp_path / "m.npz")
    with pytest.raises(ModelError, match=message):
        registry.load(tmp_path / "m.npz")


def test_parameters_out_of_range_and_unknown_methods(tiny_model: Model, tmp_path: Path) -> None:
    for limit in (0, -1, 10**9, "400", None):
        parameters = {**tiny_model.parameters, "limit": limit}
        Model("nfc", tiny_model.labels, parameters, tiny_model.arrays).save(tmp_path / "m.npz")
        with pytest.raises(ModelError, match="limit"):
            registry.load(tmp_path / "m.npz")
    for name, wrong in (
        ("scripts", "GREEK"),
        ("scripts", ["LATIN", "LATIN"]),
        ("bits", 0),
        ("bits", 60),
        ("limit", 999),
    ):
        Model("nfc", tiny_model.labels, {**tiny_model.parameters, name: wrong}, tiny_model.arrays).save(
            tmp_path / "m.npz"
        )
        with pytest.raises(ModelError, match=name[:-1]):
            registry.load(tmp_path / "m.npz")
    Model("other", tiny_model.labels, {}, {}).save(tmp_path / "m.npz")
    with pytest.raises(ModelError, match="'other'"):
        registry.load(tmp_path / "m.npz")
