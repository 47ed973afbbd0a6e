"""Cards: every method has one, figures are those of the shipped models, and what is printed is what they say."""

import csv
import hashlib
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from graphlang.cli import cli
from graphlang.content import registry as content_methods
from graphlang.content.adapters import ADAPTERS
from graphlang.method_cards import sources
from graphlang.method_cards.card import (
    FIGURES_FILE,
    Card,
    Confusion,
    Measure,
    format_card,
    list_languages,
    make_card,
    read_figures,
)
from graphlang.method_cards.training_text import TrainingSource, list_training_text, sum_sources
from graphlang.urls import url_methods

DATA = FIGURES_FILE.parent
SHIPPED = sorted(path.stem for path in DATA.glob("*.npz") if path.stem not in ("url-lists", "nfc-further"))
NAMES = list(sources.names())


def run(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["methods", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("name", NAMES)
def test_every_method_has_a_card_with_a_source_and_what_differs(name: str) -> None:
    found = make_card(name)
    assert found.source
    assert found.differs
    assert not found.source.startswith("Another package"), "write its card in graphlang/method_cards/sources.py"
    assert max(map(len, format_card(found).splitlines())) <= 130
    # No labelled collection declares a language, and common-lingua takes hours for the lines.
    told = f"run: python tests/benchmarks/method_cards.py {name}"
    assert bool(found.accuracy) == (name not in {"declared", "common-lingua"}), told


def test_methods_of_the_registries_are_all_there() -> None:
    registered = {*content_methods.names(), *url_methods.list_methods(), *url_methods.MERGED}
    assert set(NAMES) - registered == {*sources.GRAPH_ABOUT, "declared", "tld"}


@pytest.mark.parametrize("name", SHIPPED)
def test_figures_are_those_of_the_model_that_is_shipped(name: str) -> None:
    shipped = hashlib.sha256((DATA / f"{name}.npz").read_bytes()).hexdigest()
    assert make_card(name).model == shipped, f"run: {make_card(name).made_by}"


@pytest.mark.parametrize("name", [*sources.GRAPH_ABOUT, "tld"])
def test_figures_of_graph_methods_start_from_the_default_that_is_shipped(name: str) -> None:
    shipped = hashlib.sha256((DATA / "nfc.npz").read_bytes()).hexdigest()
    assert make_card(name).model == shipped, f"run: {make_card(name).made_by}"


def test_figures_of_propagation_are_those_of_the_weights_that_are_shipped() -> None:
    shipped = hashlib.sha256((DATA / "weights.json").read_bytes()).hexdigest()
    assert read_figures()["methods"]["propagation"]["weights"] == shipped, f"run: {make_card('propagation').made_by}"


@pytest.mark.parametrize("name", NAMES)
def test_shares_are_shares(name: str) -> None:
    found = make_card(name)
    for row in found.accuracy:
        assert row.tested > 0
        assert 0 <= row.accuracy <= 1
    for pair in found.confusions:
        assert pair.language != pair.taken_for
        assert 0 < pair.share <= 1
    own = read_figures()["methods"].get(name, {})
    for tested, *shares in own.get("languages", {}).values():
        assert tested > 0
        assert all(0 <= share <= 1 for share in shares)


def test_accuracy_of_the_whole_is_that_of_its_languages() -> None:
    for name in ("nfc", "nfc-2004", "url"):
        own = read_figures()["methods"][name]
        right = sum(tested * shares[0] for tested, *shares in own["languages"].values())
        assert right / own["accuracy"][0]["tested"] == pytest.approx(own["accuracy"][0]["accuracy"], abs=1e-4)
        assert sum(row[0] for row in own["languages"].values()) == own["accuracy"][0]["tested"]


def test_training_text_is_summed_by_kind_and_licence() -> None:
    rows = [
        {"file": "train/de/udhr_a.txt", "source": "udhr x", "licence": "PD", "bytes": "3"},
        {"file": "train/de/udhr_b.txt", "source": "udhr x", "licence": "PD", "bytes": "4"},
        {"file": "train/fr/udhr_a.txt", "source": "udhr x", "licence": "PD", "bytes": "5"},
        {"file": "train/fr/UD.txt", "source": "UD_French-GSD", "licence": "CC BY-SA 4.0", "bytes": "90"},
        {"file": "reference/freqwords/fr.txt", "source": "words and", "licence": "PD", "bytes": "7"},
        {"file": "train-software/fr/x.txt", "source": "MediaWiki", "licence": "GPL", "bytes": "800"},
    ]
    assert sum_sources(rows, {"train", "reference"}) == (
        TrainingSource("treebanks", "CC-BY-SA-4.0", 1, 1, 90, "bytes"),
        TrainingSource("Universal Declaration of Human Rights", "PD", 3, 2, 12, "bytes"),
        TrainingSource("words with their frequency", "PD", 1, 1, 7, "bytes"),
    )


def test_the_default_was_trained_on_every_file_of_the_table() -> None:
    with (DATA / "nfc-sources.tsv").open(encoding="utf-8") as file:
        total = sum(int(row["bytes"]) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert sum(one.amount for one in list_training_text("nfc")) == total
    assert sum(one.amount for one in list_training_text("nfc-2004")) < total
    assert list_training_text("rank-order") == ()


def small(**changed: object) -> Card:
    given: dict[str, object] = {
        "name": "small",
        "kind": "content",
        "about": "counts letters",
        "command": "graphlang classify DB --method small",
        "source": "A. Uthor, 1999, section 2",
        "differs": ("Ties go to the first " + "x" * 90 + " label.", "Probabilities are ours."),
        "labels": 2,
        "training": (TrainingSource("everyday sentences", "CC0-1.0", 3, 2, 12_345, "bytes"),),
        "model": "abcdef0123456789",
        "test": "lines of a book",
        "measured": "",
        "date": "2026-01-02",
        "made_by": "python measure.py small",
        "accuracy": (
            Measure("whole lines", 1_000, 0.9125, 0.5, 0.02),
            Measure("first 24 characters", 1_000, 0.8, 0.4, 0.1),
        ),
        "confusions": (Confusion("bos", "hrv", 40, 0.25),),
    }
    return Card(**(given | changed))  # type: ignore[arg-type]


TEXT = """small (content)
  counts letters

Run it
  graphlang classify DB --method small

Source
  A. Uthor, 1999, section 2

Differs from it
  - Ties go to the first
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    label.
  - Probabilities are ours.

Trained on
  kind                languages        amount  licence
  everyday sentences          2  12,345 bytes  CC0-1.0

Labels
  2 languages and scripts; graphlang methods small --languages lists them

Accuracy
  on                   tested   right  macro-F  calibration error
  whole lines           1,000  91.2 %    0.500              0.020
  first 24 characters   1,000  80.0 %    0.400              0.100
  On lines of a book; model abcdef012345, 2026-01-02; made by: python measure.py small

Taken for another, most texts first
  language  taken for   share  of
  bos       hrv        25.0 %  40
"""


def test_a_card_as_text() -> None:
    assert format_card(small()) == TEXT


def test_a_card_without_figures_has_no_empty_sections() -> None:
    bare = format_card(small(labels=0, training=(), accuracy=(), confusions=(), differs=()))
    assert bare == TEXT.partition("\nDiffers")[0]


def test_a_graph_method_beside_the_text_alone() -> None:
    shown = format_card(small(accuracy=(Measure("short pages", 72, 0.958, text_alone=0.694),), measured="from nfc"))
    assert "  on           tested   right  text alone\n  short pages      72  95.8 %      69.4 %\n" in shown
    assert "  On lines of a book; from nfc, model abcdef012345" in shown


def test_the_list_tells_the_paper_s_method_from_its_descendant() -> None:
    lines = {line.split("\t")[0]: line for line in run("--format", "tsv").splitlines()}
    assert list(lines)[1:] == NAMES
    assert "descendant of NFC" in lines["nfc"]
    assert "not the paper's" in lines["nfc"]
    assert "NFC as published" in lines["nfc-2004"]


@pytest.mark.parametrize("name", ["nfc", "url-custom-dt", "propagation", "A or B", "declared"])
def test_the_verb_prints_the_card(name: str) -> None:
    assert run(name) == format_card(make_card(name))
    found = json.loads(run(name, "--json"))
    assert found == json.loads(json.dumps(make_card(name).to_dict()))
    assert found["name"] == name
    assert found["accuracy"] == [row._asdict() for row in make_card(name).accuracy]


def test_all_cards_as_json_into_a_file(tmp_path: Path) -> None:
    assert run("--json", "-o", str(tmp_path / "cards.json")) == ""
    cards = json.loads((tmp_path / "cards.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in cards] == NAMES


def test_the_languages_of_a_method() -> None:
    rows = list(csv.DictReader(io.StringIO(run("nfc", "--languages", "--format", "csv"))))
    assert len(rows) == make_card("nfc").labels
    (german,) = [row for row in rows if row["label"] == "deu"]
    tested, whole, *_ = read_figures()["methods"]["nfc"]["languages"]["deu"]
    assert (german["name"], german["tag"], german["tested"]) == ("German", "de", str(tested))
    assert float(german["accuracy"]) == whole
    assert {one.language for one in list_languages("url-cctld")} >= {"pol", "jpn"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "nonsense: no such method"),
        (["--languages"], "--languages needs NAME"),
        (["nfc", "--languages", "--json"], "--format instead of --json"),
        (["inlinks", "--languages"], "inlinks has no languages of its own"),
        (["A or B", "--languages"], "A or B has no languages of its own"),
        (["nfc", "--format", "csv"], "a card is text or --json; --format and --limit go with --languages"),
        (["nfc", "-o", "card.csv"], "a card is text or --json"),
        (["--json", "--limit", "3"], "cards are text or --json"),
    ],
)
def test_a_format_that_cannot_be_printed_is_one_line(arguments: list[str], message: str) -> None:
    done = CliRunner().invoke(cli, ["methods", *arguments])
    assert done.exit_code == 2
    assert message in done.output.replace("\n", " ")


def test_a_method_without_a_model_says_how_to_train_one() -> None:
    done = CliRunner().invoke(cli, ["methods", "textcat", "--languages"])
    assert done.exit_code == 3
    assert "graphlang train MODEL CORPUS --method textcat" in done.output


def test_other_programs_name_their_version() -> None:
    for name in ADAPTERS:
        assert make_card(name).measured.startswith("with ") or name == "common-lingua"  # which is not measured
        assert make_card(name).model == ""
