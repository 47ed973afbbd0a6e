"""The papers' tables again, on our data.

    python tests/benchmarks/paper_tables.py                    # all of them, some minutes on one core
    python tests/benchmarks/paper_tables.py chew               # one of hayati, chew, clueweb

`hayati`: BASE (rank order) against NFC on the eleven Latin-1 languages. `chew`: table 8 (training on the Declaration of
Human Rights alone, and with the Bible; HTML parsed as characters and as bytes; character references off and on) and
table 10 (by writing system). `clueweb`: TextCat's precision and recall at 400 and 160 bytes for ten languages.

Models are trained afresh in a temporary folder from the training data; test lines and pages are the development data.
Samples are drawn with a fixed seed, and their size stands in each table.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import os
import random
import sys
import tempfile
from collections import Counter, defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from development_data import answer_texts, read_lines
from fastwarc import ArchiveIterator

from graphlang.codes import languages
from graphlang.content import registry
from graphlang.evaluation.metrics import measure_by_length
from graphlang.ingest import Limits
from graphlang.ingest.html import document
from graphlang.ingest.payload import charset, visible_bytes
from graphlang.papers import byte_trigrams
from graphlang.papers.byte_profiles import decode
from graphlang.training.train import train

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ELEVEN = ("da", "de", "en", "es", "fi", "fr", "it", "nl", "nb", "pt", "sv")
TEN = ("zh-Hans", "zh-Hant", "en", "es", "ja", "de", "fr", "ko", "it", "pt", "ar")
#: Charsets of the folder `encodings` that belong to one language; others say it in the folder's name.
CHARSETS = {
    "Big5": "zho", "CP932": "jpn", "EUC-JP": "jpn", "EUC-KR": "kor", "GB2312": "zho", "IBM855": "rus", "IBM866": "rus",
    "Johab": "kor", "KOI8-R": "rus", "MacCyrillic": "rus", "SHIFT_JIS": "jpn", "TIS-620": "tha", "iso-2022-jp": "jpn",
}  # fmt: skip
#: Files whose language is known from reading them; the rest of the folders named by neither is left out.
FILES = {
    "iso-8859-1/_ude_1.txt": "por", "iso-8859-1/_ude_2.txt": "fra", "iso-8859-1/_ude_3.txt": "ita",
    "iso-8859-1/_ude_5.txt": "spa", "iso-8859-1/_ude_6.txt": "fin", "windows-1252/_ude_1.txt": "deu",
    "windows-1252/_ude_2.txt": "nld", "utf-8/_ude_2.txt": "kor", "utf-8/_ude_greek.txt": "ell",
    "utf-8/_ude_he1.txt": "heb", "utf-8/_ude_he3.txt": "heb", "utf-8/pihgy.hu.xml": "hun",
    "utf-8/weblabor.hu.2.xml": "hun", "utf-8-sig/_ude_4.txt": "jpn",
}  # fmt: skip
ABUGIDA = "Beng Deva Ethi Gujr Guru Khmr Knda Laoo Mlym Mymr Orya Sinh Taml Telu Thai Tibt".split()  # noqa: SIM905
SYSTEMS = {
    **dict.fromkeys(("Arab", "Hebr", "Nkoo", "Syrc", "Tfng", "Thaa"), "Abjad"),
    **dict.fromkeys(ABUGIDA, "Abugida"),
    **dict.fromkeys(("Armn", "Cyrl", "Geor", "Grek", "Kore", "Olck", "Mong"), "Alphabet (non-Latin)"),
    **dict.fromkeys(("Hans", "Hant"), "Logographic"),
    "Latn": "Alphabet (Latin)",
    "Jpan": "Mixed (Japanese)",
}


def say(line: str = "") -> None:
    print(line, flush=True)


class Line(NamedTuple):
    file: str
    tag: str
    text: str


class Page(NamedTuple):
    source: str
    gold: str  # ISO 639-3
    script: str
    data: bytes
    http: str | None  # charset of the HTTP header
    charset: str  # as the data says


def lid_lines(data: Path, tags: Iterable[str] | None, most: int) -> list[Line]:
    """At most so many lines of each language and file; a language is named by its tag in our convention."""
    wanted = None if tags is None else {languages.label(tag): tag for tag in tags}
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for line in read_lines(data=data):
        label = languages.label(f"{line.tag}-{line.script}") if len(line.script) == len("Latn") else None
        if label is not None and (wanted is None or label in wanted):
            found[line.file, label if wanted is None else wanted[label]].append(line.text)
    answer = []
    for (file, tag), texts in sorted(found.items()):
        random.Random(f"{file} {tag}").shuffle(texts)  # noqa: S311
        answer += [Line(file, tag, text) for text in (texts[:most] if most else texts)]
    return answer


@contextmanager
def corpus(data: Path, keep: Callable[[Path], bool]) -> Iterator[Path]:
    """A part of the training data, as links."""
    with tempfile.TemporaryDirectory() as folder:
        for path in (data / "train").glob("*/*.txt"):
            if keep(path):
                (Path(folder) / path.parent.name).mkdir(exist_ok=True)
                (Path(folder) / path.parent.name / path.name).symlink_to(path.resolve())
        yield Path(folder)


def trained(data: Path, keep: Callable[[Path], bool], method: str, **options: Any) -> Any:
    with corpus(data, keep) as folder, tempfile.NamedTemporaryFile(suffix=".npz") as file:
        train(folder, method=method, **options).save(file.name)
        return registry.load(file.name)


def codes(identifier: Any) -> list[str]:
    return [languages.split_label(label)[0] for label in identifier.labels]


def best(identifier: Any, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Codes and probabilities of the best labels; an empty code where there is no answer."""
    labels, confidences = answer_texts(identifier, texts)
    return np.array([*codes(identifier), ""])[labels], confidences


def hayati(data: Path) -> None:
    say("### Hayati 2004: BASE against NFC, eleven Latin-1 languages (the paper, on web pages: 86.8 % and 93.9 %)")
    lines = lid_lines(data, ELEVEN, 400)
    gold = np.array([languages.code(line.tag) for line in lines])
    sizes = np.array([len(line.text) for line in lines])
    pages = join_lines(lines, 1_000)

    def ours(path: Path) -> bool:
        return path.parent.name in ELEVEN

    # NFC's documents are pieces of 1,000 characters; all of them, so that no file of a language goes unheard.
    systems = {
        "rank-order (BASE, C = 399)": trained(data, ours, "rank-order"),
        "nfc-2004 (NFC, 1000 trigrams)": trained(data, ours, "nfc-2004", minimum=8_000, documents=1_000),
        "nfc (the default, all its labels)": registry.load("nfc"),
    }
    say()
    say(
        "| method | lines | all | "
        + " | ".join(measure_by_length(np.ones(len(sizes)), sizes > 0, sizes))
        + " | pages of 1,000 |"
    )
    say("|---|---|---|---|---|---|---|---|")
    for name, identifier in systems.items():
        answer, sure = best(identifier, [line.text for line in lines])
        table = measure_by_length(sure, answer == gold, sizes)
        long = best(identifier, [text for _, text in pages])[0] == np.array([languages.code(tag) for tag, _ in pages])
        each = " | ".join(f"{share:.4f}" for _, share, _ in table.values())
        say(f"| {name} | {len(lines)} | {(answer == gold).mean():.4f} | {each} | {long.mean():.4f} ({len(long)}) |")
    say()
    spread = ", ".join(f"{name} {n}" for name, (n, _, _) in table.items())
    say(f"Lines by length: {spread} characters; at most 400 of each language and file of `lid`.")
    say("'Pages' are lines of one file and language joined to 1,000 characters.")


def join_lines(lines: list[Line], size: int) -> list[tuple[str, str]]:
    """(tag, text): lines of one language and file joined to at least `size` characters."""
    current: dict[tuple[str, str], str] = {}
    answer = []
    for line in lines:
        text = f"{current.get(line[:2], '')} {line.text}".strip()
        if len(text) >= size:
            answer.append((line.tag, text))
            text = ""
        current[line[:2]] = text
    return answer


def clueweb(data: Path) -> None:
    say("### ClueWeb09: TextCat on UTF-8 bytes, ten languages")
    say()
    say("(The crawl, 600 features, 400 bytes: precision above 99.7 %, recall mostly above 98.5; 160 bytes: above 98.3,")
    say("Japanese 100 % and 95.7 %.)")
    lines = lid_lines(data, TEN, 400)
    for features in (400, 600):
        identifier = trained(
            data, lambda path: path.parent.name in TEN, "textcat", features=features, maximum=400_000, limit=1_000
        )
        for size in (400, 160):
            texts: list[str] = []
            gold: list[str] = []
            for tag, text in join_lines(lines, size // 2):
                cut = text.encode()[:size]
                if len(cut) == size:
                    texts.append(cut.decode("utf-8", "ignore"))
                    gold.append(str(languages.code(tag)))
            answer, _ = best(identifier, texts)
            truth = np.array(gold)
            say()
            say(f"{features} features, {size} bytes, {len(texts)} texts: accuracy {(answer == truth).mean():.4f}")
            say()
            say("| | " + " | ".join(sorted(set(gold))) + " |")
            say("|---" * (len(set(gold)) + 1) + "|")
            for name, among in (("precision", answer), ("recall", truth)):
                shares = [
                    ((answer == truth) & (among == code)).sum() / (among == code).sum() for code in sorted(set(gold))
                ]
                say(f"| {name} | " + " | ".join(f"{share:.4f}" for share in shares) + " |")
    say()
    say("Chinese is trained in its two scripts and counted as one language. Texts: lines of a file joined, then cut.")


def pages_of(data: Path, most: int) -> list[Page]:
    pages = []
    for path in sorted((data / "encodings").glob("*/*")):
        folder = path.parent.name
        gold = CHARSETS.get(folder) or FILES.get(f"{folder}/{path.name}") or languages.code(folder.rpartition("-")[2])
        if gold and languages.split_label(gold)[0] == gold and folder != "ascii":
            script = "Hant" if folder == "Big5" else languages.split_label(gold)[1]
            pages.append(Page("encodings", gold, script, path.read_bytes(), None, _charset_of(folder)))
    for name, limit in (("httpd2006-legacy", 0), ("docs-full", most)):
        rows = (data / "web" / f"{name}.gold.tsv").read_text(encoding="utf-8").splitlines()[1:]
        gold_of = dict(row.split("\t")[:2] for row in rows)
        charset_of = {row.split("\t")[0]: row.split("\t")[5] for row in rows}
        chosen = set(random.Random(name).sample(sorted(gold_of), limit)) if limit else set(gold_of)  # noqa: S311
        with (data / "web" / f"{name}.warc.gz").open("rb") as file:
            for record in ArchiveIterator(file):
                url = record.headers.get("WARC-Target-URI")
                if url in chosen:
                    gold = gold_of[url]
                    script, body = languages.split_label(gold)[1], record.reader.read()
                    pages.append(Page(name, gold, script, body, record.http_charset, charset_of[url]))
    return pages


def _charset_of(folder: str) -> str:
    """The charset that a folder of `encodings` names, without the language."""
    head, _, tail = folder.rpartition("-")
    return head if head and tail.isalpha() and len(tail) > 3 else folder  # "sig" is none


def decodes_alike(data: bytes, named: str | None, true: str) -> bool:
    """Whether an encoding makes the same text of some bytes as the true one does."""
    if named is None:
        return False
    true = {"MacCyrillic": "x-mac-cyrillic", "MacRoman": "macintosh", "TIS-620": "windows-874"}.get(true, true)
    alike: bool = decode(data, named.replace("us-ascii", "utf-8")) == decode(data, true.lower().removesuffix("-sig"))
    return alike


def by_characters(page: Page) -> bytes:
    """The paper's character parser: the charset that is declared, else UTF-8; then tags are removed."""
    word = next(iter(charset._list_declared_labels(page.data, page.http, markup=True)), None)
    known = charset._look_up(word[0]) if word else None
    text = known.codec.decode(page.data, "replace")[0] if known else page.data.decode("utf-8", "replace")
    return visible_bytes.extract_visible(text.encode("utf-8", "replace"), references=False)


def detected(page: Page) -> str:
    """What ingest reads: charset by our rules and a detector, text by a real parser."""
    return document.read_document(charset.decode(page.data, page.http).text, Limits()).text


def chew(data: Path) -> None:
    say("### Chew, Mikami & Nagano 2011, table 8 (the paper, 1,660 pages: 74.76, 86.99, 90.00, 94.04 %)")
    declaration = trained(data, lambda path: path.name.startswith("udhr"), "byte-trigrams", minimum=1, maximum=55_000)
    both = trained(
        data, lambda path: path.name.startswith(("udhr", "bible", "ebible")), "byte-trigrams", minimum=1, maximum=55_000
    )
    equal = trained(
        data, lambda path: path.name.startswith(("udhr", "bible", "ebible")), "byte-trigrams", minimum=1, maximum=8_000
    )
    shipped = registry.load("byte-trigrams")
    three = {"Declaration": declaration, "with the Bible": both, "shipped": shipped}
    say("Labels (profiles): " + ", ".join(f"{n} {len(m.labels)} ({len(m.profiles)})" for n, m in three.items()) + ".")
    pages = pages_of(data, 600)
    gold = np.array([page.gold for page in pages])
    sources = np.array([page.source for page in pages])
    plain = [visible_bytes.extract_visible(page.data, references=False) for page in pages]
    full = [visible_bytes.extract_visible(page.data) for page in pages]
    characters = [by_characters(page) for page in pages]
    texts = [detected(page) for page in pages]
    encoded = [text.encode() for text in texts]
    rows: list[tuple[str, Any, list[bytes]]] = [
        ("1: Declaration, characters, references off", declaration, characters),
        ("2: and Bible, characters, references off", both, characters),
        ("3: and Bible, bytes, references off", both, plain),
        ("4: and Bible, bytes, references on", both, full),
        ("4, but 8,000 characters of each at most", equal, full),
        ("all training text (20,000 characters each), characters, references off", shipped, characters),
        ("the same, bytes, references on", shipped, full),
        ("the same, our charset detection and HTML parser", shipped, encoded),
    ]
    say()
    say("| experiment | all | " + " | ".join(f"{s} ({(sources == s).sum()})" for s in np.unique(sources)) + " |")
    say("|---" * (len(np.unique(sources)) + 2) + "|")
    answers = {}
    for name, identifier, given in rows:
        labels, _, encodings = identifier.identify_bytes(given)
        answers[name] = np.array([*codes(identifier), ""])[labels]
        row_of(name, answers[name] == gold, sources)
        if given is full and identifier is shipped:
            named = Counter(zip(sources.tolist(), encodings, strict=True))
            alike = [decodes_alike(d, e, p.charset) for d, e, p in zip(plain, encodings, pages, strict=True)]
    text_answer, _ = best(registry.load("nfc"), texts)
    row_of("nfc (the default), our charset detection and HTML parser", text_answer == gold, sources)
    say()
    say("The shipped model, bytes, references on, names these encodings: " + "; ".join(
        f"{source}: " + ", ".join(f"{name} {n}" for (where, name), n in named.most_common() if where == source)
        for source in np.unique(sources)
    ))  # fmt: skip
    say("The encoding that it names makes the same text of the visible bytes as the true one: " + ", ".join(
        f"{source} {np.array(alike)[sources == source].mean():.4f}" for source in np.unique(sources)
    ) + ".")  # fmt: skip
    synthetic(data, both)
    suzuki(shipped, full, gold)
    table_10(pages, gold, {"4": (both, answers[rows[3][0]]), "shipped": (shipped, answers[rows[6][0]])}, data)


def table_10(pages: list[Page], gold: np.ndarray, models: dict[str, tuple[Any, np.ndarray]], data: Path) -> None:
    say()
    say("### Chew, table 10: experiment 4, and the shipped model, by writing system")
    say()
    say("(The paper: Abjad 93.33, Abugida 87.19, Latin 95.42, other alphabets 94.17, Chinese and Japanese 100.) On the")
    say("pages, and on lines of FLORES-200, at most 12 a language, of languages that have a model.")
    lines = [line for line in lid_lines(data, None, 12) if line.file.startswith("flores")]
    of_pages = np.array([SYSTEMS.get(page.script, "other") for page in pages])
    of_lines = np.array([SYSTEMS.get(languages.split_label(line.tag)[1], "other") for line in lines])
    columns: list[tuple[np.ndarray, np.ndarray]] = []
    for identifier, answer in models.values():
        wanted = np.array([languages.split_label(line.tag)[0] for line in lines])
        found = np.array([*codes(identifier), ""])[identifier.identify_bytes([line.text.encode() for line in lines])[0]]
        known = np.isin(wanted, sorted(set(codes(identifier))))
        columns += [(of_pages, answer == gold), (np.where(known, of_lines, ""), found == wanted)]
    say()
    say("| writing system | pages | exp. 4 | lines | exp. 4 | pages | shipped | lines | shipped |")
    say("|---" * 9 + "|")
    for system in dict.fromkeys((*SYSTEMS.values(), "other")):
        masks = [(where == system, right) for where, right in columns]
        cells = [f"{mask.sum()} | {right[mask].mean():.4f}" if mask.any() else "0 | -" for mask, right in masks]
        say(f"| {system} | " + " | ".join(cells) + " |")


def row_of(name: str, right: np.ndarray, sources: np.ndarray) -> None:
    each = " | ".join(f"{right[sources == source].mean():.4f}" for source in np.unique(sources))
    say(f"| {name} | {right.mean():.4f} | {each} |")


def synthetic(data: Path, identifier: Any) -> None:
    """Pages written in references alone: made from lines, since hardly any of our pages are."""
    lines = [line for line in lid_lines(data, None, 12) if line.file.startswith("flores")]
    lines = [line for line in lines if languages.split_label(line.tag)[1] != "Latn"]
    pages = ["".join(c if c < "\x80" else f"&#{ord(c)};" for c in line.text).encode() for line in lines]
    gold = np.array([languages.split_label(line.tag)[0] for line in lines])
    shares = []
    for on in (False, True):
        answer = identifier.identify_bytes([visible_bytes.extract_visible(page, references=on) for page in pages])[0]
        shares.append((np.array([*codes(identifier), ""])[answer] == gold).mean())
    say()
    say(
        f"References off and on, {len(pages)} lines of FLORES in other scripts than Latin, made into decimal references"
    )
    say(f"(Declaration and Bible): {shares[0]:.4f} and {shares[1]:.4f}.")


def suzuki(identifier: byte_trigrams.ByteTrigrams, data: list[bytes], gold: np.ndarray) -> None:
    strict = byte_trigrams.StrictTrigrams(identifier)
    labels, _, _ = strict.identify_bytes(data)
    answer = np.array([*codes(strict), ""])[labels]
    told = (answer != "und") & (answer != "")
    say()
    say(f"Suzuki's thresholds (UB 0.95, LB 0.92) on the same pages: {told.mean():.4f} answered,")
    say(f"{(answer == gold)[told].mean() if told.any() else 0:.4f} of those right.")


TABLES = {"hayati": hayati, "chew": chew, "clueweb": clueweb}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="which; all if none is named")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("GRAPHLANG_DATA", "../shared/data")))
    wanted = parser.parse_args()
    digest = hashlib.sha256()
    for folder in ("lid", "encodings", "web"):
        for path in sorted((wanted.data / folder).rglob("*")):
            if path.is_file():
                digest.update(path.read_bytes())
    chosen = wanted.tables or list(TABLES)
    say(f"## The papers' tables: {', '.join(chosen)}")
    say()
    now = dt.datetime.now(tz=dt.UTC)
    command = "python tests/benchmarks/paper_tables.py " + " ".join(wanted.tables)
    say(f"{now:%Y-%m-%d}, `{command.strip()}`, data (lid, encodings, web) sha256 {digest.hexdigest()[:16]},")
    shipped = ", ".join(f"{name} {registry.load(name).hash[:12]}" for name in ("nfc", "byte-trigrams"))
    say(f"Python {sys.version.split()[0]}, numpy {np.__version__}, shipped models {shipped}.")
    for name in chosen:
        say()
        TABLES[name](wanted.data)


if __name__ == "__main__":
    main()
