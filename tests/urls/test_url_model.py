"""The model ``url`` and its siblings, learnt on a handful of made-up URLs; and what the shipped ones promise."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang import modelfile
from graphlang.modelfile import Model, ModelError
from graphlang.papers import baykan2008_training
from graphlang.training.romanize import romanize
from graphlang.training.train_url import UrlOptions, fit_softmax, train_url
from graphlang.training.url_examples import CODE_POSITIONS, draw_slugs, list_signs, read_text
from graphlang.urls import url_methods
from graphlang.urls.labelled_urls import LabelledUrl, find_registered_domains, read_urls
from graphlang.urls.url_features import damp_ngrams, extract_features
from graphlang.urls.url_methods import PAPER_METHODS
from graphlang.urls.url_model import fit_temperature

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphlang.urls import url_model
    from graphlang.urls.url_methods import UrlIdentifier

URLS = {
    "deu": [f"http://www.{word}{n}.de/{word}/nachrichten" for n in range(3) for word in ("stadt", "haus", "wetter")],
    "fra": [f"http://www.{word}{n}.fr/{word}/actualites" for n in range(3) for word in ("mairie", "maison", "ecole")],
    "kat": ["http://www.sakartvelo.ge/axali-ambebi"],
}
TEXT = {
    "deu": ["Die Bürger der Stadt sprechen über das Wetter", "Das Haus der Geschichte öffnet wieder"],
    "fra": ["Les habitants de la ville parlent de la météo", "La maison de l'histoire rouvre ses portes"],
    "kat": ["ქართული ენა და საქართველოს ისტორია"],
}
SMALL = UrlOptions(slugs=60, slugs_of_feature=2, domains_of_feature=1, epochs=4)


@pytest.fixture(scope="module")
def small() -> url_model.UrlModel:
    return train_url(URLS, TEXT, SMALL)


@pytest.fixture(scope="module")
def shipped() -> UrlIdentifier:
    return url_methods.load()


def best(method: UrlIdentifier, *urls: str) -> list[str]:
    return [method.labels[n] for n in method.probabilities(urls).argmax(axis=1)]


def test_a_small_model_knows_its_training_urls_and_no_others(small: url_model.UrlModel) -> None:
    assert best(small, "http://x.de/haus", "http://x.fr/maison") == ["deu", "fra"]
    # codes, own names and text: no training URL has any of these
    assert (
        best(small, "http://example.com/ka/", "http://example.com/?lang=ka", "http://example.com/georgian/")
        == ["kat"] * 3
    )
    assert best(small, "http://example.com/geschichte", "http://example.com/histoire") == ["deu", "fra"]


#: Parts of URLs, and of what is none.
PARTS = (
    *(
        "http://",
        "https://",
        "//",
        "/",
        ".",
        "-",
        "_",
        "?",
        "#",
        "&",
        "=",
        "@",
        ":",
        "+",
        " ",
        "\n",
        "%",
        "%C3%A9",
        "7",
    ),
    *(
        "www",
        "stadt",
        "haus",
        "de",
        "fr",
        "pt-br",
        "en_US",
        "a",
        "actualites",
        "nachrichten",
        "Wetter",
        "xn--bcher-kva",
    ),
    *("é", "中", "\U0001f600", "\ud800", "data:"),
)


@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=16).map("".join), max_size=6), st.integers(1, 3))
def test_the_kernel_adds_up_as_its_definition_does(small: url_model.UrlModel, urls: list[str], enough: int) -> None:
    with patch.object(small, "enough", enough):
        found, known = small.sum_evidence(urls)
    expected = np.zeros_like(found)
    counts = np.zeros(len(urls), dtype=np.int64)
    rows_of = {bucket: row for row, bucket in enumerate(small.buckets.tolist())}
    for kind, (buckets, first) in extract_features(urls).items():
        for url, (begin, end) in enumerate(pairwise(first.tolist())):
            rows = [rows_of[bucket] for bucket in buckets[begin:end].tolist() if bucket in rows_of]
            factor = damp_ngrams(np.array(len(rows)), enough) if kind == "ngram" else np.float32(1)
            own = np.zeros(len(small.labels), dtype=np.float32)
            for row in rows:
                own += factor * small.weights[row].astype(np.float32)
            expected[url] += own
            counts[url] += len(rows)
    assert known.tolist() == counts.tolist()
    assert found.tolist() == (expected * np.float32(small.step)).tolist()


def test_a_url_without_features_gets_the_prior(small: url_model.UrlModel) -> None:
    chances = small.probabilities(["", "12345", "data:text/plain,haus", "http://127.0.0.1/"])
    assert chances == pytest.approx(np.tile(small.prior, (4, 1)))


def test_a_model_comes_back_from_its_file(small: url_model.UrlModel, tmp_path: Path) -> None:
    file = tmp_path / "small.npz"
    digest = small.save(file)
    again = url_methods.load(file)
    assert again.hash == digest
    assert again.labels == ("deu", "fra", "kat")
    assert again.describe()["urls"] == 19
    urls = ["http://x.de/haus", "http://example.com/ka/", ""]
    assert again.probabilities(urls) == pytest.approx(small.probabilities(urls), abs=1e-6)
    assert small.save(tmp_path / "again.npz") == digest  # the same bytes at any time


def test_training_again_gives_the_same_model(small: url_model.UrlModel) -> None:
    again = train_url(URLS, TEXT, SMALL)
    assert np.array_equal(again.weights, small.weights)
    assert np.array_equal(again.temperature_coefficients, small.temperature_coefficients)


def test_one_language_is_refused() -> None:
    with pytest.raises(ValueError, match="two languages"):
        train_url({"deu": URLS["deu"]}, {})


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("name", PAPER_METHODS)
def test_published_methods_learn_and_come_back(name: str, tmp_path: Path, *, binary: bool) -> None:
    made = baykan2008_training.train_classifier(name, URLS, least=1, binary=binary)
    urls = ["http://x.de/haus", "http://x.fr/maison"]
    assert best(made, *urls) == ["deu", "fra"]
    decided = made.decisions(urls)
    assert decided[0, 0]
    assert decided[1, 1]
    if not made.binary:
        assert decided.sum() == 2
        assert made.probabilities([""])[0] == pytest.approx(made.prior)
    made.save(tmp_path / "m.npz")
    again = url_methods.load(tmp_path / "m.npz")
    assert again.name == name
    assert again.probabilities(urls) == pytest.approx(made.probabilities(urls), abs=1e-5)
    assert (again.decisions(urls) == decided).all()
    assert (
        baykan2008_training.train_classifier(name, URLS, least=1, binary=binary).save(tmp_path / "n.npz") == again.hash
    )


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ModelError, match="no such URL method"):
        url_methods.load("url-tarot")
    with pytest.raises(ValueError, match="cannot train"):
        baykan2008_training.train_classifier("url-words-tarot", URLS)


@pytest.mark.parametrize("name", sorted(url_methods.list_methods()))
def test_shipped_methods_answer_anything(name: str) -> None:
    method = url_methods.load(name)
    hostile = [
        "",
        "://",
        "http://",
        "a" * 1_000_000,
        "\ud800\x00\n",
        "/%ff%fe%00",
        "xn--\ud800",
        "http://[::1/",
        "é" * 9,
    ]
    chances = method.probabilities(hostile)
    assert chances.shape == (len(hostile), len(method.labels))
    assert chances.dtype == np.float32
    assert chances.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert method.probabilities([]).shape == (0, len(method.labels))
    assert method.describe()["method"] == method.name == name
    assert all(len(label) == 3 for label in method.labels)


def test_shipped_model_reads_codes_names_and_scripts(shipped: UrlIdentifier) -> None:
    assert best(
        shipped,
        "https://example.org/fr/",
        "https://de.example.org/x/1",
        "http://example.org/?lang=pt-BR",
        "http://example.org/manual_ja.html",
        "http://example.org/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8",
        "http://xn--mgba3a4f16a.ir/",
        "http://example.org/deutsch/",
    ) == ["fra", "deu", "por", "jpn", "rus", "fas", "deu"]


def test_shipped_model_believes_the_code_and_not_the_words(shipped: UrlIdentifier) -> None:
    path = "news/2013/12/09/the-conference-program-is-announced"
    codes = {"ko": "kor", "vi": "vie", "pt-br": "por", "zh_tw": "zho", "de": "deu", "fr": "fra"}
    found = best(
        shipped, f"https://www.example.org/{path}", *(f"https://www.example.org/{code}/{path}" for code in codes)
    )
    assert found == ["eng", *codes.values()]


@given(
    st.lists(
        st.text(max_size=30) | st.from_regex(r"http://[a-z.]{1,12}/[a-z/%&=._-]{0,20}", fullmatch=True),
        min_size=1,
        max_size=5,
    )
)
def test_an_answer_does_not_depend_on_the_batch(shipped: UrlIdentifier, urls: list[str]) -> None:
    together = shipped.probabilities(urls)
    assert together.sum(axis=1) == pytest.approx(1, abs=1e-5)
    back = shipped.probabilities(urls[::-1])[::-1]
    alone = np.concatenate([shipped.probabilities([url]) for url in urls])
    assert together == pytest.approx(alone, abs=1e-6)
    assert together == pytest.approx(back, abs=1e-6)


def _damaged(small: url_model.UrlModel, tmp_path: Path, **change: object) -> Path:
    small.save(tmp_path / "sound.npz")
    sound, _ = modelfile.read(tmp_path / "sound.npz")
    arrays, parameters = dict(sound.arrays), dict(sound.parameters)
    for name, value in change.items():
        if isinstance(value, np.ndarray):
            arrays[name] = value
        else:
            parameters[name] = value
    labels = tuple(parameters.pop("labels", sound.labels))
    Model(str(parameters.pop("method", "url")), labels, parameters, arrays).save(tmp_path / "damaged.npz")
    return tmp_path / "damaged.npz"


@pytest.mark.parametrize(
    "change",
    [
        {"labels": ["deu", "deu", "fra"]},
        {"labels": []},
        {"step": 0.0},
        {"step": None},
        {"enough": 0},
        {"enough": "many"},
        {"method": "nfc"},
        {"prior": np.array([0.5, 0.5, 0], dtype=np.float32)},
        {"sharpness": np.array([np.nan, 0], dtype=np.float32)},
        {"buckets": np.array([5, 4], dtype=np.int32)},
        {"weights": np.zeros((1, 3), dtype=np.int8)},
        {"weights": np.zeros((1, 3), dtype=np.float32)},
    ],
)
def test_a_file_that_does_not_fit_together_is_refused(
    small: url_model.UrlModel, tmp_path: Path, change: dict[str, object]
) -> None:
    with pytest.raises(ModelError):
        url_methods.load(_damaged(small, tmp_path, **change))


def test_knowledge_of_codes_and_countries() -> None:
    table = list(list_signs(("heb", "nob", "deu")))
    codes_of = [sum(1 for _, column, odds in table if column == number and odds == 4.0) for number in range(3)]
    places = sum(odds == 4.0 for odds in CODE_POSITIONS.values())
    assert codes_of[0] == 2 * places  # he and iw
    assert codes_of[1] == 2 * places  # nb and no
    assert codes_of[2] == places
    assert max(odds for _, _, odds in table) == 4.0


def test_regression_learns_the_shares_of_a_feature() -> None:
    from scipy.sparse import csr_matrix  # noqa: PLC0415 only here

    # a feature that is seen three times with label 1 and once with 0, prior even: odds 3
    ones = csr_matrix(np.ones((400, 1), dtype=np.float32))
    label = np.array([0, 1, 1, 1] * 100)
    weights = fit_softmax(
        ones,
        label,
        np.ones(400),
        np.zeros((1, 2), dtype=np.float32),
        np.zeros(2, dtype=np.float32),
        epochs=60,
        batch=50,
    )
    assert weights[0, 1] - weights[0, 0] == pytest.approx(np.log(3), abs=0.05)


def test_calibration_finds_the_sharpness_that_was_lost() -> None:
    chance = np.random.default_rng(0)
    known = np.tile([3, 15], 4000)
    truth = chance.normal(0, 2, (8000, 2)).astype(np.float32)
    odds = np.exp(truth) / np.exp(truth).sum(axis=1, keepdims=True)
    label = (chance.random(8000) < odds[:, 1]).astype(np.int64)
    shown = truth * np.sqrt(1 + known)[:, None].astype(np.float32)  # twice and four times too sure
    a, b = fit_temperature(shown, known, np.zeros(2, dtype=np.float32), label, np.ones(8000))
    assert np.exp(a + b * np.log(4)) == pytest.approx(0.5, abs=0.05)
    assert np.exp(a + b * np.log(16)) == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("щука ЖУРНАЛ объём", "shchuka zhurnal obem"),
        ("Ελλάδα", "ellada"),
        ("しんぶん", "sinbun"),
        ("서울", "seoul"),
        ("ქართული", "kartuli"),
        ("नमस्ते", "namaste"),
        ("Ärger, œuvre ŁÓDŹ", "arger, oeuvre lodz"),
        ("漢字 x", " x"),
    ],
)
def test_romanize(text: str, spelt: str) -> None:
    assert romanize(text) == spelt


def test_slugs_repeat_with_their_seed_and_need_text() -> None:
    drawn = list(draw_slugs("deu", TEXT["deu"], 20, seed=1))
    assert drawn == list(draw_slugs("deu", TEXT["deu"], 20, seed=1)) != list(draw_slugs("deu", TEXT["deu"], 20, seed=2))
    assert list(draw_slugs("deu", ["", "  "], 5)) == []
    assert all(url.startswith("https://-/") for url in drawn)


def test_registered_domains() -> None:
    urls = [
        "http://a.b.co.uk/",
        "b.co.uk/x",
        "http://co.uk/",
        "http://10.0.0.1:80/",
        "",
        "http://[bad/",
        "http://localhost/",
    ]
    assert find_registered_domains(urls) == ["b.co.uk", "b.co.uk", "co.uk", "10.0.0.1", "", "", "localhost"]


def test_corpus_files(tmp_path: Path) -> None:
    table = tmp_path / "urls.tsv"
    table.write_text("lang\tsource\turl\nno\tx\thttp://a.no/\r\nqqq\tx\thttp://b/\nbroken line\niw\ty\thttp://c.il/\n")
    assert read_urls(table) == [LabelledUrl("nob", "x", "http://a.no/"), LabelledUrl("heb", "y", "http://c.il/")]
    (tmp_path / "sr-Latn").mkdir()
    (tmp_path / "sr-Latn" / "a.txt").write_text("jedan\ndva")
    (tmp_path / "sr").mkdir()
    (tmp_path / "sr" / "b.txt").write_text("три")
    assert read_text(tmp_path) == {"srp": ["три", "jedan", "dva"]}
    table.write_text("code\turl\n")
    with pytest.raises(ValueError, match=r"lang \(or language\) and url"):
        read_urls(table)


def test_without_names_in_all_languages_training_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ModelError, match=r"pip install 'graphlang\[train\]'"):
        list(list_signs(["deu"]))


def test_a_url_is_never_too_long_for_the_kernel(small: url_model.UrlModel) -> None:
    # 1,024 characters of four bytes each, read as Latin-1 because of the escape that is no UTF-8
    longest = "http://stadt.de/%FF" + "\U0001f600" * 2000
    assert small.probabilities([longest, "x" * 10_000, "a." * 3000]).shape == (3, 3)


def test_the_kernel_is_clean_under_sanitisers(under_sanitisers: Callable[..., str]) -> None:
    assert under_sanitisers(Path(__file__).with_name("workout_urls.py")) == "went through True\n"
