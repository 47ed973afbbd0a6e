"""Byte methods by hand: equation 1 of Chew et al. 2011, vector distance, and profiles that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.modelfile import Model, ModelError
from graphlang.papers import byte_profiles, byte_trigrams
from graphlang.papers.byte_profiles import encode, list_encodings
from graphlang.papers.byte_trigrams import ByteTrigrams, StrictTrigrams
from graphlang.papers.quadgrams import Quadgrams
from graphlang.training.train import train

if TYPE_CHECKING:
    from pathlib import Path

    from graphlang.papers.byte_profiles import ByteIdentifier, ByteProfile

RUSSIAN = ("кошка сидит на ковре", "это большой дом", "где живёт собака", "они думают что погода хорошая")
PARAMETERS = {"limit": 1_000, "closed": True}


def model_of(method: str, made: list[byte_profiles.ByteProfile], *, counts: bool) -> Model:
    labels, arrays = byte_profiles.pack_profiles(made, counts=counts)
    return Model(method, labels, PARAMETERS, arrays | {"sharpness": np.full(7, 2.0, np.float32)})


def trigram_sets(**texts: bytes) -> Model:
    made = [
        byte_profiles.make_profile(name, "utf-8", text, order=3, size=None, edges=False) for name, text in texts.items()
    ]
    return model_of("byte-trigrams", made, counts=False)


def test_membership_rate_by_hand() -> None:
    # T of x is {abc, bcd}, T of y {bca, cab}. "abcab": abc bca cab; "abcabc": abc bca cab abc; "ab": none.
    identifier = ByteTrigrams(trigram_sets(x=b"abcd", y=b"bcab"), "", "by hand")
    rates = identifier.compare_profiles([b"abcab", b"abcabc", b"ab", b""])
    assert rates == pytest.approx(np.array([[1 / 3, 2 / 3], [2 / 4, 2 / 4], [0, 0], [0, 0]]))


def test_frequency_counts_in_the_target_and_not_in_the_model() -> None:
    often = ByteTrigrams(trigram_sets(x=b"abcabcabcabc", y=b"zzz"), "", "by hand")
    once = ByteTrigrams(trigram_sets(x=b"abcab", y=b"zzz"), "", "by hand")
    assert often.compare_profiles([b"abcabczzz"]) == pytest.approx(once.compare_profiles([b"abcabczzz"]))
    assert once.compare_profiles([b"abcabc"])[0, 0] == pytest.approx(1)


def test_suzukis_thresholds() -> None:
    inner = ByteTrigrams(trigram_sets(x=b"abcdefghij", y=b"abcdefghi"), "", "by hand")
    strict = StrictTrigrams(inner)
    # All of x; y has 7 of 8 (0.875 < LB) : sure. Without the j both have all: unable to detect.
    chances = strict.probabilities(["abcdefghij", "abcdefghi", "qqqqq", "1"])
    assert [strict.labels[i] for i in chances.argmax(axis=1)[:3]] == ["x", "und", "und"]
    assert chances[1].tolist() == [0, 0, 1]
    assert chances[3].sum() == 0
    labels, _, encodings = strict.identify_bytes([b"abcdefghij", b"abcdefghi", b"1"])
    assert labels.tolist() == [0, 2, -1]
    assert encodings == ["us-ascii", None, None]
    assert strict.describe()["upper"] == 0.95


def test_the_same_language_in_another_encoding_is_no_rival() -> None:
    made = [
        byte_profiles.make_profile("x", encoding, b"abcdefghij", order=3, size=None, edges=False)
        for encoding in ("utf-8", "windows-1252")
    ]
    made.append(byte_profiles.make_profile("y", "utf-8", b"zzzzz", order=3, size=None, edges=False))
    strict = StrictTrigrams(ByteTrigrams(model_of("byte-trigrams", made, counts=False), "", "by hand"))
    assert strict.identify_bytes([b"abcdefghij"])[0].tolist() == [0]


def quadgram_profile(label: str, encoding: str, data: bytes) -> ByteProfile:
    return byte_profiles.make_profile(label, encoding, data, order=4, size=2_000, edges=True)


def test_vector_distance_by_hand() -> None:
    # " abcd " has 3 quad-grams, " abcde " 4, two of them the same: cos = 2 / sqrt 12, 1 - sqrt(1 - cos) = 0.3499.
    made = [
        quadgram_profile("x", "utf-8", b"abcd"),
        quadgram_profile("y", "utf-8", b"zzzz"),
    ]
    identifier = Quadgrams(model_of("quadgrams", made, counts=True), "", "by hand")
    assert identifier.compare_profiles([b"abcd", b"abcde"]) == pytest.approx(
        np.array([[1, 0], [0.349886, 0]]), abs=1e-4
    )


def two_encodings() -> Model:
    text = " ".join(RUSSIAN)
    made = [quadgram_profile("rus", name, encode(text, name)) for name in ("utf-8", "koi8-r")]
    made.append(quadgram_profile("eng", "utf-8", b"the cat sat on the mat where is the house"))
    return model_of("quadgrams", made, counts=True)


def test_the_encoding_is_part_of_the_answer() -> None:
    identifier = Quadgrams(two_encodings(), "", "by hand")
    text = "собака сидит на ковре"
    data = [text.encode(), text.encode("koi8-r"), b"the house", b"", b"\x1b$12"]
    labels, scores, encodings = identifier.identify_bytes(data)
    assert [identifier.labels[i] for i in labels[:3]] == ["rus", "rus", "eng"]
    assert labels[3:].tolist() == [-1, -1]
    assert encodings == ["utf-8", "koi8-r", "us-ascii", None, None]
    assert np.all(scores[:3] > 0.5)


def test_profiles_come_and_go_without_touching_the_others() -> None:
    before = two_encodings()
    added = quadgram_profile("rus", "windows-1251", encode(" ".join(RUSSIAN), "windows-1251"))
    greek = quadgram_profile("ell", "utf-8", "η γάτα κάθεται στο χαλί".encode())
    more = byte_profiles.replace_profiles(before, [*byte_profiles.unpack_profiles(before, "m"), added, greek])
    assert more.labels == ("ell", "eng", "rus")
    own = {profile.key: profile for profile in byte_profiles.unpack_profiles(before, "m")}
    for profile in byte_profiles.unpack_profiles(more, "m"):
        if profile.key in own:
            assert profile.grams.tobytes() == own[profile.key].grams.tobytes()
            assert profile.counts.tobytes() == own[profile.key].counts.tobytes()
    found = Quadgrams(more, "", "m").identify_bytes(["собака сидит".encode("cp1251"), "η γάτα".encode()])
    assert [more.labels[i] for i in found[0]] == ["rus", "ell"]
    assert found[2] == ["windows-1251", "utf-8"]
    kept = [profile for profile in byte_profiles.unpack_profiles(more, "m") if profile.key in own]
    assert byte_profiles.replace_profiles(more, kept).to_bytes() == before.to_bytes()


def test_encodings_that_matter() -> None:
    assert list_encodings(RUSSIAN, "Cyrl") == [
        "utf-8",
        "windows-1251",
        "koi8-r",
        "iso-8859-5",
        "ibm866",
        "ibm855",
        "x-mac-cyrillic",
    ]  # fmt: skip - koi8-u writes Russian as koi8-r does
    assert list_encodings(["příliš žluťoučký kůň"], "Latn") == ["utf-8", "windows-1250", "iso-8859-2"]
    assert list_encodings(["ഇത് മലയാളമാണ്"], "Mlym") == ["utf-8"]
    assert list_encodings([], "Latn") == ["utf-8"]


def test_letters_that_an_encoding_lacks_are_written_as_people_do() -> None:
    # A Persian yeh as the Arabic one, ed; a comma below as a cedilla, fe; the tone d2 or f2 behind its vowel.
    assert encode("ی", "windows-1256") == b"\xed"
    assert encode("țș", "windows-1250") == b"\xfe\xba"
    assert encode("ở ộ", "windows-1258") == b"\xf5\xd2 \xf4\xf2"
    assert encode("ὴ", "windows-1253") == b"\xde"  # eta with tonos
    assert list_encodings(["گفت ایران"], "Arab") == ["utf-8", "windows-1256"]
    assert list_encodings(["știință, țară"], "Latn") == ["utf-8", "windows-1250"]  # iso-8859-16: the same bytes
    assert list_encodings(["người Việt ở Mỹ"], "Latn") == ["utf-8", "windows-1258"]


def test_stand_ins_make_no_encoding_of_a_language_that_does_not_use_it() -> None:
    # Old accents: 1 letter of 15 in a Greek quotation, 3 of 9 in Homer. Italian "ì" could be written with a tone.
    assert list_encodings(["καλημέρα κόσμε ὁ"], "Grek")[:2] == ["utf-8", "windows-1253"]
    assert list_encodings(["μῆνιν ἄειδε"], "Grek") == ["utf-8"]
    assert list_encodings(["così"], "Latn") == ["utf-8", "windows-1252", "macintosh"]


@pytest.fixture(scope="session", params=["quadgrams", "byte-trigrams"])
def trained(request: pytest.FixtureRequest, corpus_folder: Path) -> ByteIdentifier:
    made = train(corpus_folder, method=request.param, minimum=10)
    return registry._METHODS[request.param].loader(made, "", "tiny")  # type: ignore[return-value]


def test_trained_models_know_their_languages(trained: ByteIdentifier) -> None:
    texts = ["the dog is in the house", "der hund ist im haus", "ο σκύλος είναι εδώ", "12", ""]
    chances = trained.probabilities(texts)
    assert [trained.labels[i] for i in chances.argmax(axis=1)[:3]] == ["eng", "deu", "ell"]
    assert chances.sum(axis=1) == pytest.approx([1, 1, 1, 0, 0])
    labels, _, encodings = trained.identify_bytes([text.encode("cp1253") for text in texts])
    assert [trained.labels[i] for i in labels[:3]] == ["eng", "deu", "ell"]
    assert encodings == ["us-ascii", "us-ascii", "windows-1253", None, None]


@given(st.lists(st.binary(max_size=80), min_size=1, max_size=6))
def test_any_bytes(trained: ByteIdentifier, data: list[bytes]) -> None:
    labels, scores, encodings = trained.identify_bytes(data)
    back = trained.identify_bytes(data[::-1])
    assert back[0][::-1].tolist() == labels.tolist()
    assert back[1][::-1].tolist() == scores.tolist()
    assert back[2][::-1] == encodings
    assert [name is None for name in encodings] == (labels < 0).tolist() == (scores == 0).tolist()


@given(st.lists(st.text(max_size=60), min_size=1, max_size=6))
def test_any_texts(trained: ByteIdentifier, texts: list[str]) -> None:
    chances = trained.probabilities(texts)
    assert np.array_equal(trained.probabilities(texts[::-1]), chances[::-1])
    sums = chances.sum(axis=1)
    assert np.all((np.abs(sums - 1) < 1e-5) | (sums == 0))


def test_thresholds_are_kept_in_the_model(corpus_folder: Path, tmp_path: Path) -> None:
    made = train(corpus_folder, method="byte-trigrams", minimum=10, lower=0.9)
    made.save(tmp_path / "m.npz")
    strict = registry.load(tmp_path / "m.npz")
    assert strict.labels == ("deu", "ell", "eng", "und")
    assert strict.describe()["upper"] == byte_trigrams.UPPER
    assert strict.describe()["lower"] == 0.9
    wrong = Model(made.method, made.labels, {**made.parameters, "lower": 2.0}, made.arrays)
    with pytest.raises(ModelError, match="thresholds"):
        byte_trigrams.load_trigrams(wrong, "", "m")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": np.array([1, 1, 1], np.int64)}, "fit together"),
        ({"owners": np.array([1, 0, 1], np.int32)}, "fit together"),
        ({"owners": np.array([0, 0, 0], np.int32)}, "fit together"),
        ({"gaps": np.zeros((4, 91), np.uint8)}, "type and shape"),
        ({"gaps": np.zeros((3, 9), np.uint8)}, "type and shape"),
        ({"encodings": np.frombuffer(b"\xff", np.uint8)}, "damaged"),
        ({"encodings": np.frombuffer(b"utf-8\nkoi8-r\nzlib", np.uint8)}, "'zlib' is not an encoding"),
        ({"encodings": np.frombuffer(b"utf-8\nkoi8-r\npunycode", np.uint8)}, "'punycode' is not an encoding"),
        ({"encodings": np.frombuffer(b"utf-8\nkoi8-r\nkoi8-r", np.uint8)}, "two profiles"),
    ],
)
def test_damaged_profiles(change: dict[str, np.ndarray], message: str) -> None:
    sound = two_encodings()
    with pytest.raises(ModelError, match=message):
        byte_profiles.unpack_profiles(
            Model(sound.method, sound.labels, sound.parameters, {**sound.arrays, **change}), "m"
        )


def test_ngrams_out_of_order() -> None:
    sound = two_encodings()
    gaps = sound.arrays["gaps"].copy()
    gaps[:, 3] = 0
    with pytest.raises(ModelError, match="out of order"):
        byte_profiles.unpack_profiles(
            Model(sound.method, sound.labels, sound.parameters, {**sound.arrays, "gaps": gaps}), "m"
        )


def test_models_whose_answers_would_be_no_numbers_are_refused() -> None:
    sound = two_encodings()
    arrays = {**sound.arrays, "sharpness": np.full(7, 1e30, np.float32)}
    with pytest.raises(ModelError, match="'sharpness' holds greater values than any model of this program"):
        Quadgrams(Model(sound.method, sound.labels, sound.parameters, arrays), "", "m")


def test_quadgrams_in_a_model_of_trigrams_are_refused() -> None:
    # 01 61 62 63 and 61 62 63 end alike: as trigrams they are one, and would stand twice in the hash.
    made = [byte_profiles.ByteProfile("x", "utf-8", np.array([0x616263, 0x01616263], np.uint32), np.ones(2, np.uint32))]
    with pytest.raises(ModelError, match="n-grams of more than 3 bytes"):
        ByteTrigrams(model_of("byte-trigrams", made, counts=False), "", "m")


def test_labels_of_no_language_are_refused(tmp_path: Path) -> None:
    for label in ("klingonisch", "deu_", "\x1b[2J"):
        trigram_sets(**{label: b"abcd"}).save(tmp_path / "m.npz")
        with pytest.raises(ModelError, match="is not a language label"):
            registry.load(tmp_path / "m.npz")
