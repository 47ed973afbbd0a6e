"""What may never end, or never begin, is refused before anything is read of it."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from graphlang.db import create
from graphlang.files import open_regular, open_text, read_regular
from graphlang.modelfile import ModelError, read
from graphlang.urls import url_methods

Call = Callable[..., Result]


@pytest.fixture(params=["fifo", "link", "device", "socket", "folder"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    if request.param == "fifo":
        os.mkfifo(path)
    elif request.param == "link":
        os.mkfifo(tmp_path / "f")
        path.symlink_to(tmp_path / "f")
    elif request.param == "device":
        return Path("/dev/zero")
    elif request.param == "socket":
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path))
    else:
        path.mkdir()
    return path


def test_none_of_them_is_opened(endless: Path) -> None:
    for opened in (open_regular, open_text, read_regular):
        with pytest.raises(OSError, match=r"regular file|directory|No such device"):
            opened(endless)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # without taking a block of the disk
    with pytest.raises(OSError, match=r"larger than 1,000 bytes"):
        read_regular(path, max_bytes=1000)
    with pytest.raises(OSError, match="larger than"):
        open_text(path)
    path.write_bytes(b"small")
    assert read_regular(path, max_bytes=5) == b"small"


def test_every_option_that_takes_a_file(graphlang: Call, endless: Path, tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    create(db).close()
    calls = (
        ("classify", db, "--method", endless),
        ("ingest", db, endless, "--workers", 1),
        ("ingest", db, "--from", endless, "--workers", 1),
        ("remove", db, "--from", endless),
        ("evaluate", db, "--gold", endless),
        ("propagate", db, "--weights", endless),
        ("identify", endless),
        ("identify", "--method", endless, __file__),
        ("train", tmp_path / "m.npz", endless, "--method", "url"),
        ("convert", endless, tmp_path / "out.warc"),
        ("score", endless, "--method", "url-cctld"),
        ("tune", db, "--gold", endless, "-o", tmp_path / "w.json"),
        ("tree", "deu", "--method", endless),
        ("profiles", endless),
        ("correct", db, "--from", endless, "--language", "deu", "--by", "me"),
        ("review", db, "--from", endless, "--by", "me"),
        ("check", endless),
        ("info", endless),
        ("pages", endless),
        ("vote", endless),
    )
    for call in calls:
        result = graphlang(*call)
        assert result.exit_code in {1, 2, 3}, call
        assert "Traceback" not in result.stderr
        assert result.stderr.strip()


@pytest.mark.parametrize("value", [1e3, -1e3, 1e30, float("nan"), float("inf")])
def test_a_url_model_whose_answers_would_be_no_numbers_is_refused(tmp_path: Path, value: float) -> None:
    content, _ = read(Path(url_methods.__file__).parents[1] / "data" / "url.npz")
    for name in ("sharpness", "prior"):
        altered = dict(content.arrays)
        altered[name] = np.full_like(altered[name], value)
        if name == "prior" and value > 0:
            altered[name][0] = 1e-30
        path = tmp_path / f"{name}.npz"
        type(content)(content.method, content.labels, content.parameters, altered).save(path)
        try:
            said = url_methods.load(str(path)).probabilities(["http://a.example/" + "wort/" * 5000, ""])
        except ModelError:
            assert name == "sharpness" or not 0 < value < 1e6
        else:
            assert np.isfinite(said).all()
