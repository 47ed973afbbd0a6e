"""``identify`` and ``train`` with what users may hand over."""

from __future__ import annotations

import gzip
import io
import json
import os
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from graphlang import identification
from graphlang.db import create

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from click.testing import Result
    from numpy.typing import NDArray

    Call = Callable[..., Result]


def test_standard_input_twice(graphlang: Call) -> None:
    result = graphlang("identify", "-", "-", input_=b"Ein kurzer Satz.\n")
    assert result.exit_code == 2
    assert "can be read once" in result.stderr


@pytest.mark.parametrize("method", ["declared", "tld"])
def test_methods_that_are_about_collections(graphlang: Call, method: str) -> None:
    result = graphlang("identify", "--method", method, input_=b"Ein kurzer Satz.\n")
    assert result.exit_code == 2
    assert f"graphlang classify DB --method {method}" in result.stderr


@pytest.mark.parametrize("method", ["declared", "tld", "url", "url-words-nb or url-words-re"])
@pytest.mark.parametrize("option", ["--title", "--no-title", "--anchors"])
def test_options_of_texts_with_methods_that_read_none(
    graphlang: Call, tmp_path: Path, method: str, option: str
) -> None:
    create(tmp_path / "crawl.db").close()
    result = graphlang("classify", tmp_path / "crawl.db", "--method", method, option)
    assert result.exit_code == 2
    assert "reads no text" in result.stderr


#: "Вчера пошёл снег."
TWICE = "Ð\x92Ñ‡ÐµÑ€Ð° Ð¿Ð¾ÑˆÑ‘Ð» Ñ\x81Ð½ÐµÐ³."


@pytest.mark.parametrize("options", [("--lines",), ()])
def test_text_that_was_encoded_twice_is_told_as_it_was_meant(graphlang: Call, options: tuple[str, ...]) -> None:
    told = [
        json.loads(graphlang("identify", *options, "--format", "jsonl", "--text", input_=text.encode()).stdout)
        for text in ("Вчера пошёл снег.", TWICE)
    ]
    assert told[0]["language"] == "rus"
    assert (told[1]["characters"], told[1]["text"]) == (len(TWICE), TWICE)
    for name in ("language", "script", "confidence", "runner_up", "runner_up_confidence"):
        assert told[0][name] == told[1][name]


def test_spans_of_text_that_was_encoded_twice_are_where_it_is(graphlang: Call) -> None:
    german = "Am Abend lag der Nebel über dem Tal, und die Brücke war nicht zu sehen. "
    russian = "Вчера пошёл снег, и дети остались дома, потому что дороги замело."
    twice = (german + russian).encode().decode("latin-1")
    plain, given = [
        json.loads(graphlang("identify", "--lines", "--shares", "--spans", input_=text.encode()).stdout)
        for text in (german + russian, twice)
    ]
    assert [span["language"] for span in plain["spans"]] == ["deu", "rus"]
    assert given["shares"] == plain["shares"]
    cut = [twice[span["begin"] : span["end"]].encode("latin-1").decode() for span in given["spans"]]
    assert cut == [(german + russian)[span["begin"] : span["end"]] for span in plain["spans"]]


HTML = b"""<!DOCTYPE html><html><head><meta charset=windows-1252><title>Im Tal</title></head><body>
<nav><a href=/>Home</a> <a href=/news>Latest news and weather</a></nav>
<p>Der Nebel liegt noch lange \xfcber dem Tal.</p>"""


@pytest.mark.parametrize(
    ("options", "input_"),
    [((), HTML), (("--html",), HTML[15:]), ((), b"\xef\xbb\xbf\n" + HTML.decode("cp1252").encode())],
)
def test_html_is_read_as_html(graphlang: Call, options: tuple[str, ...], input_: bytes) -> None:
    row = json.loads(graphlang("identify", *options, "--text", "--format", "jsonl", input_=input_).stdout)
    assert row["language"] == "deu"
    assert row["text"].splitlines()[-1] == "Der Nebel liegt noch lange \xfcber dem Tal."
    assert "weather" not in row["text"]


def test_markup_within_a_text_is_no_page(graphlang: Call) -> None:
    row = json.loads(graphlang("identify", "--text", "--format", "jsonl", input_=b"Das Element <html> im Tal").stdout)
    assert row["text"] == "Das Element <html> im Tal"


@pytest.mark.parametrize("options", [("--lines",), ("--method", "url")])
def test_html_is_for_whole_files(graphlang: Call, options: tuple[str, ...]) -> None:
    result = graphlang("identify", "--html", *options, input_=HTML)
    assert (result.exit_code, "--html reads whole files" in result.stderr) == (2, True)


def test_the_most_probable_languages_with_their_shares_and_spans(graphlang: Call) -> None:
    text = "Der Nebel liegt noch \xfcber dem Tal. The river is quiet this morning."
    options = ("--lines", "--top", "3", "--shares", "--spans")
    row = json.loads(graphlang("identify", *options, input_=f"{text}\n".encode()).stdout)
    [prediction] = identification.identify([text], top=3, shares=True, spans=True)
    assert [each["language"] for each in row["top"]] == [each.language for each in prediction.top or ()]
    assert len(row["top"]) == 3
    assert row["top"][0]["confidence"] == row["confidence"] == round(prediction.confidence, 4)
    assert (
        {each["language"] for each in row["shares"]}
        == {each.language for each in prediction.shares or ()}
        == {"deu", "eng"}
    )
    assert [(each["begin"], each["end"]) for each in row["spans"]] == [
        (each.begin, each.end) for each in prediction.spans or ()
    ]


def test_top_of_urls_and_what_urls_do_not_have(graphlang: Call) -> None:
    options = ("--method", "url", "--lines", "--top", "2")
    row = json.loads(graphlang("identify", *options, input_=b"https://www.example.de/nachrichten\n").stdout)
    assert row["top"][0]["language"] == row["language"] == "deu"
    with pytest.raises(ValueError, match="no shares and no spans"):
        identification.identify(["https://example.de/"], "url", shares=True)


def test_lists_do_not_fit_in_cells(graphlang: Call) -> None:
    result = graphlang("identify", "--top", "2", "--format", "csv", input_=b"Nebel im Tal")
    assert (result.exit_code, "--top are written as jsonl" in result.stderr) == (2, True)


def test_a_text_in_doubt_is_und_and_its_guess_is_the_runner_up(graphlang: Call) -> None:
    [guess] = identification.identify(["hal"])
    options = ("--lines", "--min-confidence", "0.9", "--format", "jsonl")
    doubtful, sure = map(
        json.loads, graphlang("identify", *options, input_=b"hal\nDer Nebel liegt noch im Tal.\n").stdout.splitlines()
    )
    assert (doubtful["language"], doubtful["script"], doubtful["confidence"]) == ("und", None, 0)
    assert doubtful["runner_up"].startswith(guess.language)
    assert doubtful["runner_up_confidence"] == round(guess.confidence, 4)
    assert sure["language"] == "deu"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"top": 0}, ValueError),
        ({"top": "3"}, TypeError),
        ({"min_confidence": 1.5}, ValueError),
        ({"shares": 7}, TypeError),
    ],
)
def test_wrong_details_are_refused(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        identification.identify(["Nebel im Tal"], **arguments)


def test_answers_are_in_order_and_the_same_with_any_number_of_workers(graphlang: Call, tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    some = ("Der Nebel liegt im Tal", "Le brouillard reste dans la vallée", "12", "Туман в долине")
    path.write_text("".join(f"{some[number % 4]} {number}\n" for number in range(9_000)), encoding="utf-8")
    for options in (("--format", "tsv"), ("--shares",)):
        one, three = (
            graphlang("identify", "--lines", *options, path, "--workers", workers).stdout for workers in (1, 3)
        )
        assert one == three
        assert len(one.splitlines()) == 9_000 + (options[0] == "--format")


def test_methods_of_others_are_asked_by_one_thread() -> None:
    threads = set()

    class Vowels:
        labels = ("deu", "eng")

        def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
            threads.add(threading.get_ident())
            return np.tile([0.75, 0.25], (len(texts), 1))

    found = identification.identify(["text"] * 9_000, method=Vowels(), workers=4)
    assert {one.language for one in found} == {"deu"}
    assert threads == {threading.get_ident()}


def test_long_lines_are_not_gathered_by_the_thousand() -> None:
    megabyte = "a" * (1 << 20)
    long, short = ((str(number), megabyte) for number in range(40)), (("x", "a") for _ in range(5000))
    assert [len(batch) for batch in identification._cut_batches(long, 1 << 24)] == [16, 16, 8]
    assert [len(batch) for batch in identification._cut_batches(short, 1 << 24)] == [4096, 904]


def test_training_names_what_it_leaves_out(graphlang: Call, tmp_path: Path) -> None:
    for name, words in (("de", "der hund und die katze\n"), ("en", "the dog and the cat\n"), ("nl", "kort")):
        (tmp_path / "corpus" / name).mkdir(parents=True)
        (tmp_path / "corpus" / name / "a.txt").write_text(words * 2, encoding="utf-8")
    (tmp_path / "corpus" / "\x1b[2J").mkdir()
    told = graphlang("train", tmp_path / "m.npz", tmp_path / "corpus", "--method", "textcat", "--option", "minimum=20")
    assert told.exit_code == 0
    (tmp_path / "corpus" / "fr").mkdir()
    (tmp_path / "corpus" / "fr" / "a.text").write_text("le chien", encoding="utf-8")
    told = graphlang("train", tmp_path / "m.npz", tmp_path / "corpus", "--method", "textcat", "--option", "minimum=20")
    assert (
        "left out: \\x1b[2J (the name of no known language), fra (no text in *.txt),"
        " nld (too little text: 8 characters in *.txt)\n"
    ) in told.stderr


def test_training_says_why_nothing_is_left_to_train_on(graphlang: Call, tmp_path: Path) -> None:
    for name in ("de", "nl", "fr", "\x1b[2J", *(f"zz folder {number}" for number in range(20))):
        (tmp_path / "corpus" / name).mkdir(parents=True)
    (tmp_path / "corpus" / "de" / "a.txt").write_text("der hund und die katze\n", encoding="utf-8")
    (tmp_path / "corpus" / "nl" / "a.txt").write_text("kort\n", encoding="utf-8")
    told = graphlang("train", tmp_path / "m.npz", tmp_path / "corpus", "--method", "textcat", "--option", "minimum=20")
    assert told.exit_code == 3
    assert told.stderr.count("\n") == 1
    assert (
        "needs sub-folders of UTF-8 .txt files for at least 2 language(s); left out: \\x1b[2J (the name of no known"
        " language), fra (no text in *.txt), nld (too little text: 4 characters in *.txt), zz folder 0 (the"
    ) in told.stderr
    assert told.stderr.endswith(", and 11 more\n")


@pytest.mark.parametrize("name", ["words", "method", "progress"])
def test_settings_by_the_name_of_something_else(graphlang: Call, tmp_path: Path, name: str) -> None:
    (tmp_path / "corpus").mkdir()
    told = graphlang("train", tmp_path / "m.npz", tmp_path / "corpus", "--method", "nfc", "--option", f"{name}=1")
    assert told.exit_code == 2
    assert f"{name} is not a setting of a model" in told.stderr


@pytest.mark.parametrize("lines", [[], ["--lines"]])
def test_files_that_cannot_be_read_do_not_cost_the_others(graphlang: Call, tmp_path: Path, lines: list[str]) -> None:
    for name in ("a", "c"):
        (tmp_path / name).write_text("Das Wetter wird morgen leider wieder schlechter.\n", encoding="utf-8")
    files = [tmp_path / name for name in ("a", "b", "c")]
    result = graphlang("identify", *lines, "--format", "tsv", *files)
    assert result.stdout.count("\tdeu\t") == 2
    assert result.stderr == f"Error: {files[1]}: No such file or directory\n"
    assert result.exit_code == 1


@pytest.fixture
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("option", ["--lines", "--shares", "--format=csv"])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("How far is it?", "No such file or directory (a text comes from standard input: echo "),
        ("missing.txt", "No such file or directory\n"),
        ("Hello", "No such file or directory (a text comes from standard input: echo "),
        ("a.warc.gz", "not a text; 'graphlang run' reads archives\n"),
    ],
)
def test_without_a_readable_file_there_is_only_the_reason(
    graphlang: Call, in_tmp_path: Path, option: str, name: str, reason: str
) -> None:
    (in_tmp_path / "a.warc.gz").write_bytes(gzip.compress(b"WARC/1.0", mtime=0))
    result = graphlang("identify", option, name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"Error: {name}: {reason}")
    assert result.stderr.count("\n") == 1


def test_a_file_that_its_mode_closes_does_not_cost_the_others(
    graphlang: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests may run as root, who may read any file; so `os.access` is replaced."""
    (tmp_path / "a").write_text("Das Wetter wird morgen leider wieder schlechter.\n", encoding="utf-8")
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    result = graphlang("identify", "--format", "tsv", tmp_path / "a", tmp_path / "b")
    assert result.stdout.count("\tdeu\t") == 1
    assert (result.exit_code, result.stderr) == (1, f"Error: {tmp_path / 'b'}: No such file or directory\n")


KOI8 = "Туман лежит над долиной, и мы ждём поезда.\n".encode("koi8-r")


def test_what_is_not_utf8_is_read_in_a_charset_that_is_guessed_and_said(graphlang: Call, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(KOI8)
    result = graphlang("identify", "--format", "tsv", path)
    assert result.stdout.splitlines()[1].split("\t")[:3] == [str(path), "rus", "Cyrl"]
    assert result.stderr == (f"{path}: not UTF-8; read as koi8-r, which was detected: --encoding sets the charset\n")
    assert result.exit_code == 0
    result = graphlang("identify", "--format", "tsv", "--encoding", "koi8-r", path)
    assert (result.stdout.splitlines()[1].split("\t")[1], result.stderr) == ("rus", "")


def test_lines_that_are_not_utf8_among_others_that_are(graphlang: Call) -> None:
    german = "Grüße aus dem Tal, in dem der Nebel liegt.\n".encode()
    result = graphlang("identify", "--lines", "--text", "--format", "jsonl", input_=german + KOI8 + german)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["language"] for row in rows] == ["deu", "rus", "deu"]
    assert [row["text"] for row in rows] == [part.strip() for part in (german.decode(), KOI8.decode("koi8-r"))] + [
        german.decode().strip()
    ]
    assert result.stderr.count("not UTF-8; read as koi8-r") == 1


def test_lines_of_wide_characters(graphlang: Call) -> None:
    text = "Ein kurzer Satz.\nUne phrase courte.\n".encode("utf-16")
    result = graphlang("identify", "--lines", "--encoding", "utf-16", "--text", "--format", "tsv", input_=text)
    assert [line.split("\t")[-1] for line in result.stdout.splitlines()[1:]] == [
        "Ein kurzer Satz.",
        "Une phrase courte.",
    ]


def test_a_few_stray_bytes_do_not_change_the_charset(graphlang: Call) -> None:
    text = ("Grüße aus Köln, schöne Häuser über dem Fluß. " * 9).encode() + b"\xfc\n"
    result = graphlang("identify", "--format", "tsv", input_=text)
    assert result.stdout.splitlines()[1].split("\t")[1] == "deu"
    assert result.stderr == "-: some bytes are not UTF-8, and count as unknown characters\n"


def test_a_character_that_the_limit_cuts_is_no_reason_to_doubt(graphlang: Call) -> None:
    result = graphlang("identify", "--format", "tsv", input_=("ü" * (1 << 19)).encode() + "xü".encode())
    assert "UTF-8" not in result.stderr
    result = graphlang("identify", "--format", "tsv", input_=b"x" + ("ü" * (1 << 19)).encode())
    assert "UTF-8" not in result.stderr


@pytest.mark.parametrize("name", ["nonsense", "rot13", "hex", ""])
def test_charsets_that_are_none(graphlang: Call, name: str) -> None:
    result = graphlang("identify", "--encoding", name, input_=b"x")
    assert (result.exit_code, f"unknown charset {name!r}" in result.stderr) == (2, True)


def test_texts_are_given_back(graphlang: Call, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Ein kurzer Satz,\nund noch einer.\n", encoding="utf-8")
    (row,) = [
        json.loads(line) for line in graphlang("identify", "--text", "--format", "jsonl", path).stdout.splitlines()
    ]
    assert (row["language"], row["text"]) == ("deu", "Ein kurzer Satz,\nund noch einer.")
    (row,) = [json.loads(line) for line in graphlang("identify", "--text", "--shares", path).stdout.splitlines()]
    assert list(row) == ["input", "shares", "text"]
    assert row["text"] == "Ein kurzer Satz,\nund noch einer."


def test_a_model_without_profiles(graphlang: Call) -> None:
    result = graphlang("profiles", "nfc-2004")
    assert result.exit_code == 2
    assert "nfc-2004 has no profiles; only models of quadgrams, byte-trigrams and nfc have some" in result.stderr


def test_python_names_of_charsets_and_how_much_is_read(graphlang: Call, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Über den Dächern".encode("latin-1"))
    for name in ("latin-1", "latin1", "cp1252", "ISO_8859-1"):
        result = graphlang("identify", path, "--encoding", name, "--text", "--format", "jsonl")
        assert (result.exit_code, result.stderr) == (0, "")
        assert json.loads(result.stdout)["text"] == "Über den Dächern"
    path.write_bytes(b"a" * (1 << 20))
    assert graphlang("identify", path).stderr == ""
    path.write_bytes(b"a" * ((1 << 20) + 1))
    assert graphlang("identify", path).stderr == f"{path}: longer than a MiB; the rest is not read\n"


@pytest.mark.parametrize("options", [(), ("--encoding", "utf-8")])
def test_a_line_that_is_not_read_to_its_end_is_named(graphlang: Call, tmp_path: Path, options: tuple[str, ...]) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a" * (1 << 20) + b"\n" + b"b" * (1 << 20) + b"c\n" + b"d" * ((3 << 20) + 1) + b"\ne\n")
    result = graphlang("identify", "--lines", *options, "--format", "tsv", path)
    assert [line.split("\t")[-1] for line in result.stdout.splitlines()[1:]] == ["1048576", "1048576", "1048576", "1"]
    assert result.stderr.splitlines() == [
        f"{path}:{number}: longer than a MiB; the rest is not read" for number in (2, 3)
    ]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_lines_of_utf_16_end_with_its_line_feeds(graphlang: Call, tmp_path: Path, encoding: str) -> None:
    """A line feed is two bytes there: cut at one of them, each line but the first began with half a letter."""
    text = "\ufeffDas Wetter wird schlechter.\r\nUne phrase courte.\n\u0a0a\nEnd"
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode(encoding))
    for source in ({"input_": path.read_bytes()}, {}):
        result = graphlang("identify", "--lines", "--text", "--format", "jsonl", *([] if source else [path]), **source)
        told = [json.loads(line) for line in result.stdout.splitlines()]
        assert [one["text"] for one in told] == ["Das Wetter wird schlechter.", "Une phrase courte.", "\u0a0a", "End"]
        assert result.stderr.endswith(": not UTF-8; read as utf-16, which was detected: --encoding sets the charset\n")


def test_what_is_no_text_is_named() -> None:
    for wrong in (None, b"Nebel", 7):
        with pytest.raises(TypeError, match=r"texts\[1\] is of type"):
            identification.identify(["Nebel", wrong])  # type: ignore[list-item]


GERMAN, RUSSIAN = "Das Wetter wird schlechter, und der Nebel bleibt.", "Туман ещё лежит над долиной."


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_wide_characters_are_known_without_a_mark_too(
    graphlang: Call, tmp_path: Path, encoding: str, mark: str
) -> None:
    """Each byte of these is UTF-8 as well: half of them are controls there."""
    path = tmp_path / "a.txt"
    path.write_bytes(f"{mark}{GERMAN}\r\n{RUSSIAN}\n".encode(encoding))
    for lines, expected in ((["--lines"], [GERMAN, RUSSIAN]), ([], [f"{GERMAN}\r\n{RUSSIAN}"])):
        for source in ({"input_": path.read_bytes()}, {}):
            given = ["identify", *lines, "--text", "--format", "jsonl", *([] if source else [path])]
            result = graphlang(*given, **source)
            told = [json.loads(line) for line in result.stdout.splitlines()]
            assert [one["text"] for one in told] == expected
            assert [one["language"] for one in told] == (["deu", "rus"] if lines else [told[0]["language"]])
            assert result.stderr.count(f": not UTF-8; read as {encoding[:6]}") == 1
            assert result.stderr.endswith(", which was detected: --encoding sets the charset\n")


def test_a_pipe_that_begins_with_a_byte_is_read_as_any_other(graphlang: Call) -> None:
    """Standard input gives what has arrived: a part of a character, for all that is known."""

    class Slow(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self.data = data

        def readable(self) -> bool:
            return True

        def readinto(self, room: Any) -> int:
            part, self.data = self.data[:1], self.data[1:]
            room[: len(part)] = part
            return len(part)

    source = io.BufferedReader(Slow(f"{GERMAN}\n{RUSSIAN}\n".encode("utf-16-le")))
    result = graphlang("identify", "--lines", "--text", "--format", "jsonl", input_=source)
    assert [json.loads(line)["text"] for line in result.stdout.splitlines()] == [GERMAN, RUSSIAN]


@pytest.mark.parametrize("text", [f"{GERMAN}\0", "Gr\u00fc\u00dfe\0", "one\0two\0", f"a\0\n{GERMAN}"])
@pytest.mark.parametrize("lines", [(), ("--lines",)])
def test_zeros_do_not_make_characters_wide(graphlang: Call, lines: tuple[str, ...], text: str) -> None:
    result = graphlang("identify", *lines, "--text", "--format", "jsonl", input_=text.encode())
    told = [json.loads(line)["text"] for line in result.stdout.splitlines()]
    assert ("\n".join(told), result.stderr) == (text, "")


def test_a_mib_is_read_of_wide_characters_as_well(graphlang: Call, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes((f"{GERMAN} " * 30_000).encode("utf-16-le"))
    result = graphlang("identify", "--format", "jsonl", path)
    (row,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert (row["language"], row["characters"]) == ("deu", 1 << 19)
    assert f"{path}: longer than a MiB; the rest is not read\n" in result.stderr
    result = graphlang("identify", "--lines", "--format", "jsonl", path)
    (row,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert (row["language"], row["characters"]) == ("deu", 1 << 20)
    assert f"{path}:1: longer than a MiB; the rest is not read\n" in result.stderr
